//! The controller's loop as code, with the current line highlighted.

use loopscope::view::loops::pseudocode::Code;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct CodeListingProps {
    pub code: Code,
}

/// The controller's loop as code, with the current line highlighted.
#[component]
pub fn CodeListing(CodeListingProps { code }: &CodeListingProps) -> Html {
    let line = |(i, text): (usize, &&'static str)| {
        let is_lit = i == code.lit;
        html! { <li class={classes!(is_lit.then_some("lit"))} aria-current={is_lit.then_some("step")}><code>{ *text }</code></li> }
    };
    html! {
        <section class="code">
            <h3>{ "The loop as code" }</h3>
            <ol tabindex="0" aria-label="The loop as code">{ for code.lines.iter().enumerate().map(line) }</ol>
        </section>
    }
}
