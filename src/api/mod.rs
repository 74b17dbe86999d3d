//! The API's vocabulary: objects, their kinds, requests and answers, and the text formats people write them in.

pub mod json;
pub mod quantity;
pub mod schema;
pub mod selector;
pub mod value;
pub mod yaml;

pub use kind::{Body, Kind};
pub use meta::{Key, Meta, Uid};
pub use object::Object;
pub use time::{Span, Time};
pub use value::{Map, Value};
