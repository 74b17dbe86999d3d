//! Problems of a manifest, each with its line: the errors of the parser, of the strict decoder and of the API server's validation and, in a cluster, the
//! answer that the API server would give.

use crate::api::field::Errors;
use crate::api::kind::{Kind, Kinds};
use crate::api::meta::Uid;
use crate::api::meta_rules;
use crate::api::order::Order;
use crate::api::schema;
use crate::api::value::{Map, Value};
use crate::api::yaml::{self, Document, Position, YamlError};
use crate::apiserver::unsimulated;
use crate::sim::Cluster;
use crate::view::compare::sources;
use crate::view::dry_run::Rehearsal;
use crate::view::paint::comment_start;

/// The severity of a problem in a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The API server will refuse the manifest.
    Error,
    /// The API server will accept the manifest, perhaps not as meant.
    Warning,
}

/// A problem in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The byte offset at which the problem starts.
    pub from: usize,
    /// The byte offset at which the problem ends.
    pub to: usize,
    /// The line of the problem, counted from 1.
    pub line: usize,
    /// The severity of the problem.
    pub severity: Severity,
    /// A description of the problem.
    pub message: String,
}

/// Returns the problems of a manifest that can be found without a cluster.
pub fn lint(text: &str) -> Vec<Problem> {
    lint_for(text, &Kinds::default())
}

fn lint_for(text: &str, kinds: &Kinds) -> Vec<Problem> {
    let mut linter = Linter { text, kinds, problems: Vec::new() };
    for document in yaml::parse_documents(text) {
        match document {
            Ok(document) => linter.document(&document),
            // kubectl does not read on after a syntax error, either.
            Err(error) => {
                linter.syntax(&error);
                break;
            }
        }
    }
    linter.done()
}

/// Returns the problems of a manifest in a cluster, including what the API server would refuse because of existing objects.
pub fn lint_live(text: &str, cluster: &Cluster) -> Vec<Problem> {
    let kinds = &cluster.api.kinds;
    let alone = lint_for(text, kinds);
    if alone.iter().any(|problem| problem.severity == Severity::Error) {
        return alone;
    }
    let mut linter = Linter { text, kinds, problems: alone };
    let mut rehearsal = Rehearsal::of(cluster);
    for (document, source) in sources(text) {
        let tried = rehearsal.kubectl(&["apply", "-f", "-"], source);
        for status in &tried.refusals {
            match status.causes.iter().filter(|cause| !cause.field.is_empty()).collect::<Vec<_>>().as_slice() {
                [] => linter.at_top(&document, "metadata", status.message.clone()),
                causes => causes.iter().for_each(|cause| linter.field(&document, &cause.field, &cause.message)),
            }
        }
        if tried.refusals.is_empty() && tried.exit.is_some_and(|code| code != 0) {
            linter.at_top(&document, "metadata", tried.stderr.trim_end().to_owned());
        }
    }
    linter.done()
}

struct Linter<'t> {
    text: &'t str,
    kinds: &'t Kinds,
    problems: Vec<Problem>,
}

