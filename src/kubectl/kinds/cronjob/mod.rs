//! The kubectl commands for CronJobs: `create cronjob`, `create job --from` and `describe`. Counterparts: `create_cronjob.go`,
//! `describe.CronJobDescriber`.

use super::job::{name_and_command, template};
use crate::api::duration::or_none;
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::request::{Request, Verb};
use crate::api::value::{Map, Value};
use crate::kubectl::create_kinds::create_object;
use crate::kubectl::describe::description::Description;
use crate::kubectl::describe::template::template as describe_template;
use crate::kubectl::describe::{head, labels_and_annotations};
use crate::kubectl::errors::Stop;
use crate::kubectl::flags::{Args, CREATED, Flag, OUTPUT, text};
use crate::kubectl::resource::{self, Target};
use crate::kubectl::{Cx, Run};
use crate::map;

const FLAGS: &[Flag] = &[text("image"), text("schedule"), text("restart")];

/// Runs `kubectl create cronjob NAME --image=… --schedule=… [-- COMMAND]`.
pub fn create(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("create cronjob", &[OUTPUT, FLAGS, CREATED], words)?;
    args.require(&["image", "schedule"])?;
    let (name, command) = name_and_command("create cronjob", &args)?;
    let restart = args.text("restart").filter(|r| !r.is_empty()).unwrap_or("OnFailure");
    let pods = template(name, args.text("image").unwrap_or(""), command, restart);
    let jobs = map! { "metadata" => map! { "name" => name }, "spec" => map! { "template" => pods } };
    let object = map! {
        "metadata" => map! { "name" => name },
        "spec" => map! { "schedule" => args.text("schedule").unwrap_or(""), "jobTemplate" => jobs },
        "status" => Map::new(),
    };
    create_object(cx, &args, Kind::CRON_JOB, object, "created", Some("failed to create cronjob: "))
}

/// Returns a Job made from the template of the CronJob that `--from` names.
pub fn job_from(cx: &mut Cx, args: &Args, from: &str, name: &str) -> Run<Map> {
    let targets = resource::targets(&cx.env.kinds, &[from.to_owned()])?;
    let [Target { kind, name: Some(cron_job) }] = targets.as_slice() else {
        return Err(Stop::plain("from must be an existing cronjob"));
    };
    let place = resource::namespace(cx, args).0;
    let found = cx.object(Request::new(Verb::Get, *kind, place, cron_job.as_str()))?.clone();
    let Some(cron_job) = found.cron_job() else {
        let row = kind.row();
        return Err(Stop::plain(format!("unknown object type *{}.{}", row.version, row.name)));
    };
    let empty = Map::new();
    let template = cron_job.spec.raw().map("jobTemplate").unwrap_or(&empty);
    let mut annotations = map! { "cronjob.kubernetes.io/instantiate" => "manual" };
    for (key, value) in template.at(&["metadata", "annotations"]).and_then(Value::as_map).into_iter().flat_map(Map::iter) {
        annotations.insert(key.clone(), value.clone());
    }
    let owner = map! {
        "apiVersion" => Kind::CRON_JOB.api_version(),
        "kind" => Kind::CRON_JOB.row().name,
        "name" => found.meta.name.clone(),
        "uid" => found.meta.uid.text(),
        "controller" => true,
    };
    let mut metadata = map! { "name" => name, "annotations" => annotations, "ownerReferences" => vec![owner.into()] };
    if let Some(labels) = template.at(&["metadata", "labels"]) {
        metadata.insert("labels", labels.clone());
    }
    let spec = template.get("spec").cloned().unwrap_or_else(|| Map::new().into());
    Ok(map! { "metadata" => metadata, "spec" => spec, "status" => Map::new() })
}

/// Writes the description of a CronJob.
pub fn describe(_: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let Some(cron_job) = object.cron_job() else { return Ok(()) };
    let (spec, raw) = (&cron_job.spec, cron_job.spec.raw());
    head(object, description);
    labels_and_annotations(object, description);
    let unset = || "<unset>".to_owned();
    let number = |n: Option<i64>, unit: &str| n.map_or_else(unset, |n| format!("{n}{unit}"));
    let suspend = match spec.suspend {
        Some(true) => "True",
        Some(false) => "False",
        None => "<unset>",
    };
    description.line(0, format!("Schedule:\t{}", spec.schedule));
    description.line(0, format!("Concurrency Policy:\t{}", spec.concurrency_policy));
    description.line(0, format!("Suspend:\t{suspend}"));
    description.line(0, format!("Time Zone:\t{}", spec.time_zone.as_ref().map_or_else(unset, ToString::to_string)));
    description.line(0, format!("Successful Job History Limit:\t{}", number(spec.successful_jobs_history_limit.map(i64::from), "")));
    description.line(0, format!("Failed Job History Limit:\t{}", number(spec.failed_jobs_history_limit.map(i64::from), "")));
    description.line(0, format!("Starting Deadline Seconds:\t{}", number(spec.starting_deadline_seconds, "s")));
    let empty = Map::new();
    let job = raw.at(&["jobTemplate", "spec"]).and_then(Value::as_map).unwrap_or(&empty);
    description.line(0, "Selector:\t<unset>");
    description.line(0, format!("Parallelism:\t{}", number(job.int("parallelism"), "")));
    description.line(0, format!("Completions:\t{}", number(job.int("completions"), "")));
    if let Some(seconds) = job.int("activeDeadlineSeconds") {
        description.line(0, format!("Active Deadline Seconds:\t{seconds}s"));
    }
    describe_template(description, job.map("template").unwrap_or(&empty));
    let last = cron_job.status.last_schedule_time.map_or_else(unset, |t| t.rfc1123());
    description.line(0, format!("Last Schedule Time:\t{last}"));
    let active: Vec<&str> = cron_job.status.active.iter().map(|job| job.name.as_str()).collect();
    description.line(0, format!("Active Jobs:\t{}", or_none(&active.join(", "))));
    Ok(())
}
