//! Objects by a part of their name, for the palette.

use crate::api::kind::Kind;
use crate::view::run::Run;
use crate::view::selection::Subject;

/// How many objects of a kind are looked at: with more, what is found stands among the first.
const MOST_LOOKED_AT: usize = 20_000;

/// Objects whose kind and name hold all these words, at most `most`. Events and leases are left out.
pub fn find(run: &Run, words: &str, most: usize) -> Vec<Subject> {
    let words: Vec<String> = words.split_whitespace().map(str::to_ascii_lowercase).collect();
    let mut found = Vec::new();
    let mut kinds: Vec<Kind> = run.cluster().api.kinds.all().filter(|kind| !kind.row().is_event_or_lease).collect();
    kinds.sort_by_key(|kind| (kind.row().rank, *kind));
    for kind in kinds {
        let row = kind.row();
        for object in run.cluster().api.store.all(kind).take(MOST_LOOKED_AT) {
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
