//! The tab *Alerts*: a rule that fires on lasting drift and, for comparison, a rule that fires on any error.

use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::Term;
use loopscope::page::Select;
use loopscope::view::alerts::{AFTER, AlertRow, Alerts, ErrorLine, Resolved, Standing, count};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct AlertsPaneProps {
    pub alerts: Rc<Alerts>,
}

/// The tab *Alerts*: the rule on drift, and the rule on errors.
#[component]
pub fn AlertsPane(AlertsPaneProps { alerts }: &AlertsPaneProps) -> Html {
    html! { <>{ drift_rule(alerts) }{ error_rule(alerts) }</> }
}

fn drift_rule(alerts: &Alerts) -> Html {
    html! {
        <section class="rule" role="group" aria-label="Alerts on drift that lasts" tabindex="0">
            <header class="pane-head"><h2>{ "Alert on " }<Term of="drift">{ "drift" }</Term>{ " that lasts" }</h2><AfterSlider after={alerts.after} /></header>
            <p class="rule-words">{ &alerts.words }</p>
            if alerts.rows.is_empty() {
                <p class="empty">{ "There is no workload yet: apply the manifest." }</p>
            } else {
                <table>
                    <thead><tr><th scope="col">{ "workload" }</th><th scope="col">{ "ready" }</th><th scope="col">{ "alert" }</th></tr></thead>
                    <tbody>{ for alerts.rows.iter().map(row) }</tbody>
                </table>
            }
            if alerts.more > 0 { <p class="soft">{ format!("and {} more", alerts.more) }</p> }
            if !alerts.resolved.is_empty() { <h3>{ "Resolved" }</h3><ol>{ for alerts.resolved.iter().map(resolved) }</ol> }
        </section>
    }
}

fn error_rule(alerts: &Alerts) -> Html {
    let line = |error: &ErrorLine| html! { <li><span class="at soft">{ &error.at }</span>{ " " }{ &error.text }</li> };
    html! {
        <section class="rule naive" role="group" aria-label="A rule on any error" tabindex="0">
            <header class="pane-head"><h2>{ "Alert on any error" }</h2><span class="soft">{ "for comparison" }</span></header>
            <p class="rule-words">{ format!("Would have fired {}, here the last {}:", count(alerts.naive, "time"), alerts.errors.len()) }</p>
            <ol>{ for alerts.errors.iter().map(line) }</ol>
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct AfterSliderProps {
    /// The chosen duration of drift, in seconds.
    after: i64,
}

/// A slider for the duration of drift after which an alert fires.
#[component]
fn AfterSlider(AfterSliderProps { after }: &AfterSliderProps) -> Html {
    let oninput = use_dispatch().on_text(Select::AlertAfter);
    html! {
        <label class="after">
            { "fires after " }
            <input
                type="range"
                min={AFTER.0.to_string()}
                max={AFTER.1.to_string()}
                step="10"
                value={after.to_string()}
                aria-valuetext={format!("{after} seconds")}
                {oninput}
            />
            <b>{ format!("{after} s") }</b>
        </label>
    }
}

fn row(row: &AlertRow) -> Html {
    let (class, glyph) = match row.standing {
        Standing::Firing => ("bad", "▲"),
        Standing::Pending => ("warning", "◐"),
        Standing::Ok => ("good", "●"),
    };
    html! {
        <tr>
            <th scope="row">{ row.subject.kind.row().name }{ " " }<b>{ row.subject.key.name.as_str() }</b></th>
            <td>{ &row.pods }</td>
            <td>
                <span class={classes!("standing", class)}><span aria-hidden="true">{ glyph }{ " " }</span>{ row.standing.word() }</span>
                { " " }
                <span class="soft">{ &row.text }</span>
                if row.standing == Standing::Pending {
                    <svg class="share" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                        <rect width={row.percent.to_string()} height="1" />
                    </svg>
                }
            </td>
        </tr>
    }
}

fn resolved(resolved: &Resolved) -> Html {
    html! {
        <li>
            <span class="at soft">{ &resolved.fired }</span>{ " " }
            <b>{ resolved.subject.key.name.as_str() }</b>
            { format!(" fired for {}; its status reported the drift for {}", resolved.lasted, resolved.drift) }
        </li>
    }
}
