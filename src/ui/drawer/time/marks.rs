//! Marks on the timeline: commands, forks, and the moments at which desired and actual agreed again.

use super::percent;
use loopscope::view::timeline::{Mark, Sort};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct MarksProps {
    pub marks: Rc<Vec<Mark>>,
}

/// The marks as lines on the chart, with texts where there is room for them.
#[component]
pub fn Marks(MarksProps { marks }: &MarksProps) -> Html {
    // No line crosses a text that was drawn before it.
    html! { <>{ for marks.iter().map(line) }{ for marks.iter().map(label) }</> }
}

/// The marks as a list, for screen readers and for narrow screens.
#[component]
pub fn MarkList(MarksProps { marks }: &MarksProps) -> Html {
    let line = |mark: &Mark| html! { <li class={class(mark)}>{ format!("{}: {}", mark.at, mark.text) }</li> };
    html! {
        <ol class="command-list" aria-label="What was done">{ for marks.iter().filter(|mark| mark.sort != Sort::Live).map(line) }</ol>
    }
}

fn class(mark: &Mark) -> &'static str {
    match mark.sort {
        Sort::Command if mark.breaks => "mark breaks",
        Sort::Command => "mark",
        Sort::Converged => "mark converged",
        Sort::Fork => "mark fork",
        Sort::Live => "mark live",
    }
}

/// The top of the line of a convergence, in pixels: below its label.
const BELOW_LABEL: &str = "47";

fn line(mark: &Mark) -> Html {
    let x = percent(mark.place);
    let (y1, y2) = if mark.sort == Sort::Converged { (BELOW_LABEL, "100%") } else { ("0", "97%") };
    html! {
        if mark.sort != Sort::Live { <g class={class(mark)}><line x1={x.clone()} x2={x} {y1} {y2} /></g> }
    }
}

fn label(mark: &Mark) -> Html {
    html! {
        if let Some(row) = mark.row {
            <g class={class(mark)}>
                <text
                    x={percent(mark.place)}
                    dx={if mark.left { "-5" } else { "5" }}
                    class={classes!(mark.left.then_some("last"))}
                    y={(11 + 16 * row).to_string()}
                >
                    { mark.short() }
                </text>
            </g>
        }
    }
}
