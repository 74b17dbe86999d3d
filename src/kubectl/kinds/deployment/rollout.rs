//! `kubectl rollout` of a Deployment. Counterpart: `kubectl/pkg/polymorphichelpers`.

use crate::api::kind::Kind;
use crate::api::kind::deployment::Deployment;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::{PatchType, Payload, Request, Verb};
use crate::api::value::{Map, Value};
use crate::kubectl::errors::Stop;
use crate::kubectl::flags::Args;
use crate::kubectl::kinds::Rollout;
use crate::kubectl::print::{DryRun, Output, report};
use crate::kubectl::resource::Selection;
use crate::kubectl::rollout::{self, CHANGE_CAUSE, refused};
use crate::kubectl::{Cx, Run, apply, describe};
use crate::map;
use std::sync::Arc;

const REVISION: &str = "deployment.kubernetes.io/revision";

/// Annotations that `rollout undo` keeps from the Deployment; all others it takes from the old ReplicaSet. Counterpart: `annotationsToSkip`.
const KEPT: &[&str] = &[
    apply::LAST_APPLIED,
    REVISION,
    "deployment.kubernetes.io/revision-history",
    "deployment.kubernetes.io/desired-replicas",
    "deployment.kubernetes.io/max-replicas",
    "deprecated.deployment.rollback.to",
];

/// The functions of `kubectl rollout` for Deployments.
pub static ROLLOUT: Rollout = Rollout { status, history, undo, pause, resume, restart };

fn status(cx: &mut Cx, args: &Args, object: &Arc<Object>) -> Run {
    let wanted = args.int("revision").unwrap_or(0);
    rollout::follow(cx, args, object, |object| match revision(object) {
        running if wanted > 0 && running != wanted => {
            Err(Stop::plain(format!("desired revision ({wanted}) is different from the running revision ({running})")))
        }
        _ => progress(object),
    })
}

/// Returns the line of `rollout status`, and whether the rollout is complete. Counterpart: `DeploymentStatusViewer.Status`.
fn progress(object: &Object) -> Result<(String, bool), Stop> {
    let name = &object.meta.name;
    let Some(deployment) = object.deployment() else { return Ok((String::new(), true)) };
    let status = &deployment.status;
    if object.meta.generation > status.observed_generation {
        return Ok(("Waiting for deployment spec update to be observed...".to_owned(), false));
    }
    if status.conditions.iter().any(|c| c.type_ == "Progressing" && c.reason == "ProgressDeadlineExceeded") {
        return Err(Stop::plain(format!("deployment \"{name}\" exceeded its progress deadline")));
    }
    let waiting = |rest: String| Ok((format!("Waiting for deployment \"{name}\" rollout to finish: {rest}..."), false));
    if status.updated_replicas < deployment.spec.replicas {
        return waiting(format!("{} out of {} new replicas have been updated", status.updated_replicas, deployment.spec.replicas));
    }
    if status.replicas > status.updated_replicas {
        return waiting(format!("{} old replicas are pending termination", status.replicas - status.updated_replicas));
    }
    if status.available_replicas < status.updated_replicas {
        return waiting(format!("{} of {} updated replicas are available", status.available_replicas, status.updated_replicas));
    }
    Ok((format!("deployment \"{name}\" successfully rolled out"), true))
}

/// Returns the Deployment's ReplicaSets with their revision numbers, oldest first.
fn revisions(cx: &mut Cx, object: &Object, deployment: &Deployment) -> Run<Vec<(i64, Arc<Object>)>> {
    let labels = deployment.spec.selector.selector.to_string();
    let selection = Selection { namespace: object.meta.namespace.clone(), labels: &labels, fields: "", all: true };
    let sets = selection.list(cx, Kind::REPLICA_SET)?;
    let owned = sets.into_iter().filter(|set| set.meta.controller().is_some_and(|owner| owner.uid == object.meta.uid));
    let mut all: Vec<_> = owned.map(|set| (revision(&set), set)).collect();
    all.order_by_key(|(revision, _)| *revision);
    Ok(all)
}

fn revision(object: &Object) -> i64 {
    object.meta.annotations.get(REVISION).and_then(|r| r.parse().ok()).unwrap_or(0)
}

