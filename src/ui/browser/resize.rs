//! Observation of the size of elements.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

/// Calls `resized` whenever the size of an element changes.
#[hook]
pub fn use_resize(element: &NodeRef, resized: Callback<()>) {
    let element = element.clone();
    use_effect_with((), move |()| {
        let observed = element.cast::<Element>().map(|element| Observed::new(&element, resized));
        move || drop(observed)
    });
}

/// An element whose size is observed until this value is dropped.
struct Observed {
    observer: Option<ResizeObserver>,
    _resized: Closure<dyn FnMut()>,
}

impl Observed {
    fn new(element: &Element, resized: Callback<()>) -> Observed {
        let resized = Closure::<dyn FnMut()>::new(move || resized.emit(()));
        let observer = ResizeObserver::new(resized.as_ref().unchecked_ref()).ok();
        if let Some(observer) = &observer {
            observer.observe(element);
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
