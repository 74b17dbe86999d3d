//! Choices for the timeline and the request charts: the workload, and the period of the run that is drawn.

use crate::ui::dispatch::use_dispatch;
use loopscope::api::time::Span;
use loopscope::page::Select;
use loopscope::view::Subject;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct WorkloadChoiceProps {
    pub workloads: Rc<Vec<Subject>>,
    /// The chosen workload; `None` for all workloads.
    pub chosen: Option<Subject>,
}

/// The choice of the workload whose drift is drawn.
#[component]
pub fn WorkloadChoice(WorkloadChoiceProps { workloads, chosen }: &WorkloadChoiceProps) -> Html {
    let onchange = {
        let workloads = workloads.clone();
        // The first option stands for all workloads.
        use_dispatch().on_option(move |place| Select::Workload(place.checked_sub(1).and_then(|place| workloads.get(place)).cloned()))
    };
    let option = |workload: &Subject| html! { <option selected={chosen.as_ref() == Some(workload)}>{ workload.text() }</option> };
    html! {
        <label>
            <span class="hidden">{ "Workload" }</span>
            <select {onchange}>
                <option selected={chosen.is_none()}>{ "all workloads" }</option>
                <>{ for workloads.iter().map(option) }</>
            </select>
        </label>
    }
}

#[derive(Properties, PartialEq)]
pub struct ZoomChoiceProps {
    /// The period that is drawn; zero for the whole run.
    pub zoom: Span,
}

/// The periods that can be chosen: the name and the number of seconds of each; 0 for the whole run.
const ZOOMS: [(&str, i64); 3] = [("whole run", 0), ("5 min", 300), ("1 min", 60)];

/// Buttons for the period of the run that is drawn.
#[component]
pub fn ZoomChoice(ZoomChoiceProps { zoom }: &ZoomChoiceProps) -> Html {
    let dispatch = use_dispatch();
    let choice = |(name, seconds): (&'static str, i64)| {
        let span = Span::secs(seconds);
        html! {
            <button type="button" aria-pressed={(*zoom == span).to_string()} onclick={dispatch.on(Select::TimeZoom(span))}>{ name }</button>
        }
    };
    html! {
        <span class="zooms" role="group" aria-label="How much of the run is drawn">{ for ZOOMS.map(choice) }</span>
    }
}
