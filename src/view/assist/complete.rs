//! Completions at a position of a manifest: field names, and values where there are few.

use super::place::{Found, Sheet, Spot, What};
use crate::api::field_help::{field_help, is_out_of_use, type_help};
use crate::api::kind::Kind;
use crate::api::order::Order;
use crate::api::schema::{FieldInfo, Kind as Holds, Schema, Shape};
use crate::kubectl::{enum_of, type_text};

/// One completion at the cursor in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The name of the field, or the value.
    pub label: String,
    /// The type of the field, and whether it is required; empty for a value.
    pub detail: String,
    /// An explanation of the field; empty for a value.
    pub info: String,
    /// The text that the completion inserts.
    pub apply: String,
}

/// The completions at a position, the most needed first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completions {
    /// The byte offset at which the text starts that a completion replaces.
    pub from: usize,
    /// The byte offset at which the text ends that a completion replaces.
    pub to: usize,
    /// The completions to choose from.
    pub items: Vec<Choice>,
}

/// Fields that the API server fills in; nobody writes them.
const SERVERS_OWN: &[&str] = &[
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "status",
    "uid",
];
/// The fields that come first at the top of an object and of its metadata, in their order.
const FIRST: &[&str] = &["apiVersion", "kind", "metadata", "spec", "name", "namespace", "labels"];
/// The resources that are offered for requests and limits.
const RESOURCES: &[&str] = &["cpu", "memory", "ephemeral-storage"];

/// Returns the completions at a byte offset of a manifest.
pub fn complete(text: &str, at: usize) -> Completions {
    let sheet = Sheet::around(text, at);
    match sheet.spot {
        Some(Spot::Key { parent, from, to, column, colon, list }) => {
            let before = text.get(..from).unwrap_or("");
            let lead = if before.ends_with('-') { " " } else { "" };
            let place = Place { column, colon, lead };
            let mut items = under(&sheet, parent, from, &place);
            if let Some(list) = list.and_then(|list| sheet.resolve(Some(list))).filter(|_| !colon) {
                items.extend(new_item(list, &place));
            }
            Completions { from, to, items }
        }
        Some(Spot::Value { entry, from, to }) => Completions { from, to, items: values(text, &sheet, entry, from == to) },
        None => Completions { from: at, to: at, items: Vec::new() },
    }
}

/// The surroundings of a completion in the manifest, which decide how it is written.
struct Place {
    column: usize,
    /// Set if the manifest already has a colon after the word that is completed.
    colon: bool,
    /// The text that must be inserted before the completion, such as a blank after `-`.
    lead: &'static str,
}

/// Returns the completions for a key or an item below an entry; `None` stands for the top of the document.
fn under(sheet: &Sheet, parent: Option<usize>, from: usize, place: &Place) -> Vec<Choice> {
    let there = sheet.keys_under(parent, from);
    match sheet.resolve(parent) {
        Some(Found::Object(schema, _)) => fields(schema, &there, place),
        Some(found @ Found::Holds(_, Shape::List)) => new_item(found, place),
        Some(Found::Holds((_, info), Shape::Map)) if info.kind == Holds::Quantity => {
            let names = RESOURCES.iter().filter(|name| !there.contains(name));
            names.map(|name| choice(name, "Quantity", "", format!("{name}: "))).collect()
        }
        // An item of a list of plain values.
        Some(Found::Holds((_, info), Shape::One)) => plain_values(info),
        Some(Found::Holds(..)) => Vec::new(),
        None if parent.is_none() => {
            let names = ["apiVersion", "kind", "metadata"].into_iter().filter(|name| !there.contains(name));
            names
                .map(|name| {
                    choice(
                        name,
                        "",
                        field_help("*", name).unwrap_or(""),
                        format!("{name}:{}", if name == "metadata" { "\n  " } else { " " }),
                    )
                })
                .collect()
        }
        None => Vec::new(),
    }
}

/// Returns the fields of a type that are not among those `there`: required ones first, those that are out of use last.
fn fields(schema: &'static Schema, there: &[&str], place: &Place) -> Vec<Choice> {
    let is_root = schema.field("apiVersion").is_some() && schema.field("kind").is_some();
    let open = schema.fields.iter().filter(|info| !(there.contains(&info.name) || is_root && info.name == "status"));
    let mut infos: Vec<&FieldInfo> = open.collect();
    infos.order_by_cached_key(|info| {
        let first = FIRST.iter().position(|name| *name == info.name).unwrap_or(FIRST.len());
        let first = if is_root || schema.name == "meta.v1.ObjectMeta" { first } else { 0 };
        (SERVERS_OWN.contains(&info.name), !info.required, first, is_out_of_use(schema.name, info.name), info.name)
    });
    infos.into_iter().map(|info| field(schema, info, place)).collect()
}

