//! The page as an embed: panels in the order that a course author gives, and a small bar.
//!
//! | file | what |
//! | --- | --- |
//! | `panel` | one panel with its heading |
//! | `mini_bar` | play, step, the clock, and whether desired and actual agree |

mod mini_bar;
mod panel;

pub use mini_bar::MiniBar;

use loopscope::page::Screen;
use loopscope::view::Panel;
use panel::PanelView;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct PanelListProps {
    pub screen: Rc<Screen>,
}

/// The panels of an embed, and one that may have been opened over them.
#[component]
pub fn PanelList(PanelListProps { screen }: &PanelListProps) -> Html {
    let panels = &screen.selection.panels;
    let is_alone = panels.shown.len() == 1;
    let panel = |panel: &Panel| html! { <PanelView key={panel.name()} panel={*panel} screen={screen.clone()} {is_alone} /> };
    html! {
        <>
            { for panels.shown.iter().map(panel) }
            if let Some(guest) = panels.guest { <PanelView key={format!("guest-{}", guest.name())} panel={guest} screen={screen.clone()} is_guest=true /> }
        </>
    }
}

/// Returns the CSS class with the number of columns on a wide screen, by the number of panels that do not take the whole width.
pub fn columns_class(shown: &[Panel]) -> &'static str {
    match shown.iter().filter(|panel| !is_wide(**panel)).count() {
        0 | 1 => "columns-1",
        2 | 4 => "columns-2",
        _ => "columns-3",
    }
}

/// Returns whether a panel takes the whole width, as the terminal and panels with charts over time do.
fn is_wide(panel: Panel) -> bool {
    matches!(panel, Panel::Time | Panel::Terminal | Panel::Requests)
}
