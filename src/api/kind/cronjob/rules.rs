//! Defaults and validation of CronJobs. Counterpart: `pkg/apis/batch/v1/defaults.go` and `pkg/apis/batch/validation`.

use super::super::job;
use crate::api::cron::Schedule;
use crate::api::field::{Errors, Path};
use crate::api::meta_rules::{non_negative, selector_text};
use crate::api::value::{Map, Value};
use crate::api::zone::Zone;

/// The maximum length of a CronJob's name: the controller appends eleven characters, and a Job's name has at most 63.
const LONGEST_NAME: usize = 52;
const LONGEST_ZONE_PART: usize = 14;

/// Fills in the defaults of a CronJob. Counterpart: `SetDefaults_CronJob`.
pub fn default(object: &mut Map) {
    let spec = object.map_mut("spec");
    let template = spec.map_mut("jobTemplate");
    template.map_mut("metadata");
    job::default_spec(template.map_mut("spec"));
    if spec.str("concurrencyPolicy").is_empty() {
        spec.insert("concurrencyPolicy", "Allow");
    }
    spec.insert_default("suspend", false);
    spec.insert_default("successfulJobsHistoryLimit", 3);
    spec.insert_default("failedJobsHistoryLimit", 1);
    object.map_mut("status");
}

/// Validates a new CronJob. Counterpart: `ValidateCronJobCreate`.
pub fn validate(object: &Map, errors: &mut Errors) {
    validate_spec(object, None, errors);
    let name = object.map("metadata").map_or("", |m| m.str("name"));
    if name.len() > LONGEST_NAME {
        errors.invalid(&Path::new("metadata.name"), name, "must be no more than 52 characters");
    }
}

/// Validates an update of a CronJob.
pub fn validate_update(new: &Map, old: &Map, errors: &mut Errors) {
    validate_spec(new, Some(old), errors);
}

fn validate_spec(object: &Map, old: Option<&Map>, errors: &mut Errors) {
    let (empty, path) = (Map::new(), Path::new("spec"));
    let spec = object.map("spec").unwrap_or(&empty);
    let old = old.and_then(|o| o.map("spec"));
    let schedule = spec.str("schedule");
    if schedule.is_empty() {
        errors.required(&path.child("schedule"), "");
    } else {
        let zoned_before = old.is_some_and(|old| old.str("schedule").contains("TZ"));
        validate_schedule(schedule, zoned_before, spec.has("timeZone"), &path.child("schedule"), errors);
    }
    non_negative(spec, "startingDeadlineSeconds", &path, errors);
    if old.is_none_or(|old| old.get("timeZone") != spec.get("timeZone"))
        && let Some(zone) = spec.get("timeZone").and_then(Value::as_str)
    {
        validate_time_zone(zone, &path.child("timeZone"), errors);
    }
    match spec.str("concurrencyPolicy") {
        "Allow" | "Forbid" | "Replace" => {}
        "" => errors.required(&path.child("concurrencyPolicy"), ""),
        other => errors.not_supported(&path.child("concurrencyPolicy"), other, &["Allow", "Forbid", "Replace"]),
    }
    validate_template(spec.map("jobTemplate").unwrap_or(&empty), &path.child("jobTemplate"), errors);
    non_negative(spec, "successfulJobsHistoryLimit", &path, errors);
    non_negative(spec, "failedJobsHistoryLimit", &path, errors);
}

fn validate_schedule(schedule: &str, zoned_before: bool, has_zone: bool, path: &Path, errors: &mut Errors) {
    if let Err(why) = Schedule::parse(schedule) {
        errors.invalid(path, schedule, &why);
    }
    match (schedule.contains("TZ"), zoned_before, has_zone) {
        (true, true, true) => errors.invalid(path, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule"),
        (true, false, _) => errors.invalid(path, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"),
        _ => {}
    }
}

/// Validates the name of a time zone. Counterpart: `validateTimeZone`.
fn validate_time_zone(zone: &str, path: &Path, errors: &mut Errors) {
    if zone.is_empty() {
        return errors.invalid(path, zone, "timeZone must be nil or non-empty string");
    }
    let well_formed = |part: &str| {
        let plain = part.bytes().all(|b| b.is_ascii_alphanumeric() || b".-_+".contains(&b));
        (1..=LONGEST_ZONE_PART).contains(&part.len()) && plain && !part.starts_with('-') && !matches!(part, "." | "..")
    };
    if !zone.split('/').all(well_formed) {
        return errors.invalid(path, zone, &format!("unknown time zone {zone}"));
    }
    let local = zone.eq_ignore_ascii_case("Local");
    if local {
        errors.invalid(path, zone, "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
    }
    if let Err(why) = Zone::load(zone)
        && zone != "Local"
    {
        errors.invalid(path, zone, &why);
    }
}

/// Validates the template of the Jobs. Counterpart: `ValidateJobTemplateSpec`.
fn validate_template(template: &Map, path: &Path, errors: &mut Errors) {
    let empty = Map::new();
    let (spec, path) = (template.map("spec").unwrap_or(&empty), path.child("spec"));
    job::validate_spec(spec, &path, errors);
    if let Some(selector) = spec.map("selector") {
        errors.invalid_text(&path.child("selector"), &selector_text(selector), "`selector` will be auto-generated");
    }
    if spec.bool("manualSelector") {
        errors.not_supported(&path.child("manualSelector"), true, &["nil", "false"]);
    }
}