fn field(schema: &Schema, info: &FieldInfo, place: &Place) -> Choice {
    let blanks = " ".repeat(place.column);
    let behind = match (info.shape, info.kind) {
        _ if place.colon => String::new(),
        (Shape::One, Holds::Schema(_)) | (Shape::Map, _) => format!(":\n{blanks}  "),
        (Shape::List, _) => format!(":\n{blanks}- "),
        _ => ": ".to_owned(),
    };
    let required = if info.required { ", required" } else { "" };
    let detail = format!("{}{required}", type_text(info));
    choice(info.name, &detail, field_help(schema.name, info.name).unwrap_or(""), format!("{}{}{behind}", place.lead, info.name))
}

/// Returns the first lines that a new item of a list may have.
fn new_item(list: Found, place: &Place) -> Vec<Choice> {
    let dash = |mut choice: Choice| {
        choice.label = format!("- {}", choice.label);
        choice.apply = format!("- {}", choice.apply);
        choice
    };
    match list.item() {
        Some(Found::Object(schema, _)) => {
            let inner = Place { column: place.column + 2, colon: place.colon, lead: "" };
            let all = fields(schema, &[], &inner);
            let needed = schema.fields.iter().filter(|info| info.required).count();
            all.into_iter().take(if needed > 0 { needed } else { usize::MAX }).map(dash).collect()
        }
        Some(Found::Holds((_, info), Shape::One)) => {
            let known = plain_values(info);
            let any = vec![choice("", &type_text(info), "", String::new())];
            (if known.is_empty() { any } else { known }).into_iter().map(dash).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the values that the key of an entry can have.
fn values(text: &str, sheet: &Sheet, entry: usize, empty: bool) -> Vec<Choice> {
    let Some((column, name, colon, parent)) = sheet.entries.get(entry).and_then(|entry| match entry.what {
        What::Key { name, colon, .. } => Some((entry.column, name, colon, entry.parent)),
        What::Item => None,
    }) else {
        return Vec::new();
    };
    let lead = if text.get(colon + 1..).is_some_and(|rest| rest.starts_with(' ')) { "" } else { " " };
    let spaced = |mut choice: Choice| {
        choice.apply = format!("{lead}{}", choice.apply);
        choice
    };
    if parent.is_none() && name == "kind" {
        return kinds(sheet.top("apiVersion")).into_iter().map(spaced).collect();
    }
    if parent.is_none() && name == "apiVersion" {
        return versions(sheet.top("kind")).into_iter().map(spaced).collect();
    }
    match sheet.resolve(Some(entry)) {
        Some(Found::Holds((_, info), Shape::One)) => plain_values(info).into_iter().map(spaced).collect(),
        // The value of an object or a list begins on the next line.
        Some(found) if empty => {
            let is_list = matches!(found, Found::Holds(_, Shape::List));
            let inner = Place { column: if is_list { column } else { column + 2 }, colon: false, lead: "" };
            let blanks = " ".repeat(inner.column);
            let mut items = under(sheet, Some(entry), usize::MAX, &inner);
            items.iter_mut().for_each(|item| item.apply = format!("\n{blanks}{}", item.apply));
            items
        }
        _ => Vec::new(),
    }
}

fn plain_values(info: &FieldInfo) -> Vec<Choice> {
    let named = |value: &str| choice(value, "", "", value.to_owned());
    match info.kind {
        Holds::Bool => ["true", "false"].map(named).into(),
        _ => enum_of(info).split(", ").filter(|value| !value.is_empty()).map(named).collect(),
    }
}

/// Returns the kinds of an API version, or all kinds if the version is unknown.
fn kinds(api_version: &str) -> Vec<Choice> {
    let all = || Kind::built_in().map(|kind| kind.row());
    let known = all().any(|row| row.api_version == api_version);
    let fitting = all().filter(|row| !known || row.api_version == api_version);
    fitting.map(|row| choice(row.name, row.api_version, type_help(row.schema).unwrap_or(""), row.name.to_owned())).collect()
}

/// Returns the API versions of a kind, or all versions if the kind is unknown.
fn versions(kind: &str) -> Vec<Choice> {
    let all = || Kind::built_in().map(|kind| kind.row());
    let known = all().any(|row| row.name == kind);
    let mut found: Vec<&str> = all().filter(|row| !known || row.name == kind).map(|row| row.api_version).collect();
    found.order();
    found.dedup();
    let names = |version: &str| all().filter(|row| row.api_version == version).map(|row| row.name).collect::<Vec<_>>().join(", ");
    found.into_iter().map(|version| choice(version, "", &names(version), version.to_owned())).collect()
}

fn choice(label: &str, detail: &str, info: &str, apply: String) -> Choice {
    Choice { label: label.to_owned(), detail: detail.to_owned(), info: info.to_owned(), apply }
}
