//! Gives every namespace a default ServiceAccount and the cluster's root certificate, and fills token Secrets. Counterparts: `pkg/controller/serviceaccount` and
//! `pkg/controller/certificates/rootcacertpublisher`.
//!
//! Simplification: a ServiceAccount that lists a token Secret keeps the name when the Secret is deleted.

use super::{Controller, Observation, Outcome, Pending, Turn, View};
use crate::api::Body;
use crate::api::base64;
use crate::api::jwt;
use crate::api::kind::Kind;
use crate::api::kind::configmap::ConfigMap;
use crate::api::kind::secret::Secret;
use crate::api::kind::serviceaccount::ServiceAccount;
use crate::api::meta::{Key, Meta, StrMap};
use crate::api::object::Object;
use crate::api::request::{Request, Response, Verb};
use crate::api::status::Reason;
use crate::api::time::Span;
use crate::api::value::Map;
use crate::client::{Change, WorkKey};
use crate::map;
use arcstr::ArcStr;
use arcstr::literal;
use std::sync::Arc;

const DEFAULT: &str = "default";
const ACCOUNT_NAME: &str = "kubernetes.io/service-account.name";
const ACCOUNT_UID: &str = "kubernetes.io/service-account.uid";
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

/// Fills Secrets of the type `kubernetes.io/service-account-token`, and deletes those whose ServiceAccount is gone.
#[derive(Debug)]
pub struct TokensController;

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

impl Controller for TokensController {
    fn name(&self) -> &str {
        "serviceaccount-token-controller"
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::SECRET, Kind::SERVICE_ACCOUNT]
    }
    fn notify(&self, view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        let mut add = |secret: &Object| queue(WorkKey::new(Kind::SECRET, secret.key()), Span(0));
        match (&change.old, &change.new) {
            (_, Some(secret)) if account_of(secret).is_some() => add(secret),
            (Some(account), None) if account.kind() == Kind::SERVICE_ACCOUNT => {
                let secrets = view.caches.of(Kind::SECRET).in_namespace(&account.meta.namespace);
                secrets.filter(|secret| account_of(secret) == Some(&account.meta.name)).for_each(|secret| add(secret));
            }
            _ => {}
        }
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        let mut seen = view.observation(key, view.caches.get(Kind::SECRET, &key.key).cloned());
        if let Some(name) = seen.primary.as_deref().and_then(account_of) {
            seen.related.extend(view.caches.get(Kind::SERVICE_ACCOUNT, &Key::new(key.key.namespace.clone(), name.clone())).cloned());
        }
        seen
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        let Some((secret, name)) = seen.primary.as_ref().and_then(|o| Some((o, account_of(o)?))) else { return Ok(Outcome::Done) };
        let namespace = &secret.meta.namespace;
        let account = match seen.related.first() {
            Some(account) => Some(account.clone()),
            None => turn.request(Request::new(Verb::Get, Kind::SERVICE_ACCOUNT, namespace.clone(), name.clone()))?.object().cloned(),
        };
        let uid = |account: &Object| ArcStr::from(account.meta.uid.text());
        let asked = secret.meta.annotations.get(ACCOUNT_UID).filter(|uid| !uid.is_empty());
        let Some(account) = account.filter(|account| asked.is_none_or(|asked| *asked == uid(account))) else {
            turn.differ("token secrets without account", 0, 1);
            let delete = Request::delete(Kind::SECRET, namespace, &secret.meta.name).with(|o| o.uid = Some(secret.meta.uid));
            return Ok(outcome(turn.request(delete)?));
        };
        let mut new = Object::clone(secret);
        let Body::Secret(Secret { content }) = &mut new.body else { return Ok(Outcome::Done) };
        let data = content.map_mut("data");
        let ca = base64::encode(CERTIFICATE.as_bytes());
        if data.str("ca.crt") == ca && !data.str("namespace").is_empty() && !data.str("token").is_empty() {
            return Ok(Outcome::Done);
        }
        turn.differ("filled token secrets", 1, 0);
        data.insert("ca.crt", ca);
        if data.str("namespace").is_empty() {
            data.insert("namespace", base64::encode(namespace.as_bytes()));
        }
        if data.str("token").is_empty() {
            data.insert("token", base64::encode(jwt::unsigned(legacy_claims(&account, secret)).as_bytes()));
        }
        new.meta.annotations = new.meta.annotations.with(ACCOUNT_UID, uid(&account));
        Ok(match turn.request(Request::update(new))?.refusal() {
            Some(status) if !matches!(status.reason, Reason::Conflict | Reason::NotFound) => Outcome::Retry(status.message.clone()),
            _ => Outcome::Done,
        })
    }
    fn max_retries(&self) -> Option<u32> {
        Some(10)
    }
}

/// Returns the name of the ServiceAccount whose token a Secret is to hold; `None` for other Secrets and other kinds.
fn account_of(secret: &Object) -> Option<&ArcStr> {
    let Body::Secret(Secret { content }) = &secret.body else { return None };
    let wants = content.str("type") == "kubernetes.io/service-account-token" && !secret.meta.is_deleting();
    secret.meta.annotations.get(ACCOUNT_NAME).filter(|name| wants && !name.is_empty())
}

/// Returns the claims of a token that never expires. Counterpart: `LegacyClaims`.
fn legacy_claims(account: &Object, secret: &Object) -> Map {
    let (namespace, name) = (&account.meta.namespace, &account.meta.name);
    map! {
        "iss" => "kubernetes/serviceaccount",
        "kubernetes.io/serviceaccount/namespace" => namespace,
        "kubernetes.io/serviceaccount/secret.name" => &secret.meta.name,
        "kubernetes.io/serviceaccount/service-account.name" => name,
        "kubernetes.io/serviceaccount/service-account.uid" => account.meta.uid.text(),
        "sub" => format!("system:serviceaccount:{namespace}:{name}"),
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
