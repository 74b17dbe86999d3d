//! `kubectl rollout`. Counterparts: `kubectl/pkg/cmd/rollout`, `kubectl/pkg/polymorphichelpers`.

use super::changes::Change;
use super::errors::Stop;
use super::flags::{Args, Flag, NAMED, PRINT, Takes, command_first, takes, text};
use super::kinds::{self, Rollout};
use super::print::{DryRun, Output, align, report};
use super::resource::{Selection, each, find_kind, object_text, targets};
use super::{Cx, Failures, Run, apply, describe};
use crate::api::duration::or_none;
use crate::api::kind::template::PodTemplate;
use crate::api::object::Object;
use crate::api::request::{PatchType, Request};
use crate::api::status::qualified_resource;
use crate::api::value::{Map, Value};
use crate::map;
use std::sync::Arc;

/// The annotation that tells why a revision was created.
pub const CHANGE_CAUSE: &str = "kubernetes.io/change-cause";
/// Writes the command line into the annotation that `rollout history` shows, if `--record` is given.
pub fn record(args: &Args, object: &mut Map) {
    if args.on("record") {
        object.map_mut("metadata").map_mut("annotations").insert(CHANGE_CAUSE, args.line());
    }
}

const RESTARTED: &str = "kubectl.kubernetes.io/restartedAt";

const SELECTOR: &[Flag] = &[text("selector").or('l')];
const STATUS: &[Flag] = &[takes("revision", Takes::Int), takes("timeout", Takes::Duration), takes("watch", Takes::Nothing).or('w')];
const FIELD_MANAGER: &[Flag] = &[text("field-manager")];
const HISTORY: &[Flag] = &[takes("revision", Takes::Int)];
const UNDO: &[Flag] = &[takes("to-revision", Takes::Int), takes("dry-run", Takes::Maybe("unchanged"))];

