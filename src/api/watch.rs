//! The messages of a watch.

use super::object::Object;
use std::sync::Arc;

/// The type of a change, as a watcher sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchType {
    /// The object was created, or began to match the watcher's selector.
    Added,
    /// The object changed, and matched the watcher's selector before and after.
    Modified,
    /// The object was deleted, or ceased to match the watcher's selector.
    Deleted,
}

impl WatchType {
    /// Returns the type as the API writes it.
    pub fn text(self) -> &'static str {
        match self {
            WatchType::Added => "ADDED",
            WatchType::Modified => "MODIFIED",
            WatchType::Deleted => "DELETED",
        }
    }
}

/// One message of a watch.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchEvent {
    /// The type of the change.
    pub type_: WatchType,
    /// The store's revision of the change.
    pub revision: u64,
    /// The object after the change; for deletions its last state, with the deletion's revision.
    pub object: Arc<Object>,
}
