//! The ring: observe, diff and act as three arcs, of which the one under way is lit.

use crate::ui::markup::{classes, html};
use crate::ui::part::Part;
use yew::Html;

/// A ring.
#[derive(PartialEq)]
pub struct RingMark {
    pub class: &'static str,
    /// The phase under way, or `idle` or `done`.
    pub phase: &'static str,
    /// How far the last pass came: its arcs glow for a moment when a pass has just ended.
    pub reached: u8,
}

/// Where the arcs begin, in thirds of a turn; the gap between them is part of each.
const ARCS: [(&str, &str); 3] = [("observe", "rotate(-84 50 50)"), ("diff", "rotate(36 50 50)"), ("act", "rotate(156 50 50)")];

impl Part for RingMark {
    fn draw(&self) -> Html {
        let arc = |(i, (phase, turn)): (usize, &(&'static str, &'static str))| {
            let lit = (self.phase == *phase || self.phase == "done").then_some("lit");
            let glow = (usize::from(self.reached) > i).then_some("glow");
            html! { <circle class={classes!("arc", *phase, lit, glow)} cx="50" cy="50" r="40" pathLength="360" stroke-dasharray="94 266" transform={*turn} /> }
        };
        html! {
            <svg class={classes!("ring", self.class)} viewBox="0 0 100 100" aria-hidden="true">{ for ARCS.iter().enumerate().map(arc) }</svg>
        }
    }
}
