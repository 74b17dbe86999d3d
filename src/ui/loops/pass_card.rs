//! One reconcile opened: the monologue, then observe, diff and act.

use super::opened::text;
use super::ring::RingMark;
use crate::ui::markup::{classes, html};
use crate::ui::part::part;
use crate::ui::state::Dispatch;
use loopscope::view::pass::{Differs, Done, PassCard, Seen};
use yew::Html;

/// A reconcile.
pub fn open_pass(pass: &PassCard, dispatch: &Dispatch) -> Html {
    let state = if pass.phase == "done" { format!("in {}", pass.took) } else { pass.progress.clone() };
    let request = |(place, action): (usize, &Done)| done(place, action, pass, dispatch);
    html! {
        <>
            <div class="pass-head">
                <div class="dial">
                    { part(RingMark { class: "large", phase: pass.phase, reached: 0 }) }
                    <p><strong>{ pass.phase }</strong><span class="soft">{ state }</span></p>
                </div>
                <div class="thoughts">
                    <p class="subject">{ &pass.key }<span class="soft">{ format!(" at {}", pass.at) }</span></p>
                    <blockquote>{ for pass.monologue.iter().map(|s| html! { <p>{ s }</p> }) }</blockquote>
                </div>
            </div>
            <div class="phases">
            <section class={classes!("phase", "observe", (pass.phase == "observe").then_some("now"))}>
                <header><h3>{ "Observe" }</h3><span class="soft">{ behind(pass) }</span></header>
                if pass.observed.is_empty() { <p class="soft">{ "nothing: the object is gone" }</p> }
                <ul>{ for pass.observed.iter().map(seen) }</ul>
                if pass.more > 0 { <p class="soft">{ format!("and {} more", pass.more) }</p> }
            </section>
            <section class={classes!("phase", "diff", (pass.phase == "diff").then_some("now"))}>
                <header><h3>{ "Diff" }</h3></header>
                if pass.differences.is_empty() { <p class="soft">{ "no difference" }</p> }
                <ul>{ for pass.differences.iter().map(differs) }</ul>
            </section>
            <section class={classes!("phase", "act", (pass.phase == "act").then_some("now"))}>
                <header><h3>{ "Act" }</h3><span class="soft">{ &pass.progress }</span></header>
                if pass.actions.is_empty() { <p class="soft">{ "nothing to do" }</p> }
                <ul>{ for pass.actions.iter().enumerate().map(request) }</ul>
            </section>
            </div>
        </>
    }
}

fn behind(pass: &PassCard) -> String {
    let lag = match pass.behind {
        0 => "up to date".to_owned(),
        1 => "1 change behind".to_owned(),
        n => format!("{n} changes behind"),
    };
    format!("cache at rev {} · store at {} · {lag}", pass.cache_revision, pass.store_revision)
}

fn seen(seen: &Seen) -> Html {
    html! {
        <li>
            <span class="mono">{ &seen.what }</span>
            <span>{ &seen.state }<span class="soft">{ format!(" rev {}{}", seen.revision, if seen.stale { ", out of date" } else { "" }) }</span></span>
        </li>
    }
}

fn differs(d: &Differs) -> Html {
    html! { <li><span>{ &d.what }</span><span>{ "desired " }<b>{ &d.desired }</b>{ " · actual " }<b>{ &d.actual }</b></span></li> }
}

fn done(place: usize, done: &Done, pass: &PassCard, dispatch: &Dispatch) -> Html {
    let code = if done.code == 0 { String::new() } else { format!("{} ", done.code) };
    let opened = pass.opened.as_ref().filter(|o| o.place == place);
    let (is_open, number) = (opened.is_some(), pass.number);
    let onclick = dispatch.on_look(move |look| {
        // The pass stays the one it is while its request is read.
        look.pass = Some(number);
        look.wire.action = (!is_open).then_some(place);
    });
    html! {
        <li class={classes!(done.refused.then_some("refused"))}>
            <button type="button" class="asked mono" aria-expanded={is_open} title={format!("{} {}", done.method, done.path)} {onclick}><b>{ done.method }</b>{ " " }{ &done.short }</button>
            <span>{ code }<span class="soft">{ &done.answer }</span></span>
            if let Some(opened) = opened {
                <div class="letter"><p class="mono soft">{ &opened.path }</p>{ text("body", &opened.body) }{ text("answer", &opened.answer) }</div>
            }
        </li>
    }
}
