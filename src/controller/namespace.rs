//! The namespace controller: deletes the content of namespaces that are being deleted, pods first. Counterpart: `pkg/controller/namespace`.
//!
//! Simplified: discovery never fails, since the kinds are known.

use super::{Action, Controller, Mode, Observation, Outcome, Pending, Turn, View};
use crate::api::kind::Kind;
use crate::api::kind::condition::{Condition, find};
use crate::api::kind::namespace::NamespacePhase;
use crate::api::object::Object;
use crate::api::request::{Answer, Propagation, Request, Response, Subresource, Verb};
use crate::api::sorted::SortedMap;
use crate::api::status::Reason;
use crate::api::time::{Span, Time};
use crate::client::{Change, WorkKey};
use arcstr::ArcStr;
use std::fmt::Write;
use std::sync::Arc;

/// The seconds that the controller assumes an object with a finalizer needs until it is gone.
const FINALIZER_ESTIMATE: i64 = 15;
/// The delay between the deletion of a namespace and the first pass over it.
const GRACE: Span = Span::secs(5);
/// The finalizer in a namespace's `spec.finalizers`.
const FINALIZER: &str = "kubernetes";

/// Empties namespaces that are being deleted, then removes their finalizer.
#[derive(Debug)]
pub struct NamespaceController;

impl Controller for NamespaceController {
    fn name(&self) -> &str {
        "namespace-controller"
    }
    fn workers(&self) -> usize {
        10
    }
    fn watches(&self) -> &[Kind] {
        &[Kind::NAMESPACE]
    }
    fn back_off(&self) -> (Span, Span) {
        (Span::secs(5), Span::secs(60))
    }
    fn notify(&self, _view: &View, change: &Change, queue: &mut dyn FnMut(WorkKey, Span)) {
        let began = change.old.as_ref().is_none_or(|old| !old.meta.is_deleting());
        if let Some(namespace) = change.new.as_ref().filter(|n| n.meta.is_deleting() && began) {
            queue(WorkKey::new(Kind::NAMESPACE, namespace.key()), GRACE);
        }
    }
    fn observe(&self, view: &View, key: &WorkKey) -> Observation {
        view.observation(key, view.caches.get(Kind::NAMESPACE, &key.key).cloned())
    }
    fn reconcile(&self, seen: &Observation, turn: &mut Turn) -> Result<Outcome, Pending> {
        if !seen.primary.as_ref().is_some_and(|n| n.meta.is_deleting()) {
            return Ok(Outcome::Done);
        }
        let answer = turn.request(Request::new(Verb::Get, Kind::NAMESPACE, "", seen.key.key.name.clone()))?;
        let Some(mut live) = answer.object().cloned() else { return Ok(refused(answer)) };
        if !live.meta.is_deleting() || !live.namespace().is_some_and(|n| n.spec.finalizers.iter().any(|f| f == FINALIZER)) {
            return Ok(Outcome::Done);
        }
        if live.namespace().is_some_and(|n| !n.is_terminating()) {
            let answer = turn.request(Request::update_status(with_namespace(&live, |n| n.status.phase = NamespacePhase::Terminating)))?;
            let Some(object) = answer.object() else { return Ok(refused(answer)) };
            live = object.clone();
        }
        let name = &seen.key.key.name;
        let pods = empty(name, &[Kind::POD], turn)?;
        if pods.remaining > 0 {
            // Objects of other kinds are deleted when no pods remain. As upstream, the conditions do not mention the remaining pods.
            let quiet = Leftovers { error: pods.error, ..Leftovers::default() };
            report(&live, &quiet, seen.now, turn)?;
            turn.differ("pods", 0, pods.remaining);
            return Ok(if pods.finalizers.is_empty() { Outcome::Retry("pods remain".into()) } else { later() });
        }
        let kinds: Vec<Kind> = seen.kinds.all().filter(|k| k.row().namespaced && *k != Kind::POD).collect();
        let rest = empty(name, &kinds, turn)?;
        let live = report(&live, &rest, seen.now, turn)?;
        if rest.remaining > 0 {
            turn.differ("objects", 0, rest.remaining);
        }
        if !rest.finalizers.is_empty() {
            return Ok(later());
        }
        if rest.remaining > 0 || !rest.error.is_empty() {
            return Ok(Outcome::Retry(if rest.error.is_empty() { "unexpected items still remain".into() } else { rest.error }));
        }
        let mut finalize = Request::update(with_namespace(&live, |n| n.spec.finalizers.retain(|f| f != FINALIZER)));
        finalize.subresource = Subresource::Finalize;
        Ok(refused(turn.request(finalize)?))
    }
}

fn later() -> Outcome {
    Outcome::After(Span::secs(FINALIZER_ESTIMATE / 2 + 1))
}

fn refused(answer: &Response) -> Outcome {
    match answer.refusal() {
        None => Outcome::Done,
        Some(status) if status.reason == Reason::NotFound => Outcome::Done,
        Some(status) => Outcome::Retry(status.message.clone()),
    }
}

