//! Example manifests: each shows one thing. `static/content/examples.txt` lists them, a line `file: title: what there is to see` each.
//!
//! **To add an example**: a file in `static/content/examples`, and its line in that list. Its title is its name in the page's address, so it has only letters
//! and blanks; name and title also stand in `static/embed-contract.json`, for course authors. `tests/page/assist.rs` names the few whose pods are not to become ready.

use super::run::FIRST_MANIFEST;
use crate::api::content;
use std::sync::OnceLock;

/// An example manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// The name of the example.
    pub title: &'static str,
    /// A sentence about what there is to see in the example.
    pub see: &'static str,
    /// The file with the manifest, in `static/content/examples`; `-` for the manifest of a first visit.
    file: &'static str,
}

impl Example {
    /// Returns the manifest of the example.
    pub fn manifest(&self) -> &'static str {
        if self.file == "-" { FIRST_MANIFEST } else { content::text(&format!("examples/{}", self.file)) }
    }
}

/// Returns all examples, the manifest of a first visit first.
pub fn examples() -> &'static [Example] {
    static EXAMPLES: OnceLock<Vec<Example>> = OnceLock::new();
    let row = |(file, words): (&'static str, &'static str)| {
        let (title, see) = words.split_once(": ")?;
        Some(Example { title, see, file })
    };
    EXAMPLES.get_or_init(|| content::rows("examples.txt").into_iter().filter_map(row).collect())
}
