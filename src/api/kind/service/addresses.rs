//! Validation of the addresses of Services. Counterparts: `ValidateServiceClusterIPsRelatedFields`, `validateUpgradeDowngradeClusterIPs`,
//! `validateUpgradeDowngradeIPFamilies`.

use super::rules::{headless, selects_nothing};
use crate::api::field::{Errors, Path};
use crate::api::names;
use crate::api::value::{Map, Value};

/// Returns the problems of an IP address, unless it is one of the `known` ones, which the old object already has.
pub(super) fn ip_problems(address: &str, known: &[Value]) -> names::Problems {
    if known.iter().any(|k| k.as_str() == Some(address)) { names::Problems::new() } else { names::ip(address) }
}

pub(super) fn validate_cluster_ips(spec: &Map, before: &Map, path: &Path, errors: &mut Errors) {
    let (one, all, ips) = (spec.str("clusterIP"), spec.list("clusterIPs"), path.child("clusterIPs"));
    if !one.is_empty() && all.is_empty() {
        errors.required(&ips, "");
    } else if !one.is_empty() && all.first().and_then(Value::as_str) != Some(one) {
        errors.invalid(&ips, all.to_vec(), "first value must match `clusterIP`");
    } else if one.is_empty() && !all.is_empty() {
        errors.invalid(&ips, all.to_vec(), "must be empty when `clusterIP` is not specified");
    }
    let families = spec.list("ipFamilies");
    for (i, family) in families.iter().enumerate() {
        let path = path.child("ipFamilies").index(i);
        if !matches!(family.as_str(), Some("IPv4" | "IPv6")) {
            errors.not_supported(&path, family.clone(), &["IPv4", "IPv6"]);
        }
        if families.iter().take(i).any(|f| f == family) {
            errors.duplicate(&path, family.clone());
        }
    }
    const POLICIES: &[&str] = &["PreferDualStack", "RequireDualStack", "SingleStack"];
    if let Some(policy) = spec.get("ipFamilyPolicy").and_then(Value::as_str).filter(|p| !POLICIES.contains(p)) {
        errors.not_supported(&path.child("ipFamilyPolicy"), policy, POLICIES);
    }
    let mut wrong = false;
    for (i, address) in all.iter().filter_map(Value::as_str).enumerate() {
        if i == 0 && address == "None" {
            if all.len() > 1 {
                wrong = true;
                errors.invalid(&ips, all.to_vec(), "'None' must be the first and only value");
            }
            continue;
        }
        let problems = ip_problems(address, before.list("clusterIPs"));
        wrong |= !problems.is_empty();
        errors.invalid_each(&ips.index(i), address, problems);
    }
    if all.len() > 2 {
        errors.invalid(&ips, all.to_vec(), "may only hold up to 2 values");
    }
    if wrong {
        return;
    }
    if all.len() > 1 && all.iter().filter(|v| is_six(v)).count() != 1 {
        errors.invalid(&ips, all.to_vec(), "may specify no more than one IP for each IP family");
    }
    for (i, (address, family)) in all.iter().zip(families).enumerate().filter(|_| !headless(spec)) {
        let expected = family.as_str().unwrap_or("");
        if is_six(address) != (expected == "IPv6") {
            let detail = format!("expected an {expected} value as indicated by `ipFamilies[{i}]`");
            errors.invalid(&ips.index(i), address.clone(), &detail);
        }
    }
}

/// Returns true for an IPv6 address.
pub(super) fn is_six(address: &Value) -> bool {
    address.as_str().is_some_and(|a| a.contains(':'))
}

