//! The loop: the live diagram of the one looked at, one of its reconciles opened, its code, and all controllers as small rings.
//!
//! | file | what |
//! | --- | --- |
//! | `diagram` | boxes, lines and messages |
//! | `opened` | a box, a message or a request opened |
//! | `pass_card` | one reconcile |
//! | `code` | the loop as code, and the queue |
//! | `scheduling` | what the scheduler thought of each node |
//! | `node_agent` | a kubelet's loop |
//! | `breaks` | breakpoints |
//! | `ring` | the ring itself |

mod breaks;
mod code;
mod diagram;
mod node_agent;
mod opened;
mod pass_card;
mod ring;
mod scheduling;

pub use ring::RingMark;

use super::state::Dispatch;
use crate::ui::markup::{classes, html};
use crate::ui::part::{Part, keyed_part};
use loopscope::view::frame::LoopView;
use loopscope::view::look::Look;
use loopscope::view::loops::name_of;
use loopscope::view::pass::PassLine;
use loopscope::view::rings::{KUBELETS_SHOWN, Ring};
use std::rc::Rc;
use yew::{Callback, Html, MouseEvent};

/// The loop.
#[derive(PartialEq)]
pub struct LoopPane {
    pub view: Rc<LoopView>,
    pub look: Look,
    pub dispatch: Dispatch,
}

impl Part for LoopPane {
    fn draw(&self) -> Html {
        let (view, look, dispatch) = (&*self.view, &self.look, &self.dispatch);
        html! {
            <>
                // Turning to another begins at the top again.
                <div key={name_of(look)} class="scroll" role="group" aria-label="The loop of the one that is chosen" tabindex="0">
                    { breaks::stopped(&view.stop, dispatch) }
                    <header class="loop-head"><h2 class="hidden">{ "The loop" }</h2><b>{ name_of(look) }</b><span class="soft">{ &view.resync }</span></header>
                    { diagram::diagram(&view.wires, look, dispatch) }
                    { opened::flights(&view.wires, look, dispatch) }
                    { view.letter.as_ref().map(|l| opened::letter(l, dispatch)).unwrap_or_default() }
                    { view.detail.as_ref().map(|d| opened::detail(d, dispatch)).unwrap_or_default() }
                    <div class="beside">
                        <div>
                            if let Some(card) = &view.kubelet {
                                { node_agent::kubelet(card, view.nodes > KUBELETS_SHOWN, dispatch) }
                            } else {
                                { reconcile(view, look, dispatch) }
                            }
                        </div>
                        { code::code(&view.code) }
                    </div>
                    if view.kubelet.is_none() {
                        { breaks::breakpoints(view, look, dispatch) }
                        { pass_list(&view.lines, look.pass, view.pass.as_ref().map(|p| p.number), dispatch) }
                    }
                </div>
                { rings(view, look, dispatch) }
            </>
        }
    }
}

fn reconcile(view: &LoopView, look: &Look, dispatch: &Dispatch) -> Html {
    html! {
        <>
            if let Some(pass) = &view.pass {
                { pass_card::open_pass(pass, dispatch) }
            } else {
                <p class="empty">{ "This controller has not had anything to do yet." }</p>
            }
            { scheduling::verdicts(view, look, dispatch) }
            { view.rings.get(look.controller).map(code::queue).unwrap_or_default() }
        </>
    }
}

fn rings(view: &LoopView, look: &Look, dispatch: &Dispatch) -> Html {
    let controller = |ring: &Ring| {
        let (index, chosen) = (ring.index, look.kubelet.is_none() && ring.index == look.controller);
        ring_button(ring, chosen, "", ("Controller", index.to_string()), dispatch.on_look(move |look| look.turn_to(index)))
    };
    let kubelet = |ring: &Ring| {
        let node = ring.name.clone();
        let chosen = look.kubelet.as_ref() == Some(&node);
        let thing = ("Process", ["kubelet-", &node].concat());
        ring_button(ring, chosen, "kubelet ", thing, dispatch.on_look(move |look| look.turn_to_kubelet(node.clone())))
    };
    let summary = || {
        let ring = Ring { name: format!("kubelets ({})", view.nodes), up: true, phase: "idle", ..Ring::default() };
        let thing = ("Cluster", String::new());
        ring_button(&ring, look.kubelet.is_some(), "", thing, dispatch.on_look(|look| look.turn_to_kubelet("node-1".to_owned())))
    };
    html! {
        <ul class="rings" aria-label="Controllers">
            { for view.rings.iter().map(controller) }
            { for view.kubelets.iter().map(kubelet) }
            if view.nodes > KUBELETS_SHOWN { { summary() } }
        </ul>
    }
}

fn ring_button(ring: &Ring, chosen: bool, of: &'static str, thing: (&'static str, String), onclick: Callback<MouseEvent>) -> Html {
    let word = match (ring.up, ring.phase, ring.queued, ring.waits) {
        (false, ..) => "down".to_owned(),
        (true, "idle", n, _) if n > 0 => format!("{n} queued"),
        (true, "idle", _, n) if n > 0 => format!("{n} waiting"),
        (true, phase, ..) => phase.to_owned(),
    };
    let title = [of, &ring.name].concat();
    html! {
        <li key={title.clone()}>
            <button type="button" {title} class={classes!("ring-button", (!ring.up).then_some("down"))} aria-pressed={chosen} data-kind={thing.0} data-name={thing.1} {onclick}>
                // A new pass makes a new ring, whose arcs glow once.
                { keyed_part(ring.passes, RingMark { class: "", phase: ring.phase, reached: ring.reached }) }
                <span class="name"><span class="hidden">{ of }</span>{ &ring.name }</span>
                <span class={if ring.up && ring.queued == 0 { "hidden" } else { "soft" }}>{ word }</span>
            </button>
        </li>
    }
}

fn pass_list(lines: &[PassLine], chosen: Option<u64>, open: Option<u64>, dispatch: &Dispatch) -> Html {
    let line = |line: &PassLine| {
        let number = line.number;
        let chosen = chosen == Some(number);
        let onclick = dispatch.on_look(move |look| {
            look.pass = (!chosen).then_some(number);
            look.wire.action = None;
        });
        html! {
            <li key={line.number}>
                <button type="button" aria-pressed={chosen} class={classes!("pass-line", line.drift.then_some("differs"), (open == Some(number)).then_some("open"))} {onclick}>
                    <span class="when">{ &line.at }</span><span class="subject">{ &line.key }</span><span class="soft">{ &line.result }</span>
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
