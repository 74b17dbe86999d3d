//! A modal dialog, the browser's `<dialog>`.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::OverlayAction;
use web_sys::HtmlDialogElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ModalDialogProps {
    pub class: &'static str,
    /// The dialog's name; `None` if its `DialogHead` names it.
    #[prop_or_default]
    pub label: Option<&'static str>,
    pub children: Html,
}

/// A dialog that opens when it is first drawn. Escape closes it.
#[component]
pub fn ModalDialog(ModalDialogProps { class, label, children }: &ModalDialogProps) -> Html {
    let node = use_node_ref();
    let drawn = node.clone();
    use_effect_with((), move |()| {
        if let Some(dialog) = drawn.cast::<HtmlDialogElement>().filter(|dialog| !dialog.open()) {
            // A dialog that cannot be modal is still in the page; ignore failure.
            let _ = dialog.show_modal();
        }
    });
    let onclose = use_dispatch().on(OverlayAction::Close);
    let labelled_by = label.is_none().then_some("dialog-title");
    html! { <dialog ref={node} class={*class} aria-label={*label} aria-labelledby={labelled_by} {onclose}>{ children.clone() }</dialog> }
}
