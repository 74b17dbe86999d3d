//! Answers in another version of a kind than the one in which its objects are stored. Counterpart: the conversion in `endpoints/handlers/response.go`.

use crate::api::kind::{Kind, OtherVersion};
use crate::api::object::Object;
use crate::api::request::Answer;
use crate::api::value::{Map, Value};
use crate::map;

/// Converts an object to another version of its kind.
pub(super) fn converted(other: &OtherVersion, object: &Object) -> Map {
    let mut map = object.to_full_map();
    (other.from_own)(&mut map);
    map.insert("apiVersion", other.api_version);
    map
}

/// Converts an answer to another version of the kind.
pub(super) fn answer(kind: Kind, other: &OtherVersion, answer: Answer) -> Answer {
    match answer {
        Answer::Object { object, created } => {
            let tree = Box::new(converted(other, &object).into());
            if created { Answer::Created(tree) } else { Answer::Tree(tree) }
        }
        Answer::List(list) => {
            let items: Vec<Value> = list.items.iter().map(|object| converted(other, object).into()).collect();
            let metadata = map! { "resourceVersion" => list.revision.to_string() };
            let list = map! { "apiVersion" => other.api_version, "kind" => format!("{}List", kind.row().name), "metadata" => metadata, "items" => items };
            Answer::Tree(Box::new(list.into()))
        }
        answer => answer,
    }
}
