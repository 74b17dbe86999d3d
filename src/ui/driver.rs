//! The clock driver: while time passes, each animation frame of the browser tells the reducer how long the last one took, how long the engine may
//! work, and whether the screen is drawn. Drawing that takes longer than a frame gets at most half of the time, and whoever types goes first.
//! The work is done right after the frame and not in it, so that the browser can lay out and paint, or hear a key, in between.

use super::state::{Action, Dispatch, Tick, wall_ms};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use yew::{hook, use_effect_with};

/// Drives the run while `running`; a `fast` one is drawn every other frame, which nobody can tell.
#[hook]
pub fn use_driver(running: bool, fast: bool, dispatch: Dispatch) {
    use_effect_with((running, fast), move |(running, fast)| {
        let frames = running.then(|| Frames::start(*fast, dispatch));
        move || drop(frames)
    });
}

/// A frame that took longer than this had too much in it.
const LATE_MS: f64 = 25.0;
/// The least time between two drawings of a fast run.
const FAST_MS: f64 = 30.0;
/// So long after a key whoever pressed it goes first.
const TYPING_MS: f64 = 150.0;
/// But no drawing waits longer than this.
const PATIENCE_MS: f64 = 400.0;
/// How long the engine may work in a frame: with nothing else in it, with a drawing, with a drawing that is late, and beside a person who types.
const ALONE_MS: f64 = 10.0;
const BESIDE_MS: f64 = 6.0;
const LATE_BUDGET_MS: f64 = 1.0;
const TYPING_BUDGET_MS: f64 = 2.0;

/// When the screen was drawn and what that took.
#[derive(Default)]
struct Rhythm {
    fast: bool,
    frame_at: Option<f64>,
    drawn_at: f64,
    /// Whether the last frame had a drawing in it.
    drew: bool,
    /// How long a frame with a drawing in it takes.
    cost_ms: f64,
}

impl Rhythm {
    fn tick(&mut self, now: f64, key_at: f64) -> Tick {
        let elapsed_ms = now - self.frame_at.replace(now).unwrap_or(now);
        if self.drew {
            self.cost_ms = elapsed_ms;
        }
        let (since, late, typing) = (now - self.drawn_at, self.cost_ms > LATE_MS, now - key_at < TYPING_MS);
        let rest = if late {
            self.cost_ms * 2.0
        } else if self.fast {
            FAST_MS
        } else {
            0.0
        };
        let draw = since >= PATIENCE_MS || since >= rest && !typing;
        if draw {
            self.drawn_at = now;
        }
        self.drew = draw;
        let budget_ms = match (typing, draw, late) {
            (true, ..) => TYPING_BUDGET_MS,
            (_, true, true) => LATE_BUDGET_MS,
            (_, true, false) => BESIDE_MS,
            (_, false, _) => ALONE_MS,
        };
        Tick { elapsed_ms, budget_ms, draw }
    }
}

type Callback = Rc<RefCell<Option<Closure<dyn FnMut(f64)>>>>;

/// A loop of animation frames, which ends when this is dropped.
struct Frames {
    callback: Callback,
    /// The frame that is asked for; none when this has ended.
    handle: Rc<Cell<Option<i32>>>,
    /// Told of every key.
    listener: Closure<dyn FnMut()>,
}

impl Frames {
    fn start(fast: bool, dispatch: Dispatch) -> Frames {
        let callback: Callback = Rc::default();
        let (handle, key_at) = (Rc::new(Cell::new(None)), Rc::new(Cell::new(f64::MIN)));
        let (again, next_handle, last_key) = (Rc::downgrade(&callback), handle.clone(), key_at.clone());
        let mut rhythm = Rhythm { fast, ..Rhythm::default() };
        *callback.borrow_mut() = Some(Closure::new(move |now: f64| {
            let tick = rhythm.tick(now, last_key.get());
            let (dispatch, again, next_handle) = (dispatch.clone(), again.clone(), next_handle.clone());
            let work = move || {
                // Pausing ends this loop while it runs: then there is no next frame.
                if next_handle.get().is_some() {
                    dispatch.send(Action::Tick(tick));
                }
                if let Some(callback) = again.upgrade().filter(|_| next_handle.get().is_some()) {
                    next_handle.set(Some(request(&callback)));
                }
            };
            gloo_timers::callback::Timeout::new(0, work).forget();
        }));
        handle.set(Some(request(&callback)));
        let listener = Closure::<dyn FnMut()>::new(move || key_at.set(wall_ms()));
        if let Some(window) = web_sys::window() {
            // Without it typing is only less smooth.
            drop(window.add_event_listener_with_callback_and_bool("keydown", listener.as_ref().unchecked_ref(), true));
        }
        Frames { callback, handle, listener }
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        if let Some(window) = web_sys::window() {
            // A frame that has begun cannot be cancelled, which does no harm.
            drop(window.cancel_animation_frame(self.handle.take().unwrap_or(0)));
            drop(window.remove_event_listener_with_callback_and_bool("keydown", self.listener.as_ref().unchecked_ref(), true));
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
