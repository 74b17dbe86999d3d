//! From parser events to a [`Value`] with the places of its parts. Counterparts: goyaml v2's `decode.go` and
//! `sigs.k8s.io/yaml`, which turns all keys to strings.

use super::problem::YamlError;
use super::scalar::value_of;
use super::{Document, Duplicate, Position, Spans};
use crate::api::value::{Map, Value};
use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput, Tag};
use smol_str::SmolStr;
use std::collections::BTreeMap;

/// Deeper nesting is refused, so that no text can use up the stack.
const MAX_DEPTH: usize = 200;
/// How many nodes aliases may copy in all, so that a small text cannot become a huge tree.
const MAX_COPIES: usize = 100_000;

pub(super) struct Loader<'a> {
    chunk: &'a str,
    first_line: usize,
    parser: Parser<'a, StrInput<'a>>,
    anchors: BTreeMap<usize, (Value, Spans)>,
    copies: usize,
    duplicates: Vec<Duplicate>,
}

type Node = (Value, Spans);

impl<'a> Loader<'a> {
    /// A loader for a chunk of text that begins after `first_line` lines of the whole.
    pub(super) fn new(chunk: &'a str, first_line: usize) -> Self {
        let parser = Parser::new_from_str(chunk);
        Loader { chunk, first_line, parser, anchors: BTreeMap::new(), copies: 0, duplicates: Vec::new() }
    }

    /// The first document of the chunk; `None` where there is nothing but comments or `null`.
    pub(super) fn document(mut self) -> Result<Option<Document>, YamlError> {
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamStart | Event::DocumentStart(_) | Event::Nothing => {}
                Event::StreamEnd | Event::DocumentEnd => return Ok(None),
                _ => {
                    let (value, spans) = self.node(event, span, 0)?;
                    self.next()?;
                    if value.is_null() {
                        return Ok(None);
                    }
                    let line = self.first_line as u32 + 1;
                    return Ok(Some(Document { value, spans, duplicates: self.duplicates, line }));
                }
            }
        }
    }

    fn next(&mut self) -> Result<(Event<'a>, Span), YamlError> {
        match self.parser.next_event() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err(YamlError::from_scan(&error, self.chunk, self.first_line)),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn position(&self, span: &Span) -> Position {
        Position { line: (self.first_line + span.start.line()) as u32, column: span.start.col() as u32 + 1 }
    }

    fn error(&self, problem: &str, span: &Span) -> YamlError {
        YamlError::plain(problem, self.first_line + span.start.line(), span.start.col() + 1)
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Node, YamlError> {
        if depth > MAX_DEPTH {
            return Err(self.error("yaml: exceeded max depth", &span));
        }
        let place = self.position(&span);
        let (anchor, node) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let value = scalar(&text, style, tag.as_deref());
                (anchor, (value, Spans::leaf(place)))
            }
            Event::Alias(id) => return self.alias(id, &span, place),
            Event::SequenceStart(anchor, _) => (anchor, self.sequence(place, depth)?),
            Event::MappingStart(anchor, _) => (anchor, self.mapping(place, depth)?),
            _ => return Err(self.error("yaml: did not find expected node content", &span)),
        };
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn alias(&mut self, id: usize, span: &Span, place: Position) -> Result<Node, YamlError> {
        let Some((value, _)) = self.anchors.get(&id) else {
            let name = super::problem::name_at(self.chunk, span.start.line(), span.start.col());
            return Err(self.error(&format!("yaml: anchor '{name}' value contains itself"), span));
        };
        self.copies += count(value);
        if self.copies > MAX_COPIES {
            return Err(self.error("yaml: document contains excessive aliasing", span));
        }
        Ok((value.clone(), Spans::leaf(place)))
    }

    fn sequence(&mut self, place: Position, depth: usize) -> Result<Node, YamlError> {
        let (mut items, mut spans) = (Vec::new(), Spans::leaf(place));
        loop {
            let (event, span) = self.next()?;
            if event == Event::SequenceEnd {
                return Ok((Value::List(items), spans));
            }
            let (value, child) = self.node(event, span, depth + 1)?;
            items.push(value);
            spans.children.push((SmolStr::default(), child));
        }
    }

    fn mapping(&mut self, place: Position, depth: usize) -> Result<Node, YamlError> {
        let (mut map, mut spans) = (Map::new(), Spans::leaf(place));
        loop {
            let (event, span) = self.next()?;
            if event == Event::MappingEnd {
                break;
            }
            let merge = matches!(&event, Event::Scalar(t, ScalarStyle::Plain, _, _) if t == "<<");
            let (key, key_spans) = self.node(event, span, depth + 1)?;
            let (event, value_span) = self.next()?;
            let (value, mut child) = self.node(event, value_span, depth + 1)?;
            if merge {
                self.merge(&mut map, value, &value_span)?;
                continue;
            }
            let (name, shown) = self.key(&key, &value, &span)?;
            if map.has(&name) {
                let line = key_spans.value.line - self.first_line as u32;
                self.duplicates.push(Duplicate { key: shown, line, position: key_spans.value });
            }
            child.key = key_spans.value;
            map.insert(name.clone(), value);
            match spans.children.binary_search_by(|(k, _)| k.cmp(&name)) {
                Ok(i) => spans.children[i].1 = child,
                Err(i) => spans.children.insert(i, (name, child)),
            }
        }
        Ok((Value::Map(map), spans))
    }

    /// A key as a string, and as Go's `%#v` shows it.
    fn key(&self, key: &Value, value: &Value, span: &Span) -> Result<(SmolStr, String), YamlError> {
        let shown = go_syntax(key);
        Ok(match key {
            Value::Str(s) => (s.clone(), shown),
            Value::Int(_) | Value::Bool(_) => (shown.as_str().into(), shown),
            Value::Float(f) => (super::emit::float(*f).into(), shown),
            Value::Null => {
                let problem = format!("unsupported map key of type: %!s(<nil>), key: <nil>, value: {}", go_syntax(value));
                return Err(self.error(&problem, span));
            }
            Value::List(_) | Value::Map(_) => {
                return Err(self.error(&format!("yaml: invalid map key: {shown}"), span));
            }
        })
    }

    /// goyaml v2 merges where `<<` stands, so it overrides keys above it.
    fn merge(&self, map: &mut Map, value: Value, span: &Span) -> Result<(), YamlError> {
        match value {
            Value::Map(other) => {
                for (key, value) in other {
                    map.insert(key, value);
                }
                Ok(())
            }
            // The first of several maps wins, so they are merged from the last.
            Value::List(list) => list.into_iter().rev().try_for_each(|item| match item {
                Value::Map(_) => self.merge(map, item, span),
                _ => Err(self.error("yaml: map merge requires map or sequence of maps as the value", span)),
            }),
            _ => Err(self.error("yaml: map merge requires map or sequence of maps as the value", span)),
        }
    }
}

