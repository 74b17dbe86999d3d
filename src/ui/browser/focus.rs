//! The keyboard focus: moves to a part of the page when the model requests it.

use loopscope::page::{Focus, FocusTarget, Pane};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::{hook, use_effect_with};

/// Moves the keyboard focus when the page's model requests it.
#[hook]
pub fn use_focus(focus: Focus) {
    use_effect_with(focus, |focus| {
        let element = focus.target.and_then(|target| find(selector(target)));
        if let Some(element) = element {
            if element.tab_index() < 0 && writable_inside(&element).is_none() {
                // A pane can take the focus only by a script.
                let _ = element.set_attribute("tabindex", "-1");
            }
            focus_on(&element);
        }
    });
}

fn selector(target: FocusTarget) -> &'static str {
    match target {
        FocusTarget::Pane(Pane::Desired) => ".desired",
        FocusTarget::Pane(Pane::Actual) => ".actual",
        FocusTarget::Pane(Pane::Loop) => ".loop",
        FocusTarget::Pane(Pane::Time) => ".drawer",
        FocusTarget::Editor => ".desired .rich:not(.waiting), .desired textarea",
        FocusTarget::Terminal | FocusTarget::Pane(Pane::Terminal) => "#terminal-line",
    }
}

fn find(selector: &str) -> Option<HtmlElement> {
    web_sys::window()?.document()?.query_selector(selector).ok().flatten()?.dyn_into().ok()
}

/// Returns the element that has the focus; `None` if it is the document's body.
pub fn focused() -> Option<HtmlElement> {
    let element = web_sys::window()?.document()?.active_element()?;
    // SVG elements take the focus in the same way as HTML elements.
    Some(element.unchecked_into::<HtmlElement>()).filter(|element| element.tag_name() != "BODY")
}

/// Focuses an element, or the editor inside it. Focus is best effort; a failure is ignored.
pub fn focus_on(element: &HtmlElement) {
    let _ = writable_inside(element).as_ref().unwrap_or(element).focus();
}

/// Returns the editable element inside an element's shadow root, if there is one.
fn writable_inside(element: &HtmlElement) -> Option<HtmlElement> {
    let root = element.shadow_root()?;
    let inside: Element = root.query_selector("[contenteditable]").ok().flatten()?;
    inside.dyn_into().ok()
}
