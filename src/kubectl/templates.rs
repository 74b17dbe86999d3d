//! The output formats `-o jsonpath`, `-o go-template` and `-o custom-columns`. Counterparts: `cli-runtime/pkg/printers`,
//! `kubectl/pkg/cmd/get/customcolumn.go`.

use super::errors::Stop;
use super::flags::Args;
use super::gotemplate::{GoTemplate, post_mortem};
use super::jsonpath::{Template, show as text_of};
use super::print::{table, template};
use super::{Cx, Run};
use crate::api::json;
use crate::api::value::{Map, Value};

/// Prints a document by the template that the flags give; prints nothing for `None`.
pub fn show(cx: &mut Cx, args: &Args, whole: Option<Map>) -> Run {
    print(cx, template(args), args.on("no-headers"), whole)
}

/// Prints a document by a format and its template; prints nothing for `None`.
pub fn print(cx: &mut Cx, given: (&str, &str), no_headers: bool, whole: Option<Map>) -> Run {
    let (format, text) = source(cx, given)?;
    let Some(whole) = whole else { return Ok(()) };
    match format {
        "custom-columns" | "custom-columns-file" => show_columns(cx, no_headers, &columns(format, &text)?, whole),
        "jsonpath" | "jsonpath-as-json" => show_paths(cx, &text, format == "jsonpath-as-json", whole)?,
        _ => {
            let root = Value::Map(whole.clone());
            match parse_go_template(&text)?.print(&root, cx.strict_templates) {
                Ok(printed) => cx.print(&printed),
                Err((printed, why)) => {
                    cx.print(&printed);
                    cx.print(&post_mortem(&text, &whole, &json::to_string(&root), &why));
                    let quoted = json::to_string(&text.as_str().into());
                    return Err(Stop::plain(format!("error executing template {quoted}: {why}")));
                }
            }
        }
    }
    Ok(())
}

/// Returns the output format and its template, from the command line or from a file.
fn source<'a>(cx: &Cx, (format, text): (&'a str, &str)) -> Result<(&'a str, String), Stop> {
    if text.is_empty() {
        let what = if format.starts_with("custom-columns") {
            "custom-columns format specified but no custom columns given"
        } else {
            "template format specified but no template given"
        };
        return Err(Stop::plain(what));
    }
    let name = match format {
        "go-template-file" | "templatefile" => "go-template",
        "jsonpath-file" => "jsonpath",
        "custom-columns-file" => "custom-columns-file",
        other => return Ok((other, text.to_owned())),
    };
    match cx.env.files.iter().find(|(path, _)| path == text) {
        Some((_, held)) => Ok((name, held.clone())),
        None => {
            let what = if name == "custom-columns-file" { "template" } else { "--template" };
            Err(Stop::plain(format!("error reading {what} {text}, open {text}: no such file or directory\n")))
        }
    }
}

fn parse_jsonpath(text: &str) -> Result<Template, Stop> {
    Template::parse(text).map_err(|why| Stop::plain(format!("error parsing jsonpath {text}, {why}")))
}

fn parse_go_template(text: &str) -> Result<GoTemplate<'_>, Stop> {
    GoTemplate::parse(text).map_err(|why| Stop::plain(format!("error parsing template {text}, {why}")))
}

fn show_paths(cx: &mut Cx, text: &str, as_json: bool, whole: Map) -> Run {
    let template = parse_jsonpath(text)?.with_strictness(cx.strict_templates);
    let root = Value::Map(whole);
    let failed = |why: String| {
        let object = go_syntax(&root);
        Stop::plain(format!(
            "error executing jsonpath {}: Error executing template: {why}. Printing more information for debugging the template:\n\ttemplate was:\n\t\t{text}\n\tobject given to jsonpath engine was:\n\t\t{object}\n\n\n",
            json::to_string(&text.into())
        ))
    };
    if as_json {
        for found in template.results(&root).map_err(failed)? {
            cx.println(json::pretty(&Value::List(found.into_iter().cloned().collect()), 4));
        }
    } else {
        let printed = template.print(&root).map_err(failed)?;
        cx.print(&printed);
    }
    Ok(())
}

/// A column: its header, and the path to its value; a column without a path has none.
type Column = (String, Option<Template>);

/// Parses `NAME:.metadata.name,…`, or a file with a line of headers and a line of paths.
fn columns(format: &str, text: &str) -> Result<Vec<Column>, Stop> {
    let pairs: Vec<(String, String)> = if format == "custom-columns-file" {
        let mut lines =
            text.lines().filter(|line| !line.trim().is_empty()).map(|line| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        let (heads, paths) = (lines.next().unwrap_or_default(), lines.next());
        let Some(paths) = paths else {
            return Err(Stop::plain(
                "invalid template, missing specs line. Expected format is one line of space separated column headers, one line of space separated column specs.",
            ));
        };
        if heads.len() != paths.len() {
            return Err(Stop::plain(format!("number of headers ({}) and field specifications ({}) don't match", heads.len(), paths.len())));
        }
        heads.into_iter().zip(paths).collect()
    } else {
        let pair = |column: &str| {
            let parts = column.split_once(':').map(|(head, path)| (head.to_owned(), path.to_owned()));
            parts.ok_or_else(|| Stop::plain(format!("unexpected custom-columns spec: {column}, expected <header>:<json-path-expr>")))
        };
        text.split(',').map(pair).collect::<Result<_, _>>()?
    };
    pairs
        .into_iter()
        .map(|(head, path)| {
            let path = Some(path).filter(|path| !path.is_empty()).map(|path| Template::path(&path).map_err(Stop::plain));
            Ok((head, path.transpose()?))
        })
        .collect()
}

fn show_columns(cx: &mut Cx, no_headers: bool, columns: &[Column], whole: Map) {
    let head = columns.iter().map(|(head, _)| head.clone()).collect();
    let mut rows = if no_headers { Vec::new() } else { vec![head] };
    let items = match whole.get("items") {
        Some(Value::List(items)) if whole.str("kind") == "List" => items.clone(),
        _ => vec![Value::Map(whole)],
    };
    for item in &items {
        let cell = |(_, path): &Column| {
            let found = path.as_ref().and_then(|path| path.find(item).ok()).unwrap_or_default();
            if found.is_empty() { "<none>".to_owned() } else { found.into_iter().map(go_text).collect::<Vec<_>>().join(",") }
        };
        rows.push(columns.iter().map(cell).collect());
    }
    cx.print(&table(&rows));
}

/// Formats a value as Go's `%v` does.
fn go_text(value: &Value) -> String {
    match value {
        Value::Map(m) => format!("map[{}]", m.iter().map(|(k, v)| format!("{k}:{}", go_text(v))).collect::<Vec<_>>().join(" ")),
        Value::List(l) => format!("[{}]", l.iter().map(go_text).collect::<Vec<_>>().join(" ")),
        Value::Null => "<nil>".to_owned(),
        other => text_of(other),
    }
}

/// Formats a value in Go syntax, as `%#v` does.
fn go_syntax(value: &Value) -> String {
    match value {
        Value::Map(m) => {
            let pairs = m.iter().map(|(k, v)| format!("{}:{}", json::to_string(&k.into()), go_syntax(v))).collect::<Vec<_>>();
            format!("map[string]interface {{}}{{{}}}", pairs.join(", "))
        }
        Value::List(l) => format!("[]interface {{}}{{{}}}", l.iter().map(go_syntax).collect::<Vec<_>>().join(", ")),
        Value::Null => "interface {}(nil)".to_owned(),
        other => json::to_string(other),
    }
}
