//! The parts that every client of the API server shares: caches, work queues, rate limits, events, leader election. Counterpart: `client-go`.

pub mod cache;
pub mod expectations;
pub mod leader;
pub mod limiter;
pub mod outbox;
pub mod recorder;
pub mod workqueue;

pub use cache::{Cache, Caches, Change};
pub use expectations::{Expectations, WrittenRevisions};
pub use limiter::TokenBucket;
pub use outbox::{Outbox, Send};
pub use recorder::{EventDraft, Recorder};
pub use workqueue::{WorkKey, WorkQueue};
