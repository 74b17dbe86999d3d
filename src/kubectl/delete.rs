//! `kubectl delete`. Counterpart: `kubectl/pkg/cmd/delete`.

use super::changes::Change;
use super::errors::Stop;
use super::flags::{Args, CHOICE, Flag, NAMED, Takes, switch, takes, text};
use super::print::{DryRun, Output};
use super::resource::{self, Selection, qualified};
use super::{Cx, Failures, Run, manifest};
use crate::api::kind::Kind;
use crate::api::meta::Uid;
use crate::api::request::{Answer, Propagation, Request, Verb};
use crate::api::status::Reason;
use crate::api::time::Time;
use arcstr::ArcStr;

const FLAGS: &[Flag] = &[
    takes("cascade", Takes::Maybe("background")),
    takes("grace-period", Takes::Int),
    switch("force"),
    switch("now"),
    switch("ignore-not-found"),
    takes("wait", Takes::Nothing),
    takes("timeout", Takes::Duration),
    switch("interactive").or('i'),
    text("output").or('o'),
    takes("dry-run", Takes::Maybe("unchanged")),
    text("raw"),
];

/// An object that is to be deleted.
struct DeleteTarget {
    kind: Kind,
    namespace: ArcStr,
    name: ArcStr,
    source: String,
}

/// The flags of `kubectl delete`, checked and parsed.
struct DeleteOptions {
    propagation: Propagation,
    grace: Option<i64>,
    force: bool,
    wait: bool,
    dry_run: DryRun,
    output: Output,
    ignore_missing: bool,
    until: Option<Time>,
}

/// Runs `kubectl delete …`.
pub fn delete(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("delete", &[NAMED, CHOICE, FLAGS], words)?;
    args.refuse("delete", &["interactive", "raw"])?;
    let options = read_options(cx, &args)?;
    let (to_delete, mut failures) = find(cx, &args)?;
    if resource::namespace(cx, &args).1 && to_delete.iter().any(|d| !d.kind.row().namespaced) {
        cx.eprintln("Warning: deleting cluster-scoped resources, not scoped to the provided namespace");
    }
    if options.force && options.dry_run == DryRun::None {
        cx.eprintln("Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.");
    }
    let mut going = Vec::new();
    for one in &to_delete {
        let sent = send(cx, one, &options);
        if let Some(Some(uid)) = failures.keep(sent)? {
            going.push((one, uid));
        }
    }
    if to_delete.is_empty() && failures.0.is_empty() && !args.on("ignore-not-found") {
        cx.println("No resources found");
    }
    if options.wait && options.dry_run == DryRun::None {
        for (one, uid) in going {
            wait_until_gone(cx, one, uid, options.until)?;
        }
    }
    failures.finish()
}

fn read_options(cx: &mut Cx, args: &Args) -> Run<DeleteOptions> {
    let propagation = match args.text("cascade") {
        None | Some("background") => Propagation::Background,
        Some("foreground") => Propagation::Foreground,
        Some("orphan") => Propagation::Orphan,
        Some(word @ ("true" | "false")) => {
            let (new, propagation) = if word == "true" { ("background", Propagation::Background) } else { ("orphan", Propagation::Orphan) };
            cx.eprintln(format!("warning: --cascade={word} is deprecated (boolean value) and can be replaced with --cascade={new}."));
            propagation
        }
        Some(other) => {
            let text = format!("invalid cascade value ({other}). Must be \"background\", \"foreground\", or \"orphan\"");
            return Err(Stop::plain(text));
        }
    };
    let (mut grace, force) = (args.int("grace-period").filter(|g| *g >= 0), args.on("force"));
    if args.on("now") {
        if grace.is_some() {
            return Err(Stop::plain("--now and --grace-period cannot be specified together"));
        }
        grace = Some(1);
    }
    // `--grace-period=0` without `--force` becomes 1, as in the real client, so that nobody loses a pod by accident.
    grace = match (grace, force) {
        (Some(0), false) => Some(1),
        (None, true) => Some(0),
        (Some(g), true) if g > 0 => {
            return Err(Stop::plain("--force and --grace-period greater than 0 cannot be specified together"));
        }
        (grace, _) => grace,
    };
    let wait = args.text("wait") != Some("false") && grace != Some(0);
    let until = args.duration("timeout").filter(|t| t.0 > 0).map(|t| cx.now + t);
    let output = Output::of(args, false)?;
    if !matches!(output, Output::Human | Output::Name) {
        return Err(Stop::plain(format!("unexpected -o output mode: {}. We only support '-o name'", args.text("output").unwrap_or(""))));
    }
    Ok(DeleteOptions {
        propagation,
        grace,
        force,
        wait,
        dry_run: DryRun::of(args)?,
        output,
        // Objects that are selected and not named may be gone by the time they are deleted.
        ignore_missing: args.text("ignore-not-found").map_or(Selection::of(cx, args)?.all, |value| value == "true"),
        until,
    })
}