impl Linter<'_> {
    fn done(mut self) -> Vec<Problem> {
        self.problems.order_by(|a, b| (a.from, a.severity, &a.message).cmp(&(b.from, b.severity, &b.message)));
        self.problems.dedup();
        self.problems
    }
    fn syntax(&mut self, error: &YamlError) {
        let words = error.message.trim_start_matches("error converting YAML to JSON: ").trim_start_matches("yaml: ");
        // goyaml counts lines in its own way; `error.line` is the true line.
        let numbered = words.strip_prefix("line ").and_then(|rest| rest.split_once(": "));
        let words = numbered.filter(|(number, _)| number.bytes().all(|b| b.is_ascii_digit())).map_or(words, |(_, rest)| rest);
        self.push(Position { line: error.line, column: error.column }, Severity::Error, words.to_owned());
    }
    fn document(&mut self, document: &Document) {
        for duplicate in &document.duplicates {
            let message = format!("key {} already set in map; the last one counts", duplicate.key);
            self.push(duplicate.position, Severity::Warning, message);
        }
        if document.value.is_null() {
            return;
        }
        if let Err(problem) = schema::check_type_meta(&document.value) {
            return self.at_top(document, "", problem.to_owned());
        }
        self.value(document, &document.value, "");
    }
    /// Checks one object; `prefix` is its path if it is an item of a `List`.
    fn value(&mut self, document: &Document, value: &Value, prefix: &str) {
        let Value::Map(object) = value else { return };
        if let Err(problem) = schema::check_client_metadata(value) {
            return self.at_top(document, "metadata", problem);
        }
        if object.str("kind") == "List" && object.str("apiVersion") == "v1" {
            for (i, item) in object.list("items").iter().enumerate() {
                self.value(document, item, &format!("{prefix}items[{i}]."));
            }
            return;
        }
        let (api_version, name) = (object.str("apiVersion"), object.str("kind"));
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        match self.kinds.find(group, version, name) {
            Some(kind) => self.object(document, kind, value, prefix),
            None => {
                let message = match unsimulated::find(group, version, name) {
                    Some(known) => unsimulated::refuse(&known, value).message.clone(),
                    None => format!("no matches for kind \"{name}\" in version \"{api_version}\""),
                };
                self.at_top(document, &format!("{prefix}kind"), message);
            }
        }
    }
    /// Decodes, defaults and validates an object, as the API server does with a new object before it writes it.
    fn object(&mut self, document: &Document, kind: Kind, value: &Value, prefix: &str) {
        let row = kind.row();
        if let Err(error) = schema::check(row.schema, row.name, row.version, value) {
            return self.undecoded(document, &error, prefix);
        }
        let mut tree = value.clone();
        schema::normalize(row.schema, &mut tree);
        let Value::Map(mut map) = tree else { return };
        if row.namespaced && map.map("metadata").is_none_or(|metadata| metadata.str("namespace").is_empty()) {
            map.map_mut("metadata").insert("namespace", "default");
        }
        (row.default)(&mut map);
        if row.has_status && !row.created_with_status {
            map.remove("status");
        }
        // Any uid will do: the server fills in the fields that it makes from it before it looks for mistakes.
        map.map_mut("metadata").insert("uid", Uid(1).text());
        (row.prepare_create)(&mut map);
        self.invalid(document, kind, &map, prefix);
    }
    fn undecoded(&mut self, document: &Document, error: &schema::StrictError, prefix: &str) {
        let words = error.message.split_once(" cannot be handled as a ").and_then(|(_, rest)| rest.split_once(": "));
        let words = words.map_or(error.message.as_str(), |(_, problem)| problem);
        let unknown = "unknown field \"";
        if !error.strict_only || !words.contains(unknown) {
            let place = document.spans.find(&format!("{prefix}{}", error.path)).mark();
            return self.push(place, Severity::Error, words.to_owned());
        }
        for (at, _) in words.match_indices(unknown) {
            let path = words.get(at + unknown.len()..).and_then(|rest| rest.split_once('"')).map_or("", |(path, _)| path);
            let place = document.spans.find(&format!("{prefix}{path}")).mark();
            self.push(place, Severity::Error, format!("{unknown}{path}\""));
        }
    }
    fn invalid(&mut self, document: &Document, kind: Kind, map: &Map, prefix: &str) {
        let mut errors = Errors::default();
        meta_rules::validate(kind, map, &mut errors);
        (kind.row().validate)(map, &mut errors);
        for error in &errors.0 {
            self.field(document, &format!("{prefix}{}", error.field), &error.message);
        }
    }
    fn field(&mut self, document: &Document, path: &str, message: &str) {
        self.push(document.spans.find(path).mark(), Severity::Error, format!("{path}: {message}"));
    }
    fn at_top(&mut self, document: &Document, key: &str, message: String) {
        let mark = document.spans.find(key).mark();
        let place = if mark.line > 0 { mark } else { Position { line: document.line, column: 1 } };
        self.push(place, Severity::Error, message);
    }
    /// Adds a problem that reaches from a position to the end of the code on its line.
    fn push(&mut self, place: Position, severity: Severity, message: String) {
        let lines = self.text.split_inclusive('\n').count().max(1);
        let line = (place.line as usize).clamp(1, lines);
        let offset: usize = self.text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        let content = self.text.get(offset..).unwrap_or("").split('\n').next().unwrap_or("");
        let code = content.get(..comment_start(content)).unwrap_or(content).trim_end();
        let within = place.line as usize == line;
        let column = content.char_indices().nth((place.column as usize).saturating_sub(1)).map_or(content.len(), |(at, _)| at);
        // At the end of a line, or beyond the text, the whole line is marked.
        let start = if within && column < code.len() { column } else { code.len() - code.trim_start().len() };
        let (from, to) = (offset + start, offset + code.len().max(start));
        self.problems.push(Problem { from, to, line, severity, message });
    }
}
