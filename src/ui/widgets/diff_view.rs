//! The difference between two revisions of an object.

use loopscope::view::store_log::{Diff, DiffLine};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct DiffViewProps {
    pub diff: Rc<Diff>,
}

/// The lines that differ between two revisions of an object.
#[component]
pub fn DiffView(DiffViewProps { diff }: &DiffViewProps) -> Html {
    let line = |line: &DiffLine| {
        let class = match line.sign {
            "+" => "new",
            "-" => "gone",
            "…" => "gap",
            _ => "same",
        };
        html! { <span {class}>{ line.sign }{ " " }{ &line.text }{ "\n" }</span> }
    };
    html! {
        <div class="diff">
            <p class="soft">{ &diff.title }</p>
            <pre class="mono" tabindex="0" aria-label={format!("Diff {}", diff.title)}>{ for diff.lines.iter().map(line) }</pre>
        </div>
    }
}
