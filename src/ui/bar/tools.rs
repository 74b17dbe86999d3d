//! The tools at the right end of the top bar: the story of what just happened, palette, new run, share, theme, help.

use crate::ui::actual::is_dark;
use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::Icon;
use loopscope::page::preferences::Theme;
use loopscope::page::{Action, HelpPart, OverlayAction, Preference, Select};
use loopscope::view::Drawer;
use yew::prelude::*;

const STORY: &str = "M2 3h12v1.500H2zM2 6.500h12V8H2zM2 10h8v1.500H2zM2 13.500h5V15H2z";
const FIND: &str = "M7 1.500a5.500 5.500 0 1 0 3.400 9.800l3.100 3.200 1.100-1.100-3.200-3.100A5.500 5.500 0 0 0 7 1.500zM7 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8z";
const NEW: &str = "M8 2a6 6 0 1 0 6 6h-1.500A4.500 4.500 0 1 1 8 3.500V6l4-3.250L8 0z";
const SHARE: &str = "M11.500 1a2.500 2.500 0 0 0-2.400 3.200L6 6.100a2.500 2.500 0 1 0 0 3.800l3.100 1.900a2.500 2.500 0 1 0 .7-1.300L6.700 8.600a2.500 2.500 0 0 0 0-1.200l3.100-1.900A2.500 2.500 0 1 0 11.500 1z";
const HALF: &str = "M8 1.500a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13zM8 3v10A5 5 0 0 1 8 3z";
const SUN: &str = "M8 4.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7zM7.250 0h1.500v3h-1.500zM7.250 13h1.500v3h-1.500zM0 7.250h3v1.500H0zM13 7.250h3v1.500h-3z";
const MOON: &str = "M6 1.500A6.500 6.500 0 1 0 14.500 10 5.500 5.500 0 0 1 6 1.500z";
const HELP: &str = "M8 1.500c-2.300 0-3.800 1.400-4 3.500h1.700C5.800 3.800 6.700 3 8 3s2.300.8 2.300 1.900c0 1-.5 1.500-1.500 2.200-1.200.8-1.600 1.500-1.600 2.900h1.600c0-.9.3-1.300 1.300-2C11.400 7.100 12 6.200 12 4.800c0-2-1.700-3.300-4-3.300zM7.100 12h1.800v2H7.100z";

#[derive(Properties, PartialEq)]
pub struct ToolsProps {
    pub theme: Theme,
}

/// The buttons of the tools.
#[component]
pub fn Tools(ToolsProps { theme }: &ToolsProps) -> Html {
    let dispatch = use_dispatch();
    let tool = |path: &'static str, label: AttrValue, action: Action| {
        let onclick = dispatch.on(action);
        html! { <button type="button" class="tool" aria-label={label.clone()} title={label} {onclick}><Icon {path} /></button> }
    };
    let theme_icon = match theme {
        Theme::Auto => HALF,
        Theme::Light => SUN,
        Theme::Dark => MOON,
    };
    html! {
        <div class="tools">
            { tool(STORY, "What just happened? (w)".into(), Select::Drawer(Drawer::Story).into()) }
            { tool(FIND, "Palette (/)".into(), OverlayAction::Search(String::new()).into()) }
            { tool(NEW, "New run".into(), OverlayAction::Settings.into()) }
            { tool(SHARE, "Share".into(), OverlayAction::Share.into()) }
            { tool(theme_icon, format!("Theme: {}", theme.name()).into(), Preference::Theme(theme.next(is_dark(Theme::Auto))).into()) }
            { tool(HELP, "Help (?)".into(), OverlayAction::Help(HelpPart::About).into()) }
        </div>
    }
}
