//! The live diagram. Geometry is here, numbers and messages come from the engine. A message is a dot on its line; one that has just arrived
//! runs along the line once more, so that it is seen at any speed.

use super::ring::RingMark;
use crate::ui::markup::{classes, html};
use crate::ui::part::part;
use crate::ui::state::Dispatch;
use loopscope::view::look::Look;
use loopscope::view::loops::actor::Line;
use loopscope::view::loops::detail::Part;
use loopscope::view::loops::wires::{Flight, Glow, Wires};
use yew::{Html, KeyboardEvent};

/// A box: which, and where its left upper corner is, and its size.
const BOXES: [(Part, [i32; 4]); 6] = [
    (Part::You, [1, 4, 62, 32]),
    (Part::Api, [122, 1, 116, 38]),
    (Part::Etcd, [297, 4, 62, 32]),
    (Part::Watch, [261, 56, 98, 36]),
    (Part::Cache, [261, 108, 98, 36]),
    (Part::Queue, [131, 108, 98, 36]),
];

/// The corners that a message passes on each line, in the direction of the loop. The style sheet has the same for messages that have arrived.
const ASK: &[(i32, i32)] = &[(63, 20), (122, 20)];
const REQUEST: &[(i32, i32)] = &[(49, 95), (49, 53), (146, 53), (146, 39)];
const WATCH: &[(i32, i32)] = &[(214, 39), (214, 74), (310, 74), (310, 108)];
const QUEUED: &[(i32, i32)] = &[(261, 126), (229, 126)];
const TAKEN: &[(i32, i32)] = &[(131, 126), (80, 126)];
const STORED: &[(i32, i32)] = &[(238, 20), (297, 20)];

/// The tips of the lines on which things go one way only, and of requests.
const TIPS: &str = "M306 102L310 108L314 102M235 122L229 126L235 130M86 122L80 126L86 130M142 45L146 39L150 45";

fn path(corners: &[(i32, i32)]) -> String {
    let mut path = String::new();
    for (i, (x, y)) in corners.iter().enumerate() {
        path.push(if i == 0 { 'M' } else { 'L' });
        path.push_str(&x.to_string());
        path.push(' ');
        path.push_str(&y.to_string());
    }
    path
}

/// Where a message is.
fn place(line: Line, progress: u32) -> (i32, i32) {
    let corners = match line {
        Line::Request | Line::Answer => REQUEST,
        Line::Watch => WATCH,
        Line::Ask | Line::Reply => ASK,
    };
    let progress = progress.min(1_000) as i32;
    let progress = if matches!(line, Line::Answer | Line::Reply) { 1_000 - progress } else { progress };
    let legs = || corners.iter().zip(corners.iter().skip(1));
    let length = |a: &(i32, i32), b: &(i32, i32)| (a.0 - b.0).abs() + (a.1 - b.1).abs();
    let whole: i32 = legs().map(|(a, b)| length(a, b)).sum();
    let mut left = whole * progress / 1_000;
    for (a, b) in legs() {
        let leg = length(a, b).max(1);
        if left <= leg {
            return (a.0 + (b.0 - a.0) * left / leg, a.1 + (b.1 - a.1) * left / leg);
        }
        left -= leg;
    }
    corners.last().copied().unwrap_or_default()
}

/// The diagram.
pub fn diagram(wires: &Wires, look: &Look, dispatch: &Dispatch) -> Html {
    let line = |class: &'static str, corners: &[(i32, i32)]| html! { <path class={classes!("wire", class)} d={path(corners)} /> };
    let broken = if wires.stream == "open" { "pushed" } else { "cut" };
    html! {
        <svg class="diagram" viewBox="0 0 360 160" role="group" aria-label="The way of a change: you, API server, etcd, watch, cache, queue, controller, API server">
            { line("both", ASK) }{ line("both", REQUEST) }{ line(broken, WATCH) }{ line("pushed", QUEUED) }{ line("pushed", TAKEN) }{ line("both", STORED) }
            <path class="wire" d={TIPS} />
            { for BOXES.iter().map(|(part, at)| part_box(*part, *at, wires, look, dispatch)) }
            { controller(wires, look, dispatch) }
            { numbers(wires) }
            { for wires.glows.iter().map(glow) }
            { for wires.flights.iter().map(|f| dot(f, look, dispatch)) }
        </svg>
    }
}

/// What stands in a box, and whether it is a warning.
fn words(part: Part, wires: &Wires) -> (String, bool) {
    match part {
        Part::You => ("kubectl".to_owned(), false),
        Part::Api => (format!("{} in flight", wires.asked), false),
        Part::Etcd => (format!("rev {}", wires.store), false),
        Part::Watch if wires.stream == "open" && !wires.slow.is_empty() => (format!("open, {} late", wires.slow), true),
        Part::Watch => (wires.stream.to_owned(), wires.stream != "open"),
        Part::Cache => (format!("{} objects", wires.objects), wires.cache_behind > 0),
        Part::Queue => (wires.queue.clone(), false),
        Part::Controller => (wires.phase.to_owned(), false),
    }
}

