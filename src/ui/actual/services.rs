//! Services, the EndpointSlices behind them, the pods behind those, and where a request would go now.

use super::pod_tile::and_more;
use crate::ui::markup::{classes, html};
use crate::ui::state::Dispatch;
use loopscope::view::services::{EndpointLine, ServiceCard, ServicesView, SliceCard};
use yew::Html;

/// All Services.
pub fn services(view: &ServicesView, dispatch: &Dispatch) -> Html {
    if view.services.is_empty() {
        return html! { <p class="empty">{ "There is no Service." }</p> };
    }
    html! {
        <>
            <div class="services">{ for view.services.iter().map(|card| service(card, dispatch)) }</div>
            { and_more(view.more, "") }
        </>
    }
}

fn service(card: &ServiceCard, dispatch: &Dispatch) -> Html {
    let key = card.key.clone();
    let onclick = dispatch.on_look(move |look| look.services.ask(key.clone()));
    let name = card.key.name.to_string();
    let state = if card.open > 0 { "good" } else { "bad" };
    html! {
        <article key={card.key.to_string()} class={classes!("service", state)} aria-label={["Service ", &name].concat()}>
            <div class="front" data-kind="Service" data-namespace={card.key.namespace.to_string()} data-name={name.clone()}>
                <h3>
                    <button type="button" class="name">
                        if card.key.namespace != "default" { <span class="soft">{ card.key.namespace.as_str() }{ "/" }</span> }
                        { card.key.name.as_str() }
                    </button>
                </h3>
                <p class="soft">{ &card.type_ }{ " " }<span class="mono">{ &card.address }</span></p>
                { for card.ports.iter().map(|port| html! { <p class="soft">{ "port " }{ port }</p> }) }
                <p class="soft">{ "selector " }<span class="mono">{ &card.selector }</span></p>
                <button type="button" class="deed" aria-label={["Send a request to ", &name].concat()} {onclick}>{ "Send a request" }</button>
            </div>
            <p class="outlook" role="status">
                if let Some(request) = &card.request {
                    <span class={classes!("reached", if request.answered { "good" } else { "bad" })}>
                        <span aria-hidden="true">{ if request.answered { "● " } else { "✕ " } }</span>
                        { format!("Request {}: ", request.number) }{ &request.words }{ " " }
                    </span>
                }
                { &card.outlook }
            </p>
            <div class="behind">
                if card.slices.is_empty() { <p class="soft">{ "No EndpointSlice." }</p> }
                { for card.slices.iter().map(slice) }
            </div>
        </article>
    }
}

fn slice(card: &SliceCard) -> Html {
    html! {
        <section key={card.name.clone()} class={classes!("slice", card.on_the_way.then_some("way"))} aria-label={["EndpointSlice ", &card.name].concat()}>
            <h4 class="soft">{ "EndpointSlice " }<span class="mono">{ &card.name }</span></h4>
            <ul>{ for card.endpoints.iter().map(endpoint) }</ul>
            { and_more(card.more, "") }
        </section>
    }
}

fn endpoint(line: &EndpointLine) -> Html {
    let is_pod = !line.pod.is_empty();
    html! {
        <li
            key={[line.ip.as_str(), &line.pod].concat()}
            class={classes!("endpoint", line.health.class(), line.reached.then_some("way"))}
            data-kind={is_pod.then_some("Pod")}
            data-namespace={line.namespace.clone()}
            data-name={line.pod.clone()}
        >
            <span class="glyph" aria-hidden="true">{ line.health.glyph() }</span>
            if is_pod { <button type="button" class="name">{ &line.pod }</button> }
            <span class="mono soft">{ &line.ip }</span>
            <span class="soft">{ &line.conditions }{ if line.node.is_empty() { "" } else { " · " } }{ &line.node }</span>
            if line.reached { <span class="hidden">{ "the request goes here" }</span> }
        </li>
    }
}
