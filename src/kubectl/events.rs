//! `kubectl events`: lists events in the order of time, or follows them. Counterpart: `kubectl/pkg/cmd/events`.

use super::errors::Stop;
use super::flags::{Args, Flag, PRINT, Takes, switch, takes, text};
use super::follow::{Style, follow};
use super::print::{Output, document, table};
use super::resource::{self, Selection, object_text};
use super::{Cx, Run, templates, watch_of};
use crate::api::duration::since;
use crate::api::kind::event::Event;
use crate::api::kind::{Kind, Kinds};
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::time::Time;
use crate::api::value::Value;
use crate::api::watch::{WatchEvent, WatchType};
use crate::map;
use arcstr::ArcStr;
use std::sync::Arc;

const FLAGS: &[Flag] = &[
    switch("all-namespaces").or('A'),
    switch("watch").or('w'),
    switch("no-headers"),
    text("for"),
    text("types"),
    takes("chunk-size", Takes::Int),
];

/// Runs `kubectl events [--for TYPE/NAME]`.
pub fn events(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("events", &[PRINT, FLAGS], words)?;
    if !args.words.is_empty() {
        let what = args.words.join(" ");
        return Err(Stop::plain(format!("unknown command \"{what}\" for \"kubectl events\"")));
    }
    let fields = match args.text("for") {
        Some(what) => about(&cx.env.kinds, what)?,
        None => String::new(),
    };
    let types = args.list("types");
    if types.iter().any(|t| !t.eq_ignore_ascii_case("Normal") && !t.eq_ignore_ascii_case("Warning")) {
        return Err(Stop::plain("valid --types are Normal or Warning"));
    }
    let output = Output::of(&args, false)?;
    let everywhere = args.on("all-namespaces");
    let place = resource::namespace(cx, &args).0;
    let namespace = if everywhere { ArcStr::default() } else { place.clone() };
    let mut found = Selection { namespace: namespace.clone(), labels: "", fields: &fields, all: true }.list(cx, Kind::EVENT)?;
    found.retain(|event| has_type(&args, event));
    if args.on("watch") {
        let request = watch_of(Kind::EVENT, &namespace, cx.revision).with(|o| o.field_selector = fields);
        // Deletions are not printed: every Event is deleted after an hour.
        let wanted = |args: &Args, event: &WatchEvent| event.type_ != WatchType::Deleted && has_type(args, &event.object);
        return follow(cx, args, output, request, &found, Style { rows: |cx, args, _, _, events| rows(cx, args, events), wanted });
    }
    if found.is_empty() {
        cx.eprintln(if everywhere { "No events found.".to_owned() } else { format!("No events found in {place} namespace.") });
        return Ok(());
    }
    found.order_by_key(|o| o.event().and_then(time));
    show(cx, &args, output, &found)
}

/// Returns whether an event has one of the types that `--types` names.
fn has_type(args: &Args, event: &Object) -> bool {
    let types = args.list("types");
    event.event().is_some_and(|event| types.is_empty() || types.iter().any(|t| t.eq_ignore_ascii_case(&event.type_)))
}

/// Returns the field selector for events about the object `TYPE/NAME`.
fn about(kinds: &Kinds, what: &str) -> Result<String, Stop> {
    match what.split('/').collect::<Vec<_>>().as_slice() {
        [_] => Err(Stop::plain("--for must be in resource/name form")),
        ["", _] | [_, ""] => Err(Stop::plain("arguments in resource/name form must have a single resource and name")),
        [kind, name] => {
            let (kind, api_version) = match resource::find_served(kinds, kind) {
                Some(served) => (served.kind, served.api_version),
                None => resource::find_kind(kinds, kind).map(|kind| (kind.row().name, kind.api_version())).map_err(|_| {
                    let (name, group) = kind.split_once('.').unwrap_or((kind, ""));
                    Stop::no_resource(name, group)
                })?,
            };
            Ok(format!("involvedObject.kind={kind},involvedObject.apiVersion={api_version},involvedObject.name={name}"))
        }
        _ => Err(Stop::plain("arguments in resource/name form may not have more than one slash")),
    }
}

fn show(cx: &mut Cx, args: &Args, output: Output, found: &[Arc<Object>]) -> Run {
    match output {
        Output::Human | Output::Wide => {
            let rows = rows(cx, args, found);
            cx.print(&table(&rows));
        }
        Output::Name => found.iter().for_each(|o| cx.println(object_text(o))),
        _ => {
            let items: Vec<Value> = found.iter().map(|o| Value::Map(o.to_map())).collect();
            let list = map! { "apiVersion" => "v1", "kind" => "EventList", "items" => items, "metadata" => map! {} };
            match output {
                Output::Template => templates::show(cx, args, Some(list))?,
                _ => document(cx, output, &list),
            }
        }
    }
    Ok(())
}

/// Returns the rows of the table of events, with its header unless `--no-headers` is given.
fn rows(cx: &Cx, args: &Args, found: &[Arc<Object>]) -> Vec<Vec<String>> {
    let everywhere = args.on("all-namespaces");
    let mut rows: Vec<Vec<String>> = Vec::new();
    if !args.on("no-headers") {
        rows.push(["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"].map(str::to_owned).to_vec());
    }
    for object in found {
        let Some(event) = object.event() else { continue };
        let about = format!("{}/{}", event.involved_object.kind, event.involved_object.name);
        rows.push(vec![interval(event, cx.now), event.type_.to_string(), event.reason.to_string(), about, event.message.trim().to_owned()]);
    }
    if everywhere {
        let head = (!args.on("no-headers")).then(|| "NAMESPACE".to_owned());
        let places = head.into_iter().chain(found.iter().map(|o| o.meta.namespace.to_string()));
        rows.iter_mut().zip(places).for_each(|(row, place)| row.insert(0, place));
    }
    rows
}

/// Returns the time by which events are sorted.
fn time(event: &Event) -> Option<Time> {
    event.series.map(|s| s.last_observed_time).or(event.last_timestamp).or(event.event_time)
}

/// Formats the time since an event was last seen; for an event that was seen more than once, also its count and the time since it was first seen.
/// Counterpart: `getInterval`.
fn interval(event: &Event, now: Time) -> String {
    let text = |time: Option<Time>| time.map_or_else(|| "<unknown>".to_owned(), |time| since(time, now));
    let first = text(event.event_time.or(event.first_timestamp));
    match (event.series, event.count) {
        (Some(s), _) => format!("{} (x{} over {first})", text(Some(s.last_observed_time)), s.count),
        (None, count) if count > 1 => format!("{} (x{count} over {first})", text(event.last_timestamp)),
        _ => first,
    }
}
