//! The clock driver: while virtual time passes, it turns animation frames of the browser into ticks of the page's clock. A tick says how long the last one
//! took, how long the engine may work, and whether the screen is rendered.
//!
//! Rendering that takes longer than a frame gets at most half of the time, a third in a fast run, and typing takes precedence. The engine works right
//! after a frame and not in it, so that the browser can lay out, paint or handle a key in between. In a fast run whose engine never finishes in time it
//! works on without waiting for frames, and the page is rendered ten times a second: whoever waits for 150,000 pods wants them soon. A cluster at rest
//! needs no frames: the driver sleeps until the next event is due, at most a second, which is how often the clock on the screen then changes.

use super::browser::wall_ms;
use super::dispatch::Dispatch;
use gloo_timers::callback::Timeout;
use loopscope::page::Tick;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use yew::{hook, use_effect_with};

/// The mode in which the clock driver works.
#[derive(Clone, Copy, PartialEq)]
pub struct Drive {
    /// Set if the driver runs; otherwise virtual time stands still.
    pub running: bool,
    /// Set if the driver renders only every other frame, as in a run at high speed.
    pub fast: bool,
    /// A number that changes when the cluster comes to rest or leaves it, and with every action during the rest; `None` while the cluster is not at rest.
    /// A change makes Yew start a new driver at once, instead of at the end of a sleep.
    pub rest: Option<u64>,
}

/// Runs the clock driver, which lets virtual time pass frame by frame, while the component exists and `drive.running` is set.
#[hook]
pub fn use_driver(drive: Drive, dispatch: Dispatch) {
    use_effect_with(drive, move |drive| {
        let driver = drive.running.then(|| Driver::start(drive.fast, dispatch));
        move || drop(driver)
    });
}

/// The duration above which a frame with a rendering counts as late, in milliseconds.
const LATE_MS: f64 = 25.0;
/// The minimum time between two renderings in a fast run.
const FAST_MS: f64 = 30.0;
/// The minimum time between two renderings if the engine needs all the time that it can get.
const BUSY_MS: f64 = 100.0;
/// The time after a key press during which typing takes precedence over rendering.
const TYPING_MS: f64 = 150.0;
/// The maximum time between two renderings.
const PATIENCE_MS: f64 = 400.0;
/// The shortest rest for which the driver sleeps instead of waiting for the next frame.
const SHORT_REST_MS: f64 = 40.0;
/// The time for which the engine may work in a frame without a rendering.
const ALONE_MS: f64 = 10.0;
/// The time for which the engine may work in a frame without a rendering, in a fast run.
const FAST_ALONE_MS: f64 = 30.0;
/// The time for which the engine may work in a frame with a rendering.
const BESIDE_MS: f64 = 6.0;
/// The time for which the engine may work in a frame with a late rendering.
const LATE_BUDGET_MS: f64 = 1.0;
/// The time for which the engine may work in a frame while a person types.
const TYPING_BUDGET_MS: f64 = 2.0;

/// Decides for each frame how long the engine may work and whether the page is drawn, from the durations of the last frames.
#[derive(Default)]
struct Rhythm {
    fast: bool,
    frame_at: Option<f64>,
    drawn_at: f64,
    /// Set if the page was drawn in the last frame.
    drew: bool,
    /// The duration of the last frame in which the page was drawn.
    cost_ms: f64,
    /// Set if the driver has slept since the last frame.
    rested: bool,
    /// Set if the engine had work left at the end of the last tick without a rendering.
    busy: bool,
}

impl Rhythm {
    fn tick(&mut self, now: f64, key_at: f64) -> Tick {
        let elapsed_ms = now - self.frame_at.replace(now).unwrap_or(now);
        if std::mem::take(&mut self.rested) {
            self.drew = false;
            self.cost_ms = 0.0;
        }
        if self.drew {
            self.cost_ms = elapsed_ms;
        }
        let (since, late, typing) = (now - self.drawn_at, self.cost_ms > LATE_MS, now - key_at < TYPING_MS);
        let draw = since >= PATIENCE_MS || since >= self.pause_ms() && !typing;
        if draw {
            self.drawn_at = now;
        }
        self.drew = draw;
        let budget_ms = match (typing, draw, late) {
            (true, ..) => TYPING_BUDGET_MS,
            (_, true, true) => LATE_BUDGET_MS,
            (_, true, false) => BESIDE_MS,
            (_, false, _) if self.fast => FAST_ALONE_MS,
            (_, false, _) => ALONE_MS,
        };
        Tick { elapsed_ms, budget_ms, draw }
    }
    /// Returns the minimum time between the last rendering and the next.
    fn pause_ms(&self) -> f64 {
        match (self.cost_ms > LATE_MS, self.fast) {
            (true, false) => self.cost_ms * 2.0,
            (true, true) => (self.cost_ms * 3.0).max(if self.busy { BUSY_MS } else { 0.0 }),
            (false, true) if self.busy => BUSY_MS,
            (false, true) => FAST_MS,
            (false, false) => 0.0,
        }
    }
    /// Returns whether the engine should work on before the next frame: in a fast run it has work left, nobody types, and the page need not be rendered yet.
    fn works_on(&self, now: f64, key_at: f64) -> bool {
        let typing = now - key_at < TYPING_MS;
        self.fast && self.busy && !self.drew && !typing && now - self.drawn_at < self.pause_ms()
    }
}

