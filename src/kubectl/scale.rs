//! `kubectl scale`. Counterpart: `kubectl/pkg/cmd/scale`.

use super::errors::Stop;
use super::flags::{Args, Flag, NAMED, OUTPUT, RECORD, Takes, switch, takes, text};
use super::print::{DryRun, Output, report};
use super::resource::each;
use super::rollout::record;
use super::{Cx, Run};
use crate::api::request::{Answer, PatchType, Request, Subresource, Verb};
use crate::api::status::{Reason, Status};
use crate::api::value::{Map, Value};
use crate::map;

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
    let current = args.int("current-replicas").filter(|n| *n >= 0);
    each(cx, &args, &args.words, |cx, object| {
        let kind = object.kind();
        if kind.row().scale.is_none() {
            return Err(Stop::server(&Status::new(Reason::NotFound, "the server could not find the requested resource")));
        }
        if dry_run == DryRun::Client {
            report(cx, output, dry_run, kind, &object.to_map(), "scaled")?;
            return Ok(());
        }
        if let Some(expected) = current {
            let mut request = Request::new(Verb::Get, kind, object.meta.namespace.clone(), object.meta.name.clone());
            request.subresource = Subresource::Scale;
            let found = match cx.request(request)? {
                Answer::Tree(scale) => scale.at(&["spec", "replicas"]).and_then(Value::as_int).unwrap_or(0),
                _ => 0,
            };
            if found != expected {
                return Err(Stop::plain(format!("Expected replicas to be {expected}, was {found}")));
            }
        }
        let patch = map! { "spec" => map! { "replicas" => replicas } };
        let mut request = Request::patch(kind, &object.meta.namespace, &object.meta.name, PatchType::Merge, patch);
        request.subresource = Subresource::Scale;
        cx.request(request.with(|o| o.dry_run = dry_run == DryRun::Server))?;
        let mut note = Map::new();
        record(&args, &mut note);
        if !note.is_empty() && dry_run == DryRun::None {
            cx.request(Request::patch(kind, &object.meta.namespace, &object.meta.name, PatchType::Merge, note))?;
        }
        report(cx, output, dry_run, kind, &object.to_map(), "scaled")?;
        Ok(())
    })
}
