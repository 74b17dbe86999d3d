//! The tab *Time*: desired and ready pods over time, a person's commands and their results. The timeline is a slider: dragging, clicking and the arrow
//! keys go to another moment.
//!
//! | file | what |
//! | --- | --- |
//! | `slider` | the element with the chart, for pointer, wheel and keys |
//! | `scrub` | dragging along the timeline |
//! | `wheel` | zooming by the wheel |
//! | `width` | the timeline's width, for the texts on it |
//! | `chart` | the picture |
//! | `marks` | marks on the timeline, and the same as a list |
//! | `ticks` | times under a chart |
//! | `choices` | the workload and the period that are drawn |

mod chart;
mod choices;
mod marks;
mod scrub;
mod slider;
mod ticks;
mod wheel;
mod width;

pub use choices::ZoomChoice;
pub use ticks::Ticks;

use crate::ui::dispatch::use_dispatch;
use choices::WorkloadChoice;
use loopscope::page::OverlayAction;
use loopscope::view::timeline::Timeline;
use marks::MarkList;
use slider::TimeSlider;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct TimePaneProps {
    pub timeline: Rc<Timeline>,
}

/// The timeline, with its choices and its legend.
#[component]
pub fn TimePane(TimePaneProps { timeline }: &TimePaneProps) -> Html {
    let onclick = use_dispatch().on(OverlayAction::Branches);
    html! {
        <div class="timeline">
            <header class="pane-head">
                <h2 id="time">{ "Time" }</h2>
                <span class="soft">{ &timeline.words }</span>
                <span class="legend soft" aria-hidden="true">
                    <span class="desired-key" />{ "desired" }<span class="ready-key" />{ "ready" }<span class="drift-key" />{ "drift" }
                </span>
                <span class="time-choices">
                    if timeline.branches > 0 {
                        <button type="button" aria-haspopup="dialog" {onclick}>{ "Branches " }<span class="badge">{ timeline.branches }</span></button>
                    }
                    <WorkloadChoice workloads={timeline.workloads.clone()} chosen={timeline.chosen.clone()} />
                    <ZoomChoice zoom={timeline.zoom} />
                </span>
            </header>
            <TimeSlider timeline={timeline.clone()} />
            <MarkList marks={timeline.marks.clone()} />
        </div>
    }
}

/// Formats a position in thousandths of a chart's width as a percentage.
pub fn percent(place: i64) -> String {
    format!("{}.{}%", place / 10, place % 10)
}
