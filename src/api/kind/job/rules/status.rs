//! Validation of updates of a Job's status. Counterpart: `ValidateJobUpdateStatus` and `getStatusValidationOptions`.
//!
//! A rule runs only where a field that it is about has changed, so that an update can go on although something else in the status is wrong.

use super::indexes;
use crate::api::field::{Errors, Path};
use crate::api::json;
use crate::api::meta_rules::non_negative;
use crate::api::value::{Map, Value};

/// The spec and the status of a Job before or after the update.
struct Look<'a> {
    spec: &'a Map,
    status: &'a Map,
}

impl Look<'_> {
    fn is(&self, condition: &str, status: &str) -> bool {
        let all = self.status.list("conditions").iter().filter_map(Value::as_map);
        { all }.any(|c| c.str("type") == condition && c.str("status") == status)
    }
    fn has(&self, condition: &str) -> bool {
        self.is(condition, "True")
    }
    fn finished(&self) -> bool {
        self.has("Complete") || self.has("Failed")
    }
    fn number(&self, key: &str) -> i64 {
        self.status.int(key).unwrap_or(0)
    }
}

/// Validates an update of a Job's status.
pub fn validate_status(new: &Map, old: &Map, errors: &mut Errors) {
    let empty = Map::new();
    let look =
        |object: &'_ Map| -> (Map, Map) { (object.map("spec").unwrap_or(&empty).clone(), object.map("status").unwrap_or(&empty).clone()) };
    let ((spec, status), (old_spec, old_status)) = (look(new), look(old));
    let (new, old) = (Look { spec: &spec, status: &status }, Look { spec: &old_spec, status: &old_status });
    let path = Path::new("status");
    for key in ["active", "succeeded", "failed", "ready", "terminating"] {
        non_negative(new.status, key, &path, errors);
    }
    validate_uncounted(new.status, &path.child("uncountedTerminatedPods"), errors);
    validate_end(&new, &old, &path, errors);
    validate_indexes(&new, &old, &path, errors);
    validate_counts(&new, &old, &path, errors);
    validate_success_criteria(&new, &path, errors);
    validate_transition(&new, &old, &path, errors);
}

fn changed(new: &Look, old: &Look, key: &str) -> bool {
    new.status.get(key) != old.status.get(key)
}

fn flipped(new: &Look, old: &Look, condition: &str) -> bool {
    new.has(condition) != old.has(condition)
}

fn validate_uncounted(status: &Map, path: &Path, errors: &mut Errors) {
    let empty = Map::new();
    let uncounted = status.map("uncountedTerminatedPods").unwrap_or(&empty);
    let mut seen: Vec<&str> = Vec::new();
    for key in ["succeeded", "failed"] {
        for (i, uid) in uncounted.list(key).iter().filter_map(Value::as_str).enumerate() {
            let place = path.child(key).index(i);
            if uid.is_empty() {
                errors.invalid(&place, uid, "must not be empty");
            } else if seen.contains(&uid) {
                errors.duplicate(&place, uid);
            } else {
                seen.push(uid);
            }
        }
    }
}

