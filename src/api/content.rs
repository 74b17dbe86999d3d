//! The texts of `static/content`: the field table of the API and its help, layouts of Go structs, the images that exist, kubectl's help, time zones, the
//! glossary, the examples of the documentation.
//!
//! Native programs and tests have them compiled in. A wasm program hands them over before anything else runs: the page fetches them as one file beside its
//! wasm, `engine.js` has them in its own program. So the library is compiled once for both. `scripts/content.rs` lists the files when the crate is built.

use std::sync::OnceLock;

/// Pairs of a path below `static/content` and the content of its file.
pub type Texts = Vec<(&'static str, &'static str)>;

static ALL: OnceLock<Texts> = OnceLock::new();

/// Sets the texts of a wasm program. Whoever sets them later changes nothing.
pub fn provide(texts: Texts) {
    let _ = ALL.set(texts);
}

/// Returns the texts in the one file that the build of the page makes of `static/content`, in which each text follows a line with its path.
pub fn parts(file: &'static str) -> Texts {
    file.split("=== ").filter_map(|part| part.split_once('\n')).collect()
}

/// Returns the content of the file at a path below `static/content`. Panics if there is no such file.
pub fn text(path: &str) -> &'static str {
    find(path).unwrap_or_else(|| panic!("static/content has no {path}"))
}

/// Returns the content of the file at a path below `static/content`; `None` if there is no such file.
pub fn find(path: &str) -> Option<&'static str> {
    all().iter().find(|(known, _)| *known == path).map(|(_, text)| *text)
}

/// Returns the lines `name: words` of the file at a path below `static/content` as pairs. Other lines are skipped.
pub fn rows(path: &str) -> Vec<(&'static str, &'static str)> {
    text(path).lines().filter_map(|line| line.split_once(": ")).collect()
}

fn all() -> &'static Texts {
    ALL.get_or_init(built_in)
}

#[cfg(not(target_arch = "wasm32"))]
fn built_in() -> Texts {
    include!(concat!(env!("OUT_DIR"), "/content.rs")).to_vec()
}

#[cfg(target_arch = "wasm32")]
fn built_in() -> Texts {
    panic!("a wasm program hands over its content before it starts")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::yaml;
    use std::path::Path;

    #[test]
    fn every_file_is_there_and_no_text_looks_like_the_start_of_the_next() {
        fn count(folder: &Path) -> usize {
            let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
            entries.map(|path| if path.is_dir() { count(&path) } else { 1 }).sum()
        }
        assert_eq!(count(Path::new("static/content")), all().len());
        for (path, text) in all() {
            assert!(!text.contains("=== ") && text.ends_with('\n'), "{path}");
        }
    }

    #[test]
    fn every_example_of_the_documentation_is_a_manifest() {
        for (path, text) in all().iter().filter(|(path, _)| path.starts_with("documents/")) {
            let documents = yaml::parse_documents(text);
            assert!(!documents.is_empty() && documents.iter().all(Result::is_ok), "{path}");
        }
    }
}
