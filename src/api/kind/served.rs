//! The kinds that a real v1.36 API server serves: the simulated ones, which have a row in the table of kinds, and the others, which only have a line here.
//! Counterpart: `client-go/discovery`.
//!
//! Kinds that are not simulated are listed so that kubectl understands the same names as the real one. Manifests of the more common ones are checked
//! against the schema, so that people see the API server's own messages about mistakes. They stand in `static/content/kinds_not_simulated.txt`, one line each:
//! plural, short names, group and version, namespaced, kind, verbs, category, content of lists, whether manifests are checked against the schema, legacy
//! versions.

use super::{KindRow, Kinds};
use crate::api::content;
use crate::api::order::Order;

const ALL_VERBS: &str = "create,delete,deletecollection,get,list,patch,update,watch";
const NO_COLLECTION: &str = "create,delete,get,list,patch,update,watch";

/// The content of a list of a kind's objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListContent {
    /// The objects themselves, because the kind is simulated.
    Objects,
    /// Nothing, as in a real cluster that was just created.
    Nothing,
    /// Objects that kubectl derives from objects of other kinds.
    Derived,
    /// Unknown: a real cluster has such objects and this one has none, so any list would be wrong.
    Unknown,
}

/// A kind that the real API server serves, or that was added to this one.
#[derive(Clone, Debug, PartialEq)]
pub struct Served {
    /// The plural name of the kind in URL paths.
    pub plural: &'static str,
    /// The short names for kubectl.
    pub short_names: Vec<&'static str>,
    /// The API group and version, such as `apps/v1`.
    pub api_version: &'static str,
    /// True if objects of the kind belong to a namespace.
    pub namespaced: bool,
    /// The kind's name.
    pub kind: &'static str,
    /// The verbs that the kind supports, separated by commas.
    pub verbs: &'static str,
    /// The category by which kubectl can list the kind: `all`, `api-extensions` or `""`.
    pub category: &'static str,
    /// The content of a list of the kind's objects.
    pub content: ListContent,
    /// True if manifests are checked against the schema, even if the kind is not simulated.
    pub checks_manifests: bool,
    /// Older API versions that the real API server still decodes but no longer serves under the path of the current one.
    pub legacy_versions: Vec<&'static str>,
}

impl Served {
    /// Returns all kinds, sorted by group and plural.
    pub fn all(kinds: &Kinds) -> Vec<Served> {
        let mut all: Vec<Served> = kinds.all().map(|kind| Served::of(kind.row())).chain(Served::not_simulated()).collect();
        all.order_by_key(|s| (s.group(), s.plural));
        all
    }
    /// Returns the kinds that are not simulated, in the order of their lines in `static/content`.
    pub fn not_simulated() -> impl Iterator<Item = Served> {
        content::text("kinds_not_simulated.txt").lines().map(|line| {
            let mut cells = line.split(' ').map(|cell| if cell == "-" { "" } else { cell });
            let mut next = || cells.next().unwrap_or("");
            let words = |cell: &'static str| cell.split(',').filter(|word| !word.is_empty()).collect();
            Served {
                plural: next(),
                short_names: words(next()),
                api_version: next(),
                namespaced: next() == "y",
                kind: next(),
                verbs: Some(next()).filter(|verbs| *verbs != "all").unwrap_or(ALL_VERBS),
                category: next(),
                content: match next() {
                    "derived" => ListContent::Derived,
                    "empty" => ListContent::Nothing,
                    _ => ListContent::Unknown,
                },
                checks_manifests: next() == "y",
                legacy_versions: words(next()),
            }
        })
    }
    fn of(row: &'static KindRow) -> Served {
        Served {
            plural: row.plural,
            short_names: row.short_names.to_vec(),
            api_version: row.api_version,
            namespaced: row.namespaced,
            kind: row.name,
            verbs: if row.deletes_collections { ALL_VERBS } else { NO_COLLECTION },
            category: row.category,
            content: ListContent::Objects,
            checks_manifests: true,
            legacy_versions: row.legacy_versions.to_vec(),
        }
    }
    /// Returns the API group, `""` for the core group.
    pub fn group(&self) -> &'static str {
        self.api_version.split_once('/').map_or("", |(group, _)| group)
    }
    /// Returns the API version without the group.
    pub fn version(&self) -> &'static str {
        self.api_version.rsplit('/').next().unwrap_or("")
    }
    /// Returns the singular of the name in lower case, such as `statefulset`.
    pub fn singular(&self) -> String {
        self.kind.to_ascii_lowercase()
    }
    /// Returns the plural and the group: `statefulsets.apps`, or `limitranges` in the core group.
    pub fn qualified(&self) -> String {
        if self.group().is_empty() { self.plural.to_owned() } else { format!("{}.{}", self.plural, self.group()) }
    }
    /// Returns true if a word names the kind, as in `sts`, `Jobs`, `cronjobs.batch` or `cronjobs.v1.batch`.
    pub fn matches_name(&self, word: &str) -> bool {
        let lower = word.to_ascii_lowercase();
        let (name, group) = lower.split_once('.').map_or((lower.as_str(), None), |(n, g)| (n, Some(g)));
        let named = self.plural == name || self.singular() == name || self.short_names.contains(&name);
        let in_group = |g: &str| g == self.group() || g.split_once('.').is_some_and(|(v, g)| v == self.version() && g == self.group());
        !name.is_empty() && named && group.is_none_or(in_group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_served_once() {
        let all = Served::all(&Kinds::default());
        for pair in all.windows(2) {
            assert!((pair[0].group(), pair[0].plural) < (pair[1].group(), pair[1].plural), "{}", pair[1].plural);
        }
        assert_eq!(all.iter().filter(|s| s.content == ListContent::Objects).count(), Kinds::default().all().count());
    }

    #[test]
    fn words_are_understood_in_every_form() {
        let find = |word: &str| Served::not_simulated().find(|s| s.matches_name(word)).map(|s| s.plural);
        for (word, plural) in [
            ("csr", "certificatesigningrequests"),
            ("CSIDriver", "csidrivers"),
            ("csidrivers.storage.k8s.io", "csidrivers"),
            ("vac.v1.storage.k8s.io", "volumeattributesclasses"),
        ] {
            assert_eq!(find(word), Some(plural), "{word}");
        }
        assert_eq!(find("csidrivers.apps"), None);
        assert_eq!(find(""), None);
    }
}
