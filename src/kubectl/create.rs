//! `kubectl create -f`; `create TYPE` is in `create_kinds`. Counterpart: `kubectl/pkg/cmd/create`.

use super::apply::{send_create, with_last_applied};
use super::errors::Stop;
use super::flags::{Args, FILES, Flag, OUTPUT, RECORD, switch, text};
use super::print::{DryRun, Output, report};
use super::rollout::record;
use super::{Cx, Run, create_kinds, manifest};

const CREATE: &[Flag] =
    &[switch("save-config"), switch("edit"), text("raw"), text("selector").or('l'), switch("windows-line-endings"), RECORD];

/// Runs `kubectl create -f …` and `kubectl create TYPE …`.
pub fn create(cx: &mut Cx, words: &[String]) -> Run {
    if let Some((kind, rest)) = words.split_first()
        && let Some(command) = create_kinds::subcommand(kind)
    {
        return command(cx, rest);
    }
    let args = Args::read("create", &[FILES, OUTPUT, CREATE], words)?;
    if !args.words.is_empty() {
        return Err(Stop::usage("create", &format!("Unexpected args: [{}]", args.words.join(" "))));
    }
    args.refuse("create", &["edit"])?;
    manifest::require(&args)?;
    let (output, dry_run) = (Output::of(&args, false)?, DryRun::of(&args)?);
    cx.validation = manifest::validation(&args)?;
    let (mut items, mut failures) = manifest::read(cx, &args);
    items.iter_mut().for_each(|item| record(&args, &mut item.object));
    if items.is_empty() && failures.0.is_empty() {
        return Err(Stop::plain("no objects passed to create"));
    }
    for item in &items {
        let object = if args.on("save-config") { with_last_applied(&item.object) } else { item.object.clone() };
        if dry_run == DryRun::Client {
            report(cx, output, dry_run, item.kind, &object, "created")?;
            continue;
        }
        let made = send_create(cx, item, object, dry_run);
        if let Some(made) = failures.keep(made)? {
            report(cx, output, dry_run, item.kind, &item.shown(made), "created")?;
        }
    }
    failures.finish()
}
