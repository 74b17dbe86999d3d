//! A manifest against what is live: what applying it would change, document by document, as `kubectl diff` tells it.

use super::rehearse::Rehearsal;
use crate::api::value::{Map, Value};
use crate::api::yaml::{self, Document};
use crate::sim::Cluster;

/// What applying one document would change.
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

/// Compares every document of a text with what is live. Each is tried on top of those before it, as when all are applied.
pub fn compare(text: &str, cluster: &Cluster) -> Vec<Comparison> {
    let mut rehearsal = Rehearsal::of(cluster);
    if let Some(Err(error)) = yaml::parse_documents(text).into_iter().find(Result::is_err) {
        let verdict = Verdict::Refused(format!("error: error parsing STDIN: {}", error.message));
        return vec![Comparison { title: "manifest".to_owned(), verdict, lines: Vec::new() }];
    }
    let compare_one = |(document, source): (Document, &str)| {
        let tried = rehearsal.kubectl(&["diff", "-f", "-"], source);
        let lines = read(&tried.stdout);
        let verdict = match tried.exit {
            Some(0) => Verdict::Same,
            Some(1) if lines.iter().all(|line| line.mark == Mark::Added || line.mark == Mark::Gap) => Verdict::New,
            Some(1) => Verdict::Changed,
            _ => Verdict::Refused(tried.stderr.trim_end().to_owned()),
        };
        rehearsal.kubectl(&["apply", "-f", "-"], source);
        Comparison { title: title(&document.value), verdict, lines }
    };
    sources(text).into_iter().map(compare_one).collect()
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
fn title(value: &Value) -> String {
    let nothing = Map::new();
    let object = value.as_map().unwrap_or(&nothing);
    let meta = |key: &str| object.at(&["metadata", key]).and_then(Value::as_str).unwrap_or("");
    let place = if meta("namespace").is_empty() { String::new() } else { format!(" in {}", meta("namespace")) };
    format!("{} {}{place}", object.str("kind"), meta("name")).trim().to_owned()
}

/// The lines of what `kubectl diff` wrote, without the names of files.
fn read(output: &str) -> Vec<DiffLine> {
    let (mut lines, mut heading): (Vec<DiffLine>, u8) = (Vec::new(), 0);
    for line in output.lines() {
        if line.starts_with("diff -u -N ") {
            heading = 2;
            continue;
        }
        if heading > 0 {
            heading -= 1;
            continue;
        }
        let (mark, text) = match line.as_bytes().first() {
            Some(b'+') => (Mark::Added, line.get(1..)),
            Some(b'-') => (Mark::Removed, line.get(1..)),
            Some(b'@') => (Mark::Gap, Some(line)),
            _ => (Mark::Same, line.get(1..)),
        };
        lines.push(DiffLine { mark, text: text.unwrap_or("").to_owned() });
    }
    lines
}
