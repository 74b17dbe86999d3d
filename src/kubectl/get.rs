//! `kubectl get`. Counterpart: `kubectl/pkg/cmd/get`.

use super::errors::Failure;
use super::flags::{Args, CHOICE, FILES, Flag, OUTPUT, Takes, switch, takes, text};
use super::follow::get_and_follow;
use super::print::{Output, cell, document, table};
use super::resource::{self, Selection, Target, object_text};
use super::{Cx, Failures, Run, manifest, templates};
use crate::api::duration::{labels, or_none};
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::value::{Map, Value};
use crate::map;
use std::cmp::Ordering;
use std::sync::Arc;

const FLAGS: &[Flag] = &[
    switch("show-labels"),
    switch("show-kind"),
    switch("no-headers"),
    text("label-columns").or('L'),
    text("sort-by"),
    switch("ignore-not-found"),
    switch("watch").or('w'),
    switch("watch-only"),
    takes("chunk-size", Takes::Int),
    switch("server-print"),
    switch("output-watch-events"),
    text("subresource"),
];

/// `kubectl get …`
pub fn get(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("get", &[FILES, OUTPUT, CHOICE, FLAGS], words)?;
    let output = Output::of(&args, true)?;
    if args.words.is_empty() && args.text("filename").is_none() {
        cx.complain(
            "You must specify the type of resource to get. Use \"kubectl api-resources\" for a complete list of supported resources.\n",
        );
        let text = "Required resource not specified.\nUse \"kubectl explain <resource>\" for a detailed description of that resource (e.g. kubectl explain pods).";
        return Err(Failure::usage("get", text).into());
    }
    let (targets, objects, failures) = read(cx, &args)?;
    if (args.on("watch") || args.on("watch-only")) && failures.0.is_empty() {
        return get_and_follow(cx, args, output, &targets, &objects);
    }
    match output {
        Output::Yaml | Output::Json => {
            if let Some(tree) = whole(&args, &targets, &objects) {
                document(cx, output, &tree);
            }
        }
        Output::Template => templates::show(cx, &args, whole(&args, &targets, &objects), &objects)?,
        Output::Name => objects.iter().for_each(|o| cx.say(object_text(o))),
        Output::Human | Output::Wide => tables(cx, &args, output == Output::Wide, &targets, &objects),
    }
    let table = matches!(output, Output::Human | Output::Wide | Output::Name);
    if objects.is_empty() && table && failures.0.is_empty() && !args.on("ignore-not-found") {
        nothing_found(cx, &args, &targets);
    }
    failures.finish()
}

fn nothing_found(cx: &mut Cx, args: &Args, targets: &[Target]) {
    if args.on("all-namespaces") || targets.iter().any(|t| !t.kind.row().namespaced) {
        cx.complain("No resources found");
    } else {
        let namespace = resource::namespace(cx, args).0;
        cx.complain(format!("No resources found in {namespace} namespace."));
    }
}

type Found = (Vec<Target>, Vec<Arc<Object>>, Failures);

fn read(cx: &mut Cx, args: &Args) -> Run<Found> {
    let mut selection = Selection::of(cx, args)?;
    let mut failures = Failures::default();
    let targets = if args.text("filename").is_some() {
        let (items, broken) = manifest::read(cx, args);
        failures = broken;
        items.into_iter().map(|i| Target { kind: i.kind, name: Some(i.name.to_string()) }).collect()
    } else {
        resource::targets(&args.words)?
    };
    let named = targets.iter().any(|t| t.name.is_some());
    if named && (selection.all || selection.namespace.is_empty()) {
        selection.check(&targets)?;
    }
    selection.all = true;
    let mut objects = Vec::new();
    for target in &targets {
        let found = selection.read(cx, target);
        let missing_is_fine = args.on("ignore-not-found");
        match failures.keep(found)? {
            Some(found) => objects.extend(found),
            None if missing_is_fine => failures.0.retain(|f| !matches!(f, Failure::Server(s) if s.code == 404)),
            None => {}
        }
    }
    if let Some(path) = args.text("sort-by") {
        sort(&mut objects, path)?;
    }
    Ok((targets, objects, failures))
}

/// An object as a tree. Templates may name what is else shown only to those who ask for it.
fn shown(args: &Args, object: &Object) -> Map {
    let plain = matches!(args.text("output"), Some("yaml" | "json")) && !args.on("show-managed-fields");
    if plain { object.to_map() } else { object.to_full_map() }
}