fn count(value: &Value) -> usize {
    match value {
        Value::List(list) => 1 + list.iter().map(count).sum::<usize>(),
        Value::Map(map) => 1 + map.iter().map(|(_, v)| count(v)).sum::<usize>(),
        _ => 1,
    }
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Value {
    match tag {
        Some(tag) if tag.is_yaml_core_schema() => match tag.suffix.as_str() {
            "str" | "binary" => Value::from(text),
            "float" => match value_of(text) {
                Value::Str(_) => text.parse().map_or(Value::from(text), Value::Float),
                other => other,
            },
            _ => value_of(text),
        },
        Some(_) => Value::from(text),
        None if style == ScalarStyle::Plain => value_of(text),
        None => Value::from(text),
    }
}

/// A value as Go's `%#v` prints what goyaml decoded.
fn go_syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_string(),
        Value::Bool(b) => b.to_string(),
        Value::Int(i) => i.to_string(),
        Value::Float(f) => super::emit::float(*f),
        Value::Str(_) => crate::api::json::to_string(value),
        Value::List(list) => {
            let items: Vec<String> = list.iter().map(go_syntax).collect();
            format!("[]interface {{}}{{{}}}", items.join(", "))
        }
        Value::Map(map) => {
            let entries: Vec<String> = map.iter().map(|(k, v)| format!("{}:{}", go_syntax(&Value::from(k)), go_syntax(v))).collect();
            format!("map[interface {{}}]interface {{}}{{{}}}", entries.join(", "))
        }
    }
}
