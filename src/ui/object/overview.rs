//! Spec and status side by side, and clearly apart: what is wanted is people's and controllers', what is observed is never theirs to write.

use super::why_button;
use crate::ui::markup::{classes, html};
use crate::ui::state::Dispatch;
use loopscope::view::object::fields::Field;
use loopscope::view::object::overview::{ConditionRow, ContainerRow, Overview, Section};
use yew::Html;

/// The overview of an object.
pub fn overview(overview: &Overview, dispatch: &Dispatch) -> Html {
    html! {
        <>
            <div class="sides">
                { section("wanted", "Wanted", &overview.wanted, "last written by ", dispatch) }
                if let Some(observed) = &overview.observed {
                    { section("observed", "Observed", observed, "Kubernetes writes this, you do not. Last: ", dispatch) }
                }
            </div>
            if !overview.conditions.is_empty() { { conditions(&overview.conditions, dispatch) } }
            if !overview.containers.is_empty() {
                <section class="containers">
                    <h3>{ "Containers" }</h3>
                    <ul>{ for overview.containers.iter().map(container) }</ul>
                </section>
            }
        </>
    }
}

fn section(class: &'static str, title: &'static str, section: &Section, by: &'static str, dispatch: &Dispatch) -> Html {
    let rows = |fields: &[Field]| {
        let mut group = "";
        let row = |field: &Field| {
            html! {
                <li key={field.path.clone()}>
                    <span class="name">{ &field.name }</span><span class="value">{ &field.value }</span>
                    { why_button(Some(&field.path), &field.path, dispatch) }
                </li>
            }
        };
        let mut list = Vec::new();
        for field in fields {
            if field.group != group {
                list.push(html! { <li class="group" key={["in ", &field.path].concat()}>{ &field.group }</li> });
            }
            group = &field.group;
            list.push(row(field));
        }
        html! { <ul class="fields">{ for list }</ul> }
    };
    let (first, rest) = section.fields.split_at(section.first.min(section.fields.len()));
    html! {
        <section class={classes!("side-part", class)}>
            <h3>{ title }<span class="soft">{ " " }{ &section.name }</span></h3>
            <p class="by">{ by }{ &section.by }</p>
            if section.fields.is_empty() { <p class="soft">{ "nothing" }</p> }
            { rows(first) }
            if !rest.is_empty() {
                <details><summary>{ format!("{} more", rest.len()) }</summary>{ rows(rest) }</details>
            }
        </section>
    }
}

fn conditions(all: &[ConditionRow], dispatch: &Dispatch) -> Html {
    let row = |c: &ConditionRow| {
        html! {
            <tr class={classes!("condition", &*c.status.to_ascii_lowercase())}>
                <th scope="row">{ &c.name }</th>
                <td>{ &c.status }</td>
                <td>{ &c.reason }if !c.message.is_empty() { <span class="soft">{ " " }{ &c.message }</span> }</td>
                <td>{ &c.since }{ why_button(Some(&c.path), &c.name, dispatch) }</td>
            </tr>
        }
    };
    html! {
        <section class="conditions">
            <h3>{ "Conditions" }</h3>
            <table>
                <thead><tr><th scope="col">{ "type" }</th><th scope="col">{ "status" }</th><th scope="col">{ "reason" }</th><th scope="col">{ "since" }</th></tr></thead>
                <tbody>{ for all.iter().map(row) }</tbody>
            </table>
        </section>
    }
}

fn container(c: &ContainerRow) -> Html {
    let restarts = match c.restarts {
        0 => String::new(),
        1 => "1 restart".to_owned(),
        n => format!("{n} restarts"),
    };
    let last = if c.last_exit.is_empty() { String::new() } else { format!("before: {}", c.last_exit) };
    let parts = [if c.ready { "ready" } else { "not ready" }.to_owned(), restarts, last, c.probes.clone()];
    let told: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    html! {
        <li key={c.name.clone()}>
            <p><b class="mono">{ &c.name }</b>if c.init { <span class="soft">{ " init" }</span> }<span class="soft mono">{ " " }{ &c.image }</span></p>
            <p>{ &c.state }if !c.next_try.is_empty() { <b>{ ", " }{ &c.next_try }</b> }</p>
            <p class="soft">{ told.join(" · ") }</p>
        </li>
    }
}
