//! The API: objects, their kinds, requests and responses, and the text formats in which people write them.

pub mod base64;
pub mod cron;
pub mod diff;
pub mod duration;
pub mod field;
pub mod field_help;
pub mod float;
pub mod json;
pub mod kind;
pub mod managed_fields;
pub mod merge;
pub mod meta;
pub mod meta_rules;
pub mod names;
pub mod object;
pub mod order;
pub mod quantity;
pub mod random;
pub mod request;
pub mod schema;
pub mod selector;
pub mod sha256;
pub mod status;
pub mod structural;
pub mod tar;
pub mod time;
pub mod usage;
pub mod value;
pub mod watch;
pub mod yaml;
pub mod zone;

pub use kind::{Body, Kind};
pub use meta::{Key, Meta, Uid};
pub use object::Object;
pub use time::{Span, Time};
pub use value::{Map, Value};
