//! Prints objects as tables, names, YAML and JSON. Counterpart: `cli-runtime/pkg/printers`.

use super::errors::Stop;
use super::flags::Args;
use super::resource::qualified;
use super::{Cx, Run, templates};
use crate::api::kind::Kind;
use crate::api::time::Time;
use crate::api::value::{Map, Value};
use crate::api::{json, yaml};

/// The output format that `-o` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// A table, or a sentence about what was done.
    Human,
    /// A table with all columns (`-o wide`).
    Wide,
    /// The type and name of each object, as `type/name`.
    Name,
    /// YAML in block style.
    Yaml,
    /// Indented JSON.
    Json,
    /// YAML in flow style, with strings quoted.
    Kyaml,
    /// A template from the command line or a file.
    Template,
}

const FORMATS: &str = "go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile";

/// The formats of `-o` that take a template.
const TEMPLATES: &[&str] = &[
    "custom-columns",
    "custom-columns-file",
    "go-template",
    "go-template-file",
    "jsonpath",
    "jsonpath-as-json",
    "jsonpath-file",
    "template",
    "templatefile",
];

impl Output {
    /// Reads `-o` and `--template`. `table` allows `wide` and templates, which only commands that print tables support.
    pub fn of(args: &Args, table: bool) -> Result<Output, Stop> {
        let format = args.text("output").unwrap_or("");
        match format.to_ascii_lowercase().as_str() {
            "" if args.text("template").is_some() => Ok(Output::Template),
            "" => Ok(Output::Human),
            "wide" if table && format == "wide" => Ok(Output::Wide),
            "name" => Ok(Output::Name),
            "yaml" => Ok(Output::Yaml),
            "json" => Ok(Output::Json),
            "kyaml" => Ok(Output::Kyaml),
            _ if TEMPLATES.contains(&template(args).0) && (table || !format.starts_with("custom-columns")) => Ok(Output::Template),
            _ => Err(unknown(format, table)),
        }
    }
}

/// Returns the format and the template of `-o FORMAT=TEMPLATE` or `--template`.
pub fn template(args: &Args) -> (&str, &str) {
    template_of(args.text("output").unwrap_or(""), args.text("template"))
}

/// Returns the format and the template that the values of `-o` and `--template` give.
pub fn template_of<'a>(format: &'a str, template: Option<&'a str>) -> (&'a str, &'a str) {
    match (format.split_once('='), template) {
        (_, Some(text)) if !text.is_empty() => (if format.is_empty() { "go-template" } else { format }, text),
        (Some(parts), _) => parts,
        (None, _) => (format, ""),
    }
}

fn unknown(format: &str, table: bool) -> Stop {
    let (first, wide) = if table { ("custom-columns,custom-columns-file,", ",wide") } else { ("", "") };
    Stop::plain(format!(
        "unable to match a printer suitable for the output format \"{format}\", allowed formats are: {first}{FORMATS}{wide},yaml"
    ))
}

/// The log line about `--dry-run` without a value.
pub const DRY_RUN_DEPRECATED: &str = "helpers.go:719] --dry-run is deprecated and can be replaced with --dry-run=client.";

/// The mode of `--dry-run`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DryRun {
    /// No dry run: the server stores the object.
    None,
    /// The client sends no write to the server.
    Client,
    /// The server handles the request but does not store the object.
    Server,
}

impl DryRun {
    /// Parses the value of the flag `--dry-run`.
    pub fn of(args: &Args) -> Result<DryRun, Stop> {
        match args.text("dry-run") {
            None | Some("none" | "0" | "f" | "F" | "false" | "FALSE" | "False") => Ok(DryRun::None),
            Some("client" | "unchanged" | "1" | "t" | "T" | "true" | "TRUE" | "True") => Ok(DryRun::Client),
            Some("server") => Ok(DryRun::Server),
            Some(other) => Err(Stop::plain(format!("Invalid dry-run value ({other}). Must be \"none\", \"server\", or \"client\"."))),
        }
    }
    /// Returns the note about the dry run that follows the sentence about what was done.
    pub fn suffix(self) -> &'static str {
        match self {
            DryRun::None => "",
            DryRun::Client => " (dry run)",
            DryRun::Server => " (server dry run)",
        }
    }
}

/// Prints a sentence about what was done to an object (`done`), or the object itself, by the output format.
pub fn report(cx: &mut Cx, output: Output, dry_run: DryRun, kind: Kind, object: &Map, done: &str) -> Run {
    let name = object.at(&["metadata", "name"]).and_then(Value::as_str).unwrap_or("");
    match output {
        Output::Human | Output::Wide => cx.println(format!("{}/{name} {done}{}", qualified(kind), dry_run.suffix())),
        Output::Name => cx.println(format!("{}/{name}", qualified(kind))),
        _ => match &mut cx.held {
            Some(held) => held.push(object.clone()),
            None => return whole(cx, output, object),
        },
    }
    Ok(())
}

