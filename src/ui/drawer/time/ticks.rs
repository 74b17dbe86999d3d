//! The times under a chart.

use super::percent;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct TicksProps {
    /// The place of each tick in thousandths of the chart's width, and its text.
    pub ticks: Rc<Vec<(i64, String)>>,
    /// The height of the ticks in the chart.
    pub y: &'static str,
}

/// A tick nearer to an edge than this, in thousandths, has its text beside it instead of below its middle.
const FIRST: i64 = 20;
const LAST: i64 = 975;

/// Times under a chart.
#[component]
pub fn Ticks(TicksProps { ticks, y }: &TicksProps) -> Html {
    let tick = |(place, text): &(i64, String)| {
        let class = classes!("tick", (*place < FIRST).then_some("first"), (*place > LAST).then_some("last"));
        html! { <text {class} x={percent(*place)} y={*y}>{ text }</text> }
    };
    html! { <>{ for ticks.iter().map(tick) }</> }
}
