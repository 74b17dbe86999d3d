//! `kubectl patch`. Counterpart: `kubectl/pkg/cmd/patch`.

use super::errors::Stop;
use super::flags::{Args, Flag, NAMED, OUTPUT, RECORD, switch, text};
use super::print::{DryRun, Output, report};
use super::resource::each;
use super::{Cx, Run};
use crate::api::request::{Answer, FieldValidation, PatchType, Payload, Request, Subresource, Verb};
use crate::api::status::Status;
use crate::api::value::Value;
use crate::api::{json, merge, yaml};

const FLAGS: &[Flag] = &[text("patch").or('p'), text("patch-file"), text("type"), text("subresource"), switch("local"), RECORD];

/// Runs `kubectl patch TYPE NAME -p …`.
pub fn patch(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("patch", &[NAMED, OUTPUT, FLAGS], words)?;
    args.refuse("patch", &["local"])?;
    let (output, dry_run) = (Output::of(&args, false)?, DryRun::of(&args)?);
    let patch_type = match args.text("type").unwrap_or("strategic").to_ascii_lowercase().as_str() {
        "json" => PatchType::Json,
        "merge" => PatchType::Merge,
        "strategic" => PatchType::Strategic,
        other => return Err(Stop::plain(format!("--type must be one of [json merge strategic], not \"{other}\""))),
    };
    let subresource = match args.text("subresource") {
        None => Subresource::None,
        Some("status") => Subresource::Status,
        Some("scale") => Subresource::Scale,
        Some("resize") => Subresource::Resize,
        Some(other) => {
            return Err(Stop::plain(format!("invalid subresource value: \"{other}\". Must be one of [status scale resize]")));
        }
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
    each(cx, &args, &args.words, |cx, object| {
        let kind = object.kind();
        let patch = read(text, patch_type)?;
        if patch_type == PatchType::Strategic && kind.row().definition.is_some() {
            return Err(Stop::plain(format!(
                "application/strategic-merge-patch+json is not supported by {}, Kind={}: the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
                kind.row().api_version,
                kind.row().name
            )));
        }
        if dry_run == DryRun::Client {
            let merged = merge::apply(patch_type, kind.row().schema, &object.to_map(), &patch);
            let merged = merged.map_err(|status| Stop::plain(status.message.clone()))?;
            let done = if merged == object.to_map() { "patched (no change)" } else { "patched" };
            report(cx, output, dry_run, kind, &merged, done)?;
            return Ok(());
        }
        let mut request = Request::new(Verb::Patch, kind, object.meta.namespace.clone(), object.meta.name.clone());
        request.payload = Payload::Patch(patch_type, Box::new(patch));
        request.subresource = subresource;
        // The real client has no `--validate` here and names no treatment, so the server only warns of unknown fields.
        let request = request.with(|o| {
            o.dry_run = dry_run == DryRun::Server;
            o.field_validation = FieldValidation::Warn;
        });
        match cx.request(request)? {
            Answer::Object { object: new, .. } => {
                let same = **new == **object;
                report(cx, output, dry_run, kind, &new.to_map(), if same { "patched (no change)" } else { "patched" })?;
            }
            _ => report(cx, output, dry_run, kind, &object.to_map(), "patched")?,
        }
        Ok(())
    })
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
