//! `kubectl label` and `kubectl annotate`. Counterparts: `kubectl/pkg/cmd/label`, `kubectl/pkg/cmd/annotate`.

use super::errors::Stop;
use super::flags::{Args, CHOICE, Flag, NAMED, OUTPUT, RECORD, switch, text};
use super::print::{DryRun, Output, report};
use super::rollout::{CHANGE_CAUSE, record};
use super::set::{Target, each_target};
use super::{Cx, Run};
use crate::api::request::{PatchType, Request};
use crate::api::selector::{self, Operator, Selector};
use crate::api::value::{Map, Value};
use crate::map;

const FLAGS: &[Flag] = &[switch("overwrite"), switch("list"), switch("local"), text("resource-version"), RECORD];

/// The changes of labels or annotations that a command asks for: the keys to set, with their values, and the keys to remove.
struct Changes {
    set: Vec<(String, String)>,
    removed: Vec<String>,
}

/// Runs `kubectl label …`.
pub fn label(cx: &mut Cx, words: &[String]) -> Run {
    mark(cx, words, "label", "labels")
}

/// Runs `kubectl annotate …`.
pub fn annotate(cx: &mut Cx, words: &[String]) -> Run {
    mark(cx, words, "annotate", "annotations")
}

fn mark(cx: &mut Cx, words: &[String], command: &str, field: &'static str) -> Run {
    let args = Args::read(command, &[NAMED, CHOICE, OUTPUT, FLAGS], words)?;
    let what = field.strip_suffix('s').unwrap_or(field);
    let (resources, pairs) = split_pairs(&args.words, what)?;
    let changes = if what == "label" { read_labels(&pairs)? } else { read_pairs(&pairs) };
    if args.on("list") && args.text("output").is_some() {
        return Err(Stop::plain("--list and --output may not be specified together"));
    }
    check_local(&args, &resources, if what == "label" { "pod" } else { "rsrc" })?;
    if args.on("list") {
        return list(cx, &args, &resources, field);
    }
    if changes.set.is_empty() && changes.removed.is_empty() {
        return Err(Stop::plain(format!("at least one {what} update is required")));
    }
    let both: Vec<&str> = changes.removed.iter().filter(|key| changes.set.iter().any(|(set, _)| set == *key)).map(String::as_str).collect();
    if !both.is_empty() {
        let text = "can not both modify and remove the following annotation(s) in the same command";
        return Err(Stop::plain(format!("{text}: {}", both.join(", "))));
    }
    Output::of(&args, false)?;
    DryRun::of(&args)?;
    if !is_one(&resources) && args.text("resource-version").is_some_and(|version| !version.is_empty()) {
        return Err(Stop::plain("--resource-version may only be used with a single resource"));
    }
    each_target(cx, &args, &resources, |cx, target| update(cx, &args, target, field, &changes))
}

/// Checks what the command works on: with `--local` only manifests. `stem` is the name of the file in the real client's example.
fn check_local(args: &Args, resources: &[String], stem: &str) -> Result<(), Stop> {
    if !args.on("local") {
        return need_resources(args, resources);
    }
    if args.text("dry-run") == Some("server") {
        return Err(Stop::plain("cannot specify --local and --dry-run=server - did you mean --dry-run=client?"));
    }
    let how = format!("-f {stem}.yaml or --filename={stem}.json");
    match (resources.is_empty(), args.has_manifest()) {
        (false, _) => Err(Stop::plain(format!("can only use local files by {how} when --local=true is set"))),
        (true, false) => Err(Stop::plain(format!("one or more files must be specified as {how}"))),
        (true, true) => Ok(()),
    }
}

