//! From parser events to a [`Value`] with the places of its parts. Counterparts: goyaml v2's `decode.go` and
//! `sigs.k8s.io/yaml`, which turns all keys to strings.

use super::problem::YamlError;
use super::repair::Repair;
use super::scalar::value_of;
use super::{Document, Duplicate, Position, Spans};
use crate::api::value::{Map, Value};
use crate::persistent::FewMap;
use crate::text::Str;
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput, Tag};

/// Deeper nesting is refused, so that no text can use up the stack.
const MAX_DEPTH: usize = 200;
/// How many nodes aliases may copy in all, so that a small text cannot become a huge tree.
const MAX_COPIES: usize = 100_000;

/// Loads the first document of a chunk of text that begins after `first_line` lines of the whole; `None` where there is
/// nothing but comments or `null`.
pub(super) fn load(chunk: &str, first_line: usize) -> Result<Option<Document>, YamlError> {
    if let Some(error) = YamlError::control_character(chunk, first_line) {
        return Err(error);
    }
    let mut repair: Option<Repair> = None;
    loop {
        let text = repair.as_ref().map(Repair::text);
        let moved = repair.as_ref().map(Repair::moved).cloned().unwrap_or_default();
        match Loader::new(text.as_deref().unwrap_or(chunk), first_line, moved).document() {
            Ok(document) => return Ok(document),
            Err(Failure::Syntax(error) | Failure::Told(error)) => return Err(error),
            Err(Failure::Scan(error)) => {
                if !repair.get_or_insert_with(|| Repair::new(chunk)).repair(&error) {
                    return Err(YamlError::from_scan(&error, chunk, first_line));
                }
            }
        }
    }
}

/// Why loading stopped.
enum Failure {
    /// The parser's own error, which a repair may remove.
    Scan(ScanError),
    /// What goyaml's parser would complain about.
    Syntax(YamlError),
    /// What goyaml's decoder complains about, once the whole text is parsed.
    Told(YamlError),
}

struct Loader<'a> {
    chunk: &'a str,
    /// Where each line of the chunk begins.
    starts: Vec<usize>,
    first_line: usize,
    /// Lines that were moved to the right, with the number of columns.
    moved: FewMap<usize, usize>,
    parser: Parser<'a, StrInput<'a>>,
    anchors: FewMap<usize, Value>,
    copies: usize,
    duplicates: Vec<Duplicate>,
}

type Node = (Value, Spans);

impl<'a> Loader<'a> {
    fn new(chunk: &'a str, first_line: usize, moved: FewMap<usize, usize>) -> Self {
        let parser = Parser::new_from_str(chunk);
        let breaks = chunk.match_indices('\n').map(|(i, _)| i + 1);
        let starts = std::iter::once(0).chain(breaks).collect();
        Loader { chunk, starts, first_line, moved, parser, anchors: FewMap::new(), copies: 0, duplicates: Vec::new() }
    }

