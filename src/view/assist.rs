//! Help while a person writes a manifest: completions at the cursor, the meaning of a field, and problems.
//!
//! | file | what |
//! | --- | --- |
//! | `place` | the field that a position in the text belongs to, found by indentation so that it works in half-written text |
//! | `complete` | completions at a position |
//! | `lint` | problems, each with its line |
//!
//! Positions are byte offsets in the text. Inside flow collections (`{a: b}`) and block scalars there are only problems, no completions and hovers.

mod complete;
mod lint;
mod place;

use crate::api::field_help::{field_help, type_help};
use crate::kubectl::{enum_of, type_text};
use place::{Sheet, What};

pub use complete::{Choice, Completions, complete};
pub use lint::{Problem, Severity, lint, lint_live};

/// The help for a word of a manifest, shown when the pointer is over it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The byte offset at which the word starts.
    pub from: usize,
    /// The byte offset at which the word ends.
    pub to: usize,
    /// The path of the field: `spec.containers[].image`.
    pub title: String,
    /// The field's type, whether it is required, and its possible values.
    pub detail: String,
    /// An explanation of the field.
    pub help: String,
}

/// Returns the help for the word at a byte offset of a manifest, if it is a known field.
pub fn hover(text: &str, at: usize) -> Option<Hover> {
    let sheet = Sheet::around(text, at);
    let (index, name) = sheet.entries.iter().enumerate().find_map(|(i, entry)| match entry.what {
        What::Key { name, .. } if entry.at <= at && at <= entry.at + name.len() => Some((i, name)),
        _ => None,
    })?;
    let (from, to) = (sheet.entries.get(index)?.at, sheet.entries.get(index)?.at + name.len());
    let (owner, info) = sheet.resolve(Some(index))?.field()?;
    let mut detail = type_text(info);
    if info.required {
        detail.push_str(", required");
    }
    let values = enum_of(info);
    if !values.is_empty() {
        detail = format!("{detail}: {values}");
    }
    let inner = match info.kind {
        crate::api::schema::Kind::Schema(name) => type_help(name),
        _ => None,
    };
    // `kind` also gets the help of the kind that its value names.
    let named = (name == "kind" && owner.field("apiVersion").is_some()).then(|| type_help(owner.name)).flatten();
    let mut help: Vec<&str> = [field_help(owner.name, info.name), inner, named].into_iter().flatten().collect();
    help.dedup();
    Some(Hover { from, to, title: sheet.path(index), detail, help: help.join(" ") })
}
