//! The details of one pass: the controller's monologue, then observe, diff and act.

use crate::ui::dispatch::{Dispatch, use_dispatch};
use crate::ui::widgets::{RingMark, Term, YamlFigure};
use loopscope::page::Select;
use loopscope::view::pass::{self, Differs, Done, PhaseState, Seen};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct PassCardProps {
    pub pass: Rc<pass::PassCard>,
}

/// The details of a reconcile pass.
#[component]
pub fn PassCard(PassCardProps { pass }: &PassCardProps) -> Html {
    let dispatch = use_dispatch();
    let state = if pass.phase == "done" { format!("in {}", pass.took) } else { pass.progress.clone() };
    html! {
        <>
            <div class="pass-head">
                <div class="dial">
                    <RingMark class="large" phase={pass.phase} />
                    <p><strong>{ pass.phase }</strong><span class="soft">{ state }</span></p>
                </div>
                <div class="thoughts">
                    <p class="subject">{ &pass.key }<span class="soft">{ format!(" at {}", pass.at) }</span></p>
                    <blockquote>{ for pass.monologue.iter().map(|sentence| html! { <p>{ sentence }</p> }) }</blockquote>
                </div>
            </div>
            <div class="phases">{ observe(pass) }{ diff(pass) }{ act(pass, &dispatch) }</div>
        </>
    }
}

fn phase_class(phase: &'static str, state: &PhaseState) -> Classes {
    classes!("phase", phase, state.class())
}

/// Draws the sentence about a phase that has nothing to list, or nothing yet.
fn words(state: &PhaseState) -> Html {
    html! { if !state.words().is_empty() { <p class="soft">{ state.words() }</p> } }
}

fn observe(pass: &pass::PassCard) -> Html {
    html! {
        <section class={phase_class("observe", &pass.observe)}>
            <header><h3><Term of="observe">{ "Observe" }</Term></h3><span class="soft">{ behind(pass) }</span></header>
            { words(&pass.observe) }
            <ul>{ for pass.observed.iter().map(seen) }</ul>
            if pass.more > 0 { <p class="soft">{ format!("and {} more", pass.more) }</p> }
        </section>
    }
}

/// Returns a text that tells how far the cache was behind the store.
fn behind(pass: &pass::PassCard) -> String {
    let lag = match pass.behind {
        0 => "up to date".to_owned(),
        1 => "1 newer change not in it yet".to_owned(),
        _ => format!("{} newer changes not in it yet", pass.unheard()),
    };
    format!("cache at rev {} · store at {} · {lag}", pass.cache_revision, pass.store_revision)
}

fn seen(seen: &Seen) -> Html {
    let revision = format!(" rev {}{}", seen.revision, if seen.stale { ", out of date" } else { "" });
    html! { <li><span class="mono">{ &seen.what }</span><span>{ &seen.state }<span class="soft">{ revision }</span></span></li> }
}

fn diff(pass: &pass::PassCard) -> Html {
    let line = |differs: &Differs| {
        let Differs { what, desired, actual, .. } = differs;
        html! { <li><span>{ what }</span><span>{ "desired " }<b>{ desired }</b>{ " · actual " }<b>{ actual }</b></span></li> }
    };
    html! {
        <section class={phase_class("diff", &pass.diff)}>
            <header><h3><Term of="diff">{ "Diff" }</Term></h3></header>
            { words(&pass.diff) }
            <ul>{ for pass.differences.iter().map(line) }</ul>
        </section>
    }
}

fn act(pass: &pass::PassCard, dispatch: &Dispatch) -> Html {
    html! {
        <section class={phase_class("act", &pass.act)}>
            <header><h3><Term of="act">{ "Act" }</Term></h3><span class="soft">{ &pass.progress }</span></header>
            { words(&pass.act) }
            <ul>{ for pass.actions.iter().map(|done| request(pass, done, dispatch)) }</ul>
            if pass.unlisted > 0 { <p class="soft">{ format!("and {} more", pass.unlisted) }</p> }
        </section>
    }
}

/// Draws a request of the pass with its answer, and its contents if it is open.
pub fn request(pass: &pass::PassCard, done: &Done, dispatch: &Dispatch) -> Html {
    let place = done.place;
    let code = if done.code == 0 { String::new() } else { format!("{} ", done.code) };
    let opened = pass.opened.as_ref().filter(|opened| opened.place == place);
    let onclick = dispatch.on(Select::ToggleRequest { pass: pass.number, place });
    html! {
        <li class={classes!(done.refused.then_some("refused"))}>
            <button
                type="button"
                class="asked mono"
                aria-expanded={opened.is_some().to_string()}
                title={format!("{} {}", done.method, done.path)}
                {onclick}
            >
                <b>{ done.method }</b>{ " " }{ &done.short }
            </button>
            <span>{ code }<span class={classes!("soft", (done.code != 0 && !done.refused).then_some("rev"))}>{ &done.answer }</span></span>
            if let Some(opened) = opened {
                <div class="message-body">
                    <p class="mono soft">{ &opened.path }</p>
                    <YamlFigure name="body" yaml={opened.body.clone()} />
                    <YamlFigure name="answer" yaml={opened.answer.clone()} />
                </div>
            }
        </li>
    }
}
