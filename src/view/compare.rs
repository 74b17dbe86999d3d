//! Compares a manifest with the live objects: the changes that applying it would make, object by object.
//!
//! The manifest is applied to a copy of the API server. Unlike `kubectl diff`, this leaves out generation, timestamps and the last applied
//! configuration.

use super::dry_run::Rehearsal;
use crate::api::diff::unified;
use crate::api::value::{Map, Value};
use crate::api::yaml::{self, Document};
use crate::sim::Cluster;

/// The number of unchanged lines shown around a difference.
const CONTEXT: usize = 3;
/// Metadata fields that the API server sets.
const SERVERS_OWN: &[&str] = &["creationTimestamp", "generation", "managedFields", "resourceVersion", "uid"];
/// The annotation in which `kubectl apply` keeps the last applied configuration.
pub(super) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The changes that applying one object would make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Kind and name of the object: `ReplicaSet my-app`.
    pub title: String,
    /// The result that applying the object would have.
    pub verdict: Verdict,
    /// The lines of the live and the new version around each difference.
    pub lines: Vec<DiffLine>,
}

/// The result that applying an object would have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The object does not exist yet.
    New,
    /// Applying changes nothing.
    Same,
    /// Applying changes something.
    Changed,
    /// The API server would refuse the object, with this message.
    Refused(String),
}

impl Verdict {
    /// Returns the result as words for the page.
    pub fn words(&self) -> &str {
        match self {
            Verdict::New => "not there yet",
            Verdict::Same => "no difference",
            Verdict::Changed => "differs",
            Verdict::Refused(_) => "would be refused",
        }
    }
}

/// A line of the comparison of an object's live and new version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    /// The versions that contain the line.
    pub mark: Mark,
    /// The text of the line, without the sign of the diff.
    pub text: String,
}

/// The versions of an object, live and new, that contain a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The line is in both versions.
    Same,
    /// The line is only in the new version.
    Added,
    /// The line is only in the live version.
    Removed,
    /// The line is in neither version: it stands for equal lines that are left out.
    Gap,
}

impl Mark {
    /// Returns the sign with which a unified diff marks a line of this sort.
    pub fn sign(self) -> &'static str {
        match self {
            Mark::Same => " ",
            Mark::Added => "+",
            Mark::Removed => "-",
            Mark::Gap => "@",
        }
    }
    /// Returns the name of the CSS class for a line of this sort.
    pub fn class(self) -> &'static str {
        match self {
            Mark::Same => "same",
            Mark::Added => "added",
            Mark::Removed => "removed",
            Mark::Gap => "gap",
        }
    }
}

/// Compares every object of a manifest with the live one. Each document is tried on top of those before it, as when all are applied.
pub fn compare(text: &str, cluster: &Cluster) -> Vec<Comparison> {
    let mut rehearsal = Rehearsal::of(cluster);
    if let Some(Err(error)) = yaml::parse_documents(text).into_iter().find(Result::is_err) {
        let verdict = Verdict::Refused(format!("error: error parsing STDIN: {}", error.message));
        return vec![Comparison { title: "manifest".to_owned(), verdict, lines: Vec::new() }];
    }
    let mut found = Vec::new();
    for (document, source) in sources(text) {
        let objects = objects(&document.value);
        let before: Vec<Option<String>> = objects.iter().map(|object| live(&rehearsal, object)).collect();
        let tried = rehearsal.kubectl(&["apply", "-f", "-"], source);
        for (object, before) in objects.iter().zip(before) {
            let after = live(&rehearsal, object);
            let (verdict, lines) = match (before, after) {
                (before, after) if before == after && tried.exit != Some(0) => {
                    (Verdict::Refused(tried.stderr.trim_end().to_owned()), Vec::new())
                }
                (None, after) => (Verdict::New, read(&unified("", &after.unwrap_or_default(), CONTEXT))),
                (Some(before), after) => {
                    let lines = read(&unified(&before, &after.unwrap_or_default(), CONTEXT));
                    (if lines.is_empty() { Verdict::Same } else { Verdict::Changed }, lines)
                }
            };
            found.push(Comparison { title: title(object), verdict, lines });
        }
    }
    found
}

/// Returns the objects of a YAML document: the object itself, or the items of a `List`.
fn objects(value: &Value) -> Vec<&Map> {
    let Some(object) = value.as_map() else { return Vec::new() };
    match object.str("kind") {
        "List" => object.list("items").iter().filter_map(Value::as_map).collect(),
        _ => vec![object],
    }
}

/// Returns the live version of an object as a person would write it: without its status and the fields that the API server sets.
fn live(rehearsal: &Rehearsal, object: &Map) -> Option<String> {
    let (group, version) = object.str("apiVersion").split_once('/').unwrap_or(("", object.str("apiVersion")));
    let kind = rehearsal.kinds().find(group, version, object.str("kind"))?;
    let mut map = rehearsal.find(kind, meta(object, "namespace"), meta(object, "name"))?.to_map();
    map.remove("status");
    let metadata = map.map_mut("metadata");
    SERVERS_OWN.iter().for_each(|name| metadata.remove(name));
    if metadata.has("annotations") {
        metadata.map_mut("annotations").remove(LAST_APPLIED);
    }
    if metadata.map("annotations").is_some_and(Map::is_empty) {
        metadata.remove("annotations");
    }
    Some(yaml::emit(&Value::Map(map)))
}

fn meta<'o>(object: &'o Map, key: &str) -> &'o str {
    object.at(&["metadata", key]).and_then(Value::as_str).unwrap_or("")
}

/// Returns the YAML documents of a manifest, each with the text it was read from. JSON objects that follow one another count as one text.
pub(super) fn sources(text: &str) -> Vec<(Document, &str)> {
    let documents: Vec<Document> = yaml::parse_documents(text).into_iter().filter_map(Result::ok).collect();
    let offset = |line: u32| text.split_inclusive('\n').take((line as usize).saturating_sub(1)).map(str::len).sum::<usize>();
    let ends: Vec<usize> = documents.iter().skip(1).map(|next| offset(next.line)).chain([text.len()]).collect();
    let mut parts = Vec::new();
    for (document, end) in documents.into_iter().zip(ends) {
        let start = offset(document.line);
        if start < end && !document.value.is_null() {
            parts.push((document, text.get(start..end).unwrap_or("")));
        }
    }
    parts
}

/// Returns a title such as `Deployment web`, with the namespace if the object names one.
fn title(object: &Map) -> String {
    let namespace = meta(object, "namespace");
    let place = if namespace.is_empty() { String::new() } else { format!(" in {namespace}") };
    format!("{} {}{place}", object.str("kind"), meta(object, "name")).trim().to_owned()
}

/// Parses the output of a unified diff.
fn read(output: &str) -> Vec<DiffLine> {
    let line = |line: &str| {
        let (mark, text) = match line.as_bytes().first() {
            Some(b'+') => (Mark::Added, line.get(1..)),
            Some(b'-') => (Mark::Removed, line.get(1..)),
            Some(b'@') => (Mark::Gap, Some(line)),
            _ => (Mark::Same, line.get(1..)),
        };
        DiffLine { mark, text: text.unwrap_or("").to_owned() }
    };
    output.lines().map(line).collect()
}
