//! Help while a manifest is written: what may stand at a place, what a field is for, and what is wrong where.
//!
//! | file | what |
//! | --- | --- |
//! | `place` | where in the object a place of the text is, found by indentation so that half-written text has one too |
//! | `complete` | what may stand there |
//! | `lint` | what is wrong, each at its own line |
//!
//! Places are bytes of the text. Inside flow collections (`{a: b}`) and block scalars there is no help, only problems.

mod complete;
mod lint;
mod place;

use crate::api::field_help::{field_help, type_help};
use crate::kubectl::{enum_of, type_text};
use place::{Sheet, What};

pub use complete::{Choice, Completions, complete};
pub use lint::{Problem, Severity, lint, lint_live};

/// What is known about a word of the manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// Where the word begins.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// The field's path, or a kind's name.
    pub title: String,
    /// The field's type, and whether it must be given.
    pub detail: String,
    /// What it is for.
    pub help: String,
}

/// What the word at a place means, where that is known.
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
    // The kind itself is told by the value that stands there.
    let named = (name == "kind" && owner.field("apiVersion").is_some()).then(|| type_help(owner.name)).flatten();
    let mut help: Vec<&str> = [field_help(owner.name, info.name), inner, named].into_iter().flatten().collect();
    help.dedup();
    Some(Hover { from, to, title: sheet.path(index), detail, help: help.join(" ") })
}