/// The event that the driver waits for.
enum Waiting {
    /// An animation frame of the browser, by its handle.
    Frame(i32),
    /// A timer: the end of a rest, or the moment right after a frame.
    Timer(#[expect(dead_code, reason = "dropping it cancels the timer")] Timeout),
}

/// Turns the browser's animation frames into ticks of the page's clock until it is dropped.
struct Driver {
    shared: Rc<Shared>,
    /// The listener that stores the time of each key press.
    listener: Closure<dyn FnMut()>,
}

/// A callback that the browser calls with the time of an animation frame.
type OnFrame = Closure<dyn FnMut(f64)>;

struct Shared {
    dispatch: Dispatch,
    rhythm: RefCell<Rhythm>,
    key_at: Cell<f64>,
    waiting: RefCell<Option<Waiting>>,
    on_frame: RefCell<Option<OnFrame>>,
    is_over: Cell<bool>,
}

impl Driver {
    fn start(fast: bool, dispatch: Dispatch) -> Driver {
        let shared = Rc::new(Shared {
            dispatch,
            rhythm: RefCell::new(Rhythm { fast, ..Rhythm::default() }),
            key_at: Cell::new(f64::MIN),
            waiting: RefCell::default(),
            on_frame: RefCell::default(),
            is_over: Cell::new(false),
        });
        let weak = Rc::downgrade(&shared);
        *shared.on_frame.borrow_mut() = Some(Closure::new(move |now: f64| {
            if let Some(shared) = weak.upgrade() {
                shared.frame(now);
            }
        }));
        shared.wait_for_frame();
        let keys = Rc::downgrade(&shared);
        let listener = Closure::<dyn FnMut()>::new(move || {
            if let Some(shared) = keys.upgrade() {
                shared.key_at.set(wall_ms());
            }
        });
        if let Some(window) = web_sys::window() {
            // Without the listener typing is only less smooth; ignore failure.
            let _ = window.add_event_listener_with_callback_and_bool("keydown", listener.as_ref().unchecked_ref(), true);
        }
        Driver { shared, listener }
    }
}

impl Shared {
    fn wait_for_frame(&self) {
        let on_frame = self.on_frame.borrow();
        let Some((window, closure)) = web_sys::window().zip(on_frame.as_ref()) else { return };
        *self.waiting.borrow_mut() = window.request_animation_frame(closure.as_ref().unchecked_ref()).ok().map(Waiting::Frame);
    }
    /// Lets the engine work right after a frame, or after a tick that needed none.
    fn frame(self: &Rc<Self>, now: f64) {
        let tick = self.rhythm.borrow_mut().tick(now, self.key_at.get());
        let shared = self.clone();
        *self.waiting.borrow_mut() = Some(Waiting::Timer(Timeout::new(0, move || shared.work(tick))));
    }
    fn work(self: &Rc<Self>, tick: Tick) {
        let began = wall_ms();
        self.dispatch.send(tick);
        // The tick may have stopped this driver, for example at a breakpoint.
        if self.is_over.get() {
            return;
        }
        let now = wall_ms();
        if !tick.draw {
            self.rhythm.borrow_mut().busy = now - began >= tick.budget_ms;
        }
        if self.rhythm.borrow().works_on(now, self.key_at.get()) {
            return self.frame(now);
        }
        let rest_ms = self.dispatch.page(|page| page.rest_ms());
        if rest_ms < SHORT_REST_MS {
            return self.wait_for_frame();
        }
        self.rhythm.borrow_mut().rested = true;
        let shared = self.clone();
        *self.waiting.borrow_mut() = Some(Waiting::Timer(Timeout::new(rest_ms as u32, move || shared.wait_for_frame())));
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.shared.is_over.set(true);
        if let Some(window) = web_sys::window() {
            if let Some(Waiting::Frame(handle)) = self.shared.waiting.borrow_mut().take() {
                let _ = window.cancel_animation_frame(handle);
            }
            let _ = window.remove_event_listener_with_callback_and_bool("keydown", self.listener.as_ref().unchecked_ref(), true);
        }
        // The closure may be running right now, so it is dropped only after the current task.
        let shared = self.shared.clone();
        Timeout::new(0, move || drop(shared.on_frame.borrow_mut().take())).forget();
    }
}
