//! The presentation of PodDisruptionBudgets on the page: healthy and needed pods, and the number of evictions allowed.

use super::{ANY, KindView};
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::view::cluster::Health;

pub const VIEW: KindView = KindView {
    kind: Some(Kind::POD_DISRUPTION_BUDGET),
    standing: |o| (health(o), text(o)),
    state: |o| (Some(health(o)), text(o)),
    observed: text,
    ..ANY
};

fn health(object: &Object) -> Health {
    let short = object.pod_disruption_budget().is_some_and(|b| b.status.current_healthy < b.status.desired_healthy);
    if short { Health::Waiting } else { Health::Good }
}

fn text(object: &Object) -> String {
    let Some(budget) = object.pod_disruption_budget() else { return String::new() };
    let s = &budget.status;
    format!("{} healthy, {} needed, {} may be evicted", s.current_healthy, s.desired_healthy, s.disruptions_allowed)
}