/// Finds the objects to delete: from manifests, by name, or by selector.
fn find(cx: &mut Cx, args: &Args) -> Run<(Vec<DeleteTarget>, Failures)> {
    resource::check_files(cx, args, &args.words)?;
    if args.has_manifest() {
        let (items, failures) = manifest::read(cx, args);
        let to_delete = items.into_iter().map(|i| DeleteTarget { kind: i.kind, namespace: i.namespace, name: i.name, source: i.source });
        return Ok((to_delete.collect(), failures));
    }
    let selection = Selection::of(cx, args)?;
    let targets = match resource::parse_targets(&cx.env.kinds, &args.words, &selection) {
        Err(failure) if args.on("ignore-not-found") && failure.is_not_found() => Vec::new(),
        targets => targets?,
    };
    let (mut to_delete, mut failures) = (Vec::new(), Failures::default());
    for target in &targets {
        if let Some(name) = &target.name {
            let namespace = if target.kind.row().namespaced { selection.namespace.clone() } else { ArcStr::default() };
            to_delete.push(DeleteTarget { kind: target.kind, namespace, name: name.into(), source: String::new() });
            continue;
        }
        let listed = selection.list(cx, target.kind);
        for object in failures.keep(listed)?.unwrap_or_default() {
            let (namespace, name) = (object.meta.namespace.clone(), object.meta.name.clone());
            to_delete.push(DeleteTarget { kind: target.kind, namespace, name, source: String::new() });
        }
    }
    Ok((to_delete, failures))
}

/// Deletes one object. Returns its uid if the server answered with the object, which may then still exist.
fn send(cx: &mut Cx, one: &DeleteTarget, options: &DeleteOptions) -> Run<Option<Uid>> {
    let mut going = None;
    if one.name.is_empty() {
        return Err(Stop::nameless("deleting", &one.source));
    }
    if options.dry_run != DryRun::Client {
        let request = Request::delete(one.kind, &one.namespace, &one.name).with(|o| {
            o.propagation = Some(options.propagation);
            o.grace_seconds = options.grace;
            o.dry_run = options.dry_run == DryRun::Server;
        });
        match cx.try_request(request)? {
            Ok(Answer::Object { object, .. }) => going = Some(object.meta.uid),
            Ok(_) => {}
            Err(status) if status.reason == Reason::NotFound && options.ignore_missing => return Ok(None),
            Err(status) => return Err(Stop::while_doing("deleting", &one.source, status)),
        }
    }
    if options.output == Output::Name {
        cx.println(format!("{}/{}", qualified(one.kind), one.name));
        return Ok(going);
    }
    let done = if options.force { "force deleted" } else { "deleted" };
    let place = if one.kind.row().namespaced { format!(" from {} namespace", one.namespace) } else { String::new() };
    cx.println(format!("{} \"{}\" {done}{place}{}", qualified(one.kind), one.name, options.dry_run.suffix()));
    Ok(going)
}

fn wait_until_gone(cx: &mut Cx, one: &DeleteTarget, uid: Uid, until: Option<Time>) -> Run {
    // The object may already be gone, so it is read once before it is watched.
    let mut seen = match cx.try_request(Request::new(Verb::Get, one.kind, one.namespace.clone(), one.name.clone()))? {
        Ok(Answer::Object { object, .. }) if object.meta.uid == uid => object,
        _ => return Ok(()),
    };
    loop {
        match cx.next_change(seen, until)? {
            Change::Gone => return Ok(()),
            Change::To(object) => seen = object,
            Change::None => {
                let text = format!("timed out waiting for the condition on {}/{}", one.kind.row().plural, one.name);
                return Err(Stop::plain(text));
            }
        }
    }
}