/// Changes the labels or annotations of one object, and reports it.
fn update(cx: &mut Cx, args: &Args, target: &Target, field: &'static str, changes: &Changes) -> Run {
    let (output, dry_run, kind) = (Output::of(args, false)?, DryRun::of(args)?, target.kind);
    let is_label = field == "labels";
    let only_here = dry_run == DryRun::Client || args.on("local");
    let empty = Map::new();
    let held = target.tree.map("metadata").and_then(|m| m.map(field)).unwrap_or(&empty);
    for key in changes.removed.iter().filter(|key| is_label && !only_here && !held.has(key)) {
        cx.println(format!("label \"{key}\" not found."));
    }
    if !args.on("overwrite") {
        check_overwrites(held, changes, is_label)?;
    }
    let mut new = target.tree.clone();
    let entries = new.map_mut("metadata").map_mut(field);
    let (mut added, mut removed) = (false, false);
    for (key, value) in &changes.set {
        added |= entries.get(key).and_then(Value::as_str) != Some(value);
        entries.insert(key.as_str(), value.as_str());
    }
    for key in &changes.removed {
        removed |= entries.has(key);
        entries.remove(key);
    }
    if entries.is_empty() {
        new.map_mut("metadata").remove(field);
    }
    let done = match (is_label, added, removed) {
        (false, ..) => "annotated",
        (true, true, true) => "modified",
        (true, true, false) => "labeled",
        (true, false, true) => "unlabeled",
        (true, false, false) => "not labeled",
    };
    cx.documents = 0;
    if only_here || (is_label && !added && !removed) {
        return report(cx, output, dry_run, kind, &new, done);
    }
    let mut patch = Map::new();
    let entries = patch.map_mut("metadata").map_mut(field);
    for (key, value) in &changes.set {
        entries.insert(key.as_str(), value.as_str());
    }
    for key in &changes.removed {
        entries.insert(key.as_str(), Value::Null);
    }
    if let Some(version) = args.text("resource-version").filter(|version| !version.is_empty()) {
        patch.map_mut("metadata").insert("resourceVersion", version);
    }
    record(args, &mut patch);
    let request = Request::patch(kind, &target.namespace, &target.name, PatchType::Merge, patch);
    let answer = cx.object(request.with(|o| o.dry_run = dry_run == DryRun::Server))?;
    report(cx, output, dry_run, kind, &answer.to_map(), done)
}

/// Fails if a key has another value already. The cause of a change may always be written anew.
fn check_overwrites(held: &Map, changes: &Changes, is_label: bool) -> Result<(), Stop> {
    let differs = |(key, value): &(String, String)| {
        let held = held.get(key).and_then(Value::as_str).filter(|held| held != value && (is_label || key != CHANGE_CAUSE))?;
        Some(format!("'{key}' already has a value ({held})"))
    };
    let problems: Vec<String> = changes.set.iter().filter_map(differs).collect();
    match (problems.is_empty(), is_label) {
        (true, _) => Ok(()),
        (false, true) => {
            let mut all: Vec<Stop> = problems.iter().map(|p| Stop::plain(format!("{p}, and --overwrite is false"))).collect();
            Err(if all.len() == 1 { all.remove(0) } else { Stop::many(all) })
        }
        (false, false) => {
            let text = "--overwrite is false but found the following declared annotation(s)";
            Err(Stop::plain(format!("{text}: {}", problems.join("; "))))
        }
    }
}

/// Returns whether the words name a single object.
fn is_one(resources: &[String]) -> bool {
    matches!(resources, [of_type, _] if !of_type.contains(['/', ','])) || matches!(resources, [word] if word.contains('/'))
}

/// Prints the labels or annotations of each object, under a line that names the object if there may be several.
fn list(cx: &mut Cx, args: &Args, resources: &[String], field: &str) -> Run {
    let one = is_one(resources);
    each_target(cx, args, resources, |cx, target| {
        let row = target.kind.row();
        if !one {
            cx.println(format!("Listing {field} for {}.{}/{}:", row.name, row.group, target.name));
        }
        for (key, value) in target.tree.map("metadata").and_then(|m| m.map(field)).into_iter().flat_map(Map::iter) {
            cx.println(format!("{}{key}={}", if one { "" } else { " " }, value.as_str().unwrap_or("")));
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

/// Converts a selector in the syntax of the flag `--selector` into a LabelSelector object. Counterpart: `ParseToLabelSelector`.
pub fn label_selector(text: &str) -> Result<Map, Stop> {
    let parsed = Selector::parse(text).map_err(|why| Stop::plain(format!("couldn't parse the selector string \"{text}\": {why}")))?;
    let (mut labels, mut expressions) = (Map::new(), Vec::new());
    for requirement in parsed.requirements() {
        let values: Vec<Value> = requirement.values.iter().map(|v| v.as_str().into()).collect();
        let operator = match requirement.operator {
            Operator::Equals | Operator::DoubleEquals => {
                labels.insert(&requirement.key, values.first().cloned().unwrap_or_default());
                continue;
            }
            Operator::In => "In",
            Operator::NotIn => "NotIn",
            Operator::Exists => "Exists",
            Operator::DoesNotExist => "DoesNotExist",
            other => return Err(Stop::plain(format!("\"{other:?}\" isn't supported in label selectors"))),
        };
        let mut expression = map! { "key" => &requirement.key, "operator" => operator };
        if !values.is_empty() {
            expression.insert("values", values);
        }
        expressions.push(expression.into());
    }
    let mut selector = Map::new();
    if !labels.is_empty() {
        selector.insert("matchLabels", labels);
    }
    if !expressions.is_empty() {
        selector.insert("matchExpressions", expressions);
    }
    Ok(selector)
}
