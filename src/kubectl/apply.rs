//! `kubectl apply`: a three-way merge in the client, or with `--server-side` in the server. Counterpart: `kubectl/pkg/cmd/apply`.

use super::errors::Stop;
use super::flags::{Args, CHOICE, FILES, Flag, NAMED, OUTPUT, RECORD, Takes, switch, takes, text};
use super::manifest::{self, Item};
use super::print::{DryRun, Output, report, whole};
use super::resource::each;
use super::rollout::record;
use super::{Cx, Failures, Run, prune, server_side};
use crate::api::object::Object;
use crate::api::request::{Answer, PatchType, Payload, Request, Verb};
use crate::api::status::Reason;
use crate::api::time::Span;
use crate::api::value::{Map, Value};
use crate::api::{json, merge, yaml};
use crate::map;
use std::sync::Arc;

/// The annotation in which the client keeps the manifest that it last applied.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

const MAX_TRIES: usize = 5;

const FLAGS: &[Flag] = &[
    switch("server-side"),
    switch("force-conflicts"),
    switch("overwrite"),
    switch("prune"),
    switch("wait"),
    switch("force"),
    text("selector").or('l'),
    switch("all"),
    takes("cascade", Takes::Maybe("background")),
    takes("grace-period", Takes::Int),
    takes("timeout", Takes::Duration),
    switch("openapi-patch"),
    text("prune-allowlist"),
    text("subresource"),
    RECORD,
];

/// Runs `kubectl apply -f …`.
pub fn apply(cx: &mut Cx, words: &[String]) -> Run {
    match words.split_first().map(|(word, rest)| (word.as_str(), rest)) {
        Some(("view-last-applied", rest)) => return view_last_applied(cx, rest),
        Some(("set-last-applied", rest)) => return set_last_applied(cx, rest),
        Some(("edit-last-applied", _)) => {
            return Err(Stop::plain("this playground has no \"kubectl apply edit-last-applied\": use apply set-last-applied"));
        }
        _ => {}
    }
    let args = Args::read("apply", &[FILES, OUTPUT, FLAGS], words)?;
    server_side::check(&args, DryRun::of(&args)?)?;
    if args.on("force") && DryRun::of(&args)? == DryRun::Server {
        return Err(Stop::plain("--dry-run=server cannot be used with --force"));
    }
    if args.on("all") && args.text("selector").is_some_and(|selector| !selector.is_empty()) {
        return Err(Stop::plain("cannot set --all and --selector at the same time"));
    }
    if args.on("force") && args.on("prune") {
        return Err(Stop::plain("--force cannot be used with --prune"));
    }
    prune::allowed(&cx.env.kinds, &args)?;
    prune::check(&args)?;
    if let Some(word) = args.words.first() {
        return Err(Stop::usage("apply", &format!("Unexpected args: [{word}]")));
    }
    manifest::require(&args)?;
    let (output, dry_run) = (Output::of(&args, false)?, DryRun::of(&args)?);
    cx.validation = manifest::validation(&args)?;
    let (mut items, mut failures) = manifest::read(cx, &args);
    if items.is_empty() && failures.0.is_empty() {
        return Err(Stop::plain("no objects passed to apply"));
    }
    items.iter_mut().for_each(|item| record(&args, &mut item.object));
    let listed = !matches!(output, Output::Human | Output::Name);
    cx.held = listed.then(Vec::new);
    for item in &items {
        let applied = match args.on("server-side") {
            true => server_side::one(cx, &args, item, output, dry_run),
            false => one(cx, &args, item, output, dry_run),
        };
        failures.keep(applied)?;
    }
    if failures.0.is_empty() {
        print_held(cx, output)?;
    }
    if args.on("prune") && failures.0.is_empty() {
        prune::prune(cx, &args, &items, dry_run)?;
    }
    Failures::finish(failures)
}

/// Prints the objects that were applied: one as it is, several as a list. Counterpart: `ApplyOptions.printObjects`.
fn print_held(cx: &mut Cx, output: Output) -> Run {
    let mut held = cx.held.take().unwrap_or_default();
    match held.len() {
        0 => Ok(()),
        1 => whole(cx, output, &held.remove(0)),
        _ => {
            let items: Vec<Value> = held.into_iter().map(Value::Map).collect();
            whole(cx, output, &map! { "apiVersion" => "v1", "kind" => "List", "items" => items, "metadata" => Map::new() })
        }
    }
}

