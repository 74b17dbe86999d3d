//! The width of the timeline, by which the page's model places the texts on it.

use crate::ui::dispatch::{Dispatch, use_dispatch};
use loopscope::page::Select;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{HtmlElement, ResizeObserver};
use yew::prelude::*;

/// Reports the width of an element to the page's model whenever it changes.
#[hook]
pub fn use_width(element: &NodeRef) {
    let (dispatch, element) = (use_dispatch(), element.clone());
    use_effect_with((), move |()| {
        let observed = element.cast::<HtmlElement>().map(|element| Observed::new(element, dispatch));
        move || drop(observed)
    });
}

/// An element whose width is observed until this value is dropped.
struct Observed {
    observer: Option<ResizeObserver>,
    _resized: Closure<dyn FnMut()>,
}

impl Observed {
    fn new(element: HtmlElement, dispatch: Dispatch) -> Observed {
        let measured = element.clone();
        let resized = Closure::<dyn FnMut()>::new(move || dispatch.send(Select::TimeWidth(i64::from(measured.client_width()))));
        let observer = ResizeObserver::new(resized.as_ref().unchecked_ref()).ok();
        if let Some(observer) = &observer {
            observer.observe(&element);
        }
        Observed { observer, _resized: resized }
    }
}

impl Drop for Observed {
    fn drop(&mut self) {
        if let Some(observer) = &self.observer {
            observer.disconnect();
        }
    }
}
