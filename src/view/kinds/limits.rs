//! The presentation of ResourceQuotas and LimitRanges on the page: used and allowed amounts.

use super::{ANY, KindView, each};
use crate::api::kind::Kind;
use crate::api::kind::resourcequota::{amounts, text};
use crate::api::object::Object;
use crate::api::value::Map;
use crate::view::cluster::Health;

pub const QUOTA: KindView = KindView {
    kind: Some(Kind::RESOURCE_QUOTA),
    standing: |o| (health(o), quota(o)),
    state: |o| (Some(health(o)), quota(o)),
    words: quota,
    ..ANY
};

pub const RANGE: KindView = KindView { kind: Some(Kind::LIMIT_RANGE), words: range, ..ANY };

fn status(object: &Object, part: &str) -> Map {
    object.resource_quota().and_then(|q| q.content.map("status")?.map(part)).cloned().unwrap_or_default()
}

/// Returns the health of a ResourceQuota: `Waiting` if a resource is used up, because further requests for it are refused.
fn health(object: &Object) -> Health {
    let (hard, used) = (amounts(Some(&status(object, "hard"))), amounts(Some(&status(object, "used"))));
    let full = hard.iter().any(|(name, most)| used.get(name).is_some_and(|amount| amount >= most));
    if full { Health::Waiting } else { Health::Good }
}

fn quota(object: &Object) -> String {
    let (hard, used) = (status(object, "hard"), status(object, "used"));
    if hard.is_empty() {
        return "not counted yet".to_owned();
    }
    let one = |name: &str| used.get(name).map_or_else(|| "0".to_owned(), text);
    hard.iter().map(|(name, most)| format!("{name} {} of {}", one(name), text(most))).collect::<Vec<_>>().join(", ")
}

fn range(object: &Object) -> String {
    let of = |limit: &Map| {
        let told = [("default", "default"), ("defaultRequest", "request"), ("min", "at least"), ("max", "at most")];
        let part = |(key, word): (&str, &str)| {
            let all: Vec<String> = limit.map(key)?.iter().map(|(name, amount)| format!("{name} {}", text(amount))).collect();
            (!all.is_empty()).then(|| format!("{word} {}", all.join(" and ")))
        };
        format!("{}: {}", limit.str("type"), told.into_iter().filter_map(part).collect::<Vec<_>>().join(", "))
    };
    each(object, &["spec", "limits"], of)
}
