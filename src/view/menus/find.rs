//! Search for objects by a part of their name, for the command palette.

use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::view::run::Run;
use crate::view::selection::Subject;
use std::sync::Arc;

/// The greatest number of objects of each kind that are searched.
const MOST_LOOKED_AT: usize = 20_000;
/// The greatest number of matches of each kind that are sorted: nobody goes through more.
const MOST_SORTED: usize = 2_000;

/// Returns at most `most` objects that match every word: it is part of the name, or begins the kind or the namespace. Events and Leases are left out. Names
/// with numbers are in the order of their numbers.
pub fn find(run: &Run, words: &str, most: usize) -> Vec<Subject> {
    let words: Vec<String> = words.split_whitespace().map(str::to_ascii_lowercase).collect();
    let mut found = Vec::new();
    for kind in kinds(run) {
        let row = kind.row();
        let fits = |object: &&Arc<Object>| {
            let meta = &object.meta;
            words
                .iter()
                .all(|w| meta.name.contains(w.as_str()) || row.singular.starts_with(w.as_str()) || meta.namespace.starts_with(w.as_str()))
        };
        found.extend(in_order(run, kind, fits).take(most - found.len()));
        if found.len() >= most {
            break;
        }
    }
    found
}

/// Returns at most `most` objects of each kind, without Events and Leases.
pub fn some_of_each_kind(run: &Run, most: usize) -> Vec<Subject> {
    kinds(run).into_iter().flat_map(|kind| in_order(run, kind, |_| true).take(most).collect::<Vec<_>>()).collect()
}

/// Returns the kinds that people search for, without Events and Leases, the most important first.
fn kinds(run: &Run) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = run.cluster().api.kinds.all().filter(|kind| !kind.row().is_event_or_lease).collect();
    kinds.order_by_key(|kind| (kind.row().rank, *kind));
    kinds
}

fn in_order(run: &Run, kind: Kind, fits: impl Fn(&&Arc<Object>) -> bool) -> impl Iterator<Item = Subject> {
    let all = run.cluster().api.store.all(kind).take(MOST_LOOKED_AT).filter(fits).take(MOST_SORTED);
    let mut keys: Vec<_> = all.map(|object| object.key()).collect();
    keys.order_by_cached_key(|key| (key.namespace.clone(), natural(&key.name)));
    keys.into_iter().map(move |key| Subject { kind, key })
}

/// Splits a name into pairs of a number and the text after it, so that node-2 comes before node-10.
fn natural(name: &str) -> Vec<(u64, String)> {
    let mut parts: Vec<(u64, String)> = Vec::new();
    for part in name.split_inclusive(|c: char| !c.is_ascii_digit()) {
        let digits: String = part.chars().filter(char::is_ascii_digit).collect();
        let rest: String = part.chars().filter(|c| !c.is_ascii_digit()).collect();
        // A part without a number gets the number 0 and is compared by its text alone.
        parts.push((digits.parse().unwrap_or(0), rest));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_numbers_are_in_the_order_of_their_numbers() {
        let mut names = ["node-10", "node-2", "node-1", "a", "node-2b", "node-2a"];
        names.order_by_cached_key(|name| natural(name));
        assert_eq!(names, ["a", "node-1", "node-2", "node-2a", "node-2b", "node-10"]);
    }
}