/// A function that picks the command from a [`Rollout`], and the real client's name for that command in errors.
type RolloutCommand = (fn(&Rollout) -> fn(&mut Cx, &Args, &Arc<Object>) -> Run, &'static str);

/// Runs `kubectl rollout WHAT TYPE/NAME`.
pub fn rollout(cx: &mut Cx, words: &[String]) -> Run {
    let words = &command_first(words);
    let Some((what, rest)) = words.split_first() else {
        return Err(Stop::usage("rollout", "one of history, pause, restart, resume, status, undo is required"));
    };
    let (act, flags): (RolloutCommand, [&[Flag]; 2]) = match what.as_str() {
        "status" => ((|r| r.status, "status viewer"), [&[], STATUS]),
        "history" => ((|r| r.history, "history viewer"), [PRINT, HISTORY]),
        "undo" => ((|r| r.undo, "rollbacker"), [PRINT, UNDO]),
        "pause" => ((|r| r.pause, "pausing"), [PRINT, FIELD_MANAGER]),
        "resume" => ((|r| r.resume, "resuming"), [PRINT, FIELD_MANAGER]),
        "restart" => ((|r| r.restart, "restarting"), [PRINT, FIELD_MANAGER]),
        _ => return Err(Stop::usage("rollout", &format!("unknown command \"{}\"", words.join(" ")))),
    };
    let [printing, own] = flags;
    let args = Args::read(&format!("rollout {what}"), &[NAMED, SELECTOR, printing, own], rest)?;
    if args.words.is_empty() && !args.has_manifest() {
        return Err(Stop::plain("required resource not specified"));
    }
    let revision = args.int("revision").unwrap_or(0);
    if revision < 0 {
        return Err(Stop::plain(format!("revision must be a positive integer: {revision}")));
    }
    // A type without a name means all objects of that type, as with `get`.
    let all_of_kind = !args.words.iter().any(|word| word.contains('/')) && args.words.len() == 1;
    if !all_of_kind || args.has_manifest() {
        return each(cx, &args, &args.words, |cx, object| carry_out(cx, &args, object, act));
    }
    let mut selection = Selection::of(cx, &args)?;
    selection.all = true;
    let (mut failures, mut found) = (Failures::default(), false);
    for target in targets(&cx.env.kinds, &args.words)? {
        for object in selection.list(cx, target.kind)? {
            let done = carry_out(cx, &args, &object, act);
            failures.keep(done)?;
            found = true;
        }
    }
    if !found && matches!(what.as_str(), "status" | "pause" | "resume" | "restart") {
        let namespace = &selection.namespace;
        cx.eprintln(format!("No resources found in {namespace} namespace."));
    }
    failures.finish()
}

fn carry_out(cx: &mut Cx, args: &Args, object: &Arc<Object>, (act, lacks): RolloutCommand) -> Run {
    match kinds::of(object.kind()).rollout {
        Some(rollout) => act(rollout)(cx, args, object),
        None => Err(not_implemented(object, lacks)),
    }
}

/// Returns the error for a kind that has no rollouts. `what` is the part of the real client that lacks the kind, such as `history viewer`.
fn not_implemented(object: &Object, what: &str) -> Stop {
    let row = object.kind().row();
    let group_kind = if row.group.is_empty() { row.name.to_owned() } else { format!("{}.{}", row.name, row.group) };
    match what {
        "status viewer" => Stop::plain(format!("no status viewer has been implemented for {group_kind}")),
        // The real client finds viewer and rollbacker with an `apps.KindVisitor`, which knows only workloads.
        "history viewer" | "rollbacker" if !row.pod_spec.is_empty() => {
            Stop::plain(format!("no {what} has been implemented for \"{group_kind}\""))
        }
        "history viewer" | "rollbacker" => {
            let wanted = if what == "rollbacker" { what } else { "history" };
            let text =
                format!("error retrieving {wanted} for \"{group_kind}\", no visitor method exists for {{{} {}}}", row.group, row.name);
            Stop::plain(text)
        }
        verb => refused(object, &format!("{verb} is not supported")),
    }
}

/// Returns the error for an object that the command cannot change.
pub fn refused(object: &Object, why: &str) -> Stop {
    Stop::plain(format!("error: {} \"{}\" {why}", qualified_resource(object.kind()), object.meta.name))
}

/// Prints the progress of a rollout until it is complete. `progress` returns a line, and whether the rollout is complete.
pub fn follow(cx: &mut Cx, args: &Args, object: &Arc<Object>, progress: impl Fn(&Object) -> Result<(String, bool), Stop>) -> Run {
    let until = args.duration("timeout").filter(|t| t.0 > 0).map(|t| cx.now + t);
    let mut object = object.clone();
    loop {
        let (line, done) = progress(&object)?;
        cx.println(line);
        if done || args.text("watch") == Some("false") {
            return Ok(());
        }
        match cx.next_change(&object, until)? {
            Change::None => return Err(Stop::plain("timed out waiting for the condition")),
            Change::Gone => return Err(Stop::plain("object has been deleted")),
            Change::To(changed) => object = changed.clone(),
        }
    }
}

/// Prints the history of a workload. `revisions` has the number, the object and the pod template of each, oldest first.
pub fn history(cx: &mut Cx, args: &Args, object: &Arc<Object>, revisions: Vec<(i64, Map, Map)>) -> Run {
    let wanted = args.int("revision").unwrap_or(0);
    let output = Output::of(args, false)?;
    let name = object_text(object);
    let missing = || Stop::plain("unable to find the specified revision");
    if output != Output::Human {
        if wanted > 0 && !revisions.iter().any(|(number, ..)| *number == wanted) {
            return Err(missing());
        }
        for (_, tree, _) in revisions.iter().filter(|(number, ..)| wanted == 0 || *number == wanted) {
            let kind = find_kind(&cx.env.kinds, tree.str("kind"))?;
            report(cx, output, DryRun::None, kind, tree, "")?;
        }
        return Ok(());
    }
    if revisions.is_empty() {
        cx.println(format!("{name} \nNo rollout history found."));
        return Ok(());
    }
    if wanted > 0 {
        let (_, _, template) = revisions.iter().find(|(number, ..)| *number == wanted).ok_or_else(missing)?;
        cx.println(format!("{name} with revision #{wanted}"));
        cx.println(describe::pod_template(template));
        return Ok(());
    }
    let mut rows = vec![vec!["REVISION".to_owned(), "CHANGE-CAUSE".to_owned()]];
    for (number, _, template) in &revisions {
        let cause = template.at(&["metadata", "annotations", CHANGE_CAUSE]).and_then(Value::as_str).unwrap_or("");
        rows.push(vec![number.to_string(), or_none(cause).to_owned()]);
    }
    cx.println(format!("{name} \n{}", align(&rows, 0, 2)));
    Ok(())
}

/// Prints a warning before the rollback of an object that `kubectl apply` manages.
pub fn warn_of_apply(cx: &mut Cx, object: &Object) {
    if object.meta.annotations.get(apply::LAST_APPLIED).is_some() {
        let resource = format!("{}/{}", object.kind().row().plural, object.meta.name);
        cx.eprintln(format!(
            "Warning: resource {resource} was previously managed with 'kubectl apply'. Rolling back will not update the {} annotation, which may cause unexpected behavior on future 'kubectl apply' operations. Consider using 'kubectl apply' with your previous configuration file instead.",
            apply::LAST_APPLIED
        ));
    }
}

/// Makes a workload replace its pods, by setting an annotation of its pod template.
pub fn restart(cx: &mut Cx, args: &Args, object: &Arc<Object>, template: &PodTemplate) -> Run {
    let stamp = cx.now.rfc3339();
    if template.metadata.annotations.get(RESTARTED).is_some_and(|held| *held == stamp) {
        let name = &object.meta.name;
        let text = "if restart has already been triggered within the past second, please wait before attempting to trigger another";
        return Err(Stop::plain(format!("failed to create patch for {name}: {text}")));
    }
    let annotations = map! { RESTARTED => stamp };
    let patch = map! { "spec" => map! { "template" => map! { "metadata" => map! { "annotations" => annotations } } } };
    send(cx, args, object, patch, "restarted")
}

/// Patches a workload and reports what was done (`done`).
pub fn send(cx: &mut Cx, args: &Args, object: &Arc<Object>, patch: Map, done: &str) -> Run {
    let request = Request::patch(object.kind(), &object.meta.namespace, &object.meta.name, PatchType::Strategic, patch);
    let answer = cx.try_request(request)?;
    answer.map_err(|status| Stop::plain(format!("failed to patch: {}", status.message)))?;
    report(cx, Output::of(args, false)?, DryRun::None, object.kind(), &object.to_map(), done)?;
    Ok(())
}
