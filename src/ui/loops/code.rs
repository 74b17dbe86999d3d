//! The loop as code with its lit line, and the queue.

use crate::ui::markup::html;
use loopscope::view::loops::pseudocode::Code;
use loopscope::view::rings::{Ring, Waiting};
use yew::Html;

/// The code.
pub fn code(code: &Code) -> Html {
    let line = |(i, text): (usize, &&'static str)| {
        let lit = i == code.lit;
        html! { <li class={if lit { "lit" } else { "" }} aria-current={lit.then_some("step")}><code>{ *text }</code></li> }
    };
    html! {
        <section class="code">
            <h3>{ "The loop as code" }</h3>
            <ol tabindex="0" aria-label="The loop as code">{ for code.lines.iter().enumerate().map(line) }</ol>
        </section>
    }
}

/// What waits for a controller.
pub fn queue(ring: &Ring) -> Html {
    let line = |w: &Waiting| {
        let failures = if w.failures == 0 { String::new() } else { format!(" · failed {} times", w.failures) };
        html! { <li><span>{ &w.key }</span><span class="soft">{ &w.left }{ failures }</span></li> }
    };
    html! {
        <section class="queue">
            <h3>{ "Queue" }</h3>
            <p class="soft">{ format!("{} ready, {} waiting", ring.queued, ring.waits) }</p>
            if !ring.waiting.is_empty() { <ul>{ for ring.waiting.iter().map(line) }</ul> }
        </section>
    }
}
