//! The ring of a controller: the phases observe, diff and act of a pass as three arcs, of which the current one is lit.

use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct RingMarkProps {
    /// An additional CSS class.
    #[prop_or_default]
    pub class: &'static str,
    /// The phase of the current reconcile pass (`observe`, `diff` or `act`), or `idle` or `done`.
    pub phase: &'static str,
    /// The number of arcs, which are phases, that the last pass has completed. They glow for a moment when a pass has just ended.
    #[prop_or_default]
    pub reached: u8,
}

/// The names of the arcs, each with its rotation, which includes the gap before the arc.
const ARCS: [(&str, &str); 3] = [("observe", "rotate(-84 50 50)"), ("diff", "rotate(36 50 50)"), ("act", "rotate(156 50 50)")];

/// A ring of three arcs, for the phases of a reconcile pass.
#[component]
pub fn RingMark(props: &RingMarkProps) -> Html {
    let arc = |(i, (phase, turn)): (usize, &(&'static str, &'static str))| {
        let lit = (props.phase == *phase || props.phase == "done").then_some("lit");
        let glow = (usize::from(props.reached) > i).then_some("glow");
        html! { <circle class={classes!("arc", *phase, lit, glow)} cx="50" cy="50" r="40" pathLength="360" stroke-dasharray="94 266" transform={*turn} /> }
    };
    html! {
        <svg class={classes!("ring", props.class)} viewBox="0 0 100 100" aria-hidden="true">{ for ARCS.iter().enumerate().map(arc) }</svg>
    }
}