fn history(cx: &mut Cx, args: &Args, object: &Arc<Object>) -> Run {
    let Some(deployment) = object.deployment() else { return Ok(()) };
    let sets = revisions(cx, object, deployment)?.into_iter().map(|(number, set)| {
        let tree = set.to_map();
        let mut template = tree.at(&["spec", "template"]).and_then(Value::as_map).cloned().unwrap_or_default();
        if let Some(cause) = set.meta.annotations.get(CHANGE_CAUSE) {
            template.map_mut("metadata").map_mut("annotations").insert(CHANGE_CAUSE, cause);
        }
        (number, tree, template)
    });
    rollout::history(cx, args, object, sets.collect())
}

fn undo(cx: &mut Cx, args: &Args, object: &Arc<Object>) -> Run {
    let Some(deployment) = object.deployment() else { return Ok(()) };
    let dry_run = DryRun::of(args)?;
    rollout::warn_of_apply(cx, object);
    let wanted = args.int("to-revision").unwrap_or(0);
    let sets = revisions(cx, object, deployment)?;
    let found = match wanted {
        0 => sets.iter().rev().nth(1).filter(|(revision, _)| *revision > 0),
        _ => sets.iter().find(|(revision, _)| *revision == wanted),
    };
    let (_, set) = found.ok_or_else(|| match wanted {
        0 => Stop::plain(format!("no rollout history found for deployment \"{}\"", object.meta.name)),
        _ => Stop::plain(format!("unable to find specified revision {wanted} in history")),
    })?;
    if dry_run == DryRun::Client {
        let template = set.to_map().at(&["spec", "template"]).and_then(Value::as_map).cloned().unwrap_or_default();
        return report(cx, Output::of(args, false)?, dry_run, object.kind(), &object.to_map(), &describe::pod_template(&template));
    }
    if deployment.spec.paused {
        let text = "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again";
        return Err(Stop::plain(text));
    }
    let Some(body) = set.replica_set() else { return Ok(()) };
    let mut old = (*body.spec.template).clone();
    old.metadata.labels = old.metadata.labels.without("pod-template-hash");
    if old == *deployment.spec.template {
        let done = format!("skipped rollback (current template already matches revision {wanted})");
        report(cx, Output::of(args, false)?, dry_run, object.kind(), &object.to_map(), &done)?;
        return Ok(());
    }
    let kept = object.meta.annotations.entries().iter().filter(|(key, _)| KEPT.contains(&key.as_str()));
    let restored = set.meta.annotations.entries().iter().filter(|(key, _)| !KEPT.contains(&key.as_str()));
    let annotations: Map = kept.chain(restored).map(|(key, value)| (key.clone(), value.into())).collect();
    let replace = |path: &str, value: Value| Value::Map(map! { "op" => "replace", "path" => path, "value" => value });
    let patch = vec![replace("/spec/template", old.to_map().into()), replace("/metadata/annotations", annotations.into())];
    let mut request = Request::new(Verb::Patch, object.kind(), object.meta.namespace.clone(), object.meta.name.clone());
    request.payload = Payload::Patch(PatchType::Json, Box::new(Value::List(patch)));
    let answer = cx.try_request(request.with(|o| o.dry_run = dry_run == DryRun::Server))?;
    answer.map_err(|status| Stop::plain(format!("failed restoring revision {wanted}: {}", status.message)))?;
    report(cx, Output::of(args, false)?, dry_run, object.kind(), &object.to_map(), "rolled back")?;
    Ok(())
}

fn pause(cx: &mut Cx, args: &Args, object: &Arc<Object>) -> Run {
    if object.deployment().is_some_and(|d| d.spec.paused) {
        return Err(refused(object, "is already paused"));
    }
    rollout::send(cx, args, object, map! { "spec" => map! { "paused" => true } }, "paused")
}

fn resume(cx: &mut Cx, args: &Args, object: &Arc<Object>) -> Run {
    if object.deployment().is_some_and(|d| !d.spec.paused) {
        return Err(refused(object, "is not paused"));
    }
    rollout::send(cx, args, object, map! { "spec" => map! { "paused" => Value::Null } }, "resumed")
}

fn restart(cx: &mut Cx, args: &Args, object: &Arc<Object>) -> Run {
    let Some(deployment) = object.deployment() else { return Ok(()) };
    if deployment.spec.paused {
        return Err(refused(object, "can't restart paused deployment (run rollout resume first)"));
    }
    rollout::restart(cx, args, object, &deployment.spec.template)
}
