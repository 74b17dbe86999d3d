//! The values that CodeMirror and the page exchange. They are passed as JavaScript objects; `static/editor/editor.mjs` has the same field names.
//!
//! Browsers count positions in UTF-16 units, the library in bytes.

use loopscope::page::utf16::{byte_of, units_of};
use loopscope::view::assist::{self, Problem, Severity};
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;

/// An action of a person in the editor, which CodeMirror reports.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Report {
    /// The person has changed the text to this.
    Edit { text: String },
    /// The person wants to apply the text.
    Apply,
}

/// A question of CodeMirror about a position in a text.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Question {
    /// Asks for the completions at the position `at`.
    Complete { text: String, at: usize },
    /// Asks for help on the word at the position `at`.
    Hover { text: String, at: usize },
}

/// The completions at a position, and the range of the text that they replace.
#[derive(Serialize)]
struct CompletionList {
    from: usize,
    to: usize,
    items: Vec<Completion>,
}

#[derive(Serialize)]
struct Completion {
    label: String,
    detail: String,
    info: String,
    /// The text that is inserted.
    apply: String,
}

/// Help on a range of the text.
#[derive(Serialize)]
struct Help {
    from: usize,
    to: usize,
    title: String,
    detail: String,
    help: String,
}

/// A range of the text that is marked because of a problem.
#[derive(Serialize)]
struct Diagnostic<'p> {
    from: usize,
    to: usize,
    severity: &'static str,
    message: &'p str,
}

/// Returns the answer to a question, as a JavaScript object; `undefined` if there is no help.
pub fn answer(question: Question) -> JsValue {
    match question {
        Question::Complete { text, at } => to_js(&complete(&text, at)),
        Question::Hover { text, at } => to_js(&hover(&text, at)),
    }
}

fn complete(text: &str, at: usize) -> CompletionList {
    let found = assist::complete(text, byte_of(text, at));
    let completion =
        |choice: assist::Choice| Completion { label: choice.label, detail: choice.detail, info: choice.info, apply: choice.apply };
    CompletionList {
        from: units_of(text, found.from),
        to: units_of(text, found.to),
        items: found.items.into_iter().map(completion).collect(),
    }
}

fn hover(text: &str, at: usize) -> Option<Help> {
    let found = assist::hover(text, byte_of(text, at))?;
    let (from, to) = (units_of(text, found.from), units_of(text, found.to));
    Some(Help { from, to, title: found.title, detail: found.detail, help: found.help })
}

/// Converts problems to diagnostics of CodeMirror, as JavaScript objects.
pub fn diagnostics(text: &str, problems: &[Problem]) -> JsValue {
    to_js(&problems.iter().map(|problem| diagnostic(text, problem)).collect::<Vec<_>>())
}

fn diagnostic<'p>(text: &str, problem: &'p Problem) -> Diagnostic<'p> {
    let severity = if problem.severity == Severity::Error { "error" } else { "warning" };
    Diagnostic { from: units_of(text, problem.from), to: units_of(text, problem.to), severity, message: &problem.message }
}

fn to_js(value: &impl Serialize) -> JsValue {
    // Numbers and strings can always be converted to JavaScript values.
    serde_wasm_bindgen::to_value(value).unwrap_or_default()
}
