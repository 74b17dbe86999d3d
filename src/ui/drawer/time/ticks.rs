//! The labels with times under a chart.

use super::percent;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct TicksProps {
    /// The position of each tick in thousandths of the chart's width, and its text.
    pub ticks: Rc<Vec<(i64, String)>>,
    /// The vertical position of the texts in the chart, as an SVG length.
    pub y: &'static str,
}

/// The position, in thousandths of the width, before which a tick's text begins at the tick instead of being centred on it.
const FIRST: i64 = 20;
/// The position, in thousandths of the width, after which a tick's text ends at the tick instead of being centred on it.
const LAST: i64 = 975;

/// The times under a chart, as SVG texts.
#[component]
pub fn Ticks(TicksProps { ticks, y }: &TicksProps) -> Html {
    let tick = |(place, text): &(i64, String)| {
        let class = classes!("tick", (*place < FIRST).then_some("first"), (*place > LAST).then_some("last"));
        html! { <text {class} x={percent(*place)} y={*y}>{ text }</text> }
    };
    html! { <>{ for ticks.iter().map(tick) }</> }
}