fn view_last_applied(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("apply view-last-applied", &[NAMED, CHOICE, &[text("output").or('o')]], words)?;
    let as_json = match args.text("output") {
        None | Some("yaml") => false,
        Some("json") => true,
        Some(other) => {
            let text = format!("Unexpected -o output mode: {other}, the flag 'output' must be one of yaml|json");
            return Err(Stop::usage("apply view-last-applied", &text));
        }
    };
    each(cx, &args, &args.words, |cx, object| {
        // The real client says nothing of an object without the annotation.
        match object.meta.annotations.get(LAST_APPLIED).and_then(|text| json::parse(text).ok()) {
            Some(applied) if as_json => cx.println(json::pretty(&applied, 2)),
            Some(applied) => cx.print(&yaml::emit(&applied)),
            None => {}
        }
        Ok(())
    })
}

/// Runs `kubectl apply set-last-applied -f …`. Counterpart: `apply_set_last_applied.go`.
fn set_last_applied(cx: &mut Cx, words: &[String]) -> Run {
    let flags: &[&[Flag]] = &[OUTPUT, &[text("filename").or('f'), switch("create-annotation")]];
    let args = Args::read("apply set-last-applied", flags, words)?;
    let (output, dry_run) = (Output::of(&args, false)?, DryRun::of(&args)?);
    if !args.has_manifest() {
        return Err(super::resource::nothing_given());
    }
    let (items, failures) = manifest::read(cx, &args);
    failures.finish()?;
    let mut patches = Vec::new();
    for item in items {
        let live = cx.object(Request::new(Verb::Get, item.kind, item.namespace.clone(), item.name.clone()))?;
        if live.meta.annotations.get(LAST_APPLIED).is_none() && !args.on("create-annotation") {
            let text = format!(
                "no last-applied-configuration annotation found on resource: {}, to create the annotation, run the command with --create-annotation",
                item.name
            );
            return Err(Stop::plain(text));
        }
        let new = with_last_applied(&item.object);
        let text = new.at(&["metadata", "annotations", LAST_APPLIED]).cloned().unwrap_or_default();
        if live.meta.annotations.get(LAST_APPLIED).is_some_and(|held| text.as_str() == Some(held)) {
            cx.println(format!("set-last-applied {}: no changes required.", item.name));
            continue;
        }
        patches.push((live.clone(), map! { "metadata" => map! { "annotations" => map! { LAST_APPLIED => text } } }));
    }
    for (live, patch) in patches {
        let (kind, meta) = (live.kind(), &live.meta);
        let mut shown = live.to_map();
        if dry_run != DryRun::Client {
            let request = Request::patch(kind, &meta.namespace, &meta.name, PatchType::Merge, patch);
            shown = cx.object(request.with(|o| o.dry_run = dry_run == DryRun::Server))?.to_map();
        }
        report(cx, output, dry_run, kind, &shown, "configured")?;
    }
    Ok(())
}

/// Fails if the manifest's object has a `generateName` instead of a name.
pub fn refuse_unnamed(item: &Item) -> Run {
    let prefix = item.object.at(&["metadata", "generateName"]).and_then(Value::as_str).unwrap_or("");
    if item.name.is_empty() && !prefix.is_empty() {
        return Err(Stop::plain(format!("from {prefix}: cannot use generate name with apply")));
    }
    Ok(())
}

fn one(cx: &mut Cx, args: &Args, item: &Item, output: Output, dry_run: DryRun) -> Run {
    refuse_unnamed(item)?;
    if item.name.is_empty() {
        let what = item.describe();
        let text = format!(
            "error when retrieving current configuration of:\n{what}\nfrom server for: \"{}\": resource name may not be empty",
            item.source
        );
        return Err(Stop::plain(text));
    }
    let new = with_last_applied(&item.object);
    let live = match cx.try_request(Request::new(Verb::Get, item.kind, item.namespace.clone(), item.name.clone()))? {
        Ok(Answer::Object { object, .. }) => object,
        Ok(_) => return Ok(()),
        Err(status) if status.reason == Reason::NotFound => return create(cx, item, new, output, dry_run),
        Err(status) => {
            let doing = format!("retrieving current configuration of:\n{}\nfrom server for:", item.describe());
            return Err(Stop::while_doing(&doing, &item.source, status));
        }
    };
    if live.meta.annotations.get(LAST_APPLIED).is_none() {
        warn_unmanaged(cx, live);
    }
    update(cx, args, item, &new, live)
}

fn warn_unmanaged(cx: &mut Cx, live: &Object) {
    let name = format!("{}/{}", live.kind().row().plural, live.meta.name);
    cx.eprintln(format!(
        "Warning: resource {name} is missing the {LAST_APPLIED} annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically."
    ));
}

