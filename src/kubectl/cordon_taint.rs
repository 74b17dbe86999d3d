//! `kubectl cordon`, `uncordon` and `taint`. Counterparts: `kubectl/pkg/cmd/drain`, `kubectl/pkg/cmd/taint`.

use super::errors::Stop;
use super::flags::{Args, Flag, OUTPUT, Takes, switch, takes, text};
use super::print::{DryRun, Output, report};
use super::resource::each;
use super::{Cx, Run, drain, resource};
use crate::api::kind::Kind;
use crate::api::kind::node::Taint;
use crate::api::object::Object;
use crate::api::request::{PatchType, Request};
use crate::api::value::Value;
use crate::api::{merge, names};
use crate::map;

/// Runs `kubectl cordon NODE`.
pub fn cordon(cx: &mut Cx, words: &[String]) -> Run {
    mark(cx, words, "cordon", true)
}

/// Runs `kubectl uncordon NODE`.
pub fn uncordon(cx: &mut Cx, words: &[String]) -> Run {
    mark(cx, words, "uncordon", false)
}

const MARK: &[Flag] = &[text("selector").or('l'), takes("dry-run", Takes::Maybe("unchanged"))];

/// Fails unless nodes are given either by name or by a selector.
pub fn check_choice(command: &str, args: &Args) -> Result<(), Stop> {
    match (args.words.is_empty(), args.text("selector")) {
        (true, None) => Err(Stop::usage(command, &format!("USAGE: {command} NODE [flags]"))),
        (false, Some(selector)) if !selector.is_empty() => {
            Err(Stop::usage(command, "error: cannot specify both a node name and a --selector option"))
        }
        _ => Ok(()),
    }
}

fn mark(cx: &mut Cx, words: &[String], command: &str, unschedulable: bool) -> Run {
    let args = Args::read(command, &[MARK], words)?;
    check_choice(command, &args)?;
    let dry_run = DryRun::of(&args)?;
    for node in drain::nodes(cx, &args)? {
        set_unschedulable(cx, &node, unschedulable, command, dry_run)?;
    }
    Ok(())
}

/// Cordons or uncordons a node, unless the node is cordoned or uncordoned already.
pub fn set_unschedulable(cx: &mut Cx, object: &Object, unschedulable: bool, command: &str, dry_run: DryRun) -> Run {
    if object.node().is_some_and(|n| n.spec.unschedulable) == unschedulable {
        report(cx, Output::Human, dry_run, Kind::NODE, &object.to_map(), &format!("already {command}ed"))?;
        return Ok(());
    }
    if dry_run != DryRun::Client {
        let value = if unschedulable { Value::Bool(true) } else { Value::Null };
        let patch = map! { "spec" => map! { "unschedulable" => value } };
        let request = Request::patch(Kind::NODE, &object.meta.namespace, &object.meta.name, PatchType::Strategic, patch);
        cx.object(request.with(|o| o.dry_run = dry_run == DryRun::Server))?;
    }
    report(cx, Output::Human, dry_run, Kind::NODE, &object.to_map(), &format!("{command}ed"))?;
    Ok(())
}

const TAINT: &[Flag] = &[text("selector").or('l'), switch("all"), switch("overwrite"), takes("validate", Takes::Maybe("strict"))];

