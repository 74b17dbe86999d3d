//! Click listeners of elements inside others, such as a pod on a node: only the innermost element handles the click.

use crate::ui::dispatch::Dispatch;
use loopscope::page::Action;
use yew::prelude::*;

/// Returns a listener that carries out an action and stops the click from reaching the elements around.
pub fn on_click(dispatch: &Dispatch, action: impl Into<Action>) -> Callback<MouseEvent> {
    let (dispatch, action) = (dispatch.clone(), action.into());
    Callback::from(move |event: MouseEvent| {
        event.stop_propagation();
        dispatch.send(action.clone());
    })
}
