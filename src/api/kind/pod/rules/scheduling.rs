//! Validation of tolerations, taints, topology spread constraints, readiness gates and scheduling gates.

use super::affinity;
use crate::api::field::{Errors, Path};
use crate::api::meta_rules::{maps, validate_label_selector};
use crate::api::names;
use crate::api::value::{Map, Value};

const EFFECTS: &[&str] = &["NoSchedule", "PreferNoSchedule", "NoExecute"];
const POSITIVE: &str = "must be greater than zero";

/// Validates the effect of a taint or of a toleration.
pub fn validate_taint_effect(effect: &str, path: &Path, errors: &mut Errors) {
    if !EFFECTS.contains(&effect) {
        errors.not_supported(path, effect, EFFECTS);
    }
}

/// Validates the tolerations of a pod spec.
pub(super) fn validate_tolerations(tolerations: &[Value], path: &Path, errors: &mut Errors) {
    for (i, toleration) in maps(tolerations) {
        let path = path.index(i);
        let [key, operator, value, effect] = ["key", "operator", "value", "effect"].map(|k| toleration.str(k));
        let operator_path = path.child("operator");
        if !key.is_empty() {
            errors.invalid_each(&path.child("key"), key, names::qualified_name(key));
        } else if operator != "Exists" {
            let detail = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
            errors.invalid(&operator_path, operator, detail);
        }
        if toleration.has("tolerationSeconds") && effect != "NoExecute" {
            errors.invalid(&path.child("effect"), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
        }
        match operator {
            "Equal" | "" => {
                let problems = names::label_value(value);
                if !problems.is_empty() {
                    errors.invalid(&operator_path, value, &problems.join(";"));
                }
            }
            "Exists" if !value.is_empty() => {
                errors.invalid(&operator_path, value, "value must be empty when `operator` is 'Exists'");
            }
            "Exists" => {}
            "Lt" | "Gt" => errors.not_supported(&operator_path, operator, &["Equal", "Exists", "Lt", "Gt"]),
            _ => errors.not_supported(&operator_path, operator, &["Equal", "Exists"]),
        }
        if !effect.is_empty() {
            validate_taint_effect(effect, &path.child("effect"), errors);
        }
    }
}

/// Validates the topology spread constraints of a pod spec.
pub(super) fn validate_spread(constraints: &[Value], path: &Path, errors: &mut Errors) {
    let all: Vec<&Map> = maps(constraints).map(|(_, c)| c).collect();
    for (i, constraint) in all.iter().enumerate() {
        let path = path.index(i);
        let (key, action) = (constraint.str("topologyKey"), constraint.str("whenUnsatisfiable"));
        let skew = constraint.int("maxSkew").unwrap_or(0);
        if skew <= 0 {
            errors.invalid(&path.child("maxSkew"), skew, POSITIVE);
        }
        if key.is_empty() {
            errors.required(&path.child("topologyKey"), "can not be empty");
        }
        if !matches!(action, "DoNotSchedule" | "ScheduleAnyway") {
            errors.not_supported(&path.child("whenUnsatisfiable"), action, &["DoNotSchedule", "ScheduleAnyway"]);
        }
        if all.iter().skip(i + 1).any(|c| c.str("topologyKey") == key && c.str("whenUnsatisfiable") == action) {
            errors.duplicate(&path.child("{topologyKey, whenUnsatisfiable}"), format!("{{{key}, {action}}}"));
        }
        if let Some(domains) = constraint.int("minDomains") {
            let path = path.child("minDomains");
            if domains <= 0 {
                errors.invalid(&path, domains, POSITIVE);
            }
            if action != "DoNotSchedule" {
                let detail = format!("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}");
                errors.invalid(&path, domains, &detail);
            }
        }
        for key in ["nodeAffinityPolicy", "nodeTaintsPolicy"] {
            if let Some(policy) = constraint.get(key).and_then(Value::as_str).filter(|p| !matches!(*p, "Honor" | "Ignore")) {
                errors.not_supported(&path.child(key), policy, &["Honor", "Ignore"]);
            }
        }
        affinity::validate_label_keys(constraint, &path, errors);
        validate_label_selector(constraint.map("labelSelector"), &path.child("labelSelector"), errors);
    }
}

/// Validates the readiness gates and scheduling gates of a pod spec.
pub(super) fn validate_gates(spec: &Map, path: &Path, errors: &mut Errors) {
    for (i, gate) in maps(spec.list("readinessGates")) {
        let kind = gate.str("conditionType");
        errors.invalid_each(&path.child("readinessGates").index(i).child("conditionType"), kind, names::qualified_name(kind));
    }
    let mut seen: Vec<&str> = Vec::new();
    for (i, gate) in maps(spec.list("schedulingGates")) {
        let (name, path) = (gate.str("name"), path.child("schedulingGates").index(i));
        errors.invalid_each(&path, name, names::qualified_name(name));
        if seen.contains(&name) {
            errors.duplicate(&path, name);
        }
        seen.push(name);
    }
}
