//! The tab *Overview* of an object: spec and status side by side, then conditions and containers.

use super::section::section;
use crate::ui::widgets::{Term, WhyButton};
use loopscope::view::object::overview::{ConditionRow, ContainerRow, Overview};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct OverviewPageProps {
    pub overview: Rc<Overview>,
}

/// The overview of an object: spec, status, conditions and containers.
#[component]
pub fn OverviewPage(OverviewPageProps { overview }: &OverviewPageProps) -> Html {
    html! {
        <>
            <div class="sides">
                { section("wanted", "Wanted", &overview.wanted, "last written by ") }
                if let Some(observed) = &overview.observed {
                    { section("observed", "Observed", observed, "Kubernetes writes this, you do not. Last: ") }
                }
            </div>
            if !overview.conditions.is_empty() { { conditions(&overview.conditions) } }
            if !overview.containers.is_empty() {
                <section class="containers">
                    <h3>{ "Containers" }</h3>
                    <ul>{ for overview.containers.iter().map(container) }</ul>
                </section>
            }
        </>
    }
}

fn conditions(all: &[ConditionRow]) -> Html {
    html! {
        <section class="conditions">
            <h3><Term of="condition">{ "Conditions" }</Term></h3>
            <table>
                <thead>
                    <tr><th scope="col">{ "type" }</th><th scope="col">{ "status" }</th><th scope="col">{ "reason" }</th><th scope="col">{ "since" }</th></tr>
                </thead>
                <tbody>{ for all.iter().map(condition) }</tbody>
            </table>
        </section>
    }
}

fn condition(row: &ConditionRow) -> Html {
    html! {
        <tr class={classes!("condition", row.status.to_ascii_lowercase())}>
            <th scope="row">{ for humps(&row.name) }</th>
            <td>{ &row.status }</td>
            <td>{ for humps(&row.reason) }if !row.message.is_empty() { <span class="soft">{ " " }{ &row.message }</span> }</td>
            <td>{ &row.since }<WhyButton field={row.path.clone()} name={row.name.clone()} /></td>
        </tr>
    }
}

/// Splits a word such as `PodReadyToStartContainers` into parts, between which a narrow column may break the line.
fn humps(word: &str) -> Vec<Html> {
    let starts = word.char_indices().filter(|(i, c)| *i > 0 && c.is_ascii_uppercase()).map(|(i, _)| i);
    let bounds: Vec<usize> = std::iter::once(0).chain(starts).chain([word.len()]).collect();
    bounds.windows(2).filter_map(|ends| word.get(ends[0]..ends[1])).map(|part| html! { <>{ part }<wbr /></> }).collect()
}

fn container(row: &ContainerRow) -> Html {
    let restarts = match row.restarts {
        0 => String::new(),
        1 => "1 restart".to_owned(),
        n => format!("{n} restarts"),
    };
    let last_exit = if row.last_exit.is_empty() { String::new() } else { format!("before: {}", row.last_exit) };
    let facts = [if row.ready { "ready" } else { "not ready" }, &restarts, &last_exit, &row.probes];
    let known: Vec<&str> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
    html! {
        <li key={row.name.clone()}>
            <p>
                <b class="mono">{ &row.name }</b>if row.init { <span class="soft">{ " init" }</span> }
                <span class="soft mono">{ " " }{ &row.image }</span>
            </p>
            <p>{ &row.state }if !row.next_try.is_empty() { <b>{ ", " }{ &row.next_try }</b> }</p>
            <p class="soft">{ known.join(" · ") }</p>
        </li>
    }
}
