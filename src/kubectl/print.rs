//! How objects are shown. Counterpart: `cli-runtime/pkg/printers`.

use super::Cx;
use super::errors::Failure;
use super::flags::Args;
use super::resource::qualified;
use crate::api::kind::Kind;
use crate::api::value::{Map, Value};
use crate::api::{json, yaml};

/// How objects are to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// As a table, or as a sentence about what was done.
    Human,
    /// As a table with all columns.
    Wide,
    /// As `type/name`.
    Name,
    /// As YAML.
    Yaml,
    /// As JSON.
    Json,
    /// By a template of the person's own.
    Template,
}

const FORMATS: &str = "custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile";

impl Output {
    /// From `-o`; tables can also be wide.
    pub fn of(args: &Args, table: bool) -> Result<Output, Failure> {
        let format = args.text("output").unwrap_or("");
        match format {
            "" => Ok(Output::Human),
            "wide" if table => Ok(Output::Wide),
            "name" => Ok(Output::Name),
            "yaml" => Ok(Output::Yaml),
            "json" => Ok(Output::Json),
            _ if table && ["jsonpath=", "jsonpath-as-json=", "custom-columns="].iter().any(|f| format.starts_with(f)) => {
                Ok(Output::Template)
            }
            _ => Err(unknown(format, table)),
        }
    }
}

fn unknown(format: &str, table: bool) -> Failure {
    let name = format.split('=').next().unwrap_or(format);
    if FORMATS.split(',').any(|known| known == name) {
        return Failure::plain(format!("this playground has no output format \"{name}\""));
    }
    let wide = if table { ",wide" } else { "" };
    Failure::plain(format!(
        "unable to match a printer suitable for the output format \"{format}\", allowed formats are: {FORMATS}{wide},yaml"
    ))
}

/// What is only tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DryRun {
    /// Everything is done.
    None,
    /// Nothing is sent.
    Client,
    /// The server does everything but the write.
    Server,
}

impl DryRun {
    /// From `--dry-run`.
    pub fn of(args: &Args) -> Result<DryRun, Failure> {
        match args.text("dry-run") {
            None | Some("none" | "false") => Ok(DryRun::None),
            Some("client" | "true") => Ok(DryRun::Client),
            Some("server") => Ok(DryRun::Server),
            Some("unchanged") => Err(Failure::plain(
                "--dry-run flag without a value was specified. A value must be set: \"none\", \"server\", or \"client\".",
            )),
            Some(other) => Err(Failure::plain(format!("Invalid dry-run value ({other}). Must be \"none\", \"server\", or \"client\"."))),
        }
    }
    /// What is put after the sentence.
    pub fn suffix(self) -> &'static str {
        match self {
            DryRun::None => "",
            DryRun::Client => " (dry run)",
            DryRun::Server => " (server dry run)",
        }
    }
}

/// Tells what was done to an object, or shows it.
pub fn report(cx: &mut Cx, output: Output, dry_run: DryRun, kind: Kind, object: &Map, done: &str) {
    let name = object.at(&["metadata", "name"]).and_then(Value::as_str).unwrap_or("");
    match output {
        Output::Human | Output::Wide => cx.say(format!("{}/{name} {done}{}", qualified(kind), dry_run.suffix())),
        Output::Name => cx.say(format!("{}/{name}", qualified(kind))),
        Output::Yaml | Output::Json | Output::Template => document(cx, output, object),
    }
}

/// Shows a whole tree.
pub fn document(cx: &mut Cx, output: Output, object: &Map) {
    let value = Value::Map(object.clone());
    if output == Output::Json {
        cx.say(json::pretty(&value, 4));
    } else {
        cx.print(&yaml::emit(&value));
    }
}

/// The widths of columns, which only grow: lines that have been shown cannot be taken back.
#[derive(Clone, Debug, Default)]
pub struct Widths(Vec<usize>);

impl Widths {
    /// Rows as `kubectl get` aligns them.
    pub fn lines(&mut self, rows: &[Vec<String>]) -> String {
        self.align(rows, 6, 3)
    }
    fn align(&mut self, rows: &[Vec<String>], min: usize, gap: usize) -> String {
        for row in rows {
            // The last cell of a row needs no room after it.
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

/// Rows in aligned columns: each at least `min` wide and `gap` blanks apart, the last one as it comes.
pub fn align(rows: &[Vec<String>], min: usize, gap: usize) -> String {
    Widths::default().align(rows, min, gap)
}

/// A table as `kubectl get` aligns it.
pub fn table(rows: &[Vec<String>]) -> String {
    align(rows, 6, 3)
}

/// A cell's text: one line of it, and dots where there are more.
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
