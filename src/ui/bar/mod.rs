//! The top bar: undo, step, play, speed, the virtual clock, a badge that shows whether desired and actual state agree, and tools.
//!
//! | file | what |
//! | --- | --- |
//! | `transport` | the buttons that move in virtual time |
//! | `step_menu` | larger and backward steps |
//! | `speed_select` | the speeds of virtual time |
//! | `moment` | the clock, forks, and the way back to the newest moment |
//! | `drift_badge` | converged, drifting or stuck |
//! | `layout_choice` | the arrangement of the panes |
//! | `tools` | palette, new run, share, theme, help |

mod drift_badge;
mod layout_choice;
mod moment;
mod speed_select;
mod step_menu;
mod tools;
mod transport;

pub use drift_badge::DriftBadge;
pub use moment::Moment;
pub use transport::{PlayButton, StepButtons};

use crate::ui::widgets::RingMark;
use layout_choice::LayoutChoice;
use loopscope::page::preferences::Theme;
use loopscope::page::{Meter, Pace};
use loopscope::view::Layout;
use loopscope::view::clock::whole_seconds;
use loopscope::view::frame::Bar;
use std::rc::Rc;
use tools::Tools;
use transport::Transport;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct TopBarProps {
    pub bar: Bar,
    pub pace: Pace,
    /// The index of the chosen speed in `SPEEDS`.
    pub speed: usize,
    pub meter: Meter,
    pub theme: Theme,
    /// Set while the cluster is at rest; the clock then shows whole seconds.
    pub at_rest: bool,
    pub layout: Layout,
    /// Set if a person can choose the layout.
    pub has_layouts: bool,
    /// A sentence about the stretch of virtual time that was skipped; empty if none was.
    pub skipped: Rc<str>,
}

/// The bar along the top of the page.
#[component]
pub fn TopBar(props: &TopBarProps) -> Html {
    let bar = &props.bar;
    let shown = |text: &str| if props.at_rest { whole_seconds(text) } else { text.to_owned() };
    html! {
        <header class="bar">
            <div class="brand"><RingMark class="logo" phase="act" /><h1>{ "Loopscope" }</h1><span class="tagline soft">{ "the Kubernetes loop, made visible" }</span></div>
            <Transport
                is_running={props.pace != Pace::Paused}
                can_undo={bar.can_undo}
                can_step_back={bar.steps > 0}
                speed={props.speed}
                real_speed={props.meter.text()}
            />
            <Moment clock={shown(&bar.clock)} forks={bar.forks} branches={bar.branches} behind={bar.behind.clone()} words={bar.past_words()} />
            if !props.skipped.is_empty() { <p class="skipped" role="status">{ AttrValue::from(props.skipped.clone()) }</p> }
            <DriftBadge
                standing={bar.standing.clone()}
                gap={bar.gap.clone()}
                since={shown(&bar.since)}
                turned_at={bar.turned_at.clone()}
                steps={bar.steps}
            />
            if props.has_layouts { <LayoutChoice layout={props.layout} /> }
            <Tools theme={props.theme} />
        </header>
    }
}
