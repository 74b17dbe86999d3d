//! The view of twins, two clusters side by side: the choice of a difference, then A and B with their numbers, and the objects that only one of them has.

mod chooser;
mod half;

use crate::ui::dispatch::use_dispatch;
use chooser::TwinsChooser;
use half::half;
use loopscope::page::RunAction;
use loopscope::view::twins::{KindDifference, TwinsView};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct TwinsStageProps {
    pub view: Rc<TwinsView>,
}

/// The twins side by side, or the choice of their difference.
#[component]
pub fn TwinsStage(TwinsStageProps { view }: &TwinsStageProps) -> Html {
    let end = use_dispatch().on(RunAction::EndTwins);
    let Some(title) = &view.title else {
        return html! { <TwinsChooser view={view.clone()} /> };
    };
    html! {
        <div class="twins">
            <div class="twins-head">
                <p>{ "In B: " }<b>{ title }</b>{ if view.behind { " (B is still catching up)" } else { "" } }</p>
                <button type="button" onclick={end}>{ "End twins" }</button>
            </div>
            <div class="twins-words" role="status">{ for view.words.iter().map(|words| html! { <p>{ words }</p> }) }</div>
            <div class="halves">{ for view.halves.iter().map(half) }</div>
            { differences(&view.only) }
        </div>
    }
}

/// Draws a table of the objects that only one of the two clusters has.
fn differences(only: &[KindDifference]) -> Html {
    if only.is_empty() {
        return html! { <p class="soft twins-same">{ "Both stores hold objects of the same names." }</p> };
    }
    let row = |difference: &KindDifference| {
        html! { <tr><th scope="row">{ difference.kind }</th><td>{ names(&difference.a) }</td><td>{ names(&difference.b) }</td></tr> }
    };
    html! {
        <table class="only">
            <caption>{ "Objects that only one of them has" }</caption>
            <thead><tr><th scope="col">{ "kind" }</th><th scope="col">{ "only A" }</th><th scope="col">{ "only B" }</th></tr></thead>
            <tbody>{ for only.iter().map(row) }</tbody>
        </table>
    }
}

fn names((count, some): &(usize, Vec<String>)) -> String {
    match count {
        0 => "none".to_owned(),
        count if *count > some.len() => format!("{count}: {} …", some.join(", ")),
        count => format!("{count}: {}", some.join(", ")),
    }
}
