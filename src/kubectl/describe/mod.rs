//! `kubectl describe`: prints an object as text, with related objects and events. Counterpart: `kubectl/pkg/describe`.
//!
//! The describers of single kinds are in [`super::kinds`]; a kind without one is described field by field (`any`).

mod any;
pub mod container;
pub mod description;
pub mod template;
pub mod volume;

pub use any::any;

use super::errors::Stop;
use super::flags::{Args, Flag, NAMED, Takes, switch, takes, text};
use super::kinds::{self, DescribedEvents};
use super::resource::{self, Selection, Target};
use super::{Cx, Failures, Run, derived};
use crate::api::duration::since;
use crate::api::kind::Kind;
use crate::api::kind::event::{Event, RefUid};
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::{Answer, Request, Verb};
use crate::api::time::Time;
use crate::api::value::Map;
use arcstr::ArcStr;
use description::Description;
use std::sync::Arc;

const FLAGS: &[Flag] =
    &[switch("show-events"), takes("chunk-size", Takes::Int), text("selector").or('l'), switch("all-namespaces").or('A')];

/// Runs `kubectl describe TYPE [NAME…]`.
pub fn describe(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("describe", &[NAMED, FLAGS], words)?;
    if args.words.is_empty() && !args.has_manifest() {
        let text =
            "You must specify the type of resource to describe. Use \"kubectl api-resources\" for a complete list of supported resources.";
        return Err(Stop::plain(text));
    }
    if let Some((kind, names)) = derived::derived_kind(&cx.env.kinds, &args.words).filter(|(kind, _)| kind.plural == "endpoints") {
        return derived::describe(cx, &args, &kind, &names);
    }
    let (objects, failures, by_prefix) = read(cx, &args)?;
    // Without `--show-events`, events are shown only if a single object is described by its whole name.
    let single = objects.len() == 1 && failures.0.is_empty() && !by_prefix;
    let with_events = args.text("show-events").map_or(single, |v| v == "true");
    for (i, object) in objects.iter().enumerate() {
        let mut description = Description::default();
        let commands = kinds::of(object.kind());
        (commands.describe)(cx, object, &mut description)?;
        if with_events && commands.events != DescribedEvents::Nothing {
            events(cx, object, commands.events == DescribedEvents::OfName, &mut description)?;
        }
        if i > 0 && !by_prefix {
            cx.print("\n\n");
        }
        cx.print(&description.text());
        if by_prefix {
            cx.println("");
        }
    }
    if objects.is_empty() && failures.0.is_empty() {
        if args.on("all-namespaces") {
            cx.eprintln("No resources found");
        } else {
            let namespace = resource::namespace(cx, &args).0;
            cx.eprintln(format!("No resources found in {namespace} namespace."));
        }
    }
    failures.finish()
}

/// Reads the objects to describe. The last part of the answer tells whether they were found by a prefix of their names.
fn read(cx: &mut Cx, args: &Args) -> Run<(Vec<Arc<Object>>, Failures, bool)> {
    let mut selection = Selection::of(cx, args)?;
    resource::check_files(cx, args, &args.words)?;
    selection.all = true;
    let (mut objects, mut failures, mut by_prefix) = (Vec::new(), Failures::default(), false);
    let targets = if args.has_manifest() {
        let (items, broken) = super::manifest::read(cx, args);
        failures = broken;
        items.into_iter().map(|i| Target { kind: i.kind, name: Some(i.name.to_string()) }).collect()
    } else {
        resource::check_words(&args.words, selection.has_selector())?;
        resource::targets(&cx.env.kinds, &args.words)?
    };
    for target in &targets {
        let found = selection.read(cx, target);
        match (failures.keep(found)?, &target.name) {
            (Some(found), _) => objects.extend(found),
            (None, Some(prefix)) if targets.len() == 1 && args.words.len() == 2 && failures.0.iter().all(Stop::is_not_found) => {
                // A name that does not exist may be a prefix of the names of others. Counterpart: `DescribeMatchingResources`.
                let all = selection.list(cx, target.kind)?;
                let near: Vec<_> = all.into_iter().filter(|o| o.meta.name.starts_with(prefix.as_str())).collect();
                if !near.is_empty() {
                    failures.0.pop();
                    by_prefix = true;
                    objects.extend(near);
                }
            }
            _ => {}
        }
    }
    // The real client takes the second of two words for a prefix also where it is none, and then describes nothing at all.
    if let ([first, _], [missing], 2) = (args.words.as_slice(), failures.0.as_slice(), targets.len())
        && missing.is_not_found()
    {
        objects.clear();
        if first.contains(',') {
            return Err(Stop::plain("you must specify only one resource"));
        }
    }
    Ok((objects, failures, by_prefix))
}

