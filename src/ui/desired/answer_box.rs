//! The API server's answer to the last command, word for word as kubectl prints it.

use loopscope::view::frame::Answer;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct AnswerBoxProps {
    pub answer: Option<Rc<Answer>>,
    pub is_paused: bool,
    /// Set while the page shows a past moment.
    pub is_past: bool,
}

/// The output of the last command that was not entered in the terminal.
#[component]
pub fn AnswerBox(AnswerBoxProps { answer, is_paused, is_past }: &AnswerBoxProps) -> Html {
    let Some(answer) = answer else {
        let words = if *is_past { "At this moment nothing had been applied." } else { "Nothing has been applied yet." };
        return html! { <div class="answer" role="status"><p class="soft">{ words }</p></div> };
    };
    let has_failed = answer.exit.is_some_and(|code| code != 0);
    let waiting = match (answer.exit, is_paused) {
        (None, true) => "still runs; time stands still",
        (None, false) => "still runs …",
        _ => "",
    };
    html! {
        <div class={classes!("answer", has_failed.then_some("failed"))} role="status" tabindex="0" aria-label="Answer">
            <p class="command"><span aria-hidden="true">{ "$ " }</span>{ &answer.title }</p>
            if !answer.stdout.is_empty() { <pre>{ answer.stdout.trim_end().to_owned() }</pre> }
            if !answer.stderr.is_empty() { <pre class="stderr">{ answer.stderr.trim_end().to_owned() }</pre> }
            if !waiting.is_empty() { <p class="soft">{ waiting }</p> }
        </div>
    }
}
