//! The frame of every dialog, which is the browser's modal `<dialog>`.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::OverlayAction;
use web_sys::HtmlDialogElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ModalDialogProps {
    pub class: &'static str,
    /// The accessible name of the dialog; `None` if its `DialogHead` names it.
    #[prop_or_default]
    pub label: Option<&'static str>,
    pub children: Html,
}

/// A modal dialog, which opens when it is first rendered. Escape closes it.
#[component]
pub fn ModalDialog(ModalDialogProps { class, label, children }: &ModalDialogProps) -> Html {
    let node = use_node_ref();
    let drawn = node.clone();
    use_effect_with((), move |()| {
        if let Some(dialog) = drawn.cast::<HtmlDialogElement>().filter(|dialog| !dialog.open()) {
            // A dialog that cannot be modal is still shown in the page; ignore failure.
            let _ = dialog.show_modal();
        }
    });
    let onclose = use_dispatch().on(OverlayAction::Close);
    let labelled_by = label.is_none().then_some("dialog-title");
    html! { <dialog ref={node} class={*class} aria-label={*label} aria-labelledby={labelled_by} {onclose}>{ children.clone() }</dialog> }
}
