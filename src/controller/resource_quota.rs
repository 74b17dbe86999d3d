//! The resource quota controller: computes what namespaces use and writes it into the status of their quotas. Counterpart: `pkg/controller/resourcequota`.
//!
//! Admission counts new objects by itself, so only deletions, pods that end and changes of quotas need a pass. Simplification: there is no full resync every
//! five minutes, because no change gets lost.

use super::{Controller, Observation, Outcome, Pending, Turn, View};
use crate::api::kind::Kind;
use crate::api::kind::resourcequota::{Amounts, QuotaView, to_map, usage};
use crate::api::object::Object;
use crate::api::quantity::Quantity;
use crate::api::request::Request;
use crate::api::status::Reason;
use crate::api::time::Span;
use crate::client::{Change, WorkKey};
use crate::map;
use std::sync::OnceLock;

/// Keeps the status of ResourceQuotas in step with the objects in their namespaces.
#[derive(Debug)]
pub struct ResourceQuotaController;

/// Returns the kinds whose objects quotas can count: all namespaced ones except Events and Leases.
fn counted() -> &'static [Kind] {
    static KINDS: OnceLock<Vec<Kind>> = OnceLock::new();
    KINDS.get_or_init(|| Kind::built_in().filter(|k| k.row().namespaced && !k.row().is_event_or_lease).collect())
}

impl Controller for ResourceQuotaController {
    fn name(&self) -> &str {
        "resourcequota-controller"
    }
    fn watches(&self) -> &[Kind] {
        counted()
    }
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        let Some(object) = change.object() else { return };
        if object.kind() == Kind::RESOURCE_QUOTA {
            let spec = |o: &Object| o.resource_quota().and_then(|q| q.content.get("spec").cloned());
            let same = matches!((&change.old, &change.new), (Some(old), Some(new)) if spec(old) == spec(new));
            if !same && change.new.is_some() {
                queue(WorkKey::new(Kind::RESOURCE_QUOTA, object.key()), Span(0));
            }
        }
        if frees_something(change) {
            for quota in view.caches.of(Kind::RESOURCE_QUOTA).in_namespace(&object.meta.namespace) {
                queue(WorkKey::new(Kind::RESOURCE_QUOTA, quota.key()), Span(0));
            }
        }
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        let mut seen = view.observation(key, view.caches.get(Kind::RESOURCE_QUOTA, &key.key).cloned());
        let Some(quota) = seen.primary.clone() else { return seen };
        let Some(quota) = QuotaView::of(&quota) else { return seen };
        let wanted = quota.wanted();
        for kind in counted() {
            let objects = view.caches.of(*kind).in_namespace(&key.key.namespace);
            seen.related.extend(objects.filter(|o| !quota.restricted(o, &wanted).is_empty()).cloned());
        }
        seen
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        let Some((object, quota)) = seen.primary.as_ref().and_then(|o| Some((o, QuotaView::of(o)?))) else {
            return Ok(Outcome::Done);
        };
        let hard = quota.wanted();
        let mut used: Amounts = hard.keys().map(|name| (name.clone(), Quantity::ZERO)).collect();
        for counted in &seen.related {
            let restricted = quota.restricted(counted, &hard);
            for (name, amount) in usage(counted, seen.now).iter().filter(|(name, _)| restricted.contains(name)) {
                if let Some(sum) = used.get_mut(name) {
                    *sum = sum.add(amount);
                }
            }
        }
        if hard == quota.hard && used == quota.used {
            return Ok(Outcome::Done);
        }
        turn.differ("usage in the status", text(&used).as_str(), text(&quota.used).as_str());
        let mut new = (**object).clone();
        if let Some(content) = new.resource_quota_mut() {
            content.content.insert("status", map! { "hard" => to_map(&hard), "used" => to_map(&used) });
        }
        let answer = turn.request(Request::update_status(new))?;
        Ok(match answer.refusal() {
            None => Outcome::Done,
            Some(status) if status.reason == Reason::NotFound => Outcome::Done,
            Some(status) => Outcome::Retry(status.message.clone()),
        })
    }
}

fn text(amounts: &Amounts) -> String {
    amounts.iter().map(|(name, amount)| format!("{name}={amount}")).collect::<Vec<_>>().join(", ")
}

/// Returns true if a change lowers what its namespace uses: an object is gone, a pod has ended, or a Service needs fewer ports.
fn frees_something(change: &Change) -> bool {
    match (&change.old, &change.new) {
        (Some(_), None) => true,
        (Some(old), Some(new)) if old.kind() == Kind::POD => {
            let ended = |o: &Object| o.pod().is_some_and(|p| p.status.phase.is_terminal());
            ended(new) && !ended(old)
        }
        (Some(old), Some(new)) if old.kind() == Kind::SERVICE => {
            old.service().map(|s| &s.spec.type_) != new.service().map(|s| &s.spec.type_)
        }
        _ => false,
    }
}
