//! The live diagram of a loop. The geometry is in this folder; numbers and messages come from the engine. A message is a dot on its line; one that has
//! just arrived runs along the line once more, so that people see it at any speed.
//!
//! | file | what |
//! | --- | --- |
//! | `lines` | the positions of boxes and lines, and of messages on the lines |
//! | `station` | the boxes and the controller |
//! | `messages` | dots for messages in flight, sparks for those that have arrived |
//! | `revisions` | the revisions of the store, the cache and a pass |

mod lines;
mod messages;
mod revisions;
mod station;

use lines::{NARROW, WIDE, path};
use loopscope::view::clock::count;
use loopscope::view::loops::detail::Part;
use loopscope::view::loops::message::MessageId;
use loopscope::view::loops::wires::Wires;
use loopscope::view::menus::Thing;
use messages::{Dots, Sparks};
use revisions::Revisions;
use station::{ControllerStation, Station};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct DiagramProps {
    pub wires: Rc<Wires>,
    /// The controller, scheduler or kubelet whose loop is shown.
    pub thing: Thing,
    /// The box that is open, if any.
    pub part: Option<Part>,
    /// The message that is open, if any.
    pub message: Option<MessageId>,
    /// Set if the diagram is drawn wide, with labels on its messages.
    #[prop_or_default]
    pub wide: bool,
}

/// The diagram of a loop: the way of a change through the cluster.
#[component]
pub fn Diagram(DiagramProps { wires, thing, part, message, wide }: &DiagramProps) -> Html {
    let geometry = if *wide { &WIDE } else { &NARROW };
    let line = |class: &'static str, corners: &[(i32, i32)]| html! { <path class={classes!("wire", class)} d={path(corners)} /> };
    let watch = if matches!(wires.stream, "open" | "opening" | "listing") { "pushed" } else { "cut" };
    let station = |(of, at): &(Part, [i32; 4])| {
        let (words, warns) = words(*of, wires);
        let thing = match of {
            Part::You | Part::Api | Part::Etcd => Thing::ApiServer,
            _ => thing.clone(),
        };
        html! { <Station part={*of} at={*at} {words} {warns} is_open={*part == Some(*of)} {thing} /> }
    };
    html! {
        <svg
            class={classes!("diagram", geometry.class)}
            viewBox={geometry.view_box}
            role="group"
            aria-label="The way of a change: you, API server, etcd, watch, cache, queue, controller, API server"
        >
            { line("both", geometry.ask) }
            { line("both", geometry.request) }
            { line(watch, geometry.watch) }
            { line("pushed", geometry.queued) }
            { line("pushed", geometry.taken) }
            { line("both", geometry.stored) }
            <path class="wire" d={geometry.tips} />
            <>{ for geometry.boxes.iter().map(station) }</>
            <ControllerStation at={geometry.controller} phase={wires.phase} is_open={*part == Some(Part::Controller)} thing={thing.clone()} />
            <Revisions
                at={geometry.revisions}
                wide={*wide}
                store={wires.watched}
                cache={wires.cache}
                cache_behind={wires.cache_behind}
                pass={wires.pass.clone()}
                view={wires.view}
                view_behind={wires.view_behind}
            />
            <Sparks glows={wires.glows.clone()} />
            <Dots wires={wires.clone()} message={*message} wide={*wide} />
        </svg>
    }
}

/// Returns the text in a box of the diagram, and whether it is a warning.
fn words(part: Part, wires: &Wires) -> (String, bool) {
    match part {
        Part::You => ("kubectl".to_owned(), false),
        Part::Api if wires.armed > 0 => (format!("fails next {}", wires.armed), true),
        Part::Api => (format!("{} in flight", wires.asked), false),
        Part::Etcd => (format!("rev {}", wires.store), false),
        Part::Watch if wires.stream == "open" && !wires.slow.is_empty() => (format!("open, {} late", wires.slow), true),
        Part::Watch => (wires.stream.to_owned(), !matches!(wires.stream, "open" | "opening" | "listing")),
        Part::Cache => (count(wires.objects, "object", "objects"), wires.cache_behind > 0),
        Part::Queue => (wires.queue.clone(), false),
        Part::Controller => (wires.phase.to_owned(), false),
    }
}