/// Prints a tree as a document, or by the template that the command line gives.
pub fn whole(cx: &mut Cx, output: Output, object: &Map) -> Run {
    if output == Output::Template {
        let (format, text) = cx.template.clone();
        return templates::print(cx, template_of(&format, text.as_deref()), false, Some(object.clone()));
    }
    document(cx, output, object);
    Ok(())
}

/// Prints a tree as YAML, KYAML or JSON, after a line between two documents of YAML.
pub fn document(cx: &mut Cx, output: Output, object: &Map) {
    let value = Value::Map(object.clone());
    cx.documents += 1;
    if cx.documents > 1 && output == Output::Yaml {
        cx.println("---");
    }
    match output {
        Output::Json => cx.println(json::pretty(&value, 4)),
        Output::Kyaml => {
            let mut text = "---\n".to_owned();
            kyaml(&value, 0, &mut text);
            cx.println(text);
        }
        _ => cx.print(&yaml::emit(&value)),
    }
}

/// Formats a line of the client's own log, with the letter of its severity. Counterpart: `klog`.
pub fn log_line(severity: char, at: Time, text: &str) -> String {
    let stamp = at.rfc3339_micro();
    let day = stamp.get(5..10).unwrap_or("").replace('-', "");
    format!("{severity}{day} {}       1 {text}", stamp.get(11..26).unwrap_or(""))
}

/// The widths of columns. They only grow, because lines that were printed cannot be aligned again.
#[derive(Clone, Debug, Default)]
pub struct Widths(Vec<usize>);

impl Widths {
    /// Aligns rows as `kubectl get` does.
    pub fn lines(&mut self, rows: &[Vec<String>]) -> String {
        self.align(rows, 6, 3)
    }
    fn align(&mut self, rows: &[Vec<String>], min: usize, gap: usize) -> String {
        for row in rows {
            // The last cell of a row is not padded.
            for (i, cell) in row.iter().enumerate().take(row.len().saturating_sub(1)) {
                if self.0.len() <= i {
                    self.0.push(min);
                }
                self.0[i] = self.0[i].max(cell.chars().count() + gap);
            }
        }
        let mut out = String::new();
        for row in rows {
            for (i, cell) in row.iter().enumerate() {
                out.push_str(cell);
                if i + 1 < row.len() {
                    let width = self.0.get(i).copied().unwrap_or(0);
                    out.extend(std::iter::repeat_n(' ', width.saturating_sub(cell.chars().count())));
                }
            }
            out.push('\n');
        }
        out
    }
}

/// Appends a value as KYAML: flow style with all strings quoted, a comma after every entry, and the brackets of a list beside the braces of its maps.
fn kyaml(value: &Value, level: usize, out: &mut String) {
    let margin = |level: usize, out: &mut String| out.extend(std::iter::repeat_n(' ', 2 * level));
    match value {
        Value::Map(m) if !m.is_empty() => {
            out.push_str("{\n");
            for (key, value) in m.iter() {
                margin(level + 1, out);
                out.push_str(&kyaml_key(key));
                out.push_str(": ");
                kyaml(value, level + 1, out);
                out.push_str(",\n");
            }
            margin(level, out);
            out.push('}');
        }
        Value::List(l) if l.iter().any(|item| matches!(item, Value::Map(_) | Value::List(_))) => {
            out.push('[');
            for (i, item) in l.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                kyaml(item, level, out);
            }
            out.push(']');
        }
        Value::List(l) if !l.is_empty() => {
            out.push_str("[\n");
            for item in l {
                margin(level + 1, out);
                kyaml(item, level + 1, out);
                out.push_str(",\n");
            }
            margin(level, out);
            out.push(']');
        }
        leaf => out.push_str(&json::to_string(leaf)),
    }
}

/// Returns a key for KYAML, quoted if a YAML reader could take it for something other than a string.
fn kyaml_key(key: &str) -> String {
    let plain = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && key.chars().all(|c| c.is_ascii_alphanumeric() || "_./-".contains(c))
        && !["y", "n", "yes", "no", "on", "off", "true", "false", "null"].contains(&key.to_ascii_lowercase().as_str());
    if plain { key.to_owned() } else { json::to_string(&key.into()) }
}

/// Aligns rows in columns that are at least `min` wide and `gap` blanks apart; the last column is not padded.
pub fn align(rows: &[Vec<String>], min: usize, gap: usize) -> String {
    Widths::default().align(rows, min, gap)
}

/// Aligns a table as `kubectl get` does.
pub fn table(rows: &[Vec<String>]) -> String {
    align(rows, 6, 3)
}

/// Formats a cell of a table: the first line of the value, and dots if there are more lines.
pub fn cell(value: &Value) -> String {
    let text = match value {
        Value::Str(s) => s.to_string(),
        Value::Null => "<none>".to_owned(),
        other => json::to_string(other),
    };
    match text.find(['\n', '\r', '\u{c}']) {
        Some(end) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
