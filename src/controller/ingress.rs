//! The built-in ingress controller: writes the address at which it serves an Ingress into the status. The requests themselves are answered by `network::ingress`.
//! Counterpart: the status syncer of an ingress controller, such as ingress-nginx.

use super::{Controller, Observation, Outcome, Pending, Turn, View};
use crate::api::Body;
use crate::api::kind::Kind;
use crate::api::kind::ingress::{ADDRESS, Ingress, is_served};
use crate::api::object::Object;
use crate::api::request::Request;
use crate::api::time::Span;
use crate::api::value::Value;
use crate::client::{Change, WorkKey};
use crate::map;

/// Gives the Ingresses of its class their address.
#[derive(Debug)]
pub struct IngressController;

impl Controller for IngressController {
    fn name(&self) -> &str {
        "ingress-controller"
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::INGRESS, Kind::INGRESS_CLASS]
    }
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        let Some(new) = &change.new else { return };
        let mut add = |ingress: &Object| queue(WorkKey::new(Kind::INGRESS, ingress.key()), Span(0));
        if new.kind() == Kind::INGRESS {
            return add(new);
        }
        view.caches.of(Kind::INGRESS).all().for_each(|ingress| add(ingress));
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        let mut seen = view.observation(key, view.caches.get(Kind::INGRESS, &key.key).cloned());
        seen.related.extend(view.caches.of(Kind::INGRESS_CLASS).all().cloned());
        seen
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        let ours = |o: &&std::sync::Arc<Object>| !o.meta.is_deleting() && is_served(o, &seen.related);
        let Some(ingress) = seen.primary.as_ref().filter(ours) else { return Ok(Outcome::Done) };
        let mut new = Object::clone(ingress);
        let Body::Ingress(Ingress { content }) = &mut new.body else { return Ok(Outcome::Done) };
        let wanted: Vec<Value> = vec![map! { "ip" => ADDRESS }.into()];
        let balancer = content.map_mut("status").map_mut("loadBalancer");
        if balancer.list("ingress") == wanted {
            return Ok(Outcome::Done);
        }
        turn.differ("address", ADDRESS, "");
        balancer.insert("ingress", wanted);
        Ok(match turn.request(Request::update_status(new))?.refusal() {
            Some(status) => Outcome::Retry(status.message.clone()),
            None => Outcome::Done,
        })
    }
}
