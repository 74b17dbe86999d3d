//! What stands below the manifest: its problems as a list, and what applying it would change.

use crate::ui::markup::html;
use loopscope::view::assist::{Problem, Severity};
use loopscope::view::compare::{Comparison, Mark, Verdict};
use yew::Html;

/// The problems, each a button that leads to its place.
pub fn problem_list(problems: &[Problem], jump: impl Fn(usize) + Clone + 'static) -> Html {
    let item = |problem: &Problem| {
        let (jump, from) = (jump.clone(), problem.from);
        let onclick = move |_| jump(from);
        let (class, glyph) = if problem.severity == Severity::Error { ("error", "✕") } else { ("warning", "!") };
        html! {
            <li {class}>
                <button type="button" {onclick}>
                    <span aria-hidden="true">{ glyph }</span>
                    <span>{ format!("line {}: {}", problem.line, problem.message) }</span>
                </button>
            </li>
        }
    };
    let count = match problems.len() {
        0 => String::new(),
        1 => "1 problem".to_owned(),
        n => format!("{n} problems"),
    };
    html! {
        <>
            <p class="hidden" role="status">{ count }</p>
            if !problems.is_empty() {
                <ul class="problems" aria-label="Problems">{ for problems.iter().map(item) }</ul>
            }
        </>
    }
}

/// What applying would change, document by document.
pub fn comparisons(found: &[Comparison]) -> Html {
    html! {
        <section class="comparison" aria-label="Diff against live" tabindex="0">
            if found.is_empty() { <p class="soft">{ "There is no object in the manifest." }</p> }
            { for found.iter().map(comparison) }
        </section>
    }
}

fn comparison(one: &Comparison) -> Html {
    // Of a new object everything is new, which needs no list.
    let lines: &[_] = if one.verdict == Verdict::New { &[] } else { &one.lines };
    let line = |mark: Mark, text: &str| {
        let text = if mark == Mark::Gap { text.to_owned() } else { [mark.sign(), text].concat() };
        html! { <span class={mark.class()}>{ text }{ "\n" }</span> }
    };
    html! {
        <>
            <p><strong>{ &one.title }</strong>{ ": " }<span class="soft">{ one.verdict.words() }</span></p>
            if let Verdict::Refused(words) = &one.verdict { <pre class="stderr">{ words }</pre> }
            if !lines.is_empty() { <pre>{ for lines.iter().map(|l| line(l.mark, &l.text)) }</pre> }
        </>
    }
}
