//! `kubectl rollout`. Counterparts: `kubectl/pkg/cmd/rollout`, `kubectl/pkg/polymorphichelpers`.

use super::errors::Failure;
use super::flags::{Args, Flag, NAMED, PRINT, Takes, command_first, takes, text};
use super::print::{DryRun, Output, align, document, report};
use super::resource::{Selection, each, targets};
use super::{Change, Cx, Failures, Run, describe};
use crate::api::kind::Kind;
use crate::api::kind::deployment::Deployment;
use crate::api::object::Object;
use crate::api::request::{PatchType, Payload, Request, Verb};
use crate::api::status::qualified_resource;
use crate::api::value::{Map, Value};
use crate::map;
use crate::order;
use std::sync::Arc;

const REVISION: &str = "deployment.kubernetes.io/revision";
const CHANGE_CAUSE: &str = "kubernetes.io/change-cause";
const RESTARTED: &str = "kubectl.kubernetes.io/restartedAt";

/// Annotations that belong to a Deployment itself and do not come back with an old template.
const KEPT: &[&str] = &[
    super::apply::LAST_APPLIED,
    REVISION,
    "deployment.kubernetes.io/revision-history",
    "deployment.kubernetes.io/desired-replicas",
    "deployment.kubernetes.io/max-replicas",
    "deprecated.deployment.rollback.to",
];

const SELECTOR: &[Flag] = &[text("selector").or('l')];
const STATUS: &[Flag] = &[takes("revision", Takes::Int), takes("timeout", Takes::Duration), takes("watch", Takes::Nothing).or('w')];
const FIELD_MANAGER: &[Flag] = &[text("field-manager")];
const HISTORY: &[Flag] = &[takes("revision", Takes::Int)];
const UNDO: &[Flag] = &[takes("to-revision", Takes::Int), takes("dry-run", Takes::Maybe("unchanged"))];

type Act = fn(&mut Cx, &Args, &Arc<Object>) -> Run;

/// `kubectl rollout WHAT TYPE/NAME`
pub fn rollout(cx: &mut Cx, words: &[String]) -> Run {
    let words = &command_first(words);
    let Some((what, rest)) = words.split_first() else {
        return Err(Failure::usage("rollout", "one of history, pause, restart, resume, status, undo is required"));
    };
    let (act, flags): (Act, [&[Flag]; 2]) = match what.as_str() {
        "status" => (status, [&[], STATUS]),
        "history" => (history, [PRINT, HISTORY]),
        "undo" => (undo, [PRINT, UNDO]),
        "pause" => (pause, [PRINT, FIELD_MANAGER]),
        "resume" => (resume, [PRINT, FIELD_MANAGER]),
        "restart" => (restart, [PRINT, FIELD_MANAGER]),
        _ => return Err(Failure::usage("rollout", &format!("unknown command \"{}\"", words.join(" ")))),
    };
    let [printing, own] = flags;
    let args = Args::read(&format!("rollout {what}"), &[NAMED, SELECTOR, printing, own], rest)?;
    if args.words.is_empty() && args.text("filename").is_none() {
        return Err(Failure::plain("required resource not specified"));
    }
    let revision = args.int("revision").unwrap_or(0);
    if revision < 0 {
        return Err(Failure::plain(format!("revision must be a positive integer: {revision}")));
    }
    // A kind alone means all of it, as with get.
    let all_of_kind = !args.words.iter().any(|word| word.contains('/')) && args.words.len() == 1;
    if !all_of_kind || args.text("filename").is_some() {
        return each(cx, &args, &args.words, |cx, object| act(cx, &args, object));
    }
    let mut selection = Selection::of(cx, &args)?;
    selection.all = true;
    let (mut failures, mut found) = (Failures::default(), false);
    for target in targets(&args.words)? {
        for object in selection.list(cx, target.kind)? {
            let done = act(cx, &args, &object);
            failures.keep(done)?;
            found = true;
        }
    }
    if !found && what == "status" {
        let namespace = &selection.namespace;
        cx.complain(format!("No resources found in {namespace} namespace."));
    }
    failures.finish()
}

/// Kinds that the real client looks at one by one when it chooses how to show or undo a rollout.
const WORKLOADS: &[Kind] = &[Kind::DEPLOYMENT, Kind::REPLICA_SET, Kind::POD];

/// The Deployment, or the refusal for kinds that have no such thing.
fn deployment<'o>(object: &'o Object, what: &str) -> Result<&'o Deployment, Failure> {
    object.deployment().ok_or_else(|| {
        let row = object.kind().row();
        let group_kind = if row.group.is_empty() { row.name.to_owned() } else { format!("{}.{}", row.name, row.group) };
        match what {
            "status viewer" => Failure::plain(format!("no status viewer has been implemented for {group_kind}")),
            "history viewer" | "rollbacker" if WORKLOADS.contains(&object.kind()) => {
                Failure::plain(format!("no {what} has been implemented for \"{group_kind}\""))
            }
            "history viewer" | "rollbacker" => {
                let wanted = if what == "rollbacker" { what } else { "history" };
                let text =
                    format!("error retrieving {wanted} for \"{group_kind}\", no visitor method exists for {{{} {}}}", row.group, row.name);
                Failure::plain(text)
            }
            verb => refused(object, &format!("{verb} is not supported")),
        }
    })
}

