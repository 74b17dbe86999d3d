//! Gives every namespace a default ServiceAccount and the cluster's root certificate. Counterparts: `pkg/controller/serviceaccount` and
//! `pkg/controller/certificates/rootcacertpublisher`.

use super::{Controller, Observation, Outcome, Pending, Turn, View};
use crate::api::Body;
use crate::api::kind::Kind;
use crate::api::kind::configmap::ConfigMap;
use crate::api::kind::serviceaccount::ServiceAccount;
use crate::api::meta::{Key, Meta, StrMap};
use crate::api::object::Object;
use crate::api::request::{Request, Response};
use crate::api::status::Reason;
use crate::api::time::Span;
use crate::api::value::Map;
use crate::client::{Change, WorkKey};
use crate::map;
use arcstr::ArcStr;
use arcstr::literal;
use std::sync::Arc;

const DEFAULT: &str = "default";
const ROOT_CA: &str = "kube-root-ca.crt";
const DESCRIPTION: &str = "kubernetes.io/description";
const DESCRIPTION_TEXT: &str = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";
/// The content of the published root certificate. It is no real certificate, because nothing in the simulator speaks TLS.
const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----\nTG9vcHNjb3BlIGhhcyBubyBzZWNyZXRzLg==\n-----END CERTIFICATE-----\n";

/// Gives every namespace a ServiceAccount named `default`.
#[derive(Debug)]
pub struct ServiceAccountController;

/// Gives every namespace a ConfigMap with the root certificate.
#[derive(Debug)]
pub struct RootCaPublisherController;

impl Controller for ServiceAccountController {
    fn name(&self) -> &str {
        "serviceaccount-controller"
    }
    fn workers(&self) -> usize {
        1
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::NAMESPACE, Kind::SERVICE_ACCOUNT]
    }
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        notify(view, change, Kind::SERVICE_ACCOUNT, DEFAULT, queue);
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        observe(view, key, Kind::SERVICE_ACCOUNT, DEFAULT)
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        if !is_active(seen.primary.as_deref()) || !seen.related.is_empty() {
            return Ok(Outcome::Done);
        }
        turn.differ("service accounts", 1, 0);
        let account = new(&seen.key, DEFAULT, Body::ServiceAccount(ServiceAccount::default()));
        Ok(outcome(turn.request(Request::create(account))?))
    }
}

impl Controller for RootCaPublisherController {
    fn name(&self) -> &str {
        "root-ca-cert-publisher"
    }
    fn workers(&self) -> usize {
        1
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::NAMESPACE, Kind::CONFIG_MAP]
    }
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        notify(view, change, Kind::CONFIG_MAP, ROOT_CA, queue);
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        observe(view, key, Kind::CONFIG_MAP, ROOT_CA)
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        if !is_active(seen.primary.as_deref()) {
            return Ok(Outcome::Done);
        }
        let body = Body::ConfigMap(ConfigMap { content: content() });
        let Some(old) = seen.related.first() else {
            turn.differ("root certificates", 1, 0);
            let mut map = new(&seen.key, ROOT_CA, body);
            map.meta.annotations = StrMap::default().with(DESCRIPTION, literal!(DESCRIPTION_TEXT));
            return Ok(outcome(turn.request(Request::create(map))?));
        };
        if is_intact(old) {
            return Ok(Outcome::Done);
        }
        turn.differ("root certificate", "as published", "changed");
        let mut map = Object { meta: old.meta.clone(), body };
        map.meta.annotations = map.meta.annotations.with(DESCRIPTION, literal!(DESCRIPTION_TEXT));
        Ok(outcome(turn.request(Request::update(map))?))
    }
}

fn content() -> Map {
    map! { "data" => map! { "ca.crt" => CERTIFICATE } }
}

fn is_intact(object: &Object) -> bool {
    let same = matches!(&object.body, Body::ConfigMap(c) if c.content.get("data") == content().get("data"));
    same && object.meta.annotations.get(DESCRIPTION).is_some_and(|d| !d.is_empty())
}

fn is_active(namespace: Option<&Object>) -> bool {
    namespace.is_some_and(|n| !n.meta.is_deleting() && n.namespace().is_some_and(|n| !n.is_terminating()))
}

/// Queues a namespace that lacks the object of this kind and name, or whose object was changed or deleted.
fn notify(view: &View, change: &Change, kind: Kind, name: &'static str, queue: &mut dyn FnMut(WorkKey, Span)) {
    let Some(object) = change.object() else { return };
    let namespace = if object.kind() == Kind::NAMESPACE {
        let there = || view.caches.get(kind, &Key::new(object.meta.name.clone(), ArcStr::from(name))).is_some();
        if change.new.is_none() || !is_active(Some(object)) || there() {
            return;
        }
        &object.meta.name
    } else if object.kind() == kind
        && object.meta.name == name
        && !change.new.as_ref().is_some_and(|o| kind != Kind::CONFIG_MAP || is_intact(o))
    {
        &object.meta.namespace
    } else {
        return;
    };
    queue(WorkKey::new(Kind::NAMESPACE, Key::new("", namespace.clone())), Span(0));
}

fn observe(view: &View, key: &WorkKey, kind: Kind, name: &'static str) -> Observation {
    let mut seen = view.observation(key, view.caches.get(Kind::NAMESPACE, &key.key).cloned());
    let wanted: Option<&Arc<Object>> = view.caches.get(kind, &Key::new(key.key.name.clone(), ArcStr::from(name)));
    seen.related.extend(wanted.cloned());
    seen
}

fn new(key: &WorkKey, name: &'static str, body: Body) -> Object {
    let meta = Meta { name: ArcStr::from(name), namespace: key.key.name.clone(), ..Meta::default() };
    Object { meta, body }
}

fn outcome(answer: &Response) -> Outcome {
    match answer.refusal() {
        None => Outcome::Done,
        Some(s) if matches!(s.reason, Reason::AlreadyExists | Reason::NotFound) => Outcome::Done,
        Some(s) if s.reason == Reason::Forbidden && s.message.contains("being terminated") => Outcome::Done,
        Some(s) => Outcome::Retry(s.message.clone()),
    }
}
