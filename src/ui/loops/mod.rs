//! The loop: all controllers as small rings, and the reconcile of one of them opened.

mod pass_card;
mod ring;

pub use ring::RingMark;

use super::state::Dispatch;
use loopscope::view::frame::LoopView;
use loopscope::view::pass::PassLine;
use loopscope::view::rings::{Ring, Waiting};
use pass_card::OpenPass;
use std::rc::Rc;
use yew::{Html, Properties, classes, component, html};

#[derive(Properties, PartialEq)]
pub struct LoopProps {
    pub view: Rc<LoopView>,
    pub controller: usize,
    pub pass: Option<u64>,
    pub dispatch: Dispatch,
}

/// The controllers.
#[component]
pub fn LoopPane(props: &LoopProps) -> Html {
    let view = &props.view;
    let selected = view.rings.iter().find(|r| r.index == props.controller);
    let ring = |ring: &Ring| {
        let chosen = ring.index == props.controller;
        html! { <li key={ring.index}><RingButton ring={Rc::new(ring.clone())} {chosen} dispatch={props.dispatch.clone()} /></li> }
    };
    html! {
        <>
            <div class="scroll" role="group" aria-label="The reconcile that is open" tabindex="0">
                if let Some(pass) = &view.pass {
                    <OpenPass pass={Rc::new(pass.clone())} />
                } else {
                    <p class="empty">{ "This controller has not had anything to do yet." }</p>
                }
                { selected.map(queue).unwrap_or_default() }
                { pass_list(&view.lines, props.pass, view.pass.as_ref().map(|p| p.number), &props.dispatch) }
            </div>
            <ul class="rings" aria-label="Controllers">{ for view.rings.iter().map(ring) }</ul>
        </>
    }
}

fn queue(ring: &Ring) -> Html {
    let line = |w: &Waiting| {
        let failures = if w.failures == 0 { String::new() } else { format!(" · failed {} times", w.failures) };
        html! { <li><span>{ &w.key }</span><span class="soft">{ &w.left }{ failures }</span></li> }
    };
    html! {
        <section class="queue">
            <h3>{ "Queue" }</h3>
            <p class="soft">{ format!("{} ready, {} waiting", ring.queued, ring.waiting.len()) }</p>
            if !ring.waiting.is_empty() { <ul>{ for ring.waiting.iter().map(line) }</ul> }
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct RingButtonProps {
    ring: Rc<Ring>,
    chosen: bool,
    dispatch: Dispatch,
}

#[component]
fn RingButton(props: &RingButtonProps) -> Html {
    let ring = &props.ring;
    let (dispatch, index) = (props.dispatch.clone(), ring.index);
    let onclick = move |_| dispatch.look(move |look| look.turn_to(index));
    let word = match (ring.up, ring.phase, ring.queued, ring.waiting.len()) {
        (false, ..) => "down".to_owned(),
        (true, "idle", n, _) if n > 0 => format!("{n} queued"),
        (true, "idle", _, n) if n > 0 => format!("{n} waiting"),
        (true, phase, ..) => phase.to_owned(),
    };
    html! {
        <button type="button" class={classes!("ring-button", (!ring.up).then_some("down"))} aria-pressed={props.chosen.to_string()} data-kind="Controller" data-name={index.to_string()} {onclick}>
            // A new pass makes a new ring, whose arcs glow once.
            <RingMark key={ring.passes} phase={ring.phase} reached={ring.reached} />
            <span class="name">{ &ring.name }</span>
            <span class={if word == "idle" { "hidden" } else { "soft" }}>{ word }</span>
        </button>
    }
}

fn pass_list(lines: &[PassLine], chosen: Option<u64>, open: Option<u64>, dispatch: &Dispatch) -> Html {
    let line = |line: &PassLine| {
        let (dispatch, number) = (dispatch.clone(), line.number);
        let chosen = chosen == Some(number);
        let onclick = move |_| dispatch.look(move |look| look.pass = (!chosen).then_some(number));
        html! {
            <li key={line.number}>
                <button type="button" aria-pressed={chosen.to_string()} class={classes!("pass-line", line.drift.then_some("differs"), (open == Some(number)).then_some("open"))} {onclick}>
                    <span class="at">{ &line.at }</span><span class="key">{ &line.key }</span><span class="soft">{ &line.result }</span>
                </button>
            </li>
        }
    };
    html! {
        <section class="passes">
            <h3>{ "Last reconciles" }</h3>
            if lines.is_empty() { <p class="soft">{ "none yet" }</p> } else { <ol>{ for lines.iter().map(line) }</ol> }
        </section>
    }
}