fn with_namespace(object: &Arc<Object>, change: impl FnOnce(&mut crate::api::kind::namespace::Namespace)) -> Object {
    let mut object = (**object).clone();
    if let Some(namespace) = object.namespace_mut() {
        change(namespace);
    }
    object
}

/// The objects of a namespace that remain after their deletion was requested.
#[derive(Debug, Default)]
struct Leftovers {
    remaining: usize,
    /// The number of remaining objects of each kind.
    kinds: Vec<(Kind, usize)>,
    /// The number of remaining objects with each finalizer.
    finalizers: SortedMap<ArcStr, usize>,
    error: String,
}

/// Requests the deletion of all objects of some kinds in a namespace, then lists those that remain.
fn empty(namespace: &ArcStr, kinds: &[Kind], turn: &mut Turn) -> Result<Leftovers, Pending> {
    let each = |verb: Verb| kinds.iter().map(move |k| Request::new(verb, *k, namespace.clone(), ""));
    let mut left = Leftovers::default();
    let deletes = each(Verb::DeleteCollection).map(|r| Action::new(r.with(|o| o.propagation = Some(Propagation::Background))));
    let deleted = turn.all(deletes.collect(), Mode::Parallel)?;
    if let Some(status) = deleted.iter().flatten().filter_map(Response::refusal).next() {
        left.error = status.message.clone();
    }
    let lists = turn.all(each(Verb::List).map(Action::new).collect(), Mode::Parallel)?;
    for (kind, list) in kinds.iter().zip(lists) {
        match list.as_ref().map(|r| &r.result) {
            Some(Ok(Answer::List(listing))) if !listing.items.is_empty() => {
                left.remaining += listing.items.len();
                left.kinds.push((*kind, listing.items.len()));
                for finalizer in listing.items.iter().flat_map(|o| o.meta.finalizers()) {
                    *left.finalizers.or_default(finalizer.clone()) += 1;
                }
            }
            Some(Err(status)) => left.error = status.message.clone(),
            _ => {}
        }
    }
    Ok(left)
}

/// Writes the namespace's conditions if one of them changes. Returns the namespace after the write.
fn report(live: &Arc<Object>, left: &Leftovers, now: Time, turn: &mut Turn) -> Result<Arc<Object>, Pending> {
    let old = live.namespace().map(|n| n.status.conditions.as_slice()).unwrap_or_default();
    let wanted = conditions(left, now);
    let same = |c: &Condition| find(old, &c.type_).is_some_and(|o| o.status == c.status && o.reason == c.reason && o.message == c.message);
    if wanted.iter().all(same) {
        return Ok(live.clone());
    }
    let merged = wanted.into_iter().map(|mut c| {
        if let Some(kept) = find(old, &c.type_).filter(|o| o.status == c.status) {
            c.last_transition_time = kept.last_transition_time;
        }
        c
    });
    let merged: Vec<Condition> = merged.collect();
    let answer = turn.request(Request::update_status(with_namespace(live, |n| n.status.conditions = merged)))?;
    Ok(answer.object().unwrap_or(live).clone())
}

fn conditions(left: &Leftovers, now: Time) -> Vec<Condition> {
    let mut resources = String::from("Some resources are remaining: ");
    for (i, (kind, n)) in left.kinds.iter().enumerate() {
        let row = kind.row();
        let _ = write!(resources, "{}{}.{} has {n} resource instances", if i > 0 { ", " } else { "" }, row.plural, row.group);
    }
    let mut finalizers = String::from("Some content in the namespace has finalizers remaining: ");
    for (i, (name, n)) in left.finalizers.iter().enumerate() {
        let _ = write!(finalizers, "{}{name} in {n} resource instances", if i > 0 { ", " } else { "" });
    }
    let one = |type_: &str, bad: Option<(&str, &str)>, good: (&str, &str)| match bad {
        Some((reason, message)) => Condition::new(type_, "True", reason, message, now),
        None => Condition::new(type_, "False", good.0, good.1, now),
    };
    vec![
        one("NamespaceDeletionDiscoveryFailure", None, ("ResourcesDiscovered", "All resources successfully discovered")),
        one("NamespaceDeletionGroupVersionParsingFailure", None, ("ParsedGroupVersions", "All legacy kube types successfully parsed")),
        one(
            "NamespaceDeletionContentFailure",
            (!left.error.is_empty()).then_some(("ContentDeletionFailed", &left.error)),
            ("ContentDeleted", "All content successfully deleted, may be waiting on finalization"),
        ),
        one(
            "NamespaceContentRemaining",
            (!left.kinds.is_empty()).then_some(("SomeResourcesRemain", &resources)),
            ("ContentRemoved", "All content successfully removed"),
        ),
        one(
            "NamespaceFinalizersRemaining",
            (!left.finalizers.is_empty()).then_some(("SomeFinalizersRemain", &finalizers)),
            ("ContentHasNoFinalizers", "All content-preserving finalizers finished"),
        ),
    ]
}