fn create(cx: &mut Cx, item: &Item, new: Map, output: Output, dry_run: DryRun) -> Run {
    if dry_run == DryRun::Client {
        report(cx, output, dry_run, item.kind, &new, "created")?;
        return Ok(());
    }
    let made = send_create(cx, item, new, dry_run)?;
    report(cx, output, dry_run, item.kind, &item.shown(made), "created")?;
    Ok(())
}

/// Creates an object that was read from a manifest; if the server refuses it, the error names the manifest's file.
pub fn send_create<'a>(cx: &mut Cx<'a>, item: &Item, object: Map, dry_run: DryRun) -> Run<&'a Arc<Object>> {
    let mut request = item.request(Verb::Create, "").with(|o| o.dry_run = dry_run == DryRun::Server);
    request.payload = Payload::Tree(Box::new(Value::Map(object)));
    match cx.try_request(request)? {
        Ok(Answer::Object { object, .. }) => Ok(object),
        Ok(_) => Err(Stop::plain("the server's answer is no object")),
        Err(status) => Err(Stop::while_doing("creating", &item.source, status)),
    }
}

fn update<'a>(cx: &mut Cx<'a>, args: &Args, item: &Item, new: &Map, live: &'a Arc<Object>) -> Run {
    let (output, dry_run) = (Output::of(args, false)?, DryRun::of(args)?);
    let mut live = live;
    for attempt in 1.. {
        let patch = patch_for(item, live, new);
        let nothing = patch.as_map().is_some_and(Map::is_empty);
        if nothing || dry_run == DryRun::Client {
            let done = if nothing { "unchanged" } else { "configured" };
            let shown = merge::apply(item.patch_type(), item.schema(), &item.shown(live), &patch).unwrap_or_else(|_| item.shown(live));
            report(cx, output, dry_run, item.kind, &shown, done)?;
            return Ok(());
        }
        if live.meta.is_deleting() {
            let name = format!("{}/{}", item.kind.row().plural, item.name);
            cx.eprintln(format!("Warning: Detected changes to resource {name} which is currently being deleted."));
        }
        let text = json::to_string_html(&patch);
        let mut request = item.request(Verb::Patch, &item.name);
        request.payload = Payload::Patch(item.patch_type(), Box::new(patch));
        match cx.try_request(request.with(|o| o.dry_run = dry_run == DryRun::Server))? {
            Ok(Answer::Object { object, .. }) => {
                report(cx, output, dry_run, item.kind, &item.shown(object), "configured")?;
                return Ok(());
            }
            Ok(_) => return Ok(()),
            Err(status) if status.reason == Reason::Conflict && attempt < MAX_TRIES => {
                cx.sleep(Span::secs(1))?;
                live = cx.object(Request::new(Verb::Get, item.kind, item.namespace.clone(), item.name.clone()))?;
            }
            Err(status) if args.on("force") && matches!(status.reason, Reason::Conflict | Reason::Invalid) => {
                let row = item.kind.row();
                let target = format!("{}.{}.{}/{}", row.plural, row.version, row.group, item.name);
                let mut words = vec![target, "--cascade=background".to_owned()];
                if row.namespaced {
                    words.push(format!("--namespace={}", item.namespace));
                }
                let shown = cx.output.clone();
                super::delete::delete(cx, &words)?;
                cx.output = shown;
                let made = send_create(cx, item, new.clone(), dry_run)?;
                return report(cx, output, dry_run, item.kind, &item.shown(made), "configured");
            }
            Err(status) => {
                let doing = format!("applying patch:\n{text}\nto:\n{}\nfor:", item.describe());
                return Err(Stop::while_doing(&doing, &item.source, status));
            }
        }
    }
    Ok(())
}

/// Returns the patch from the live object to the new one. It deletes fields that the last-applied annotation has and `new` lacks.
pub fn patch_for(item: &Item, live: &Object, new: &Map) -> Value {
    let last = live.meta.annotations.get(LAST_APPLIED).and_then(|text| json::parse(text).ok());
    let last = last.as_ref().and_then(Value::as_map).cloned().unwrap_or_default();
    merge::three_way(item.schema(), &last, &item.shown(live), new)
}

/// Returns a copy of the object with its own JSON in the last-applied annotation, with which the next `apply` compares.
pub fn with_last_applied(object: &Map) -> Map {
    let mut bare = object.clone();
    bare.map_mut("metadata").map_mut("annotations").remove(LAST_APPLIED);
    let mut text = json::to_string_html(&Value::Map(bare.clone()));
    text.push('\n');
    bare.map_mut("metadata").map_mut("annotations").insert(LAST_APPLIED, text);
    bare
}
