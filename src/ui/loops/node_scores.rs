//! The scheduler's verdict on each node: refusals by plugin, and scores per plugin.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::Select;
use loopscope::view::loops::verdict::{NodeScore, Refused, Verdicts, plugins};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct NodeScoresProps {
    pub verdicts: Option<Rc<Verdicts>>,
    /// The pod whose scheduling is explained, as the person typed its name; empty for the pod of the open decision.
    pub pod: String,
}

/// The table that explains why a pod was scheduled to a node, or to none.
#[component]
pub fn NodeScores(NodeScoresProps { verdicts, pod }: &NodeScoresProps) -> Html {
    let oninput = use_dispatch().on_text(Select::ExplainPod);
    html! {
        <section class="verdicts">
            <header>
                <h3>{ "Filter and score" }</h3>
                <label>{ "of pod " }<input type="text" placeholder="that is open" value={pod.clone()} {oninput} /></label>
            </header>
            if let Some(verdicts) = verdicts {
                { explanation(verdicts) }
            } else {
                <p class="soft">{ if pod.is_empty() { "No pod has asked for a node yet." } else { "There is no such pod." } }</p>
            }
        </section>
    }
}

fn explanation(verdicts: &Verdicts) -> Html {
    html! {
        <>
            <p><b class="mono">{ &verdicts.pod }</b>{ " " }<span class="soft">{ &verdicts.words }</span></p>
            if !verdicts.fits.is_empty() { { table(&verdicts.fits) } }
            if verdicts.more > 0 { <p class="soft">{ format!("and {} more that fit", verdicts.more) }</p> }
            if !verdicts.refused.is_empty() { <ul aria-label="Refused nodes">{ for verdicts.refused.iter().map(refused) }</ul> }
        </>
    }
}

/// Draws the scores of the nodes that fit, and the full names of the plugins.
fn table(fits: &[NodeScore]) -> Html {
    let head = |(name, weight): (&'static str, i64)| {
        let times = if weight > 1 { format!(" ×{weight}") } else { String::new() };
        html! { <th scope="col"><abbr title={format!("{name}, weight {weight}")}>{ initials(name) }{ times }</abbr></th> }
    };
    let row = |node: &NodeScore| {
        html! {
            <tr class={classes!(node.chosen.then_some("chosen"))}>
                <th scope="row">
                    { &node.node }
                    if node.chosen { <span class="mark">{ " ✓" }<span class="hidden">{ "chosen" }</span></span> }
                </th>
                <>{ for node.scores.iter().map(|score| html! { <td>{ score }</td> }) }</>
                <td class="sum">{ node.total }</td>
            </tr>
        }
    };
    let legend = |(name, _): (&'static str, i64)| html! { <span><b>{ initials(name) }</b>{ " " }{ name }</span> };
    html! {
        <>
            <table>
                <caption class="hidden">{ "Scores of the nodes that fit" }</caption>
                <thead><tr><th scope="col">{ "node" }</th><>{ for plugins().map(head) }</><th scope="col">{ "sum" }</th></tr></thead>
                <tbody>{ for fits.iter().map(row) }</tbody>
            </table>
            <p class="legend-line soft">{ for plugins().map(legend) }</p>
        </>
    }
}

/// Returns the capital letters of a plugin's name, as its abbreviation.
fn initials(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_uppercase()).collect()
}

fn refused(refused: &Refused) -> Html {
    let more = if refused.count > refused.nodes.len() { " …" } else { "" };
    html! {
        <li>
            <span><b>{ refused.count }</b>{ " × " }{ &refused.reason }</span>
            <span class="soft">{ refused.plugin }{ ": " }{ refused.nodes.join(", ") }{ more }</span>
        </li>
    }
}
