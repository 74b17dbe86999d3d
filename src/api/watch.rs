//! What a watch brings.

use super::object::Object;
use std::sync::Arc;

/// What happened to an object, as a watcher sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchType {
    /// It appeared (or came to match the watcher's selector).
    Added,
    /// It changed.
    Modified,
    /// It went (or ceased to match).
    Deleted,
}

impl WatchType {
    /// As the API writes it.
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
    /// What happened.
    pub type_: WatchType,
    /// The store's revision of it.
    pub revision: u64,
    /// The object after it; for deletions the last state, at the deletion's revision.
    pub object: Arc<Object>,
}
