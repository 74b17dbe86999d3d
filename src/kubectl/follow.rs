//! `kubectl get --watch` and `kubectl events --watch`: print the objects, then every change. Counterparts: the watches of `kubectl/pkg/cmd/get` and
//! `kubectl/pkg/cmd/events`.
//!
//! After every answer the program is replaced by a new one (`Next::Replace`) with the last revision and the column widths, so old answers are not
//! replayed.

use super::flags::Args;
use super::print::{Output, Widths, document};
use super::resource::{Selection, Target, object_text};
use super::{Cx, Run, Stop, get, run_program, templates};
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::request::{ReadAt, Request};
use crate::api::time::{Span, Time};
use crate::api::value::Value;
use crate::api::watch::{WatchEvent, WatchType};
use crate::map;
use crate::sim::{Program, Progress, Reply, Start};
use std::sync::Arc;

/// The program that watches objects and prints every change.
#[derive(Clone, Debug)]
struct Follow {
    /// The watch request, which begins at the last revision that was printed.
    request: Request,
    args: Arc<Args>,
    output: Output,
    /// The time at which the program stops, from `--request-timeout`; `None` for never.
    until: Option<Time>,
    widths: Widths,
    /// Set if anything has been printed, so that the table has its header.
    begun: bool,
    style: Style,
}

/// A function that returns the rows of a table of objects of a kind, with all columns if the flag is set.
type Rows = fn(&Cx, &Args, bool, Kind, &[Arc<Object>]) -> Vec<Vec<String>>;

/// The way in which a command shows what it follows.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Returns the rows of a table, with its header if the flags want one.
    pub rows: Rows,
    /// Returns whether a change is shown at all.
    pub wanted: fn(&Args, &WatchEvent) -> bool,
}

const GET: Style =
    Style { rows: |cx, args, wide, kind, objects| get::rows(cx, args, wide, args.on("show-kind"), kind, objects), wanted: |_, _| true };

/// Shows the objects (unless `--watch-only` is given), then hands over to a program that follows their changes.
pub fn get_and_follow(cx: &mut Cx, args: Args, output: Output, targets: &[Target], objects: &[Arc<Object>]) -> Run {
    let [target, rest @ ..] = targets else { return Ok(()) };
    if rest.iter().any(|other| other.kind != target.kind) {
        return Err(Stop::plain("you may only specify a single resource type"));
    }
    let request = watched(&Selection::of(cx, &args)?, target, cx.revision);
    let shown = if args.on("watch-only") { &[] } else { objects };
    if !rest.is_empty() {
        // The real client notices only after it has shown the objects.
        let failure = follow(cx, args, output, request, shown, GET).err().filter(|stop| stop.next().is_none());
        return Err(failure.unwrap_or_else(|| Stop::plain("you may only watch a single resource or type of resource at a time")));
    }
    follow(cx, args, output, request, shown, GET)
}

/// Shows objects, then hands over to a program that follows what a request watches.
pub fn follow(cx: &mut Cx, args: Args, output: Output, request: Request, objects: &[Arc<Object>], style: Style) -> Run {
    let seconds = || args.int("request-timeout").map(Span::secs);
    let until = args.duration("request-timeout").or_else(seconds).filter(|t| t.0 > 0).map(|t| cx.env.now + t);
    let mut follow = Follow { request, args: Arc::new(args), output, until, widths: Widths::default(), begun: false, style };
    let added = |object: &Arc<Object>| WatchEvent { type_: WatchType::Added, revision: 0, object: object.clone() };
    follow.show(cx, follow.request.kind, &objects.iter().map(added).collect::<Vec<_>>())?;
    Err(Stop::hand_over(Arc::new(follow)))
}

fn watched(selection: &Selection, target: &Target, since: u64) -> Request {
    let place = if target.kind.row().namespaced { selection.namespace.clone() } else { Default::default() };
    super::watch_of(target.kind, &place, since).with(|o| {
        o.label_selector = selection.labels.to_owned();
        o.field_selector = match &target.name {
            Some(name) => format!("metadata.name={name}"),
            None => selection.fields.to_owned(),
        };
    })
}

impl Program for Follow {
    fn run(&self, start: &Start, _now: Time, replies: &[Reply]) -> Progress {
        run_program(start, replies, |cx| self.turn(cx))
    }
    fn title(&self) -> String {
        format!("{} {}", self.request.method(), self.request.url())
    }
}

impl Follow {
    fn turn(&self, cx: &mut Cx) -> Run {
        let events = cx.watch(self.request.clone(), self.until)?;
        let Some(last) = events.last() else { return Ok(()) };
        let mut next = self.clone();
        for event in events {
            if (self.style.wanted)(&self.args, event) {
                next.show(cx, self.request.kind, std::slice::from_ref(event))?;
            }
        }
        next.request = next.request.with(|o| o.at = ReadAt::NotOlderThan(last.revision));
        Err(Stop::hand_over(Arc::new(next)))
    }
    fn show(&mut self, cx: &mut Cx, kind: Kind, events: &[WatchEvent]) -> Run {
        if events.is_empty() {
            return Ok(());
        }
        let begun = std::mem::replace(&mut self.begun, true);
        let with_type = self.args.on("output-watch-events");
        let objects: Vec<Arc<Object>> = events.iter().map(|e| e.object.clone()).collect();
        match self.output {
            Output::Human | Output::Wide => {
                let mut rows = (self.style.rows)(cx, &self.args, self.output == Output::Wide, kind, &objects);
                let headed = rows.len() > objects.len();
                if with_type {
                    let types = events.iter().map(|e| e.type_.text());
                    let firsts = headed.then_some("EVENT").into_iter().chain(types);
                    rows.iter_mut().zip(firsts).for_each(|(row, first)| row.insert(0, first.to_owned()));
                }
                let shown = if headed && begun { &rows[1..] } else { &rows[..] };
                let lines = self.widths.lines(shown);
                cx.print(&lines);
            }
            Output::Name => objects.iter().for_each(|o| cx.println(object_text(o))),
            Output::Yaml | Output::Json | Output::Kyaml => {
                for (i, event) in events.iter().enumerate() {
                    let tree = event.object.to_map();
                    let tree = if with_type {
                        map! { "object" => Value::Map(tree), "type" => event.type_.text() }
                    } else {
                        tree
                    };
                    if (begun || i > 0) && self.output == Output::Yaml {
                        cx.println("---");
                    }
                    document(cx, self.output, &tree);
                }
            }
            Output::Template => {
                for object in &objects {
                    templates::show(cx, &self.args, Some(object.to_map()))?;
                }
            }
        }
        Ok(())
    }
}
