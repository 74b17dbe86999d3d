//! What the API server answered, word for word as kubectl prints it.

use crate::ui::markup::{classes, html};
use crate::ui::part::Part;
use loopscope::view::frame::Answer;
use std::rc::Rc;
use yew::Html;

/// The last program's words.
#[derive(PartialEq)]
pub struct AnswerBox {
    pub answer: Option<Rc<Answer>>,
    pub paused: bool,
}

impl Part for AnswerBox {
    fn draw(&self) -> Html {
        let Some(answer) = &self.answer else {
            return html! { <div class="answer" role="status"><p class="soft">{ "Nothing has been applied yet." }</p></div> };
        };
        let failed = answer.exit.is_some_and(|code| code != 0);
        let waiting = match (answer.exit, self.paused) {
            (None, true) => "under way; time stands still",
            (None, false) => "under way …",
            _ => "",
        };
        html! {
            <div class={classes!("answer", failed.then_some("failed"))} role="status" tabindex="0" aria-label="Answer">
                <p class="command"><span aria-hidden="true">{ "$ " }</span>{ &answer.title }</p>
                if !answer.stdout.is_empty() { <pre>{ answer.stdout.trim_end() }</pre> }
                if !answer.stderr.is_empty() { <pre class="stderr">{ answer.stderr.trim_end() }</pre> }
                if !waiting.is_empty() { <p class="soft">{ waiting }</p> }
            </div>
        }
    }
}
