//! Clicks on things that stand inside other things, as a pod on a node: the innermost one has the click for itself.

use crate::ui::dispatch::Dispatch;
use loopscope::page::Action;
use yew::prelude::*;

/// Makes a listener that carries out an action, and keeps the click from the things around.
pub fn on_click(dispatch: &Dispatch, action: impl Into<Action>) -> Callback<MouseEvent> {
    let (dispatch, action) = (dispatch.clone(), action.into());
    Callback::from(move |event: MouseEvent| {
        event.stop_propagation();
        dispatch.send(action.clone());
    })
}
