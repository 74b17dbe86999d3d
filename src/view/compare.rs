//! A manifest against what is live: what applying it would change, object by object.
//!
//! It is tried on a copy of the API server. What `kubectl diff` shows besides (generation, timestamps, what was last applied) is left out.

use super::rehearse::Rehearsal;
use crate::api::diff::unified;
use crate::api::value::{Map, Value};
use crate::api::yaml::{self, Document};
use crate::sim::Cluster;

/// How many lines stand around what differs.
const CONTEXT: usize = 3;
/// What the server keeps in an object's metadata.
const SERVERS_OWN: &[&str] = &["creationTimestamp", "generation", "managedFields", "resourceVersion", "uid"];
/// Where `kubectl apply` keeps what was last applied.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What applying one object would change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The object: `ReplicaSet my-app`.
    pub title: String,
    /// In a word.
    pub verdict: Verdict,
    /// The lines of both versions around what differs.
    pub lines: Vec<DiffLine>,
}

/// What the comparison found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The object is not there yet.
    New,
    /// Applying changes nothing.
    Same,
    /// Applying changes something.
    Changed,
    /// It would be refused, with these words.
    Refused(String),
}

impl Verdict {
    /// In words.
    pub fn words(&self) -> &str {
        match self {
            Verdict::New => "not there yet",
            Verdict::Same => "no difference",
            Verdict::Changed => "differs",
            Verdict::Refused(_) => "would be refused",
        }
    }
}

/// A line of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    /// Where it stands.
    pub mark: Mark,
    /// Its text, without the mark.
    pub text: String,
}

/// Where a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// In both versions.
    Same,
    /// Only in the new one.
    Added,
    /// Only in the live one.
    Removed,
    /// Nowhere: lines are left out here.
    Gap,
}

impl Mark {
    /// As a unified diff writes it.
    pub fn sign(self) -> &'static str {
        match self {
            Mark::Same => " ",
            Mark::Added => "+",
            Mark::Removed => "-",
            Mark::Gap => "@",
        }
    }
    /// The name of its style.
    pub fn class(self) -> &'static str {
        match self {
            Mark::Same => "same",
            Mark::Added => "added",
            Mark::Removed => "removed",
            Mark::Gap => "gap",
        }
    }
}

/// Compares every object of a text with what is live. Each document is tried on top of those before it, as when all are applied.
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

/// The objects of a document: itself, or the items of a list.
fn objects(value: &Value) -> Vec<&Map> {
    let Some(object) = value.as_map() else { return Vec::new() };
    match object.str("kind") {
        "List" => object.list("items").iter().filter_map(Value::as_map).collect(),
        _ => vec![object],
    }
}

/// The live object as a person would write it: without its status and what the server keeps for itself.
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

/// The documents of a text, each with the part of the text it was read from. Objects of JSON that follow one another count as one part.
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

/// `Deployment web`, with its namespace where it names one.
fn title(object: &Map) -> String {
    let namespace = meta(object, "namespace");
    let place = if namespace.is_empty() { String::new() } else { format!(" in {namespace}") };
    format!("{} {}{place}", object.str("kind"), meta(object, "name")).trim().to_owned()
}

/// The lines of a unified diff.
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
