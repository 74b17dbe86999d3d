//! `-o go-template`: a small Go template engine. Counterparts: `text/template`, `cli-runtime/pkg/printers/template.go`.
//!
//! As in the real client, the numbers of a document are floats: `{{eq .spec.replicas 3}}` fails, `{{if .spec.replicas}}` does not.
//!
//! This engine is our own, because the crates that run Go templates follow neither Go's rules of comparison and printing nor its error texts, which
//! kubectl prints.

mod functions;
mod parse;

pub use functions::value_text;

use crate::api::float;
use crate::api::value::{Map, Value};
use parse::{Node, Operand, Pipe, Term};

/// A parsed Go template.
#[derive(Clone, Debug)]
pub struct GoTemplate<'s> {
    source: &'s str,
    nodes: Vec<Node>,
}

/// A value during the execution of a template.
#[derive(Clone, Debug, PartialEq)]
pub enum TemplateValue<'v> {
    /// A key that does not exist, or `nil`.
    Nil,
    /// A part of the document that the template is executed on.
    Data(&'v Value),
    /// A string literal of the template, or the result of a function.
    Text(String),
    /// An integer of the template, such as a literal or the result of `len`.
    Int(i64),
    /// A float literal of the template.
    Float(f64),
    /// A boolean literal of the template, or the result of a comparison.
    Bool(bool),
}

impl TemplateValue<'_> {
    fn is_nil(&self) -> bool {
        matches!(self, TemplateValue::Nil | TemplateValue::Data(Value::Null))
    }
    fn is_string(&self) -> bool {
        matches!(self, TemplateValue::Text(_) | TemplateValue::Data(Value::Str(_)))
    }
    fn float(&self) -> Option<f64> {
        match self {
            TemplateValue::Data(Value::Int(n)) => Some(*n as f64),
            TemplateValue::Data(Value::Float(f)) | TemplateValue::Float(f) => Some(*f),
            _ => None,
        }
    }
    fn is_true(&self) -> bool {
        match self {
            TemplateValue::Nil | TemplateValue::Data(Value::Null) => false,
            TemplateValue::Bool(b) | TemplateValue::Data(Value::Bool(b)) => *b,
            TemplateValue::Int(n) => *n != 0,
            TemplateValue::Text(text) => !text.is_empty(),
            TemplateValue::Data(Value::Str(text)) => !text.is_empty(),
            TemplateValue::Data(Value::List(list)) => !list.is_empty(),
            TemplateValue::Data(Value::Map(map)) => !map.is_empty(),
            other => other.float() != Some(0.0),
        }
    }
    fn text(&self) -> String {
        match self {
            TemplateValue::Nil | TemplateValue::Data(Value::Null) => "<no value>".to_owned(),
            TemplateValue::Data(value) => value_text(value),
            TemplateValue::Text(text) => text.clone(),
            TemplateValue::Int(n) => n.to_string(),
            TemplateValue::Float(f) => float::general(*f),
            TemplateValue::Bool(b) => b.to_string(),
        }
    }
    fn type_name(&self) -> &'static str {
        match self {
            TemplateValue::Nil | TemplateValue::Data(Value::Null) => "<nil>",
            TemplateValue::Data(Value::Map(_)) => "map[string]interface {}",
            TemplateValue::Data(Value::List(_)) => "[]interface {}",
            TemplateValue::Text(_) | TemplateValue::Data(Value::Str(_)) => "string",
            TemplateValue::Bool(_) | TemplateValue::Data(Value::Bool(_)) => "bool",
            TemplateValue::Int(_) => "int",
            TemplateValue::Float(_) | TemplateValue::Data(_) => "float64",
        }
    }
}

/// The way in which the execution of a list of nodes ended: normally, or by `break` or `continue`.
enum Flow {
    On,
    Break,
    Continue,
}

