//! The layout of Go's `PodTemplateSpec`: the order and the types of its fields as of Kubernetes v1.36, which the template hash depends on.
//!
//! Notation: fields are separated by `,`; each is a Go name and a type. `=x` after the name gives the JSON name where it does not follow from the Go
//! name, `^` marks an embedded struct. Types: `s` string, `b` bool, `i` int32, `l` int64, `m` map[string]string, `q` a map of quantities; `*` and
//! `[]` as in Go; other types belong to package v1 unless they name a package. A type that has no entry here is a named string type.

use crate::api::content;
use std::sync::OnceLock;

/// Returns the fields of the Go struct with this name, in the notation above; `None` if the table `static/content/hash_layout.txt` has no such struct.
pub fn fields(name: &str) -> Option<&'static str> {
    static STRUCTS: OnceLock<Vec<(&str, &str)>> = OnceLock::new();
    let structs = STRUCTS.get_or_init(|| content::rows("hash_layout.txt"));
    structs.iter().find(|(known, _)| *known == name).map(|(_, fields)| *fields)
}
