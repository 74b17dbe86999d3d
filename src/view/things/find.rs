//! Objects by a part of their name, for the palette.

use crate::api::kind::Kind;
use crate::view::desk::Desk;
use crate::view::look::Subject;

/// How many objects of a kind are looked at: with more, what is found stands among the first.
const MOST_LOOKED_AT: usize = 20_000;

/// Objects whose kind and name hold all these words, at most so many. Events and leases are left out: they are the hum.
pub fn find(desk: &Desk, words: &str, most: usize) -> Vec<Subject> {
    let words: Vec<String> = words.split_whitespace().map(str::to_ascii_lowercase).collect();
    let mut found = Vec::new();
    let kinds = [Kind::NODE, Kind::DEPLOYMENT, Kind::REPLICA_SET, Kind::SERVICE, Kind::POD];
    let others = Kind::all().filter(|k| !kinds.contains(k) && ![Kind::EVENT, Kind::LEASE].contains(k));
    for kind in kinds.into_iter().chain(others) {
        let row = kind.row();
        for object in desk.cluster().api.store.all(kind).take(MOST_LOOKED_AT) {
            let name = &object.meta.name;
            if words.iter().all(|w| name.contains(w.as_str()) || row.singular.starts_with(w.as_str())) {
                found.push(Subject { kind, key: object.key() });
                if found.len() >= most {
                    return found;
                }
            }
        }
    }
    found
}
