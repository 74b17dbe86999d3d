//! The terminal: kubectl and a small shell, typed. The browser's own text field keeps selection, undo and pasting as people know them.

use crate::ui::markup::{classes, html};
use crate::ui::part::{Part, keyed_part};
use crate::ui::press::typed;
use crate::ui::state::{Action, Dispatch, Key};
use loopscope::view::terminal::{CallView, EntryView, TerminalView};
use std::rc::Rc;
use web_sys::{Element, HtmlTextAreaElement};
use yew::{AttrValue, Event, Html, KeyboardEvent, MouseEvent, Properties, component, use_effect_with, use_node_ref};

#[derive(Properties, PartialEq)]
pub struct TerminalProps {
    pub view: Rc<TerminalView>,
    /// What stands in the line.
    pub line: AttrValue,
    /// What may stand at the cursor, if that was asked.
    pub choices: Rc<Vec<String>>,
    pub paused: bool,
    pub dispatch: Dispatch,
}

/// What was entered with its answers, and the line for the next.
#[component]
pub fn Terminal(props: &TerminalProps) -> Html {
    let (screen, field) = (use_node_ref(), use_node_ref());
    // The newest line is in sight, unless a person has scrolled up to read.
    let at_end = screen.clone();
    use_effect_with((props.view.clone(), props.choices.clone()), move |_| {
        if let Some(screen) = at_end.cast::<Element>() {
            let hidden = screen.scroll_height() - screen.client_height() - screen.scroll_top();
            if hidden < screen.client_height() {
                screen.set_scroll_top(screen.scroll_height());
            }
        }
    });
    let dispatch = props.dispatch.clone();
    let oninput = move |event: Event| dispatch.send(Action::Key(Key::Line(typed(&event))));
    let (dispatch, typed, busy) = (props.dispatch.clone(), field.clone(), props.view.busy);
    let onkeydown = move |event: KeyboardEvent| {
        let Some(field) = typed.cast::<HtmlTextAreaElement>() else { return };
        if let Some(action) = key(&event, &field, busy) {
            event.prevent_default();
            dispatch.send(Action::Key(action));
        }
    };
    let focus = field.clone();
    let onclick = move |_: MouseEvent| {
        let selecting = web_sys::window().and_then(|w| w.get_selection().ok().flatten()).is_some_and(|s| !s.is_collapsed());
        if let (Some(field), false) = (focus.cast::<HtmlTextAreaElement>(), selecting) {
            // A field that cannot be focused is no worse off than before.
            drop(field.focus());
        }
    };
    let waiting = if props.view.busy && props.paused { "running; time stands still (press play), Ctrl-C ends it" } else { "" };
    html! {
        <div class="terminal" {onclick}>
            <div class="screen" ref={screen} tabindex="0" role="log" aria-label="Terminal output">
                if props.view.entries.is_empty() {
                    <p class="soft">{ "kubectl, with pipes to grep, head, awk and the like. Try: kubectl get pods -o wide" }</p>
                }
                { for props.view.entries.iter().map(|e| keyed_part(e.id, Entry { entry: e.clone() })) }
                if !waiting.is_empty() { <p class="soft">{ waiting }</p> }
            </div>
            if !props.choices.is_empty() {
                <p class="choices mono" role="status">{ props.choices.join("  ") }</p>
            }
            <div class="prompt-line">
                <label class="mono" for="terminal-line">{ if props.view.busy { "…" } else { &props.view.prompt } }</label>
                <textarea
                    id="terminal-line"
                    ref={field}
                    rows={props.line.split('\n').count().clamp(1, 8)}
                    value={props.line.clone()}
                    {oninput}
                    {onkeydown}
                    aria-label="Command"
                    spellcheck="false"
                    autocomplete="off"
                    autocapitalize="off"
                />
            </div>
        </div>
    }
}

/// What a key means in the line.
fn key(event: &KeyboardEvent, field: &HtmlTextAreaElement, busy: bool) -> Option<Key> {
    let (text, cursor) = (field.value(), field.selection_start().ok().flatten().unwrap_or(0));
    let nothing_selected = field.selection_end().ok().flatten() == Some(cursor);
    let several = text.contains('\n');
    match event.key().as_str() {
        "Enter" if !event.shift_key() => Some(Key::Enter),
        "Tab" if !event.shift_key() && !text.trim().is_empty() => Some(Key::Complete(cursor as usize)),
        "ArrowUp" if !several => Some(Key::Recall(-1)),
        "ArrowDown" if !several => Some(Key::Recall(1)),
        "c" if event.ctrl_key() && nothing_selected && (busy || !text.is_empty()) => Some(Key::Interrupt),
        "l" if event.ctrl_key() => Some(Key::Clear),
        _ => None,
    }
}

/// One entry with its answer and its requests.
#[derive(PartialEq)]
struct Entry {
    entry: Rc<EntryView>,
}

impl Part for Entry {
    fn draw(&self) -> Html {
        let e = &self.entry;
        let piece = |(complaint, text): &(bool, String)| html! { <span class={classes!(complaint.then_some("stderr"))}>{ text }</span> };
        let call = |c: &CallView| {
            let code = c.code.map_or_else(|| "…".to_owned(), |code| code.to_string());
            html! { <li><span class="mono">{ format!("{} {} → {code}", c.method, c.url) }</span>{ format!(" {}", c.why) }</li> }
        };
        let count = e.calls.len();
        html! {
            <div class="entry">
                if !e.cleared { <p class="entered mono"><span class="soft">{ &e.prompt }{ " " }</span>{ &e.text }</p> }
                if !e.pieces.is_empty() { <pre class="mono">{ for e.pieces.iter().map(piece) }</pre> }
                if e.exit == Some(130) { <p class="mono">{ "^C" }</p> }
                if count > 0 {
                    <details class="calls soft">
                        <summary>{ format!("{count} API request{}", if count == 1 { "" } else { "s" }) }</summary>
                        <ol>{ for e.calls.iter().map(call) }</ol>
                    </details>
                }
            </div>
        }
    }
}
