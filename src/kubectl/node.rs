//! `kubectl cordon`, `uncordon` and `taint`. Counterparts: `kubectl/pkg/cmd/drain`, `kubectl/pkg/cmd/taint`.

use super::errors::Stop;
use super::flags::{Args, Flag, OUTPUT, Takes, switch, takes, text};
use super::print::{DryRun, Output, report};
use super::resource::each;
use super::{Cx, Run, label};
use crate::api::kind::Kind;
use crate::api::kind::node::Taint;
use crate::api::object::Object;
use crate::api::request::{PatchType, Request};
use crate::api::value::Value;
use crate::{api::merge, map};

/// Runs `kubectl cordon NODE`.
pub fn cordon(cx: &mut Cx, words: &[String]) -> Run {
    mark(cx, words, "cordon", true)
}

/// Runs `kubectl uncordon NODE`.
pub fn uncordon(cx: &mut Cx, words: &[String]) -> Run {
    mark(cx, words, "uncordon", false)
}

const MARK: &[Flag] = &[text("selector").or('l'), takes("dry-run", Takes::Maybe("unchanged"))];

fn mark(cx: &mut Cx, words: &[String], command: &str, unschedulable: bool) -> Run {
    let args = Args::read(command, &[MARK], words)?;
    if args.words.is_empty() && args.text("selector").is_none() {
        return Err(Stop::usage(command, &format!("USAGE: {command} NODE [flags]")));
    }
    let dry_run = DryRun::of(&args)?;
    let mut targets = vec!["nodes".to_owned()];
    targets.extend(args.words.iter().map(|word| word.trim_start_matches("node/").trim_start_matches("nodes/").to_owned()));
    each(cx, &args, &targets, |cx, object| set_unschedulable(cx, object, unschedulable, command, dry_run))
}

/// Cordons or uncordons a node, unless the node is cordoned or uncordoned already.
pub fn set_unschedulable(cx: &mut Cx, object: &Object, unschedulable: bool, command: &str, dry_run: DryRun) -> Run {
    if object.node().is_some_and(|n| n.spec.unschedulable) == unschedulable {
        report(cx, Output::Human, dry_run, Kind::NODE, &object.to_map(), &format!("already {command}ed"));
        return Ok(());
    }
    if dry_run != DryRun::Client {
        let value = if unschedulable { Value::Bool(true) } else { Value::Null };
        let patch = map! { "spec" => map! { "unschedulable" => value } };
        let request = Request::patch(Kind::NODE, &object.meta.namespace, &object.meta.name, PatchType::Strategic, patch);
        cx.object(request.with(|o| o.dry_run = dry_run == DryRun::Server))?;
    }
    report(cx, Output::Human, dry_run, Kind::NODE, &object.to_map(), &format!("{command}ed"));
    Ok(())
}

const TAINT: &[Flag] = &[text("selector").or('l'), switch("all"), switch("overwrite"), takes("validate", Takes::Maybe("strict"))];

/// Runs `kubectl taint nodes NAME KEY=VALUE:EFFECT`.
pub fn taint(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("taint", &[OUTPUT, TAINT], words)?;
    // A taint without a value (`key:NoSchedule`) has no `=`, so `label::split_pairs` would not recognise it.
    let is_taint = |word: &&String| word.contains('=') || word.contains(':') || word.ends_with('-');
    let specs: Vec<&String> = args.words.iter().filter(is_taint).collect();
    let resources: Vec<String> = args.words.iter().filter(|word| !is_taint(word)).cloned().collect();
    label::need_resources(&args, &resources)?;
    if specs.is_empty() {
        return Err(Stop::plain("at least one taint update is required"));
    }
    let (mut added, mut removed) = (Vec::new(), Vec::new());
    for spec in specs {
        match spec.strip_suffix('-') {
            Some(spec) => removed.push(read(spec, true)?),
            None => added.push(read(spec, false)?),
        }
    }
    let (output, dry_run) = (Output::of(&args, false)?, DryRun::of(&args)?);
    each(cx, &args, &resources, |cx, object| {
        let (new, done) = retaint(object, &added, &removed, args.on("overwrite"))?;
        let kind = object.kind();
        if dry_run == DryRun::Client {
            report(cx, output, dry_run, kind, &new.to_map(), done);
            return Ok(());
        }
        let patch = merge::two_way(kind.row().schema, &object.to_map(), &new.to_map());
        let patch = patch.as_map().cloned().unwrap_or_default();
        let request = Request::patch(kind, &object.meta.namespace, &object.meta.name, PatchType::Strategic, patch);
        let answer = cx.object(request.with(|o| o.dry_run = dry_run == DryRun::Server))?;
        report(cx, output, dry_run, kind, &answer.to_map(), done);
        Ok(())
    })
}

/// Parses `key=value:Effect`; for a removal, `key` or `key:Effect` is enough.
fn read(spec: &str, removal: bool) -> Result<Taint, Stop> {
    let bad = || Stop::plain(format!("invalid taint spec: {spec}"));
    let (pair, effect) = match spec.split_once(':') {
        Some((pair, effect)) if !effect.contains(':') => (pair, effect),
        Some(_) => return Err(bad()),
        None if removal => (spec, ""),
        None => return Err(bad()),
    };
    if !effect.is_empty() && !matches!(effect, "NoSchedule" | "PreferNoSchedule" | "NoExecute") {
        return Err(Stop::plain(format!("invalid taint effect: {effect}, unsupported taint effect")));
    }
    if effect.is_empty() && !removal {
        return Err(bad());
    }
    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
    let mut taint = Taint::new(key, effect);
    taint.value = value.into();
    Ok(taint)
}

fn retaint(object: &Object, added: &[Taint], removed: &[Taint], overwrite: bool) -> Result<(Object, &'static str), Stop> {
    let mut new = object.clone();
    let Some(node) = new.node_mut() else { return Err(Stop::plain("only nodes can be tainted")) };
    if !overwrite {
        let held: Vec<String> =
            added.iter().filter(|t| node.spec.taints.iter().any(|old| old.matches_taint(t))).map(|t| t.key.to_string()).collect();
        if !held.is_empty() {
            let (name, keys) = (&object.meta.name, held.join(","));
            return Err(Stop::plain(format!("node {name} already has {keys} taint(s) with same effect(s) and --overwrite is false")));
        }
    }
    let mut replaced = false;
    for taint in added {
        let before = node.spec.taints.len();
        node.spec.taints.retain(|old| !old.matches_taint(taint));
        replaced |= node.spec.taints.len() < before;
    }
    let mut missing = Vec::new();
    for taint in removed {
        let before = node.spec.taints.len();
        node.spec.taints.retain(|old| old.key != taint.key || (!taint.effect.is_empty() && old.effect != taint.effect));
        if node.spec.taints.len() == before {
            let name = if taint.effect.is_empty() { taint.key.to_string() } else { format!("{}:{}", taint.key, taint.effect) };
            missing.push(Stop::plain(format!("taint \"{name}\" not found")));
        }
    }
    match missing.len() {
        0 => {}
        1 => return Err(missing.remove(0)),
        _ => return Err(Stop::many(missing)),
    }
    // New taints come before the old ones.
    node.spec.taints.splice(0..0, added.iter().cloned());
    let done = match (added.is_empty(), removed.is_empty(), replaced) {
        (true, _, _) => "untainted",
        (false, true, false) => "tainted",
        _ => "modified",
    };
    Ok((new, done))
}
