//! `kubectl patch`. Counterpart: `kubectl/pkg/cmd/patch`.

use super::errors::Stop;
use super::flags::{Args, Flag, NAMED, OUTPUT, RECORD, switch, text};
use super::print::{DryRun, Output, report};
use super::resource::{self, Target};
use super::set::each_target;
use super::{Cx, Run};
use crate::api::request::{Answer, FieldValidation, PatchType, Payload, Request, Subresource, Verb};
use crate::api::status::Status;
use crate::api::value::Value;
use crate::api::{json, merge, yaml};

const FLAGS: &[Flag] = &[text("patch").or('p'), text("patch-file"), text("type"), text("subresource"), switch("local"), RECORD];

/// Runs `kubectl patch TYPE NAME -p …`.
pub fn patch(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("patch", &[NAMED, OUTPUT, FLAGS], words)?;
    // The name of what was done takes the place of the note about the dry run.
    let (output, dry_run, local) = (Output::of(&args, false)?, DryRun::of(&args)?, args.on("local"));
    let patch_type = match args.text("type").unwrap_or("strategic").to_ascii_lowercase().as_str() {
        "json" => PatchType::Json,
        "merge" => PatchType::Merge,
        "strategic" => PatchType::Strategic,
        other => return Err(Stop::plain(format!("--type must be one of [json merge strategic], not \"{other}\""))),
    };
    let text = match (args.text("patch").filter(|p| !p.is_empty()), args.text("patch-file").filter(|p| !p.is_empty())) {
        (Some(_), Some(_)) => return Err(Stop::plain("cannot specify --patch and --patch-file together")),
        (Some(text), None) => text,
        (None, Some(path)) => match cx.env.files.iter().find(|(name, _)| name == path.strip_prefix("./").unwrap_or(path)) {
            Some((_, text)) => text.as_str(),
            None => return Err(Stop::plain(format!("unable to read patch file: open {path}: no such file or directory"))),
        },
        (None, None) => return Err(Stop::plain("must specify --patch or --patch-file containing the contents of the patch")),
    };
    if local && !args.words.is_empty() {
        return Err(Stop::plain("cannot specify --local and server resources"));
    }
    if local && dry_run == DryRun::Server {
        return Err(Stop::plain("cannot specify --local and --dry-run=server - did you mean --dry-run=client?"));
    }
    each_target(cx, &args, &args.words, |cx, object| {
        let kind = object.kind;
        let this = Target { kind, name: Some(object.name.to_string()) };
        let subresource = resource::subresource(&args, std::slice::from_ref(&this))?;
        let patch = read(text, patch_type)?;
        if patch_type == PatchType::Strategic && kind.row().definition.is_some() {
            return Err(Stop::plain(format!(
                "application/strategic-merge-patch+json is not supported by {}, Kind={}: the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
                kind.row().api_version,
                kind.row().name
            )));
        }
        if dry_run == DryRun::Client || local {
            let merged = merge::apply(patch_type, kind.row().schema, &object.tree, &patch);
            let merged = merged.map_err(|status| Stop::plain(status.message.clone()))?;
            return report(cx, output, DryRun::None, kind, &merged, done(merged == object.tree));
        }
        let mut request = Request::new(Verb::Patch, kind, object.namespace.clone(), object.name.clone());
        request.payload = Payload::Patch(patch_type, Box::new(patch));
        request.subresource = subresource;
        // The real client has no `--validate` here and names no treatment, so the server only warns of unknown fields.
        let request = request.with(|o| {
            o.dry_run = dry_run == DryRun::Server;
            o.field_validation = FieldValidation::Warn;
        });
        match cx.request(request)? {
            Answer::Object { object: new, .. } => {
                let new = new.to_map();
                report(cx, output, DryRun::None, kind, &new, done(new == object.tree))
            }
            Answer::Tree(tree) if output == Output::Human && subresource == Subresource::Scale => {
                cx.println(format!("scale.autoscaling/{} {}", object.name, done(tree.as_map() == Some(&object.tree))));
                Ok(())
            }
            Answer::Tree(tree) => report(cx, output, DryRun::None, kind, tree.as_map().unwrap_or(&object.tree), done(false)),
            _ => report(cx, output, DryRun::None, kind, &object.tree, done(false)),
        }
    })
}

fn done(is_same: bool) -> &'static str {
    if is_same { "patched (no change)" } else { "patched" }
}

/// Parses a patch as JSON if it begins like JSON, otherwise as YAML. Errors in JSON have the server's words, because the real client sends JSON unchanged.
fn read(text: &str, patch_type: PatchType) -> Result<Value, Stop> {
    if text.trim_start().starts_with('{') {
        let prefix = if patch_type == PatchType::Strategic { "" } else { "error decoding patch: " };
        return json::parse(text).map_err(|why| Stop::server(&Status::bad_request(format!("{prefix}{why}"))));
    }
    yaml::parse(text).map_err(|error| {
        Stop::plain(format!("unable to parse \"{text}\": {}", error.message.trim_start_matches("error converting YAML to JSON: ")))
    })
}