    fn document(mut self) -> Result<Option<Document>, Failure> {
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamStart | Event::DocumentStart(_) | Event::Nothing => {}
                Event::StreamEnd | Event::DocumentEnd => return Ok(None),
                _ => {
                    let (value, spans) = match self.node(event, span, 0) {
                        Err(Failure::Told(error)) => return Err(self.syntax_before(error)),
                        node => node?,
                    };
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

    /// Reads on after a complaint of the decoder, since a mistake in the syntax further down is told instead.
    fn syntax_before(&mut self, error: YamlError) -> Failure {
        loop {
            match self.next() {
                Ok((Event::DocumentEnd | Event::StreamEnd, _)) => return Failure::Told(error),
                Ok(_) => {}
                Err(failure) => return failure,
            }
        }
    }

    fn next(&mut self) -> Result<(Event<'a>, Span), Failure> {
        match self.parser.next_event() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err(Failure::Scan(error)),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn position(&self, span: &Span) -> Position {
        let line = span.start.line();
        let column = span.start.col().saturating_sub(self.moved.get(&line).copied().unwrap_or(0));
        Position { line: (self.first_line + line) as u32, column: column as u32 + 1 }
    }

    fn error(&self, problem: &str, span: &Span) -> Failure {
        Failure::Told(YamlError::plain(problem, self.position(span)))
    }

    fn syntax_error(&self, problem: &str, span: &Span) -> Failure {
        Failure::Syntax(YamlError::plain(problem, self.position(span)))
    }

    /// The chunk from a place on.
    fn rest(&self, line: usize, column: usize) -> &str {
        let start = self.starts.get(line.wrapping_sub(1)).copied().unwrap_or(self.chunk.len());
        let line = &self.chunk[start..];
        line.char_indices().nth(column).map_or("", |(i, _)| &line[i..])
    }

    /// Whether a place holds this character.
    fn stands(&self, wanted: char, span: &Span) -> bool {
        let line = self.chunk.lines().nth(span.start.line().saturating_sub(1)).unwrap_or("");
        line.chars().nth(span.start.col()) == Some(wanted)
    }

    /// Whether a key inside brackets goes over several lines, which goyaml does not take for a key.
    fn is_long_key(&self, event: &Event, span: &Span) -> bool {
        let lines = span.end.line().saturating_sub(span.start.line());
        let colon = || self.rest(span.end.line(), span.end.col()).trim_start_matches(' ').starts_with(':');
        matches!(event, Event::Scalar(..)) && lines > 0 && colon()
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Node, Failure> {
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
            Event::MappingStart(anchor, _) => (anchor, self.mapping(&span, depth)?),
            _ => return Err(self.error("yaml: did not find expected node content", &span)),
        };
        if anchor > 0 {
            self.anchors.insert(anchor, node.0.clone());
        }
        Ok(node)
    }

    fn alias(&mut self, id: usize, span: &Span, place: Position) -> Result<Node, Failure> {
        let Some(value) = self.anchors.get(&id) else {
            let name = super::problem::name_at(self.chunk, span.start.line(), span.start.col());
            return Err(self.error(&format!("yaml: anchor '{name}' value contains itself"), span));
        };
        self.copies += count(value);
        if self.copies > MAX_COPIES {
            return Err(self.error("yaml: document contains excessive aliasing", span));
        }
        Ok((value.clone(), Spans::leaf(place)))
    }

    fn sequence(&mut self, place: Position, depth: usize) -> Result<Node, Failure> {
        let (mut items, mut spans) = (Vec::new(), Spans::leaf(place));
        loop {
            let (event, span) = self.next()?;
            if event == Event::SequenceEnd {
                return Ok((Value::List(items), spans));
            }
            let (value, child) = self.node(event, span, depth + 1)?;
            items.push(value);
            spans.children.push((Str::default(), child));
        }
    }

    fn mapping(&mut self, start: &Span, depth: usize) -> Result<Node, Failure> {
        let (mut map, mut spans) = (Map::new(), Spans::leaf(self.position(start)));
        let block = !self.stands('{', start);
        loop {
            let (event, span) = self.next()?;
            if event == Event::MappingEnd {
                break;
            }
            let merge = matches!(&event, Event::Scalar(t, ScalarStyle::Plain, _, _) if t == "<<");
            if block && span.is_empty() && matches!(event, Event::Scalar(..)) && self.stands(':', &span) {
                let line = span.start.line() - 1;
                let problem = format!("yaml: line {line}: did not find expected key");
                return Err(self.syntax_error(&problem, &span));
            }
            if !block && self.is_long_key(&event, &span) {
                let line = span.end.line() - 1;
                let problem = format!("yaml: line {line}: did not find expected ',' or '}}'");
                return Err(self.syntax_error(&problem, &span));
            }
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
    fn key(&self, key: &Value, value: &Value, span: &Span) -> Result<(Str, String), Failure> {
        let shown = go_syntax(key);
        Ok(match key {
            Value::Str(s) => (s.clone(), shown),
            Value::Int(_) | Value::Bool(_) => (shown.as_str().into(), shown),
            Value::Float(f) => (super::emit::float_text(*f).into(), shown),
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
    fn merge(&self, map: &mut Map, value: Value, span: &Span) -> Result<(), Failure> {
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
                Value::Str(_) => crate::api::float::parse(text).map_or(Value::from(text), Value::Float),
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
        Value::Float(f) => super::emit::float_text(*f),
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
