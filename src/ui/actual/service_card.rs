//! One Service, its EndpointSlices, and the pods behind these slices.

use super::and_more;
use super::click::on_click;
use crate::ui::dispatch::{Dispatch, use_dispatch};
use crate::ui::widgets::on_menu;
use loopscope::api::kind::Kind;
use loopscope::page::{RunAction, Select};
use loopscope::view::Subject;
use loopscope::view::menus::Thing;
use loopscope::view::services::{self, EndpointLine, Reached, SliceCard};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ServiceCardProps {
    pub card: Rc<services::ServiceCard>,
}

/// A Service as a card, with its EndpointSlices and their pods.
#[component]
pub fn ServiceCard(ServiceCardProps { card }: &ServiceCardProps) -> Html {
    let dispatch = use_dispatch();
    let state = if card.open > 0 { "good" } else { "bad" };
    html! {
        <article class={classes!("service", state)} aria-label={format!("Service {}", card.key.name)}>
            { front(card, &dispatch) }
            <p class="outlook" role="status">
                if let Some(request) = &card.request { { reached(request) } }
                if !card.rate.is_empty() { <span class="rate">{ &card.rate }{ ". " }</span> }
                { &card.outlook }
            </p>
            <div class="behind">
                if card.slices.is_empty() { <p class="soft">{ "No EndpointSlice." }</p> }
                { for card.slices.iter().map(|card| slice(card, &dispatch)) }
            </div>
        </article>
    }
}

/// Draws the part of the card about the Service itself.
fn front(card: &services::ServiceCard, dispatch: &Dispatch) -> Html {
    let (namespace, name) = (card.key.namespace.to_string(), card.key.name.to_string());
    let subject = Subject { kind: Kind::SERVICE, key: card.key.clone() };
    let send = on_click(dispatch, RunAction::SendRequest(card.key.clone()));
    let load = on_click(dispatch, RunAction::ToggleLoad(card.key.clone()));
    html! {
        <div
            class="front"
            data-kind="Service"
            data-namespace={namespace.clone()}
            data-name={name.clone()}
            onclick={on_click(dispatch, Select::Open(subject.clone()))}
            oncontextmenu={on_menu(dispatch, Thing::Object(subject))}
        >
            <h3>
                <button type="button" class="name">
                    if namespace != "default" { <span class="soft">{ &namespace }{ "/" }</span> }
                    { &name }
                </button>
            </h3>
            <p class="soft">{ &card.type_ }{ " " }<span class="mono">{ &card.address }</span></p>
            { for card.ports.iter().map(|port| html! { <p class="soft">{ "port " }{ port }</p> }) }
            <p class="soft">{ "selector " }<span class="mono">{ &card.selector }</span></p>
            if card.can_ask {
                <button type="button" class="send" aria-label={format!("Send a request to {name}")} onclick={send}>{ "Send a request" }</button>
                <button
                    type="button"
                    class="send"
                    aria-pressed={card.load.to_string()}
                    aria-label={format!("Send a steady load to {name}")}
                    onclick={load}
                >
                    { if card.load { "Stop the load" } else { "Steady load" } }
                </button>
            }
        </div>
    }
}

/// Draws the result of the last request that a person sent to the Service.
fn reached(request: &Reached) -> Html {
    let (class, glyph) = if request.answered { ("good", "● ") } else { ("bad", "✕ ") };
    html! {
        <span class={classes!("reached", class)}>
            <span aria-hidden="true">{ glyph }</span>
            <span title={request.way.join("\n")}>{ format!("Request {}: ", request.number) }{ &request.words }</span>{ " " }
        </span>
    }
}

fn slice(card: &SliceCard, dispatch: &Dispatch) -> Html {
    html! {
        <section
            key={card.name.clone()}
            class={classes!("slice", card.on_the_way.then_some("way"))}
            aria-label={format!("EndpointSlice {}", card.name)}
        >
            <h4 class="soft">{ "EndpointSlice " }<span class="mono">{ &card.name }</span></h4>
            <ul>{ for card.endpoints.iter().map(|line| endpoint(line, dispatch)) }</ul>
            { and_more(card.more, "") }
        </section>
    }
}

fn endpoint(line: &EndpointLine, dispatch: &Dispatch) -> Html {
    let pod = (!line.pod.is_empty()).then(|| Subject::new(Kind::POD, &line.namespace, &line.pod));
    html! {
        <li
            key={format!("{}{}", line.ip, line.pod)}
            class={classes!("endpoint", line.health.class(), line.reached.then_some("way"))}
            data-kind={pod.is_some().then_some("Pod")}
            data-namespace={line.namespace.clone()}
            data-name={line.pod.clone()}
            onclick={pod.clone().map(|pod| on_click(dispatch, Select::Open(pod)))}
            oncontextmenu={pod.clone().map(|pod| on_menu(dispatch, Thing::Object(pod)))}
        >
            <span class="glyph" aria-hidden="true">{ line.health.glyph() }</span>
            if pod.is_some() { <button type="button" class="name">{ &line.pod }</button> }
            <span class="mono soft">{ &line.ip }</span>
            <span class="soft">{ &line.conditions }{ if line.node.is_empty() { "" } else { " · " } }{ &line.node }</span>
            if line.reached { <span class="hidden">{ "the request goes here" }</span> }
        </li>
    }
}
