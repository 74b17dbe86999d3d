//! The presentation of CronJobs on the page: their schedule and number of active Jobs, and a menu to suspend, resume or run them.

use super::{ANY, KindView};
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::view::cluster::Health;

pub const VIEW: KindView = KindView {
    kind: Some(Kind::CRON_JOB),
    standing: |o| (Health::Good, text(o)),
    state: |o| (Some(Health::Good), text(o)),
    observed: text,
    menu: |menu, object| {
        let Some(cron_job) = object.cron_job() else { return };
        let (name, namespace) = (object.meta.name.as_str(), object.meta.namespace.as_str());
        let (label, patch) = match cron_job.spec.suspend {
            Some(true) => ("Resume it", r#"{"spec":{"suspend":false}}"#),
            _ => ("Suspend it", r#"{"spec":{"suspend":true}}"#),
        };
        menu.kubectl(label, &["patch", "cronjob", name, "-n", namespace, "--type=merge", "-p", patch], false, "");
        let (job, from) = (format!("{name}-manual"), format!("--from=cronjob/{name}"));
        menu.kubectl("Run it now (create job --from)", &["create", "job", &job, &from, "-n", namespace], false, "");
        menu.delete(object);
    },
    ..ANY
};

fn text(object: &Object) -> String {
    let Some(cron_job) = object.cron_job() else { return String::new() };
    let suspended = if cron_job.spec.suspend == Some(true) { ", suspended" } else { "" };
    format!("{}, {} active{suspended}", cron_job.spec.schedule, cron_job.status.active.len())
}