/// Runs `kubectl taint nodes NAME KEY=VALUE:EFFECT`.
pub fn taint(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("taint", &[OUTPUT, TAINT], words)?;
    // A taint without a value (`key:NoSchedule`) has no `=`, so `label_annotate::split_pairs` would not recognise it.
    let is_taint = |word: &String| word.contains('=') || word.contains(':') || word.ends_with('-');
    let (resources, specs) = args.words.split_at(args.words.iter().position(is_taint).unwrap_or(args.words.len()));
    if let Some(word) = specs.iter().find(|word| !is_taint(word)) {
        return Err(Stop::plain(format!("all resources must be specified before taint changes: {word}")));
    }
    let Some((type_, names)) = resources.split_first() else {
        return Err(Stop::plain("one or more resources must be specified as <resource> <name>"));
    };
    if specs.is_empty() {
        return Err(Stop::plain("at least one taint update is required"));
    }
    let (added, removed) = read_all(specs).map_err(|why| Stop::usage("taint", &why))?;
    let (name, group) = type_.split_once('.').unwrap_or((type_, ""));
    if resource::find_kind(&cx.env.kinds, type_).map_err(|_| Stop::no_resource(name, group))? != Kind::NODE {
        let type_ = type_.to_ascii_lowercase();
        return Err(Stop::plain(format!("invalid resource type {type_}, only node types are supported")));
    }
    let meets = |a: &&Taint, r: &&Taint| a.key == r.key && (r.effect.is_empty() || a.effect == r.effect);
    let both: Vec<String> =
        added.iter().flat_map(|a| removed.iter().filter(move |r| meets(&a, r))).map(|r| format!("{}={}", r.key, r.effect)).collect();
    if !both.is_empty() {
        let text = "can not both modify and remove the following taint(s) in the same command";
        return Err(Stop::plain(format!("{text}: {}", both.join(", "))));
    }
    let chosen = args.text("selector").is_some_and(|selector| !selector.is_empty());
    if args.on("all") && chosen {
        return Err(Stop::plain("setting 'all' parameter with a non empty selector is prohibited"));
    }
    if !args.on("all") && !chosen && names.is_empty() {
        return Err(Stop::plain("at least one resource name must be specified since 'all' parameter is not set"));
    }
    let (output, dry_run) = (Output::of(&args, false)?, DryRun::of(&args)?);
    // The name of what was done takes the place of the note about a dry run.
    each(cx, &args, resources, |cx, object| {
        let (new, done) = retaint(object, &added, &removed, args.on("overwrite"))?;
        let kind = object.kind();
        if dry_run == DryRun::Client {
            return report(cx, output, DryRun::None, kind, &new.to_map(), done);
        }
        let patch = merge::two_way(kind.row().schema, &object.to_map(), &new.to_map());
        let patch = patch.as_map().cloned().unwrap_or_default();
        let request = Request::patch(kind, &object.meta.namespace, &object.meta.name, PatchType::Strategic, patch);
        let answer = cx.object(request.with(|o| o.dry_run = dry_run == DryRun::Server))?;
        report(cx, output, DryRun::None, kind, &answer.to_map(), done)
    })
}

/// Parses taints to add, and taints to remove, which end in a dash.
fn read_all(specs: &[String]) -> Result<(Vec<Taint>, Vec<Taint>), String> {
    let (mut added, mut removed): (Vec<Taint>, Vec<Taint>) = Default::default();
    for spec in specs {
        match spec.strip_suffix('-') {
            Some(spec) => removed.push(read(spec)?),
            None => {
                let taint = read(spec)?;
                if taint.effect.is_empty() {
                    return Err(format!("invalid taint spec: {spec}"));
                }
                if added.iter().any(|known| known.matches_taint(&taint)) {
                    let (key, value, effect) = (&taint.key, &taint.value, &taint.effect);
                    return Err(format!("duplicated taints with the same key and effect: {{{key} {value} {effect} <nil>}}"));
                }
                added.push(taint);
            }
        }
    }
    Ok((added, removed))
}

/// Parses `key=value:Effect`, `key:Effect` or `key`. Counterpart: `parseTaint`.
fn read(spec: &str) -> Result<Taint, String> {
    let bad = |why: names::Problems| {
        let why = if why.is_empty() { String::new() } else { format!(", {}", why.join("; ")) };
        format!("invalid taint spec: {spec}{why}")
    };
    let (key, value, effect) = match spec.split(':').collect::<Vec<_>>()[..] {
        [key] => (key, "", ""),
        [pair, effect] => {
            if !matches!(effect, "NoSchedule" | "PreferNoSchedule" | "NoExecute") {
                return Err(format!("invalid taint effect: {effect}, unsupported taint effect"));
            }
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            if value.contains('=') {
                return Err(bad(Default::default()));
            }
            match names::label_value(value) {
                problems if problems.is_empty() => (key, value, effect),
                problems => return Err(bad(problems)),
            }
        }
        _ => return Err(bad(Default::default())),
    };
    match names::qualified_name(key) {
        problems if problems.is_empty() => {
            let mut taint = Taint::new(key, effect);
            taint.value = value.into();
            Ok(taint)
        }
        problems => Err(bad(problems)),
    }
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
