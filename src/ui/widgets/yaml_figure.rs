//! The body of a request or answer as YAML, with a caption.

use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct YamlFigureProps {
    pub name: &'static str,
    pub yaml: AttrValue,
}

/// YAML with a caption; nothing if the YAML is empty.
#[component]
pub fn YamlFigure(YamlFigureProps { name, yaml }: &YamlFigureProps) -> Html {
    if yaml.is_empty() {
        return Html::default();
    }
    html! {
        <figure class="message-text"><figcaption class="soft">{ *name }</figcaption><pre tabindex="0" role="group" aria-label={*name}>{ yaml }</pre></figure>
    }
}
