//! Waiting for changes of one object, for commands such as `kubectl wait` and `kubectl rollout status`. Counterpart: `watchtools.UntilWithSync`.

use super::{Cx, Run, watch_of};
use crate::api::object::Object;
use crate::api::request::{Answer, Request, Verb};
use crate::api::time::Time;
use crate::api::watch::{WatchEvent, WatchType};
use std::sync::Arc;

/// The outcome of waiting for a change of an object.
pub(super) enum Change<'a> {
    /// The time is up without a change.
    None,
    /// The object has changed to this.
    To(&'a Arc<Object>),
    /// The object was deleted.
    Gone,
}

impl<'a> Cx<'a> {
    /// Waits until an object is newer than the version `seen`, is deleted, or the time `until` has come. If the server has forgotten the changes since that
    /// version, the object is listed and watched from the list's revision.
    pub(super) fn next_change(&mut self, seen: &Object, until: Option<Time>) -> Run<Change<'a>> {
        let is_news = |e: &&WatchEvent| e.object.meta.uid == seen.meta.uid && e.revision > seen.meta.resource_version;
        let (kind, namespace) = (seen.kind(), &seen.meta.namespace);
        let named = |request: Request| request.with(|o| o.field_selector = format!("metadata.name={}", seen.meta.name));
        let mut since = seen.meta.resource_version;
        loop {
            if let Some(event) = self.pending_events.iter().find(is_news) {
                return Ok(if event.type_ == WatchType::Deleted { Change::Gone } else { Change::To(&event.object) });
            }
            match self.watch(named(watch_of(kind, namespace, since)), until) {
                Ok([]) => return Ok(Change::None),
                Ok(events) => self.pending_events = events,
                Err(stop) if stop.is_expired() => {
                    let Answer::List(list) = self.request(named(Request::new(Verb::List, kind, namespace.clone(), "")))? else {
                        return Err(stop);
                    };
                    match list.items.iter().find(|object| object.meta.uid == seen.meta.uid) {
                        None => return Ok(Change::Gone),
                        Some(object) if object.meta.resource_version > seen.meta.resource_version => return Ok(Change::To(object)),
                        Some(_) => since = list.revision,
                    }
                }
                Err(stop) => return Err(stop),
            }
        }
    }
}
