//! The visibility of the page: a hidden tab, or a frame that is scrolled out of sight, costs nothing.

use js_sys::Array;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{IntersectionObserver, IntersectionObserverEntry};
use yew::{UseStateSetter, hook, use_effect_with, use_state};

/// Returns whether the page can be seen, and renders the component again when this changes.
#[hook]
pub fn use_is_visible() -> bool {
    let is_shown = use_state(is_tab_shown);
    let is_in_view = use_state(|| true);
    let (shown, in_view) = (is_shown.setter(), is_in_view.setter());
    use_effect_with((), move |()| {
        let watch = Watch::start(shown, in_view);
        move || drop(watch)
    });
    *is_shown && *is_in_view
}

fn is_tab_shown() -> bool {
    web_sys::window().and_then(|w| w.document()).is_none_or(|document| !document.hidden())
}

/// Observes whether the tab is shown, and whether the page's frame is in view.
struct Watch {
    observer: Option<IntersectionObserver>,
    _tab: Closure<dyn FnMut()>,
    _view: Closure<dyn FnMut(Array)>,
}

impl Watch {
    fn start(shown: UseStateSetter<bool>, in_view: UseStateSetter<bool>) -> Watch {
        let tab = Closure::<dyn FnMut()>::new(move || shown.set(is_tab_shown()));
        let view = Closure::<dyn FnMut(Array)>::new(move |entries: Array| {
            let newest = entries.iter().last().map(|entry| entry.unchecked_into::<IntersectionObserverEntry>());
            in_view.set(newest.is_none_or(|entry| entry.is_intersecting()));
        });
        let observer = IntersectionObserver::new(view.as_ref().unchecked_ref()).ok();
        if let Some(document) = web_sys::window().and_then(|w| w.document()) {
            document.set_onvisibilitychange(Some(tab.as_ref().unchecked_ref()));
            if let (Some(observer), Some(root)) = (&observer, document.document_element()) {
                observer.observe(&root);
            }
        }
        Watch { observer, _tab: tab, _view: view }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(observer) = &self.observer {
            observer.disconnect();
        }
        if let Some(document) = web_sys::window().and_then(|w| w.document()) {
            document.set_onvisibilitychange(None);
        }
    }
}
