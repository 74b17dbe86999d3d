//! `kubectl replace`. Counterpart: `kubectl/pkg/cmd/replace`.

use super::apply::{send_create, with_last_applied};
use super::errors::Stop;
use super::flags::{Args, FILES, Flag, OUTPUT, RECORD, Takes, switch, takes, text};
use super::manifest::Item;
use super::print::{DryRun, Output, report};
use super::rollout::record;
use super::{Cx, Failures, Run, manifest, resource};
use crate::api::request::{Answer, Payload, Verb};
use crate::api::value::Value;

const REPLACE: &[Flag] = &[
    switch("save-config"),
    switch("force"),
    text("raw"),
    text("subresource"),
    takes("cascade", Takes::Maybe("background")),
    takes("grace-period", Takes::Int),
    takes("timeout", Takes::Duration),
    switch("wait"),
    RECORD,
];

/// Runs `kubectl replace -f …`.
pub fn replace(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("replace", &[FILES, OUTPUT, REPLACE], words)?;
    let (output, dry_run) = (Output::of(&args, false)?, DryRun::of(&args)?);
    manifest::require(&args)?;
    let problem = if args.int("grace-period").is_some_and(|seconds| seconds >= 0) && !args.on("force") {
        "--grace-period must have --force specified"
    } else if args.duration("timeout").is_some_and(|span| span.0 != 0) && !args.on("force") {
        "--timeout must have --force specified"
    } else if args.on("force") && dry_run != DryRun::None {
        "--dry-run can not be used when --force is set"
    } else {
        ""
    };
    if !problem.is_empty() {
        return Err(Stop::plain(problem));
    }
    cx.validation = manifest::validation(&args)?;
    let (mut items, mut failures) = manifest::read(cx, &args);
    items.iter_mut().for_each(|item| record(&args, &mut item.object));
    if items.is_empty() && failures.0.is_empty() {
        return Err(Stop::plain("no objects passed to replace"));
    }
    if args.on("force") {
        return force_replace(cx, &args, &items, failures);
    }
    for item in &items {
        if dry_run == DryRun::Client {
            report(cx, output, dry_run, item.kind, &item.object, "replaced")?;
            continue;
        }
        if item.name.is_empty() {
            failures.0.push(Stop::nameless("replacing", &item.source));
            continue;
        }
        // Updates the last-applied annotation if the manifest has one, as `util.CreateOrUpdateAnnotation` does.
        let mut object = item.object.clone();
        if object.at(&["metadata", "annotations", super::apply::LAST_APPLIED]).is_some() || args.on("save-config") {
            object = with_last_applied(&object);
        }
        let mut request = item.request(Verb::Update, &item.name);
        let this = resource::Target { kind: item.kind, name: Some(item.name.to_string()) };
        request.subresource = match resource::subresource(&args, std::slice::from_ref(&this)) {
            Ok(part) => part,
            Err(refusal) => {
                failures.0.push(refusal.while_replacing(&item.source));
                continue;
            }
        };
        request.payload = Payload::Tree(Box::new(Value::Map(object)));
        match cx.try_request(request.with(|o| o.dry_run = dry_run == DryRun::Server))? {
            Ok(Answer::Object { object, .. }) => report(cx, output, dry_run, item.kind, &item.shown(object), "replaced")?,
            Ok(_) => {}
            Err(status) => failures.0.push(Stop::while_doing("replacing", &item.source, status)),
        }
    }
    failures.finish()
}

/// Deletes the objects, waits until they are gone, and creates them again. Counterpart: `ReplaceOptions.forceReplace`.
fn force_replace(cx: &mut Cx, args: &Args, items: &[Item], mut failures: Failures) -> Run {
    let mut words: Vec<String> = vec!["--ignore-not-found".to_owned(), "--cascade=background".to_owned()];
    if let Some(grace) = args.int("grace-period").filter(|g| *g >= 0) {
        words.push(format!("--grace-period={grace}"));
    }
    for item in items {
        let mut one = words.clone();
        let row = item.kind.row();
        one.push(format!("{}.{}.{}/{}", row.plural, row.version, row.group, item.name));
        if row.namespaced {
            one.push(format!("--namespace={}", item.namespace));
        }
        let deleted = super::delete::delete(cx, &one);
        failures.keep(deleted)?;
    }
    for item in items {
        let object = if args.on("save-config") { with_last_applied(&item.object) } else { item.object.clone() };
        let made = send_create(cx, item, object, DryRun::None);
        if let Some(made) = failures.keep(made)? {
            report(cx, Output::of(args, false)?, DryRun::None, item.kind, &made.to_map(), "replaced")?;
        }
    }
    failures.finish()
}
