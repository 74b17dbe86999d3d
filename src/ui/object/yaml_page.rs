//! The tab with the whole object as YAML, in parts that can be folded.

use crate::ui::widgets::{PaintedYaml, Toggle};
use loopscope::page::{Action, Select};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct YamlPageProps {
    /// The top-level keys with their YAML. A part with an empty name cannot be folded.
    pub parts: Rc<Vec<(String, String)>>,
    /// Set if `managedFields` are shown.
    pub managed: bool,
}

/// The whole object as YAML.
#[component]
pub fn YamlPage(YamlPageProps { parts, managed }: &YamlPageProps) -> Html {
    let part = |(name, text): &(String, String)| {
        let text = html! { <PaintedYaml text={text.clone()} /> };
        if name.is_empty() {
            text
        } else {
            html! { <details key={name.clone()} open=true><summary>{ name }</summary>{ text }</details> }
        }
    };
    html! {
        <div class="yaml">
            <p><Toggle name="Managed fields" on={*managed} action={Action::from(Select::ToggleManagedFields)} /></p>
            { for parts.iter().map(part) }
        </div>
    }
}