/// Returns the description of a pod template, with tabs instead of aligned columns.
pub fn pod_template(template: &Map) -> String {
    let mut description = Description::default();
    template::template(&mut description, template);
    description.unaligned()
}

/// Lists all objects of a kind in a namespace.
pub fn list(cx: &mut Cx, kind: Kind, namespace: &ArcStr) -> Run<Vec<Arc<Object>>> {
    match cx.request(Request::new(Verb::List, kind, namespace.clone(), ""))? {
        Answer::List(list) => Ok(list.items.clone()),
        _ => Ok(Vec::new()),
    }
}

fn events(cx: &mut Cx, object: &Object, by_name: bool, description: &mut Description) -> Run {
    let namespace = if object.meta.namespace.is_empty() { "default".into() } else { object.meta.namespace.clone() };
    let row = object.kind().row();
    let all = list(cx, Kind::EVENT, &namespace)?;
    let about = |e: &Event| {
        let same_name = e.involved_object.kind == row.name && e.involved_object.name == object.meta.name;
        same_name && (by_name || e.involved_object.uid == RefUid::Uid(object.meta.uid))
    };
    let mut about: Vec<&Event> = all.iter().filter_map(|o| o.event()).filter(|e| about(e)).collect();
    about.order_by_key(|e| e.last_timestamp);
    if about.is_empty() {
        description.line(0, "Events:\t<none>");
        return Ok(());
    }
    description.line(0, "Events:");
    description.line(1, "Type\tReason\tAge\tFrom\tMessage");
    description.line(1, "----\t------\t----\t----\t-------");
    for event in about {
        description.line(1, event_line(event, cx.now));
    }
    Ok(())
}

fn event_line(event: &Event, now: Time) -> String {
    let text = |time: Option<Time>| since(time.unwrap_or_default(), now);
    let first = event.first_timestamp.or(event.event_time);
    let age = match (event.series, event.count) {
        (Some(s), _) => format!("{} (x{} over {})", text(Some(s.last_observed_time)), s.count, text(event.event_time)),
        (None, count) if count > 1 => format!("{} (x{count} over {})", text(event.last_timestamp), text(event.first_timestamp)),
        _ => text(first),
    };
    let from = event.component();
    let place = if event.involved_object.field_path.is_empty() { String::new() } else { format!("{}: ", event.involved_object.field_path) };
    format!("{}\t{}\t{age}\t{from}\t{place}{}", event.type_, event.reason, event.message.trim())
}

/// Writes the name and the namespace of an object, with which most descriptions begin.
pub fn head(object: &Object, description: &mut Description) {
    description.line(0, format!("Name:\t{}", object.meta.name));
    if object.kind().row().namespaced {
        description.line(0, format!("Namespace:\t{}", object.meta.namespace));
    }
}

/// Writes the labels and the annotations of an object.
pub fn labels_and_annotations(object: &Object, description: &mut Description) {
    let metadata = object.meta.to_map();
    let empty = Map::new();
    description.labels(0, "Labels", metadata.map("labels").unwrap_or(&empty));
    description.annotations(0, "Annotations", metadata.map("annotations").unwrap_or(&empty));
}

/// Writes the kind and name of the owner that controls an object, if it has one.
pub fn controlled_by(object: &Object, description: &mut Description) {
    if let Some(owner) = object.meta.controller() {
        description.line(0, format!("Controlled By:\t{}/{}", owner.kind, owner.name));
    }
}
