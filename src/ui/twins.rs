//! Two clusters side by side: a choice of what is different, then A and B with their numbers, and what differs.

use super::state::Dispatch;
use crate::ui::markup::{classes, html};
use crate::ui::part::Part;
use loopscope::view::twins::{Half, KindDifference, Mini, TwinsView, Variation};
use std::rc::Rc;
use web_sys::HtmlSelectElement;
use yew::{Html, NodeRef};

/// The twins, or the choice.
#[derive(PartialEq)]
pub struct TwinsPane {
    pub view: Rc<TwinsView>,
    pub dispatch: Dispatch,
}

impl Part for TwinsPane {
    fn draw(&self) -> Html {
        let (view, select) = (&self.view, NodeRef::default());
        let Some(title) = &view.title else { return chooser(view, &select, &self.dispatch) };
        let end = self.dispatch.on_desk(|desk| desk.end_twins());
        html! {
            <div class="twins">
                <div class="twins-head">
                    <p>{ "In B: " }<b>{ title }</b>{ if view.behind { " (B is still catching up)" } else { "" } }</p>
                    <button type="button" onclick={end}>{ "End twins" }</button>
                </div>
                <div class="twins-words" role="status">{ for view.words.iter().map(|w| html! { <p>{ w }</p> }) }</div>
                <div class="halves">{ for view.halves.iter().map(half) }</div>
                { differences(&view.only) }
            </div>
        }
    }
}

fn chooser(view: &Rc<TwinsView>, select: &NodeRef, dispatch: &Dispatch) -> Html {
    let (chosen, dispatch, choices) = (select.clone(), dispatch.clone(), view.clone());
    let begin = move |_| {
        let index = chosen.cast::<HtmlSelectElement>().map_or(0, |s| s.selected_index().max(0) as usize);
        let variation = choices.choices.get(index).cloned().unwrap_or(Variation::Nothing);
        dispatch.desk(move |desk| desk.begin_twins(variation));
    };
    // A browser would begin with the one that was added last.
    let first = view.choices.iter().find(|v| matches!(v, Variation::Setting(_)));
    let option = |v: &Variation| html! { <option selected={Some(v) == first}>{ v.text() }</option> };
    let group = |label: &'static str, is_in: fn(&Variation) -> bool| {
        html! { <optgroup {label}>{ for view.choices.iter().filter(|v| is_in(v)).map(option) }</optgroup> }
    };
    html! {
        <div class="twins chooser">
            <p>{ "Put a twin beside this cluster: the same seed, the same commands, the same time, and one difference. What you do is done to both." }</p>
            <label>
                { "In B" }
                <select ref={select.clone()}>
                    { group("Nothing", |v| matches!(v, Variation::Nothing)) }
                    { group("A setting, from the beginning", |v| matches!(v, Variation::Setting(_))) }
                    { group("A fault in B alone, now", |v| matches!(v, Variation::Fault(_))) }
                </select>
            </label>
            <button type="button" class="primary" onclick={begin}>{ "Begin twins" }</button>
        </div>
    }
}

fn half(h: &Half) -> Html {
    let (class, glyph, word) = if h.converged { ("good", "●", "converged") } else { ("warning", "◐", "drifting") };
    let number = |name: &'static str, value: String| html! { <div><dt>{ name }</dt><dd>{ value }</dd></div> };
    let left_out = match h.left_out {
        (0, 0) => String::new(),
        (nodes, pods) => format!("{nodes} nodes and {pods} pods are not drawn"),
    };
    html! {
        <article class="half" aria-label={format!("Cluster {}", h.name)}>
            <header>
                <h3>{ h.name }</h3>
                <span class={classes!("drift", class)}><span aria-hidden="true">{ glyph }</span>{ format!(" {word} for {}", h.since) }</span>
            </header>
            <ul class="minis" aria-label="Nodes">{ for h.nodes.iter().map(mini) }</ul>
            if !left_out.is_empty() { <p class="soft">{ left_out }</p> }
            <dl>
                { number("pods ready", format!("{} of {}", h.pods.0, h.pods.1)) }
                { number("converged after the last command", h.settled.clone()) }
                { number("requests", h.requests.to_string()) }
                { number("restarts", h.restarts.to_string()) }
            </dl>
        </article>
    }
}

fn mini(m: &Mini) -> Html {
    let name = m.name.as_deref().unwrap_or("no node");
    let ready = m.pods.iter().filter(|p| p.class() == "good").count();
    let cells = m.pods.iter().map(|p| html! { <span class={classes!("pod-cell", p.class())}>{ p.glyph() }</span> });
    html! {
        <li class={classes!("mini", m.health.class())}>
            <span class="name">{ name }</span>
            if !m.status.is_empty() { <span class="state"><span aria-hidden="true">{ m.health.glyph() }{ " " }</span>{ m.status }</span> }
            <span class="cells" aria-hidden="true">{ for cells }</span>
            <span class="hidden">{ format!("{ready} of {} pods ready", m.pods.len()) }</span>
        </li>
    }
}

fn differences(only: &[KindDifference]) -> Html {
    if only.is_empty() {
        return html! { <p class="soft twins-same">{ "Both stores hold objects of the same names." }</p> };
    }
    let side = |(n, names): &(usize, Vec<String>)| match n {
        0 => "none".to_owned(),
        n if *n > names.len() => format!("{n}: {} …", names.join(", ")),
        n => format!("{n}: {}", names.join(", ")),
    };
    let row = |d: &KindDifference| html! { <tr><th scope="row">{ d.kind }</th><td>{ side(&d.a) }</td><td>{ side(&d.b) }</td></tr> };
    html! {
        <table class="only">
            <caption>{ "Objects that only one of them has" }</caption>
            <thead><tr><th scope="col">{ "kind" }</th><th scope="col">{ "only A" }</th><th scope="col">{ "only B" }</th></tr></thead>
            <tbody>{ for only.iter().map(row) }</tbody>
        </table>
    }
}
