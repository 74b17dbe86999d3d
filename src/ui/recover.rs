//! What the engine says when it stops by an error of its own. The page around it then starts a new one from the recorded commands.

use super::host;
use super::state::Dispatch;
use gloo_timers::callback::Interval;
use yew::{hook, use_effect_with};

/// How often the run is kept while time passes, in milliseconds.
const KEEP_EVERY: u32 = 5_000;

/// Makes a panic's words known to the page before the engine stops.
pub fn watch() {
    std::panic::set_hook(Box::new(|info| host::stopped(&info.to_string())));
}

/// Keeps the run every few seconds, so that a new engine or the next visit comes near to the moment that was looked at.
#[hook]
pub fn use_keeping(dispatch: Dispatch) {
    use_effect_with((), move |()| {
        let keeping = Interval::new(KEEP_EVERY, move || dispatch.page(|state| state.keep()));
        move || drop(keeping)
    });
}
