//! Formats answers as tables with the columns of `kubectl get`. Counterpart: `metav1.Table`.

use crate::api::kind::Kind;
use crate::api::meta::decimal;
use crate::api::object::Object;
use crate::api::request::Answer;
use crate::api::time::Time;
use crate::api::value::{Map, Value};
use crate::map;

/// Returns the objects of an answer as a table; other answers stay as they are.
pub fn of(kind: Kind, answer: Answer, now: Time) -> Answer {
    let (rows, metadata) = match &answer {
        Answer::Object { object, .. } => (vec![row(object, now)], Map::new()),
        Answer::List(listing) => {
            let mut metadata = map! { "resourceVersion" => decimal(listing.revision) };
            if !listing.continue_token.is_empty() {
                metadata.insert("continue", listing.continue_token.as_str());
                metadata.insert("remainingItemCount", listing.remaining as i64);
            }
            (listing.items.iter().map(|o| row(o, now)).collect::<Vec<_>>(), metadata)
        }
        _ => return answer,
    };
    let columns = kind.row().columns.iter().map(|c| Value::from(map! { "name" => c.name, "priority" => i64::from(c.wide) }));
    let table = map! {
        "apiVersion" => "meta.k8s.io/v1",
        "kind" => "Table",
        "metadata" => metadata,
        "columnDefinitions" => columns.collect::<Vec<_>>(),
        "rows" => rows,
    };
    Answer::Tree(Box::new(table.into()))
}

fn row(object: &Object, now: Time) -> Value {
    let partial = map! { "apiVersion" => "meta.k8s.io/v1", "kind" => "PartialObjectMetadata", "metadata" => object.meta.to_map() };
    map! { "cells" => (object.kind().row().cells)(object, now), "object" => partial }.into()
}
