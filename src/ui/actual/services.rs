//! The view of all Services, and of the pods to which a request to each would go now.

use super::and_more;
use super::service_card::ServiceCard;
use loopscope::view::services::{self, ServicesView};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ServicesStageProps {
    pub view: Rc<ServicesView>,
}

/// All Services as cards.
#[component]
pub fn ServicesStage(ServicesStageProps { view }: &ServicesStageProps) -> Html {
    if view.services.is_empty() {
        return html! { <p class="empty">{ "There is no Service." }</p> };
    }
    let service = |card: &Rc<services::ServiceCard>| html! { <ServiceCard key={card.key.to_string()} card={card.clone()} /> };
    html! {
        <>
            <div class="services">{ for view.services.iter().map(service) }</div>
            { and_more(view.more, "") }
        </>
    }
}
