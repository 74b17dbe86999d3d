//! The details of a message that a person has opened.

use super::close_button;
use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::YamlFigure;
use loopscope::page::Select;
use loopscope::view::loops::message::{MessageDetails, MessageId};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct MessageCardProps {
    pub message: Rc<MessageDetails>,
    pub id: MessageId,
}

/// The details of a message: its sender, its receiver, its times and its contents.
#[component]
pub fn MessageCard(MessageCardProps { message, id }: &MessageCardProps) -> Html {
    let dispatch = use_dispatch();
    html! {
        <section class="opened" aria-label="The message that is open">
            <header><h3 class="mono">{ &message.title }</h3>{ close_button(&dispatch, "the message", Select::ToggleMessage(*id)) }</header>
            <p>{ &message.way }<span class="soft">{ " · " }{ &message.times }</span></p>
            if !message.why.is_empty() { <p class="soft">{ "because " }{ &message.why }</p> }
            <YamlFigure name="body" yaml={message.body.clone()} />
            <YamlFigure name="answer" yaml={message.answer.clone()} />
        </section>
    }
}