/// Validates the status of a Job that has just completed or failed.
fn validate_end(new: &Look, old: &Look, path: &Path, errors: &mut Errors) {
    let (complete, failed) = (flipped(new, old, "Complete"), flipped(new, old, "Failed"));
    let times = changed(new, old, "startTime") || changed(new, old, "completionTime");
    let (start, end) = (new.status.get("startTime"), new.status.get("completionTime"));
    let shown = |value: Option<&Value>| value.map_or_else(|| "null".to_owned(), json::to_string);
    let (conditions, place) = (path.child("conditions"), path.child("completionTime"));
    if (complete || failed) && new.has("Complete") && new.has("Failed") {
        errors.invalid_without_value(&conditions, "cannot set Complete=True and Failed=true conditions");
    }
    if (complete || flipped(new, old, "FailureTarget")) && new.has("Complete") && new.has("FailureTarget") {
        errors.invalid_without_value(&conditions, "cannot set Complete=True and FailureTarget=true conditions");
    }
    let ends = complete || changed(new, old, "completionTime");
    if ends && end.is_some() && !new.has("Complete") {
        errors.invalid_text(&place, &shown(end), "cannot set completionTime when there is no Complete=True condition");
    }
    if ends && end.is_none() && new.has("Complete") {
        errors.required(&place, "completionTime is required for Complete jobs");
    }
    let text = |value: Option<&Value>| value.and_then(Value::as_str).and_then(crate::api::time::Time::parse);
    if times && text(start).zip(text(end)).is_some_and(|(start, end)| end < start) {
        errors.invalid_text(&place, &shown(end), "must be equal to or after `startTime`");
    }
    if (failed || changed(new, old, "failedIndexes")) && new.has("Failed") && !new.has("FailureTarget") {
        errors.invalid_without_value(&conditions, "cannot set Failed=True condition without the FailureTarget=true condition");
    }
    if (complete || flipped(new, old, "SuccessCriteriaMet")) && new.has("Complete") && !new.has("SuccessCriteriaMet") {
        errors.invalid_without_value(&conditions, "cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
    }
    let finished = new.finished() != old.finished();
    if (finished || changed(new, old, "active")) && new.number("active") > 0 && new.finished() {
        errors.invalid(&path.child("active"), new.number("active"), "active>0 is invalid for finished job");
    }
    let nothing_wanted = new.spec.bool("suspend") && new.spec.int("completions") == Some(0);
    if (finished || changed(new, old, "startTime")) && !nothing_wanted && start.is_none() && new.finished() {
        errors.required(&path.child("startTime"), "startTime is required for finished job");
    }
    let uncounted = new.status.map("uncountedTerminatedPods");
    let some = uncounted.is_some_and(|u| !u.list("succeeded").is_empty() || !u.list("failed").is_empty());
    if (finished || changed(new, old, "uncountedTerminatedPods")) && some && new.finished() {
        let text = shown(new.status.get("uncountedTerminatedPods"));
        errors.invalid_text(&path.child("uncountedTerminatedPods"), &text, "must be empty for finished job");
    }
}

fn validate_indexes(new: &Look, old: &Look, path: &Path, errors: &mut Errors) {
    let (completed, failed) = (new.status.str("completedIndexes"), new.status.get("failedIndexes").and_then(Value::as_str));
    let (completed_changed, failed_changed) = (changed(new, old, "completedIndexes"), changed(new, old, "failedIndexes"));
    let (place, failed_place) = (path.child("completedIndexes"), path.child("failedIndexes"));
    let per_index = new.spec.has("backoffLimitPerIndex");
    let completions = new.spec.int("completions");
    if let Some(Err(why)) = completions.filter(|_| completed_changed).map(|n| indexes::count(completed, n)) {
        errors.invalid(&place, completed, &format!("error parsing completedIndexes: {why}"));
    }
    if let (Some(n), Some(text), true) = (completions, failed, failed_changed && per_index)
        && let Err(why) = indexes::count(text, n)
    {
        errors.invalid(&failed_place, text, &format!("error parsing failedIndexes: {why}"));
    }
    if completed_changed && !completed.is_empty() && new.spec.str("completionMode") != "Indexed" {
        errors.invalid(&place, completed, "cannot set non-empty completedIndexes when non-indexed completion mode");
    }
    if let Some(text) = failed.filter(|_| failed_changed && !per_index) {
        errors.invalid(&failed_place, text, "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
    }
    if let (Some(n), Some(text), true) = (completions, failed, failed_changed || completed_changed)
        && let Some(index) = indexes::overlap(completed, text, n)
    {
        errors.invalid(&failed_place, text, &format!("failedIndexes and completedIndexes overlap at index: {index}"));
    }
}

fn validate_counts(new: &Look, old: &Look, path: &Path, errors: &mut Errors) {
    let finished = new.finished() != old.finished();
    if (finished || changed(new, old, "terminating")) && new.number("terminating") > 0 && new.finished() {
        errors.invalid(&path.child("terminating"), new.number("terminating"), "terminating>0 is invalid for finished job");
    }
    if (changed(new, old, "ready") || changed(new, old, "active")) && new.number("ready") > new.number("active") {
        errors.invalid(&path.child("ready"), new.number("ready"), "cannot set more ready pods than active");
    }
}

fn validate_success_criteria(new: &Look, path: &Path, errors: &mut Errors) {
    let place = path.child("conditions");
    for (other, word) in [("Failed", "Failed"), ("FailureTarget", "FailureTarget")] {
        if new.has("SuccessCriteriaMet") && new.has(other) {
            errors.invalid_without_value(&place, &format!("cannot set SuccessCriteriaMet=True and {word}=true conditions"));
        }
    }
    if new.spec.has("successPolicy") && !new.has("SuccessCriteriaMet") && new.has("Complete") {
        let detail = "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True";
        errors.invalid_without_value(&place, detail);
    }
}

/// Reports changes that revoke something final: a lost condition such as `Complete`, a smaller counter, another start or completion time.
fn validate_transition(new: &Look, old: &Look, path: &Path, errors: &mut Errors) {
    let place = path.child("conditions");
    for condition in ["Failed", "Complete", "FailureTarget"] {
        if old.has(condition) && !new.has(condition) {
            errors.invalid_without_value(&place, &format!("cannot disable the terminal {condition}=True condition"));
        }
    }
    if new.number("failed") < old.number("failed") {
        errors.invalid(&path.child("failed"), new.number("failed"), "cannot decrease the failed counter");
    }
    let may_shrink = new.spec.str("completionMode") == "Indexed" && new.spec.int("completions") == new.spec.int("parallelism");
    if !may_shrink && new.number("succeeded") < old.number("succeeded") {
        errors.invalid(&path.child("succeeded"), new.number("succeeded"), "cannot decrease the succeeded counter");
    }
    let shown = |key: &str| new.status.get(key).map_or_else(|| "null".to_owned(), json::to_string);
    let both = new.status.has("completionTime") && old.status.has("completionTime");
    if both && changed(new, old, "completionTime") {
        errors.invalid_text(&path.child("completionTime"), &shown("completionTime"), "field is immutable");
    }
    let resuming = old.has("Suspended") && new.is("Suspended", "False");
    if changed(new, old, "startTime") && !resuming && old.status.has("startTime") && !new.spec.bool("suspend") {
        let detail = "field is immutable for unsuspended job once set";
        errors.invalid_text(&path.child("startTime"), &shown("startTime"), detail);
    }
    if old.has("SuccessCriteriaMet") && !new.has("SuccessCriteriaMet") {
        errors.invalid_without_value(&place, "cannot disable the SuccessCriteriaMet=True condition");
    }
    if old.has("Complete") && !old.has("SuccessCriteriaMet") && new.has("SuccessCriteriaMet") {
        let detail = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions";
        errors.invalid_without_value(&place, detail);
    }
}