impl<'s> GoTemplate<'s> {
    /// Parses a template; errors have Go's text.
    pub fn parse(source: &'s str) -> Result<GoTemplate<'s>, String> {
        Ok(GoTemplate { source, nodes: parse::parse(source)? })
    }
    /// Executes the template on a document. An error also carries the text that was printed before it.
    /// With `strict`, so is a key that a map does not have.
    pub fn print(&self, root: &Value, strict: bool) -> Result<String, (String, String)> {
        let mut out = String::new();
        let mut run = Run { source: self.source, strict, variables: vec![("$".to_owned(), TemplateValue::Data(root))] };
        match run.nodes(&self.nodes, &TemplateValue::Data(root), &mut out) {
            Ok(_) => Ok(out),
            Err(why) => Err((out, why)),
        }
    }
}

struct Run<'s, 'v> {
    source: &'s str,
    /// Set if a key that a map does not have is an error (Go's `missingkey=error`).
    strict: bool,
    variables: Vec<(String, TemplateValue<'v>)>,
}

impl<'v> Run<'_, 'v> {
    fn nodes(&mut self, nodes: &[Node], dot: &TemplateValue<'v>, out: &mut String) -> Result<Flow, String> {
        for node in nodes {
            let flow = match node {
                Node::Text(text) => {
                    out.push_str(text);
                    Flow::On
                }
                Node::Action(pipe) => {
                    let value = self.pipe(pipe, dot)?;
                    if pipe.variables.is_empty() {
                        out.push_str(&value.text());
                    }
                    Flow::On
                }
                Node::If(pipe, body, otherwise) => self.scoped(|run| {
                    let holds = run.pipe(pipe, dot)?.is_true();
                    run.nodes(if holds { body } else { otherwise }, dot, out)
                })?,
                Node::With(pipe, body, otherwise) => self.scoped(|run| {
                    let value = run.pipe(pipe, dot)?;
                    if value.is_true() { run.nodes(body, &value, out) } else { run.nodes(otherwise, dot, out) }
                })?,
                Node::Range(pipe, body, otherwise) => self.scoped(|run| run.range(pipe, body, otherwise, dot, out))?,
                Node::Break => Flow::Break,
                Node::Continue => Flow::Continue,
            };
            if !matches!(flow, Flow::On) {
                return Ok(flow);
            }
        }
        Ok(Flow::On)
    }

    /// Runs a block, then drops the variables that it declared.
    fn scoped(&mut self, act: impl FnOnce(&mut Self) -> Result<Flow, String>) -> Result<Flow, String> {
        let known = self.variables.len();
        let flow = act(self);
        self.variables.truncate(known);
        flow
    }

    fn range(&mut self, pipe: &Pipe, body: &[Node], otherwise: &[Node], dot: &TemplateValue<'v>, out: &mut String) -> Result<Flow, String> {
        let whole = self.value(pipe, dot)?;
        let items: Vec<(TemplateValue<'v>, TemplateValue<'v>)> = match &whole {
            TemplateValue::Data(Value::List(list)) => {
                list.iter().enumerate().map(|(i, item)| (TemplateValue::Int(i as i64), TemplateValue::Data(item))).collect()
            }
            TemplateValue::Data(Value::Map(map)) => {
                map.iter().map(|(key, item)| (TemplateValue::Text(key.to_string()), TemplateValue::Data(item))).collect()
            }
            TemplateValue::Int(n) => (0..*n).map(|i| (TemplateValue::Int(i), TemplateValue::Int(i))).collect(),
            other if other.is_nil() => Vec::new(),
            other => {
                let text = format!("range can't iterate over {}", other.text());
                return Err(self.failed(pipe.commands.first().and_then(|c| c.first()), &text));
            }
        };
        if items.is_empty() {
            return self.nodes(otherwise, dot, out);
        }
        for (key, item) in items {
            let known = self.variables.len();
            match (pipe.variables.as_slice(), pipe.declares) {
                ([one], true) => self.variables.push((one.clone(), item.clone())),
                ([first, second], true) => {
                    self.variables.push((first.clone(), key));
                    self.variables.push((second.clone(), item.clone()));
                }
                ([one], false) => self.set(one, item.clone()),
                ([first, second], false) => {
                    self.set(first, key);
                    self.set(second, item.clone());
                }
                _ => {}
            }
            let flow = self.nodes(body, &item, out);
            self.variables.truncate(known);
            if let Flow::Break = flow? {
                break;
            }
        }
        Ok(Flow::On)
    }

    fn set(&mut self, name: &str, value: TemplateValue<'v>) {
        if let Some((_, held)) = self.variables.iter_mut().rev().find(|(known, _)| known == name) {
            *held = value;
        }
    }

