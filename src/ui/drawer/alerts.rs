//! Alerts: the rule on drift that lasts, and beside it what a rule on any error would have done.

use crate::ui::markup::{classes, html};
use crate::ui::part::Part;
use crate::ui::state::Dispatch;
use loopscope::view::alerts::{AFTER, AlertRow, Alerts, Resolved, Standing, count};
use std::rc::Rc;
use yew::Html;

/// Both rules.
#[derive(PartialEq)]
pub struct AlertRules {
    pub alerts: Rc<Alerts>,
    pub dispatch: Dispatch,
}

impl Part for AlertRules {
    fn draw(&self) -> Html {
        let a = &self.alerts;
        html! {
            <>
                <section class="rule" role="group" aria-label="Alerts on drift that lasts" tabindex="0">
                    <header class="pane-head"><h2>{ "Alert on drift that lasts" }</h2>{ after(a, &self.dispatch) }</header>
                    <p class="rule-words">{ &a.words }</p>
                    if a.rows.is_empty() {
                        <p class="empty">{ "There is no workload yet: apply a Deployment or a ReplicaSet." }</p>
                    } else {
                        <table>
                            <thead><tr><th scope="col">{ "workload" }</th><th scope="col">{ "ready" }</th><th scope="col">{ "alert" }</th></tr></thead>
                            <tbody>{ for a.rows.iter().map(row) }</tbody>
                        </table>
                    }
                    if a.more > 0 { <p class="soft">{ format!("and {} more", a.more) }</p> }
                    if !a.resolved.is_empty() { <h3>{ "Resolved" }</h3><ol>{ for a.resolved.iter().map(resolved) }</ol> }
                </section>
                <section class="rule naive" role="group" aria-label="A rule on any error" tabindex="0">
                    <header class="pane-head"><h2>{ "Alert on any error" }</h2><span class="soft">{ "for comparison" }</span></header>
                    <p class="rule-words">{ format!("Would have fired {}.", count(a.naive, "time")) }</p>
                    <ol>
                        { for a.errors.iter().map(|e| html! { <li><span class="at soft">{ &e.at }</span>{ &e.text }</li> }) }
                    </ol>
                </section>
            </>
        }
    }
}

/// After how much drift an alert fires.
fn after(a: &Alerts, dispatch: &Dispatch) -> Html {
    let oninput = dispatch.on_text(|look, text| look.time.alert_after = text.parse().unwrap_or(look.time.alert_after));
    html! {
        <label class="after">
            { "fires after " }
            <input type="range" min={AFTER.0} max={AFTER.1} step="10" value={a.after} aria-valuetext={format!("{} seconds", a.after)} {oninput} />
            <b>{ format!("{} s", a.after) }</b>
        </label>
    }
}

fn row(r: &AlertRow) -> Html {
    let (class, glyph) = match r.standing {
        Standing::Firing => ("bad", "▲"),
        Standing::Pending => ("warning", "◐"),
        Standing::Ok => ("good", "●"),
    };
    html! {
        <tr>
            <th scope="row">{ r.subject.kind.row().name }{ " " }<b>{ r.subject.key.name.as_str() }</b></th>
            <td>{ &r.pods }</td>
            <td>
                <span class={classes!("standing", class)}><span aria-hidden="true">{ glyph }{ " " }</span>{ r.standing.word() }</span>
                { " " }<span class="soft">{ &r.text }</span>
                if r.standing == Standing::Pending {
                    <svg class="share" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width={r.percent} height="1" /></svg>
                }
            </td>
        </tr>
    }
}

fn resolved(r: &Resolved) -> Html {
    html! {
        <li>
            <span class="at soft">{ &r.fired }</span>
            <b>{ r.subject.key.name.as_str() }</b>{ format!(" fired for {}, after drift of {} in all", r.lasted, r.drift) }
        </li>
    }
}
