//! A button that opens an API object.

use crate::ui::dispatch::use_dispatch;
use loopscope::page::Select;
use loopscope::view::Subject;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct SubjectButtonProps {
    pub subject: Subject,
    pub text: AttrValue,
}

/// A button that opens an API object in the page.
#[component]
pub fn SubjectButton(SubjectButtonProps { subject, text }: &SubjectButtonProps) -> Html {
    let onclick = use_dispatch().on(Select::Open(subject.clone()));
    html! { <button type="button" class="quiet subject" {onclick}>{ text }</button> }
}