/// The one object that was meant, or the list of all.
fn whole(args: &Args, targets: &[Target], objects: &[Arc<Object>]) -> Option<Map> {
    let one_meant = matches!(targets, [Target { name: Some(_), .. }]);
    match objects {
        [only] if one_meant => Some(shown(args, only)),
        [] if one_meant || (args.on("ignore-not-found") && !targets.iter().any(|t| t.name.is_none())) => None,
        all => {
            let items: Vec<Value> = all.iter().map(|o| Value::Map(shown(args, o))).collect();
            Some(map! { "apiVersion" => "v1", "kind" => "List", "items" => items, "metadata" => map! { "resourceVersion" => "" } })
        }
    }
}

/// A table for each run of objects of one kind, a blank line between.
fn tables(cx: &mut Cx, args: &Args, wide: bool, targets: &[Target], objects: &[Arc<Object>]) {
    let several = targets.iter().any(|t| Some(t.kind) != targets.first().map(|t| t.kind));
    let with_kind = several || args.on("show-kind");
    let mut rest = objects;
    let mut first = true;
    while let Some(kind) = rest.first().map(|o| o.kind()) {
        let end = rest.iter().position(|o| o.kind() != kind).unwrap_or(rest.len());
        let (group, after) = rest.split_at(end);
        if !first {
            cx.say("");
        }
        let rows = rows(cx, args, wide, with_kind, kind, group);
        cx.print(&table(&rows));
        (rest, first) = (after, false);
    }
}

/// Rows of a table, under their head unless it is unwanted.
pub fn rows(cx: &Cx, args: &Args, wide: bool, with_kind: bool, kind: Kind, objects: &[Arc<Object>]) -> Vec<Vec<String>> {
    let row = kind.row();
    let spaced = args.on("all-namespaces") && row.namespaced;
    let label_columns: Vec<&str> = args.list("label-columns");
    let mut rows = Vec::new();
    if !args.on("no-headers") {
        let mut head: Vec<String> = Vec::new();
        head.extend(spaced.then(|| "NAMESPACE".to_owned()));
        head.extend(row.columns.iter().filter(|c| wide || !c.wide).map(|c| c.name.to_uppercase()));
        head.extend(label_columns.iter().map(|key| key.rsplit('/').next().unwrap_or(key).to_uppercase()));
        head.extend(args.on("show-labels").then(|| "LABELS".to_owned()));
        rows.push(head);
    }
    for object in objects {
        let cells = (row.cells)(object, cx.now);
        let shown = row.columns.iter().zip(&cells).filter(|(column, _)| wide || !column.wide);
        let mut line: Vec<String> =
            shown.map(|(column, value)| if with_kind && column.name == "Name" { object_text(object) } else { cell(value) }).collect();
        if spaced {
            line.insert(0, object.meta.namespace.to_string());
        }
        line.extend(label_columns.iter().map(|key| or_none(object.meta.labels.get(key).map_or("", |v| v)).to_owned()));
        line.extend(args.on("show-labels").then(|| labels(&object.meta.labels)));
        rows.push(line);
    }
    rows
}

/// Sorts by the field at a path such as `.metadata.name` or `{.status.startTime}`.
fn sort(objects: &mut Vec<Arc<Object>>, path: &str) -> Result<(), Failure> {
    let inner = path.trim().trim_start_matches('{').trim_end_matches('}');
    let keys: Vec<&str> = inner.split('.').filter(|key| !key.is_empty()).collect();
    let mut keyed: Vec<(Option<Value>, Arc<Object>)> = objects.iter().map(|o| (o.to_map().at(&keys).cloned(), o.clone())).collect();
    if !keyed.is_empty() && keyed.iter().all(|(key, _)| key.is_none()) {
        return Err(Failure::plain(format!("couldn't find any field with path \"{{{}{inner}}}\" in the list of objects", dot(inner))));
    }
    keyed.sort_by(|a, b| compare(a.0.as_ref(), b.0.as_ref()));
    *objects = keyed.into_iter().map(|(_, object)| object).collect();
    Ok(())
}

fn dot(path: &str) -> &'static str {
    if path.starts_with('.') { "" } else { "." }
}

fn compare(a: Option<&Value>, b: Option<&Value>) -> Ordering {
    match (a, b) {
        (Some(Value::Int(a)), Some(Value::Int(b))) => a.cmp(b),
        (Some(Value::Str(a)), Some(Value::Str(b))) => a.cmp(b),
        (Some(Value::Bool(a)), Some(Value::Bool(b))) => a.cmp(b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}
