//! The example manifests: a list to choose from, and the offer to start a run with one.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::Action;
use loopscope::view::examples::examples;
use std::rc::Rc;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ExampleOfferProps {
    pub text: Rc<str>,
    /// The manifest as it was applied last.
    pub applied: Rc<str>,
}

/// Offers to start a new run with the example in the editor, as long as it has not been applied.
#[component]
pub fn ExampleOffer(ExampleOfferProps { text, applied }: &ExampleOfferProps) -> Html {
    let dispatch = use_dispatch();
    let Some(example) = examples().iter().find(|example| example.manifest() == &**text && text != applied) else { return Html::default() };
    html! {
        <p class="example-offer">
            <button type="button" onclick={dispatch.on(Action::StartExample(example.manifest()))}>{ "Start a new run with only this example" }</button>
        </p>
    }
}

/// A list of examples; choosing one puts it into the editor.
#[component]
pub fn ExampleSelect() -> Html {
    let dispatch = use_dispatch();
    let onchange = move |event: Event| {
        let select: HtmlSelectElement = event.target_unchecked_into();
        if let Some(example) = examples().iter().find(|example| example.title == select.value()) {
            dispatch.send(Action::Example(example.manifest()));
        }
        // Resets the list, so that the same example can be chosen again.
        select.set_selected_index(0);
    };
    let option = |title: &'static str| html! { <option value={title}>{ title }</option> };
    html! {
        <select class="examples" aria-label="Examples" {onchange}>
            <option value="" selected=true>{ "Examples" }</option>
            { for examples().iter().map(|example| option(example.title)) }
        </select>
    }
}
