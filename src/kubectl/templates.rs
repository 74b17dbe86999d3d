//! `-o jsonpath` and `-o custom-columns`. Counterparts: `cli-runtime/pkg/printers/jsonpath.go`, `kubectl/pkg/cmd/get/customcolumn.go`.

use super::errors::Failure;
use super::flags::Args;
use super::jsonpath::{Template, show as text_of};
use super::print::table;
use super::{Cx, Run};
use crate::api::json;
use crate::api::object::Object;
use crate::api::value::{Map, Value};
use std::sync::Arc;

/// Shows objects by the template in `-o`.
pub fn show(cx: &mut Cx, args: &Args, whole: Option<Map>, objects: &[Arc<Object>]) -> Run {
    let (format, text) = args.text("output").and_then(|o| o.split_once('=')).unwrap_or_default();
    if format == "custom-columns" {
        return columns(cx, args, text, objects);
    }
    let bad = |why: String| Failure::plain(format!("error parsing jsonpath {text}, {why}"));
    let template = Template::parse(text).map_err(bad)?;
    let Some(whole) = whole else { return Ok(()) };
    let root = Value::Map(whole);
    let failed = |why: String| Failure::plain(format!("error executing jsonpath \"{text}\": Error executing template: {why}."));
    if format == "jsonpath-as-json" {
        let found: Vec<Value> = template.find(&root).map_err(failed)?.into_iter().cloned().collect();
        cx.say(json::pretty(&Value::List(found), 4));
    } else {
        let printed = template.print(&root).map_err(failed)?;
        cx.print(&printed);
    }
    Ok(())
}

fn columns(cx: &mut Cx, args: &Args, text: &str, objects: &[Arc<Object>]) -> Run {
    let (mut head, mut paths) = (Vec::new(), Vec::new());
    for column in text.split(',') {
        let (name, path) = column
            .split_once(':')
            .ok_or_else(|| Failure::plain(format!("unexpected custom-columns spec: {column}, expected <header>:<json-path-expr>")))?;
        head.push(name.to_owned());
        paths.push(Template::path(path).map_err(Failure::Plain)?);
    }
    let mut rows = if args.on("no-headers") { Vec::new() } else { vec![head] };
    for object in objects {
        let root = Value::Map(object.to_map());
        let cell = |path: &Template| {
            let found = path.find(&root).unwrap_or_default();
            if found.is_empty() { "<none>".to_owned() } else { found.into_iter().map(go_text).collect::<Vec<_>>().join(",") }
        };
        rows.push(paths.iter().map(cell).collect());
    }
    cx.print(&table(&rows));
    Ok(())
}

/// Maps and lists are shown as Go prints them.
fn go_text(value: &Value) -> String {
    match value {
        Value::Map(m) => format!("map[{}]", m.iter().map(|(k, v)| format!("{k}:{}", go_text(v))).collect::<Vec<_>>().join(" ")),
        Value::List(l) => format!("[{}]", l.iter().map(go_text).collect::<Vec<_>>().join(" ")),
        other => text_of(other),
    }
}