/// Validates what the API server looks at when it allocates addresses, which is before it validates anything else. Counterpart: `initIPFamilyFields`.
pub fn validate_allocation(object: &Map, old: Option<&Map>, errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("spec"));
    let spec = object.map("spec").unwrap_or(&empty);
    if spec.str("type") == "ExternalName" {
        return;
    }
    validate_cluster_ips(spec, old.and_then(|old| old.map("spec")).unwrap_or(&empty), &path, errors);
    let (families, policy) = (spec.list("ipFamilies"), spec.str("ipFamilyPolicy"));
    let (policy_path, addresses) = (path.child("ipFamilyPolicy"), spec.list("clusterIPs"));
    if !errors.is_empty() {
        return;
    }
    for (key, what) in [("clusterIPs", "cluster IPs"), ("ipFamilies", "IP families")] {
        if policy == "SingleStack" && spec.list(key).len() == 2 {
            let detail = format!("must be 'RequireDualStack' or 'PreferDualStack' when multiple {what} are specified");
            errors.invalid(&policy_path, policy, &detail);
        }
    }
    for (i, _) in addresses.iter().enumerate().filter(|(i, a)| *i >= families.len() && is_six(a)) {
        errors.invalid(&path.child("clusterIPs").index(i), addresses.to_vec(), "IPv6 is not configured on this cluster");
    }
    if !errors.is_empty() || selects_nothing(spec) {
        return;
    }
    if policy == "RequireDualStack" {
        errors.invalid(&policy_path, policy, "this cluster is not configured for dual-stack services");
    }
    for (i, family) in families.iter().enumerate().filter(|(_, f)| f.as_str() == Some("IPv6")) {
        errors.invalid(&path.child("ipFamilies").index(i), family.clone(), "not configured on this cluster");
    }
}

/// Validates that an update changes addresses and IP families only where it may. The caller has made sure that neither version is an ExternalName.
pub(super) fn validate_changed_addresses(spec: &Map, before: &Map, path: &Path, errors: &mut Errors) {
    if headless(spec) && headless(before) {
        return;
    }
    let list = |key: &str| spec.get(key).filter(|v| v.as_list().is_some_and(|l| !l.is_empty())).cloned().unwrap_or_default();
    validate_changed_list(spec, before, "clusterIPs", &list("clusterIPs"), path, errors);
    // A Service that becomes headless, or is headless no longer, may change its IP families.
    if headless(spec) == headless(before) {
        validate_changed_list(spec, before, "ipFamilies", &list("clusterIPs"), path, errors);
    }
}

/// Validates a change of `clusterIPs` or `ipFamilies`: the first item is fixed, and the second may come and go as `ipFamilyPolicy` allows. Where the number
/// of families changes, upstream's message shows the addresses.
fn validate_changed_list(spec: &Map, before: &Map, key: &str, addresses: &Value, path: &Path, errors: &mut Errors) {
    const FIXED: &str = "may not change once set";
    let (now, then, first) = (spec.list(key), before.list(key), path.child(key).index(0));
    let families = key == "ipFamilies";
    if now.len() == then.len() {
        for i in (0..now.len()).filter(|i| now.get(*i) != then.get(*i)) {
            let place = if families { first.clone() } else { path.child(key).index(i) };
            errors.invalid(&place, now.to_vec(), FIXED);
        }
        return;
    }
    let released = now.len() < then.len();
    if released && spec.list("clusterIPs").is_empty() {
        let what = if families { "ipFamily" } else { "clusterIP" };
        let shown: Value = if now.is_empty() { Value::Null } else { now.to_vec().into() };
        errors.invalid(&first, shown, &format!("primary {what} can not be unset"));
    }
    if !now.is_empty() && !then.is_empty() && now.first() != then.first() {
        errors.invalid(&first, addresses.clone(), FIXED);
    }
    if released && now.len() == 1 && spec.str("ipFamilyPolicy") != "SingleStack" {
        let what = if families { "ipFamily" } else { "clusterIP" };
        let policy = spec.get("ipFamilyPolicy").cloned().unwrap_or_default();
        errors.invalid(&path.child("ipFamilyPolicy"), policy, &format!("must be set to 'SingleStack' when releasing the secondary {what}"));
    }
}