    /// Evaluates a pipeline, and assigns its value to the variables that it names.
    fn pipe(&mut self, pipe: &Pipe, dot: &TemplateValue<'v>) -> Result<TemplateValue<'v>, String> {
        let value = self.value(pipe, dot)?;
        for name in &pipe.variables {
            if pipe.declares {
                self.variables.push((name.clone(), value.clone()));
            } else {
                self.set(name, value.clone());
            }
        }
        Ok(value)
    }

    fn value(&mut self, pipe: &Pipe, dot: &TemplateValue<'v>) -> Result<TemplateValue<'v>, String> {
        let mut last: Option<TemplateValue<'v>> = None;
        for command in &pipe.commands {
            last = Some(self.command(command, dot, last)?);
        }
        Ok(last.unwrap_or(TemplateValue::Nil))
    }

    fn command(&mut self, command: &[Term], dot: &TemplateValue<'v>, last: Option<TemplateValue<'v>>) -> Result<TemplateValue<'v>, String> {
        let Some((first, args)) = command.split_first() else { return Ok(TemplateValue::Nil) };
        let Operand::Function(name) = &first.operand else {
            if !args.is_empty() || last.is_some() {
                return Err(self.failed(Some(first), &format!("can't give argument to non-function {}", first.text)));
            }
            return self.term(first, dot);
        };
        if name == "and" || name == "or" {
            let mut value = TemplateValue::Nil;
            for arg in args {
                value = self.term(arg, dot)?;
                if value.is_true() == (name == "or") {
                    return Ok(value);
                }
            }
            return Ok(last.unwrap_or(value));
        }
        let mut values = args.iter().map(|arg| self.term(arg, dot)).collect::<Result<Vec<_>, _>>()?;
        values.extend(last);
        functions::call(name, &values).map_err(|why| {
            let text = command.iter().map(|term| term.text.as_str()).collect::<Vec<_>>().join(" ");
            let prefix = if why.starts_with("wrong number of args") { String::new() } else { format!("error calling {name}: ") };
            self.failed_at(first.at, &text, &format!("{prefix}{why}"))
        })
    }

    fn term(&mut self, term: &Term, dot: &TemplateValue<'v>) -> Result<TemplateValue<'v>, String> {
        let mut value = match &term.operand {
            Operand::Dot => dot.clone(),
            Operand::Variable(name) => {
                self.variables.iter().rev().find(|(known, _)| known == name).map_or(TemplateValue::Nil, |(_, v)| v.clone())
            }
            Operand::Function(name) => functions::call(name, &[]).map_err(|why| self.failed(Some(term), &why))?,
            Operand::Text(text) => TemplateValue::Text(text.clone()),
            Operand::Int(n) => TemplateValue::Int(*n),
            Operand::Float(f) => TemplateValue::Float(*f),
            Operand::Bool(b) => TemplateValue::Bool(*b),
            Operand::Nil => TemplateValue::Nil,
            Operand::Pipe(pipe) => self.pipe(pipe, dot)?,
        };
        for field in &term.fields {
            value = match &value {
                TemplateValue::Data(Value::Map(map)) => match map.get(field) {
                    None if self.strict => return Err(self.failed(Some(term), &format!("map has no entry for key {field:?}"))),
                    found => found.map_or(TemplateValue::Nil, TemplateValue::Data),
                },
                // Nothing of what is missing is missing as well; only what is there and `null` is an error.
                TemplateValue::Nil => TemplateValue::Nil,
                other if other.is_nil() => return Err(self.failed(Some(term), &format!("nil pointer evaluating interface {{}}.{field}"))),
                TemplateValue::Data(_) => {
                    return Err(self.failed(Some(term), &format!("can't evaluate field {field} in type interface {{}}")));
                }
                other => return Err(self.failed(Some(term), &format!("can't evaluate field {field} in type {}", other.type_name()))),
            };
        }
        Ok(value)
    }

    fn failed(&self, term: Option<&Term>, text: &str) -> String {
        term.map_or_else(|| text.to_owned(), |term| self.failed_at(term.at, &term.text, text))
    }

    fn failed_at(&self, at: usize, what: &str, text: &str) -> String {
        let before = self.source.get(..at).unwrap_or("");
        let line = 1 + before.matches('\n').count();
        let column = before.rfind('\n').map_or(at, |newline| at - newline - 1);
        format!("template: output:{line}:{column}: executing \"output\" at <{what}>: {text}")
    }
}

/// Returns the debugging text that the real client prints after a template has failed.
pub fn post_mortem(source: &str, document: &Map, json: &str, why: &str) -> String {
    let object = value_text(&Value::Map(document.clone()));
    format!(
        "Error executing template: {why}. Printing more information for debugging the template:\n\ttemplate was:\n\t\t{source}\n\traw data was:\n\t\t{json}\n\tobject given to template engine was:\n\t\t{object}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json;

    const DOCUMENT: &str = r#"{"items":[{"name":"a","n":1,"tags":["x","y"],"ok":true},{"name":"b","n":2500000}],"kind":"List","map":{"k":"v","l":"w"},"secret":"aGk="}"#;

    fn check(table: &[(&str, &str)]) {
        let root = json::parse(DOCUMENT).unwrap();
        for (template, wanted) in table {
            let got = GoTemplate::parse(template).map(|t| t.print(&root, false).unwrap_or_else(|(_, why)| why)).unwrap_or_else(|why| why);
            assert_eq!(got, *wanted, "{template}");
        }
    }

    #[test]
    fn templates_print_what_go_prints() {
        check(&[
            ("{{range .items}}{{.name}}{{\"\\n\"}}{{end}}", "a\nb\n"),
            ("{{.kind}} {{.nope}} {{len .items}}", "List <no value> 2"),
            ("{{range $i, $item := .items}}{{if $i}}, {{end}}{{$i}}:{{$item.name}}{{end}}", "0:a, 1:b"),
            ("{{range $k, $v := .map}}{{$k}}={{$v}};{{end}}", "k=v;l=w;"),
            ("{{range .none}}x{{else}}nothing{{end}}", "nothing"),
            ("{{with .kind}}<{{.}}>{{end}}{{with .nope}}x{{else}}-{{end}}", "<List>-"),
            ("{{if eq .kind \"Pod\"}}pod{{else if eq .kind \"List\"}}list{{else}}other{{end}}", "list"),
            ("a {{- \" b \" -}} c", "a b c"),
            ("{{/* nothing */}}x", "x"),
            ("{{(index .items 1).n}} {{(index .items 0).n}}", "2.5e+06 1"),
            ("{{index .map \"k\"}} {{(index .items 0).tags}} {{.map}}", "v [x y] map[k:v l:w]"),
            ("{{printf \"%-5s|%3d|%v|%q|%.1f\" .kind 7 true \"hi\" 2.25}}", "List |  7|true|\"hi\"|2.2"),
            ("{{printf \"%d %s\" (index .items 0).n}}", "%!d(float64=1) %!s(MISSING)"),
            ("{{$x := 1}}{{if true}}{{$x = 2}}{{end}}{{$x}}", "2"),
            ("{{.kind | printf \"%s-%s\" \"a\"}}", "a-List"),
            ("{{and .kind 0}} {{or .nope \"default\"}} {{not .nope}}", "0 default true"),
            ("{{print 1 2 \"x\" 3}} {{println \"a\" 1}}", "1 2x3 a 1\n"),
            ("{{range .items}}{{if eq .name \"b\"}}{{break}}{{end}}{{.name}}{{end}}", "a"),
            ("{{.secret | base64decode}} {{exists . \"kind\"}} {{lt 1 2}}", "hi true true"),
            ("{{range .items}}{{$.kind}} {{end}}", "List List "),
        ]);
    }

    #[test]
    fn mistakes_are_told_in_gos_words() {
        check(&[
            ("{{ .name", "template: output:1: unclosed action"),
            ("{{foo .x}}", "template: output:1: function \"foo\" not defined"),
            ("\n{{$x}}", "template: output:2: undefined variable \"$x\""),
            ("{{if .x}}", "template: output:1: unexpected EOF"),
            ("{{end}}", "template: output:1: unexpected {{end}}"),
            ("{{}}", "template: output:1: missing value for command"),
            ("{{.kind.foo}}", "template: output:1:7: executing \"output\" at <.kind.foo>: can't evaluate field foo in type interface {}"),
            (
                "{{index .items 5}}",
                "template: output:1:2: executing \"output\" at <index .items 5>: error calling index: index out of range: 5",
            ),
            ("{{range .kind}}{{end}}", "template: output:1:8: executing \"output\" at <.kind>: range can't iterate over List"),
            (
                "{{eq (index .items 0).n 1}}",
                "template: output:1:2: executing \"output\" at <eq (index .items 0).n 1>: error calling eq: incompatible types for comparison",
            ),
        ]);
    }
}