/// What a command says about an object that it cannot change.
fn refused(object: &Object, why: &str) -> Failure {
    Failure::plain(format!("error: {} \"{}\" {why}", qualified_resource(object.kind()), object.meta.name))
}

fn status(cx: &mut Cx, args: &Args, object: &Arc<Object>) -> Run {
    deployment(object, "status viewer")?;
    let until = args.duration("timeout").filter(|t| t.0 > 0).map(|t| cx.now + t);
    let mut object = object.clone();
    loop {
        let (line, done) = progress(&object)?;
        cx.say(line);
        if done || args.text("watch") == Some("false") {
            return Ok(());
        }
        match cx.next_change(&object, until)? {
            Change::None => return Err(Failure::plain("timed out waiting for the condition")),
            Change::Gone => return Err(Failure::plain("object has been deleted")),
            Change::To(changed) => object = changed.clone(),
        }
    }
}

/// What `rollout status` says, and whether it is over.
fn progress(object: &Object) -> Result<(String, bool), Failure> {
    let name = &object.meta.name;
    let Some(deployment) = object.deployment() else { return Ok((String::new(), true)) };
    let status = &deployment.status;
    if object.meta.generation > status.observed_generation {
        return Ok(("Waiting for deployment spec update to be observed...".to_owned(), false));
    }
    if status.conditions.iter().any(|c| c.type_ == "Progressing" && c.reason == "ProgressDeadlineExceeded") {
        return Err(Failure::plain(format!("deployment \"{name}\" exceeded its progress deadline")));
    }
    let waiting = |rest: String| Ok((format!("Waiting for deployment \"{name}\" rollout to finish: {rest}..."), false));
    if status.updated < deployment.replicas {
        return waiting(format!("{} out of {} new replicas have been updated", status.updated, deployment.replicas));
    }
    if status.replicas > status.updated {
        return waiting(format!("{} old replicas are pending termination", status.replicas - status.updated));
    }
    if status.available < status.updated {
        return waiting(format!("{} of {} updated replicas are available", status.available, status.updated));
    }
    Ok((format!("deployment \"{name}\" successfully rolled out"), true))
}

/// The Deployment's ReplicaSets with their revisions, oldest first.
fn revisions(cx: &mut Cx, object: &Object, deployment: &Deployment) -> Run<Vec<(i64, Arc<Object>)>> {
    let labels = deployment.selector.selector.to_string();
    let selection = Selection { namespace: object.meta.namespace.clone(), labels: &labels, fields: "", all: true };
    let sets = selection.list(cx, Kind::REPLICA_SET)?;
    let owned = sets.into_iter().filter(|set| set.meta.controller().is_some_and(|owner| owner.uid == object.meta.uid));
    let mut all: Vec<_> = owned.map(|set| (revision(&set), set)).collect();
    order::sort_by_key(&mut all, |(revision, _)| *revision);
    Ok(all)
}

fn revision(object: &Object) -> i64 {
    object.meta.annotations.get(REVISION).and_then(|r| r.parse().ok()).unwrap_or(0)
}

fn history(cx: &mut Cx, args: &Args, object: &Arc<Object>) -> Run {
    let deployment = deployment(object, "history viewer")?;
    let sets = revisions(cx, object, deployment)?;
    let wanted = args.int("revision").unwrap_or(0);
    let output = Output::of(args, false)?;
    let name = super::resource::object_text(object);
    if wanted > 0 {
        let found = sets.iter().find(|(revision, _)| *revision == wanted);
        let (_, set) = found.ok_or_else(|| Failure::plain("unable to find the specified revision"))?;
        if matches!(output, Output::Yaml | Output::Json | Output::Kyaml) {
            document(cx, output, &set.to_map());
            return Ok(());
        }
        let mut template = set.to_map().at(&["spec", "template"]).and_then(Value::as_map).cloned().unwrap_or_default();
        if let Some(cause) = set.meta.annotations.get(CHANGE_CAUSE) {
            template.map_mut("metadata").map_mut("annotations").insert(CHANGE_CAUSE, cause);
        }
        cx.say(format!("{name} with revision #{wanted}"));
        cx.say(describe::pod_template(&template));
        return Ok(());
    }
    if sets.is_empty() {
        cx.say(format!("{name} \nNo rollout history found."));
        return Ok(());
    }
    let mut rows = vec![vec!["REVISION".to_owned(), "CHANGE-CAUSE".to_owned()]];
    for (revision, set) in &sets {
        let cause = set.meta.annotations.get(CHANGE_CAUSE).map_or("<none>", |c| c);
        rows.push(vec![revision.to_string(), cause.to_owned()]);
    }
    cx.say(format!("{name} \n{}", align(&rows, 0, 2)));
    Ok(())
}

