//! `kubectl label` and `kubectl annotate`. Counterparts: `kubectl/pkg/cmd/label`, `kubectl/pkg/cmd/annotate`.

use super::errors::Stop;
use super::flags::{Args, CHOICE, Flag, NAMED, OUTPUT, switch, text};
use super::print::{DryRun, Output, report};
use super::resource::each;
use super::{Cx, Run};
use crate::api::json;
use crate::api::meta::StrMap;
use crate::api::object::Object;
use crate::api::request::{PatchType, Request};
use crate::api::selector;
use crate::api::value::{Map, Value};
use crate::map;
use std::sync::Arc;

const FLAGS: &[Flag] = &[switch("overwrite"), switch("list"), switch("local"), text("resource-version")];

/// The changes of labels or annotations that a command asks for: the keys to set, with their values, and the keys to remove.
struct Changes {
    set: Vec<(String, String)>,
    removed: Vec<String>,
}

/// Runs `kubectl label …`.
pub fn label(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("label", &[NAMED, CHOICE, OUTPUT, FLAGS], words)?;
    args.refuse("label", &["local"])?;
    let (resources, pairs) = split_pairs(&args.words, "label")?;
    need_resources(&args, &resources)?;
    let changes = read_labels(&pairs)?;
    if args.on("list") && args.text("output").is_some() {
        return Err(Stop::plain("--list and --output may not be specified together"));
    }
    if args.on("list") {
        return list(cx, &args, &resources, "labels", |o| &o.meta.labels);
    }
    if changes.set.is_empty() && changes.removed.is_empty() {
        return Err(Stop::plain("at least one label update is required"));
    }
    let (output, dry_run) = (Output::of(&args, false)?, DryRun::of(&args)?);
    each(cx, &args, &resources, |cx, object| {
        let old = &object.meta.labels;
        if !args.on("overwrite") {
            for (key, value) in &changes.set {
                if let Some(held) = old.get(key).filter(|held| *held != value) {
                    return Err(Stop::plain(format!("'{key}' already has a value ({held}), and --overwrite is false")));
                }
            }
        }
        for key in changes.removed.iter().filter(|key| old.get(key).is_none()) {
            cx.println(format!("label \"{key}\" not found."));
        }
        let before = length(old);
        let done = match changed(old, &changes) {
            None => "not labeled",
            Some(new) if !args.on("overwrite") && length(&new) < before => "unlabeled",
            Some(_) => "labeled",
        };
        send(cx, object, "labels", &changes, output, dry_run, done)
    })
}

/// Runs `kubectl annotate …`.
pub fn annotate(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("annotate", &[NAMED, CHOICE, OUTPUT, FLAGS], words)?;
    args.refuse("annotate", &["local"])?;
    let (resources, pairs) = split_pairs(&args.words, "annotation")?;
    need_resources(&args, &resources)?;
    let changes = read_pairs(&pairs);
    if args.on("list") && args.text("output").is_some() {
        return Err(Stop::plain("--list and --output may not be specified together"));
    }
    if args.on("list") {
        return list(cx, &args, &resources, "annotations", |o| &o.meta.annotations);
    }
    if changes.set.is_empty() && changes.removed.is_empty() {
        return Err(Stop::plain("at least one annotation update is required"));
    }
    let (output, dry_run) = (Output::of(&args, false)?, DryRun::of(&args)?);
    each(cx, &args, &resources, |cx, object| {
        let old = &object.meta.annotations;
        if !args.on("overwrite") {
            let held = |(key, value): &(String, String)| {
                let held = old.get(key).filter(|held| *held != value)?;
                Some(format!("'{key}' already has a value ({held})"))
            };
            let held: Vec<String> = changes.set.iter().filter_map(held).collect();
            if !held.is_empty() {
                let list = held.join("; ");
                return Err(Stop::plain(format!("--overwrite is false but found the following declared annotation(s): {list}")));
            }
        }
        send(cx, object, "annotations", &changes, output, dry_run, "annotated")
    })
}

fn length(labels: &StrMap) -> usize {
    json::to_string(&Value::Map(labels.to_map())).len()
}

