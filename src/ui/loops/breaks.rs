//! Breakpoints: where the run stands, those of the one looked at, and all that are set.

use crate::ui::markup::html;
use crate::ui::state::{Action, Dispatch, Travel};
use loopscope::view::breakpoints::{BreakLine, Breakpoint, PHASES};
use loopscope::view::frame::LoopView;
use loopscope::view::look::Look;
use loopscope::view::notes::passes::{Phase, scheduler_index};
use yew::Html;

/// Where the run has stopped, and how it goes on.
pub fn stopped(words: &str, dispatch: &Dispatch) -> Html {
    let go_on = dispatch.clone();
    html! {
        <div role="status">
            if !words.is_empty() {
                <p class="stopped"><span>{ words }</span><button type="button" class="primary" onclick={move |_| go_on.send(Action::Travel(Travel::Toggle))}>{ "Continue" }</button></p>
            }
        </div>
    }
}

/// Those of the one looked at, and all.
pub fn breakpoints(view: &LoopView, look: &Look, dispatch: &Dispatch) -> Html {
    let controller = (!look.wire.any).then_some(look.controller);
    let toggle = |point: Breakpoint| dispatch.on_desk(move |desk| desk.breakpoints.toggle(point.clone()));
    let check = |(phase, set): (Phase, bool)| {
        let onclick = toggle(Breakpoint { controller, object: look.wire.filter.clone(), phase });
        html! { <label><input type="checkbox" checked={set} {onclick} />{ phase.word() }</label> }
    };
    // The scheduler reads and compares in one go.
    let has = |phase: Phase| phase != Phase::Observe || look.controller != scheduler_index() || look.wire.any;
    let line = |b: &BreakLine| {
        html! { <li><span>{ &b.words }</span><button type="button" class="quiet" aria-label={["Remove breakpoint ", &b.words].concat()} onclick={toggle(b.point.clone())}>{ "remove" }</button></li> }
    };
    let oninput = dispatch.on_text(|look, text| look.wire.filter = text);
    html! {
        <section class="breakpoints">
            <h3>{ "Break before" }</h3>
            <div class="checks">
                { for PHASES.into_iter().zip(view.breaks).filter(|(phase, _)| has(*phase)).map(check) }
                <label><input type="checkbox" checked={look.wire.any} onclick={dispatch.on_look(|look| look.wire.any = !look.wire.any)} />{ "of any controller" }</label>
                <input type="text" aria-label="Only for this object" placeholder="only default/my-app" value={look.wire.filter.clone()} {oninput} />
            </div>
            if !view.breakpoints.is_empty() { <ul aria-label="Breakpoints">{ for view.breakpoints.iter().map(line) }</ul> }
        </section>
    }
}
