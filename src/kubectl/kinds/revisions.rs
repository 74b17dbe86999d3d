//! `kubectl rollout history` and `undo` of workloads whose revisions are kept as ControllerRevisions. Counterpart: `kubectl/pkg/polymorphichelpers`.

use crate::api::kind::Kind;
use crate::api::kind::template::PodTemplate;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::{PatchType, Payload, Request, Verb};
use crate::api::value::{Map, Value};
use crate::kubectl::errors::Stop;
use crate::kubectl::flags::Args;
use crate::kubectl::print::{DryRun, Output, report};
use crate::kubectl::resource::Selection;
use crate::kubectl::rollout::{self, CHANGE_CAUSE, refused};
use crate::kubectl::{Cx, Run, describe};
use std::sync::Arc;

/// Returns the number and the ControllerRevision of each revision of a workload, oldest first.
fn revisions(cx: &mut Cx, object: &Object) -> Run<Vec<(i64, Arc<Object>)>> {
    let labels = describe::template::selector_text(object.to_map().map("spec").unwrap_or(&Map::new()));
    let selection = Selection { namespace: object.meta.namespace.clone(), labels: &labels, fields: "", all: true };
    let found = selection.list(cx, Kind::CONTROLLER_REVISION)?;
    let owned = found.into_iter().filter(|r| r.meta.controller().is_some_and(|owner| owner.uid == object.meta.uid));
    let mut all: Vec<_> = owned.map(|r| (r.controller_revision().map_or(0, |r| r.revision), r)).collect();
    all.order_by_key(|(number, _)| *number);
    Ok(all)
}

fn data(revision: &Object) -> Value {
    revision.controller_revision().map(|r| r.data.clone()).unwrap_or_default()
}

fn template(revision: &Object) -> Map {
    let mut template = data(revision).at(&["spec", "template"]).and_then(Value::as_map).cloned().unwrap_or_default();
    template.remove("$patch");
    template
}

/// `kubectl rollout history` of a DaemonSet or StatefulSet.
pub fn history(cx: &mut Cx, args: &Args, object: &Arc<Object>) -> Run {
    let all = revisions(cx, object)?.into_iter().map(|(number, revision)| {
        let (mut applied, mut template) = (object.to_map(), template(&revision));
        applied.map_mut("spec").insert("template", template.clone());
        // The details of a revision do not tell its cause.
        if let Some(cause) = revision.meta.annotations.get(CHANGE_CAUSE).filter(|_| args.int("revision").unwrap_or(0) == 0) {
            template.map_mut("metadata").map_mut("annotations").insert(CHANGE_CAUSE, cause);
        }
        (number, applied, template)
    });
    rollout::history(cx, args, object, all.collect())
}

/// `kubectl rollout undo` of a DaemonSet or StatefulSet; `current` is the workload's present pod template.
pub fn undo(cx: &mut Cx, args: &Args, object: &Arc<Object>, current: &PodTemplate) -> Run {
    let dry_run = DryRun::of(args)?;
    rollout::warn_of_apply(cx, object);
    let wanted = args.int("to-revision").unwrap_or(0);
    let not_found = || Stop::plain(format!("unable to find specified revision {wanted} in history"));
    if wanted < 0 {
        return Err(not_found());
    }
    let all = revisions(cx, object)?;
    if wanted == 0 && all.len() <= 1 {
        return Err(Stop::plain("no last revision to roll back to"));
    }
    let found = match wanted {
        0 => all.iter().rev().nth(1),
        _ => all.iter().find(|(number, _)| *number == wanted),
    };
    let (_, revision) = found.ok_or_else(not_found)?;
    let mut done = "rolled back".to_owned();
    if dry_run == DryRun::Client {
        done = format!("will roll back to {}", describe::pod_template(&template(revision)));
    } else if template(revision) == current.to_map() {
        done = format!("skipped rollback (current template already matches revision {wanted})");
    } else {
        let mut request = Request::new(Verb::Patch, object.kind(), object.meta.namespace.clone(), object.meta.name.clone());
        request.payload = Payload::Patch(PatchType::Strategic, Box::new(data(revision)));
        let answer = cx.try_request(request.with(|o| o.dry_run = dry_run == DryRun::Server))?;
        answer.map_err(|status| Stop::plain(format!("failed restoring revision {wanted}: {}", status.message)))?;
    }
    report(cx, Output::of(args, false)?, dry_run, object.kind(), &object.to_map(), &done)?;
    Ok(())
}

/// `kubectl rollout pause`, which is refused: only Deployments can be paused.
pub fn pause(_: &mut Cx, _: &Args, object: &Arc<Object>) -> Run {
    Err(refused(object, "pausing is not supported"))
}

/// `kubectl rollout resume`, which is refused: only Deployments can be resumed.
pub fn resume(_: &mut Cx, _: &Args, object: &Arc<Object>) -> Run {
    Err(refused(object, "resuming is not supported"))
}