/// Returns the labels or annotations after the changes; `None` if nothing changes.
fn changed(old: &StrMap, changes: &Changes) -> Option<StrMap> {
    let mut new = old.clone();
    for key in &changes.removed {
        new = new.without(key);
    }
    for (key, value) in &changes.set {
        new = new.with(key, value.as_str());
    }
    (new != *old).then_some(new)
}

fn send(cx: &mut Cx, object: &Arc<Object>, field: &'static str, changes: &Changes, output: Output, dry_run: DryRun, done: &str) -> Run {
    let kind = object.kind();
    let mut entries = Map::new();
    for (key, value) in &changes.set {
        entries.insert(key.as_str(), value.as_str());
    }
    for key in &changes.removed {
        entries.insert(key.as_str(), Value::Null);
    }
    if dry_run == DryRun::Client || done.starts_with("not ") {
        report(cx, output, dry_run, kind, &object.to_map(), done);
        return Ok(());
    }
    let patch = map! { "metadata" => map! { field => entries } };
    let request = Request::patch(kind, &object.meta.namespace, &object.meta.name, PatchType::Merge, patch);
    let new = cx.object(request.with(|o| o.dry_run = dry_run == DryRun::Server))?;
    report(cx, output, dry_run, kind, &new.to_map(), done);
    Ok(())
}

/// Prints the labels or annotations of each object, under a line that names the object if there may be several.
fn list(cx: &mut Cx, args: &Args, resources: &[String], what: &str, of: fn(&Object) -> &StrMap) -> Run {
    let one = matches!(resources, [_, _]) || matches!(resources, [word] if word.contains('/'));
    each(cx, args, resources, |cx, object| {
        let row = object.kind().row();
        if !one {
            cx.println(format!("Listing {what} for {}.{}/{}:", row.name, row.group, object.meta.name));
        }
        for (key, value) in of(object).entries() {
            cx.println(format!("{}{key}={value}", if one { "" } else { " " }));
        }
        Ok(())
    })
}

/// Splits words into those that name objects and those that are changes (`a=b`, `a-`). Counterpart: `cmdutil.GetResourcesAndPairs`.
pub fn split_pairs(words: &[String], what: &str) -> Result<(Vec<String>, Vec<String>), Stop> {
    let is_pair = |word: &str| word.find('=').is_some_and(|at| at > 0) || (word.ends_with('-') && word != "-");
    let (mut resources, mut pairs) = (Vec::new(), Vec::new());
    for word in words {
        match (is_pair(word), pairs.is_empty()) {
            (true, _) => pairs.push(word.clone()),
            (false, true) => resources.push(word.clone()),
            (false, false) => return Err(Stop::plain(format!("all resources must be specified before {what} changes: {word}"))),
        }
    }
    Ok((resources, pairs))
}

/// Fails if neither words nor manifests name an object.
pub fn need_resources(args: &Args, resources: &[String]) -> Result<(), Stop> {
    if resources.is_empty() && !args.has_manifest() {
        return Err(Stop::plain("one or more resources must be specified as <resource> <name> or <resource>/<name>"));
    }
    Ok(())
}

fn read_pairs(pairs: &[String]) -> Changes {
    let mut changes = Changes { set: Vec::new(), removed: Vec::new() };
    for pair in pairs {
        match pair.split_once('=') {
            Some((key, value)) => changes.set.push((key.to_owned(), value.to_owned())),
            None => changes.removed.push(pair.strip_suffix('-').unwrap_or(pair).to_owned()),
        }
    }
    changes
}

fn read_labels(pairs: &[String]) -> Result<Changes, Stop> {
    for pair in pairs {
        if let Some((_, value)) = pair.split_once('=') {
            if value.contains('=') {
                return Err(Stop::plain(format!("invalid label spec: {pair}")));
            }
            selector::check_value(value).map_err(|why| Stop::plain(format!("invalid label value: \"{pair}\": {why}")))?;
        }
    }
    let changes = read_pairs(pairs);
    if changes.removed.iter().any(|key| changes.set.iter().any(|(set, _)| set == key)) {
        return Err(Stop::plain("can not both modify and remove a label in the same command"));
    }
    Ok(changes)
}
