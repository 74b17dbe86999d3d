//! What the scheduler thought of each node: refusals by plugin, scores per plugin, for any pod.

use crate::ui::markup::{classes, html};
use crate::ui::state::Dispatch;
use loopscope::view::frame::LoopView;
use loopscope::view::look::Look;
use loopscope::view::loops::verdict::{NodeScore, Refused, Verdicts, plugins};
use loopscope::view::notes::passes::scheduler_index;
use yew::Html;

/// For the scheduler; nothing for others.
pub fn verdicts(view: &LoopView, look: &Look, dispatch: &Dispatch) -> Html {
    if look.controller != scheduler_index() {
        return Html::default();
    }
    let oninput = dispatch.on_text(|look, text| look.wire.pod = text);
    html! {
        <section class="verdicts">
            <header>
                <h3>{ "Filter and score" }</h3>
                <label>{ "of pod " }<input type="text" placeholder="that is open" value={look.wire.pod.clone()} {oninput} /></label>
            </header>
            if let Some(made) = &view.verdicts {
                { table(made) }
            } else {
                <p class="soft">{ if look.wire.pod.is_empty() { "No pod has asked for a node yet." } else { "There is no such pod." } }</p>
            }
        </section>
    }
}

fn table(made: &Verdicts) -> Html {
    let short = |name: &str| name.chars().filter(|c| c.is_ascii_uppercase()).collect::<String>();
    let head = |(name, weight): (&'static str, i64)| {
        html! { <th scope="col"><abbr title={format!("{name}, weight {weight}")}>{ short(name) }{ if weight > 1 { format!(" ×{weight}") } else { String::new() } }</abbr></th> }
    };
    let row = |node: &NodeScore| {
        html! {
            <tr class={classes!(node.chosen.then_some("chosen"))}>
                <th scope="row">{ &node.node }if node.chosen { <span class="mark">{ " ✓" }<span class="hidden">{ "chosen" }</span></span> }</th>
                { for node.scores.iter().map(|score| html! { <td>{ score }</td> }) }
                <td class="sum">{ node.total }</td>
            </tr>
        }
    };
    let refused = |r: &Refused| {
        html! { <li><span><b>{ r.count }</b>{ " × " }{ &r.reason }</span><span class="soft">{ r.plugin }{ ": " }{ r.nodes.join(", ") }{ if r.count > r.nodes.len() { " …" } else { "" } }</span></li> }
    };
    html! {
        <>
            <p><b class="mono">{ &made.pod }</b>{ " " }<span class="soft">{ &made.words }</span></p>
            if !made.fits.is_empty() {
                <table>
                    <caption class="hidden">{ "Scores of the nodes that fit" }</caption>
                    <thead><tr><th scope="col">{ "node" }</th>{ for plugins().map(head) }<th scope="col">{ "sum" }</th></tr></thead>
                    <tbody>{ for made.fits.iter().map(row) }</tbody>
                </table>
                <p class="legend-line soft">{ for plugins().map(|(name, _)| html! { <span><b>{ short(name) }</b>{ " " }{ name }</span> }) }</p>
            }
            if made.more > 0 { <p class="soft">{ format!("and {} more that fit", made.more) }</p> }
            if !made.refused.is_empty() { <ul aria-label="Refused nodes">{ for made.refused.iter().map(refused) }</ul> }
        </>
    }
}
