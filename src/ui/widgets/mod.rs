//! Small components that several panes use.

mod diff_view;
mod event_line;
mod icon;
mod menu_button;
mod painted_yaml;
mod revision_line;
mod ring;
mod search_box;
mod selected_option;
mod story_lines;
mod subject_button;
mod tabs;
mod term;
mod toggle;
mod why_button;
mod yaml_figure;

pub use diff_view::DiffView;
pub use event_line::EventRow;
pub use icon::Icon;
pub use menu_button::{MenuButton, on_menu};
pub use painted_yaml::PaintedYaml;
pub use revision_line::RevisionLine;
pub use ring::RingMark;
pub use search_box::{Finds, SearchBox};
pub use selected_option::use_selected_option;
pub use story_lines::StoryLines;
pub use subject_button::SubjectButton;
pub use tabs::{Tab, Tabs, tab_id};
pub use term::{Term, use_explanation};
pub use toggle::Toggle;
pub use why_button::WhyButton;
pub use yaml_figure::YamlFigure;

/// Moves the keyboard focus to an element. Focus is best effort; a failure is ignored.
pub fn focus(element: Option<web_sys::Element>) {
    use wasm_bindgen::JsCast;
    if let Some(element) = element.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
        let _ = element.focus();
    }
}
