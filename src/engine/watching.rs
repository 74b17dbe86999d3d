//! Watches of a script: they report changes of objects since the script last asked. Counterpart: a watch of client-go's informers, which begins with a list.
//!
//! A watch of a script is no part of the run: it opens nothing at the API server, so it is neither in the trace nor in the share state. It follows the moment
//! that the script has selected. After a jump in time it reports the difference between the objects it last reported and the objects at the new moment.

use super::time::seconds;
use super::{Answer, Engine, bad_input};
use crate::api::kind::Kind;
use crate::api::meta::Key;
use crate::api::object::Object;
use crate::api::request::{Request, Verb};
use crate::api::time::{Span, Time};
use crate::api::watch::WatchType;
use crate::sim::Cluster;
use crate::store::Filter;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The maximum number of watches that a script may have at once.
const MOST_WATCHES: usize = 1_000;

/// A watch of a script: the objects of one kind that match a filter.
#[derive(Debug)]
pub struct Watch {
    id: u64,
    kind: Kind,
    filter: Filter,
    /// The store's revision up to which the watch has seen all changes; `None` at first and after a jump in time.
    revision: Option<u64>,
    /// The objects as the watch last reported them.
    known: BTreeMap<Key, Arc<Object>>,
    pending: Vec<Event>,
}

#[derive(Debug)]
struct Event {
    type_: WatchType,
    object: Arc<Object>,
    at: Time,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnwatchInput {
    id: u64,
}

impl Engine {
    /// Begins to watch the objects of a kind. Returns the id of the watch.
    pub(super) fn watch(&mut self, input: &super::reading::ListInput) -> Answer {
        if self.watches.len() >= MOST_WATCHES {
            return Err(bad_input(format!("there are {MOST_WATCHES} watches already")));
        }
        let request = Request { verb: Verb::Watch, ..self.list_request(input)? };
        let (filter, _) = self.run.cluster().api.watch(&request).map_err(|status| bad_input(status.to_string()))?;
        self.last_watch += 1;
        let id = self.last_watch;
        let (known, pending) = Default::default();
        self.watches.push(Watch { id, kind: request.kind, filter, revision: None, known, pending });
        Ok(json!({ "id": id }))
    }
    /// Ends the watch with this id.
    pub(super) fn unwatch(&mut self, UnwatchInput { id }: UnwatchInput) -> Answer {
        self.watches.retain(|watch| watch.id != id);
        Ok(Value::Null)
    }
    /// Returns the changes that the watches have not reported yet, and marks them as reported.
    pub(super) fn changes(&mut self) -> Value {
        self.look();
        let start = self.run.start;
        let told = |watch: &mut Watch| {
            let event = |Event { type_, object, at }: Event| json!({ "type": type_.text(), "object": object.to_full_map(), "at": seconds(Span(0).max(at - start)) });
            let events: Vec<Value> = std::mem::take(&mut watch.pending).into_iter().map(event).collect();
            (!events.is_empty()).then(|| json!({ "id": watch.id, "events": events }))
        };
        self.watches.iter_mut().filter_map(told).collect()
    }
    /// Collects the changes since the last call in every watch. Returns whether any watch has changes to report.
    pub(super) fn look(&mut self) -> bool {
        let cluster = self.run.cluster();
        let told = self.watches.iter_mut().filter_map(|watch| watch.look(cluster).then_some(())).count();
        told > 0
    }
    /// Makes every watch compare all objects at its next look, because the run has jumped in time.
    pub(super) fn jump(&mut self) {
        self.watches.iter_mut().for_each(|watch| watch.revision = None);
    }
}

impl Watch {
    fn look(&mut self, cluster: &Cluster) -> bool {
        let store = &cluster.api.store;
        match self.revision {
            Some(revision) if revision == store.revision() => {}
            Some(revision) => match store.changes_since(revision) {
                Ok(changes) => {
                    for change in changes.filter(|change| change.object.kind() == self.kind) {
                        let Some(type_) = self.filter.sees(change) else { continue };
                        tell(&mut self.known, &mut self.pending, type_, &change.object, change.at);
                    }
                }
                Err(_) => self.compare(cluster),
            },
            None => self.compare(cluster),
        }
        self.revision = Some(store.revision());
        !self.pending.is_empty()
    }
    /// Reports the difference between the objects that were last reported and the objects in the cluster.
    fn compare(&mut self, cluster: &Cluster) {
        let matching = cluster.api.store.range(self.kind, "", None).filter(|object| self.filter.matches(object));
        let now: BTreeMap<Key, Arc<Object>> = matching.map(|object| (object.key(), object.clone())).collect();
        let is_same = |old: &Arc<Object>, new: &Arc<Object>| old.meta.uid == new.meta.uid;
        let gone: Vec<Arc<Object>> = self
            .known
            .iter()
            .filter(|(key, old)| !now.get(*key).is_some_and(|new| is_same(old, new)))
            .map(|(_, old)| old.clone())
            .collect();
        for object in &gone {
            tell(&mut self.known, &mut self.pending, WatchType::Deleted, object, cluster.now);
        }
        for (key, object) in &now {
            let type_ = match self.known.get(key) {
                None => WatchType::Added,
                Some(old) if old.meta.resource_version != object.meta.resource_version => WatchType::Modified,
                Some(_) => continue,
            };
            tell(&mut self.known, &mut self.pending, type_, object, cluster.now);
        }
    }
}

fn tell(known: &mut BTreeMap<Key, Arc<Object>>, pending: &mut Vec<Event>, type_: WatchType, object: &Arc<Object>, at: Time) {
    match type_ {
        WatchType::Deleted => drop(known.remove(&object.key())),
        _ => drop(known.insert(object.key(), object.clone())),
    }
    pending.push(Event { type_, object: object.clone(), at });
}
