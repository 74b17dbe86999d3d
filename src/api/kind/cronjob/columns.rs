//! The columns that `kubectl get` shows for CronJob objects.

use crate::api::duration::since;
use crate::api::kind::{Column, column, wide};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::Value;

/// The columns that `kubectl get` shows for CronJobs.
pub const COLUMNS: &[Column] = &[
    column("Name"),
    column("Schedule"),
    column("Timezone"),
    column("Suspend"),
    column("Active"),
    column("Last Schedule"),
    column("Age"),
    wide("Containers"),
    wide("Images"),
    wide("Selector"),
];

/// Returns the cells of a CronJob's row in `kubectl get`, in the order of `COLUMNS`.
pub fn cells(object: &Object, now: Time) -> Vec<Value> {
    let Some(cron_job) = object.cron_job() else { return Vec::new() };
    let (spec, status) = (&cron_job.spec, &cron_job.status);
    let suspend = match spec.suspend {
        Some(true) => "True",
        Some(false) => "False",
        None => "<unset>",
    };
    let containers = spec.raw().at(&["jobTemplate", "spec", "template", "spec", "containers"]).and_then(Value::as_list).unwrap_or(&[]);
    let join = |key: &str| {
        let all: Vec<&str> = containers.iter().filter_map(Value::as_map).map(|c| c.str(key)).collect();
        all.join(",")
    };
    vec![
        (&object.meta.name).into(),
        (&spec.schedule).into(),
        spec.time_zone.as_deref().unwrap_or("<none>").into(),
        suspend.into(),
        (status.active.len() as i64).into(),
        status.last_schedule_time.map_or_else(|| "<none>".to_owned(), |t| since(t, now)).into(),
        since(object.meta.created, now).into(),
        join("name").into(),
        join("image").into(),
        "<none>".into(),
    ]
}