/// How a part of the picture becomes a button for pointer and keyboard alike.
fn press(part: Part, chosen: bool, dispatch: &Dispatch) -> impl Fn() + Clone + 'static {
    let dispatch = dispatch.clone();
    move || dispatch.look(move |look| look.wire.part = (!chosen).then_some(part))
}

fn on_key(act: impl Fn() + 'static) -> impl Fn(KeyboardEvent) {
    move |event: KeyboardEvent| {
        if matches!(event.key().as_str(), "Enter" | " ") {
            event.prevent_default();
            event.stop_propagation();
            act();
        }
    }
}

/// The thing whose menu a box has.
fn thing(part: Part, look: &Look) -> (&'static str, String) {
    match (part, &look.kubelet) {
        (Part::You | Part::Api | Part::Etcd, _) => ("Process", "api-server".to_owned()),
        (_, Some(node)) => ("Process", ["kubelet-", node].concat()),
        (_, None) => ("Controller", look.controller.to_string()),
    }
}

fn part_box(part: Part, [x, y, width, height]: [i32; 4], wires: &Wires, look: &Look, dispatch: &Dispatch) -> Html {
    let (text, warns) = words(part, wires);
    let chosen = look.wire.part == Some(part);
    let act = press(part, chosen, dispatch);
    let onkeydown = on_key(act.clone());
    let middle = (x + width / 2).to_string();
    let (kind, name) = thing(part, look);
    html! {
        <g class={classes!("station", warns.then_some("warns"))} role="button" tabindex="0" aria-pressed={chosen} data-kind={kind} data-name={name} onclick={move |_| act()} {onkeydown}>
            <rect x={x} y={y} width={width} height={height} rx="6" />
            <text class="part" x={middle.clone()} y={y + height / 2 - 3}>{ part.name() }</text>
            // For those who hear it.
            { " " }
            <text class="amount" x={middle} y={y + height / 2 + 11}>{ text }</text>
        </g>
    }
}

fn controller(wires: &Wires, look: &Look, dispatch: &Dispatch) -> Html {
    let chosen = look.wire.part == Some(Part::Controller);
    let (kind, name) = thing(Part::Controller, look);
    let act = press(Part::Controller, chosen, dispatch);
    let onkeydown = on_key(act.clone());
    html! {
        <g class="station" role="button" tabindex="0" aria-pressed={chosen} aria-label={["Controller ", wires.phase].concat()} data-kind={kind} data-name={name} onclick={move |_| act()} {onkeydown}>
            <circle class="face" cx="49" cy="126" r="31" />
            <svg x="17" y="94" width="64" height="64">{ part(RingMark { class: "inner", phase: wires.phase, reached: 0 }) }</svg>
            <text class="part" x="49" y="130">{ wires.phase }</text>
        </g>
    }
}

/// Store, cache and view side by side, with how far behind they are.
fn numbers(wires: &Wires) -> Html {
    let behind = |n: usize| match n {
        0 => String::new(),
        n => format!("{n} behind"),
    };
    let row = |y: &'static str, name: &'static str, revision: u64, lag: usize| {
        html! {
            <>
                <text class="label" x="66" {y}>{ name }</text>
                <text class="at-revision" x="142" {y}>{ if revision == 0 { "–".to_owned() } else { revision.to_string() } }</text>
                <text class={classes!("lag", (lag > 0).then_some("late"))} x="148" {y}>{ behind(lag) }</text>
            </>
        }
    };
    let words = format!(
        "Store at revision {}, cache at {}, {} changes behind; last view at {}, {} changes behind",
        wires.store, wires.cache, wires.cache_behind, wires.view, wires.view_behind
    );
    html! {
        <g class="numbers" role="img" aria-label={words}>
            { row("69", "store", wires.store, 0) }{ row("83", "cache", wires.cache, wires.cache_behind) }
            if wires.view > 0 { { row("97", "view", wires.view, wires.view_behind) } }
        </g>
    }
}

fn glow(glow: &Glow) -> Html {
    html! { <circle key={glow.number} class={classes!("spark", glow.line.class())} r="3" aria-hidden="true" /> }
}

fn dot(flight: &Flight, look: &Look, dispatch: &Dispatch) -> Html {
    let (x, y) = place(flight.line, flight.progress);
    let id = flight.id;
    let open = look.wire.message == Some(id);
    let onclick = dispatch.on_look(move |look| look.wire.message = (!open).then_some(id));
    html! {
        <g class={classes!("dot", flight.line.class(), open.then_some("open"))} aria-hidden="true" {onclick}>
            <title>{ &flight.text }</title>
            <circle class="reach" cx={x} cy={y} r="11" />
            <circle cx={x} cy={y} r="4.500" />
        </g>
    }
}