fn undo(cx: &mut Cx, args: &Args, object: &Arc<Object>) -> Run {
    let deployment = deployment(object, "rollbacker")?;
    let dry_run = DryRun::of(args)?;
    if object.meta.annotations.get(super::apply::LAST_APPLIED).is_some() {
        let resource = format!("{}/{}", object.kind().row().plural, object.meta.name);
        cx.complain(format!(
            "Warning: resource {resource} was previously managed with 'kubectl apply'. Rolling back will not update the {} annotation, which may cause unexpected behavior on future 'kubectl apply' operations. Consider using 'kubectl apply' with your previous configuration file instead.",
            super::apply::LAST_APPLIED
        ));
    }
    let wanted = args.int("to-revision").unwrap_or(0);
    let sets = revisions(cx, object, deployment)?;
    let found = match wanted {
        0 => sets.iter().rev().nth(1).filter(|(revision, _)| *revision > 0),
        _ => sets.iter().find(|(revision, _)| *revision == wanted),
    };
    let (_, set) = found.ok_or_else(|| match wanted {
        0 => Failure::plain(format!("no rollout history found for deployment \"{}\"", object.meta.name)),
        _ => Failure::plain(format!("unable to find specified revision {wanted} in history")),
    })?;
    if deployment.paused {
        let text = "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again";
        return Err(Failure::plain(text));
    }
    let Some(body) = set.replica_set() else { return Ok(()) };
    let mut old = (*body.template).clone();
    old.labels = old.labels.without("pod-template-hash");
    if old == *deployment.template {
        let done = format!("skipped rollback (current template already matches revision {wanted})");
        report(cx, Output::of(args, false)?, dry_run, object.kind(), &object.to_map(), &done);
        return Ok(());
    }
    let kept = object.meta.annotations.entries().iter().filter(|(key, _)| KEPT.contains(&key.as_str()));
    let restored = set.meta.annotations.entries().iter().filter(|(key, _)| !KEPT.contains(&key.as_str()));
    let annotations: Map = kept.chain(restored).map(|(key, value)| (key.clone(), value.into())).collect();
    let replace = |path: &str, value: Value| Value::Map(map! { "op" => "replace", "path" => path, "value" => value });
    let patch = vec![replace("/spec/template", old.to_value()), replace("/metadata/annotations", annotations.into())];
    if dry_run != DryRun::Client {
        let mut request = Request::new(Verb::Patch, object.kind(), object.meta.namespace.clone(), object.meta.name.clone());
        request.payload = Payload::Patch(PatchType::Json, Box::new(Value::List(patch)));
        let answer = cx.try_request(request.with(|o| o.dry_run = dry_run == DryRun::Server))?;
        answer.map_err(|status| Failure::plain(format!("failed restoring revision {wanted}: {}", status.message)))?;
    }
    report(cx, Output::of(args, false)?, dry_run, object.kind(), &object.to_map(), "rolled back");
    Ok(())
}

fn pause(cx: &mut Cx, args: &Args, object: &Arc<Object>) -> Run {
    if deployment(object, "pausing")?.paused {
        return Err(refused(object, "is already paused").into());
    }
    send(cx, args, object, map! { "spec" => map! { "paused" => true } }, "paused")
}

fn resume(cx: &mut Cx, args: &Args, object: &Arc<Object>) -> Run {
    if !deployment(object, "resuming")?.paused {
        return Err(refused(object, "is not paused").into());
    }
    send(cx, args, object, map! { "spec" => map! { "paused" => Value::Null } }, "resumed")
}

fn restart(cx: &mut Cx, args: &Args, object: &Arc<Object>) -> Run {
    let deployment = deployment(object, "restarting")?;
    if deployment.paused {
        return Err(refused(object, "can't restart paused deployment (run rollout resume first)").into());
    }
    let stamp = cx.now.rfc3339();
    if deployment.template.annotations.get(RESTARTED).is_some_and(|held| *held == stamp) {
        let name = &object.meta.name;
        let text = "if restart has already been triggered within the past second, please wait before attempting to trigger another";
        return Err(Failure::plain(format!("failed to create patch for {name}: {text}")));
    }
    let annotations = map! { RESTARTED => stamp };
    let patch = map! { "spec" => map! { "template" => map! { "metadata" => map! { "annotations" => annotations } } } };
    send(cx, args, object, patch, "restarted")
}

fn send(cx: &mut Cx, args: &Args, object: &Arc<Object>, patch: Map, done: &str) -> Run {
    let request = Request::patch(object.kind(), &object.meta.namespace, &object.meta.name, PatchType::Strategic, patch);
    let answer = cx.try_request(request)?;
    answer.map_err(|status| Failure::plain(format!("failed to patch: {}", status.message)))?;
    report(cx, Output::of(args, false)?, DryRun::None, object.kind(), &object.to_map(), done);
    Ok(())
}
