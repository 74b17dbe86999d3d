//! The clock driver: while time passes, each animation frame of the browser tells the reducer how long the last one took.

use super::state::{Action, Dispatch};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use yew::{hook, use_effect_with};

/// Drives the run while `running`.
#[hook]
pub fn use_driver(running: bool, dispatch: Dispatch) {
    use_effect_with(running, move |running| {
        let frames = running.then(|| Frames::start(dispatch));
        move || drop(frames)
    });
}

type Callback = Rc<RefCell<Option<Closure<dyn FnMut(f64)>>>>;

/// A loop of animation frames, which ends when this is dropped.
struct Frames {
    callback: Callback,
    handle: Rc<RefCell<i32>>,
}

impl Frames {
    fn start(dispatch: Dispatch) -> Frames {
        let callback: Callback = Rc::default();
        let handle = Rc::new(RefCell::new(0));
        let (again, next_handle) = (Rc::downgrade(&callback), handle.clone());
        let mut last = None;
        *callback.borrow_mut() = Some(Closure::new(move |now: f64| {
            let elapsed = now - last.replace(now).unwrap_or(now);
            dispatch.send(Action::Tick(elapsed));
            // Pausing drops this loop while it runs: then there is no next frame.
            if let Some(callback) = again.upgrade() {
                *next_handle.borrow_mut() = request(&callback);
            }
        }));
        *handle.borrow_mut() = request(&callback);
        Frames { callback, handle }
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        if let Some(window) = web_sys::window() {
            // A frame that has begun cannot be cancelled, which does no harm.
            drop(window.cancel_animation_frame(*self.handle.borrow()));
        }
        // The closure may be running right now, so it is let go only after the current task.
        let callback = self.callback.clone();
        gloo_timers::callback::Timeout::new(0, move || drop(callback.borrow_mut().take())).forget();
    }
}

fn request(callback: &Callback) -> i32 {
    let callback = callback.borrow();
    let Some((window, closure)) = web_sys::window().zip(callback.as_ref()) else { return 0 };
    window.request_animation_frame(closure.as_ref().unchecked_ref()).unwrap_or(0)
}
