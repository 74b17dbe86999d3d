//! `kubectl scale`. Counterpart: `kubectl/pkg/cmd/scale`.

use super::describe::description::plain;
use super::errors::Stop;
use super::flags::{Args, Flag, NAMED, OUTPUT, RECORD, Takes, switch, takes, text};
use super::print::{DryRun, Output, report};
use super::resource::each;
use super::rollout::record;
use super::{Cx, Failures, Run};
use crate::api::object::Object;
use crate::api::request::{Answer, PatchType, Request, Subresource, Verb};
use crate::api::status::{Reason, Status};
use crate::api::time::Span;
use crate::api::value::{Map, Value};
use crate::map;

/// The time between two looks at the replicas that `--timeout` waits for.
const POLL: Span = Span::secs(1);

const FLAGS: &[Flag] = &[
    takes("replicas", Takes::Int),
    takes("current-replicas", Takes::Int),
    text("resource-version"),
    takes("timeout", Takes::Duration),
    text("selector").or('l'),
    switch("all"),
    RECORD,
];

/// Runs `kubectl scale TYPE NAME --replicas=N`.
pub fn scale(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("scale", &[NAMED, OUTPUT, FLAGS], words)?;
    args.require(&["replicas"])?;
    let (output, dry_run) = (Output::of(&args, false)?, DryRun::of(&args)?);
    let replicas = args.int("replicas").unwrap_or(-1);
    if replicas < 0 {
        return Err(Stop::plain("The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0"));
    }
    if args.int("current-replicas").is_some_and(|n| n < -1) {
        return Err(Stop::plain("The --current-replicas must specify an integer of -1 or greater"));
    }
    let (mut objects, mut failures) = (Vec::new(), Failures::default());
    let read = each(cx, &args, &args.words, |_, object| {
        objects.push(object.clone());
        Ok(())
    });
    failures.keep(read)?;
    if args.text("resource-version").is_some() && objects.len() > 1 {
        return Err(Stop::plain("cannot use --resource-version with multiple resources"));
    }
    if objects.is_empty() && failures.0.is_empty() {
        return Err(Stop::plain("no objects passed to scale"));
    }
    for object in &objects {
        if dry_run != DryRun::Client {
            resize(cx, &args, object, replicas, dry_run)?;
        }
        let mut shown = object.to_map();
        if matches!(object.kind().row().group, "" | "apps") {
            shown.map_mut("spec").insert("replicas", replicas);
        }
        report(cx, output, dry_run, object.kind(), &shown, "scaled")?;
    }
    failures.finish()
}

/// Reads the Scale of an object.
fn scale_of(cx: &mut Cx, object: &Object) -> Run<Value> {
    let mut request = Request::new(Verb::Get, object.kind(), object.meta.namespace.clone(), object.meta.name.clone());
    request.subresource = Subresource::Scale;
    match cx.request(request)? {
        Answer::Tree(scale) => Ok((**scale).clone()),
        _ => Ok(Value::Null),
    }
}

/// Changes the number of replicas if the object is as the flags expect it, and waits for them if `--timeout` is given.
fn resize(cx: &mut Cx, args: &Args, object: &Object, replicas: i64, dry_run: DryRun) -> Run {
    let (kind, meta) = (object.kind(), &object.meta);
    if kind.row().scale.is_none() {
        return Err(Stop::server(&Status::new(Reason::NotFound, "the server could not find the requested resource")));
    }
    let size = args.text("current-replicas").filter(|size| *size != "-1");
    let version = args.text("resource-version").filter(|version| !version.is_empty());
    if size.or(version).is_some() {
        let scale = scale_of(cx, object)?;
        let expected = [("replicas", size, ["spec", "replicas"]), ("resource version", version, ["metadata", "resourceVersion"])];
        for (what, wanted, path) in expected {
            let found = scale.at(&path).map(plain).unwrap_or_default();
            if let Some(wanted) = wanted.filter(|wanted| **wanted != found) {
                return Err(Stop::plain(format!("Expected {what} to be {wanted}, was {found}")));
            }
        }
    }
    let patch = map! { "spec" => map! { "replicas" => replicas } };
    let mut request = Request::patch(kind, &meta.namespace, &meta.name, PatchType::Merge, patch);
    request.subresource = Subresource::Scale;
    cx.request(request.with(|o| o.dry_run = dry_run == DryRun::Server))?;
    if dry_run != DryRun::None {
        return Ok(());
    }
    if let Some(timeout) = args.duration("timeout").filter(|timeout| timeout.0 > 0) {
        let until = cx.now + timeout;
        while differs(&scale_of(cx, object)?, replicas) {
            if cx.now >= until {
                return Err(Stop::plain(format!("timed out waiting for \"{}\" to be synced", meta.name)));
            }
            cx.sleep(POLL)?;
        }
    }
    let mut note = Map::new();
    record(args, &mut note);
    if !note.is_empty() {
        cx.request(Request::patch(kind, &meta.namespace, &meta.name, PatchType::Merge, note))?;
    }
    Ok(())
}

/// Returns whether the replicas are still wanted and not there yet. Counterpart: `scaleHasDesiredReplicas`.
fn differs(scale: &Value, replicas: i64) -> bool {
    let number = |part: &str| scale.at(&[part, "replicas"]).and_then(Value::as_int).unwrap_or(0);
    number("spec") == replicas && number("status") != replicas
}
