//! YAML with syntax highlighting.

use loopscope::view::paint::paint;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct PaintedYamlProps {
    pub text: AttrValue,
}

/// YAML with syntax highlighting.
#[component]
pub fn PaintedYaml(PaintedYamlProps { text }: &PaintedYamlProps) -> Html {
    let piece = |(ink, piece): (loopscope::view::paint::Ink, &str)| html! { <span class={ink.class()}>{ piece.to_owned() }</span> };
    let line = |line: &str| html! { <>{ for paint(line).into_iter().map(piece) }{ "\n" }</> };
    html! { <pre class="mono" tabindex="0">{ for text.lines().map(line) }</pre> }
}
