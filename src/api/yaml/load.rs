//! Builds a [`Value`] with the positions of its parts from YAML tokens. Counterparts: goyaml v2's parser and `decode.go`, and `sigs.k8s.io/yaml`, which
//! converts all keys to strings.

use super::error::YamlError;
use super::scalar::value_of;
use super::tokens::{Kind, Mark, Scanner};
use super::{Document, Duplicate, Spans};
use crate::api::sorted::SortedMap;
use crate::api::value::{Map, Value};
use arcstr::ArcStr;

/// The maximum nesting of values, so that no text can use up the stack.
const MAX_DEPTH: usize = 200;
/// The maximum number of nodes that aliases may copy, so that a small text cannot become a huge tree.
const MAX_COPIES: usize = 100_000;

/// Loads the first document of a chunk of text that begins after `first_line` lines of the whole text; `None` if it holds nothing but comments or `null`.
pub(super) fn load(chunk: &str, first_line: usize) -> Result<Option<Document>, YamlError> {
    if let Some(error) = YamlError::control_character(chunk, first_line) {
        return Err(error);
    }
    let scanner = Scanner::new(chunk, first_line);
    let mut loader =
        Loader { scanner, anchors: SortedMap::new(), copies: 0, duplicates: Vec::new(), first_line: first_line as u32, decode_error: None };
    let Some((value, spans)) = loader.document()? else { return Ok(None) };
    match loader.decode_error {
        Some(error) => Err(error),
        None if value.is_null() => Ok(None),
        None => Ok(Some(Document { value, spans, duplicates: loader.duplicates, line: first_line as u32 + 1 })),
    }
}

struct Loader {
    scanner: Scanner,
    /// The values by the names of their anchors; `None` while the value is being read.
    anchors: SortedMap<String, Option<Value>>,
    copies: usize,
    duplicates: Vec<Duplicate>,
    first_line: u32,
    /// The first error that goyaml's decoder would find, which runs only after the whole text is parsed.
    decode_error: Option<YamlError>,
}

type Node = (Value, Spans);

impl Loader {
    fn document(&mut self) -> Result<Option<Node>, YamlError> {
        while matches!(self.peek()?, Kind::DocumentEnd) {
            self.skip()?;
        }
        let explicit = matches!(self.peek()?, Kind::DocumentStart | Kind::Directive);
        while matches!(self.peek()?, Kind::Directive) {
            self.skip()?;
        }
        match self.peek()? {
            Kind::DocumentStart => drop(self.skip()?),
            Kind::StreamEnd if !explicit => return Ok(None),
            _ if explicit => return self.misplaced("did not find expected <document start>"),
            _ => {}
        }
        if matches!(self.peek()?, Kind::StreamEnd | Kind::DocumentStart | Kind::DocumentEnd | Kind::Directive) {
            return Ok(None);
        }
        let node = self.node(true, false, 0)?;
        self.peek()?;
        Ok(Some(node))
    }

    fn peek(&mut self) -> Result<Kind, YamlError> {
        Ok(self.scanner.peek()?.kind)
    }
    /// Consumes the next token and returns its position.
    fn skip(&mut self) -> Result<Mark, YamlError> {
        Ok(self.scanner.take()?.start)
    }
    /// Returns the error about the next token, which is not allowed here.
    fn misplaced<T>(&mut self, problem: &str) -> Result<T, YamlError> {
        let start = self.scanner.peek()?.start;
        self.scanner.misplaced(problem, start)
    }
    /// Records an error that goyaml's decoder would find, unless there is one already. Returns `null` in place of the node.
    fn record_error(&mut self, problem: &str, mark: Mark) -> Node {
        let place = self.scanner.position(mark);
        self.decode_error.get_or_insert_with(|| YamlError::plain(problem, place));
        (Value::Null, Spans::leaf(place))
    }
    fn spans(&self, at: Mark) -> Spans {
        Spans::leaf(self.scanner.position(at))
    }
    /// Returns the node for a missing value, which is `null`.
    fn missing(&self, at: Mark) -> Node {
        (Value::Null, self.spans(at))
    }

    /// Parses a node. `block` allows block collections; `in_mapping` allows a list at the indentation of its key.
    fn node(&mut self, block: bool, in_mapping: bool, depth: usize) -> Result<Node, YamlError> {
        let start = self.scanner.peek()?.start;
        if depth > MAX_DEPTH {
            return Err(YamlError::plain("yaml: exceeded max depth", self.scanner.position(start)));
        }
        if self.peek()? == Kind::Alias {
            return self.alias();
        }
        let (mut anchor, mut tag) = (None, None);
        loop {
            match self.peek()? {
                Kind::Anchor if anchor.is_none() => anchor = Some(self.scanner.take()?.text),
                Kind::Tag if tag.is_none() => {
                    let token = self.scanner.take()?;
                    if !token.text.starts_with("!!") && !token.text.starts_with("!<") && token.text[1..].contains('!') {
                        return self.scanner.misplaced("found undefined tag handle", token.start);
                    }
                    tag = Some(token.text);
                }
                _ => break,
            }
        }
        if let Some(name) = &anchor {
            self.anchors.insert(name.clone(), None);
        }
        let node = match self.peek()? {
            kind @ (Kind::Plain | Kind::Quoted) => {
                let text = self.scanner.take()?.text;
                let value = scalar(&text, kind == Kind::Plain, tag.as_deref());
                if let Value::Float(odd) = value
                    && !odd.is_finite()
                {
                    // JSON has no such numbers; the error names them in Go's words, with a sign before infinity.
                    let shown = if odd.is_nan() {
                        "NaN"
                    } else if odd > 0.0 {
                        "+Inf"
                    } else {
                        "-Inf"
                    };
                    self.record_error(&format!("json: unsupported value: {shown}"), start);
                }
                (value, self.spans(start))
            }
            Kind::BlockEntry if in_mapping => self.block_sequence(start, true, depth)?,
            Kind::BlockSequence if block => {
                self.skip()?;
                let node = self.block_sequence(start, false, depth)?;
                self.end_block("did not find expected '-' indicator")?;
                node
            }
            Kind::FlowSequence => self.flow_sequence(start, depth)?,
            Kind::BlockMapping if block => self.mapping(start, Kind::BlockEnd, depth)?,
            Kind::FlowMapping => self.mapping(start, Kind::FlowMappingEnd, depth)?,
            _ if anchor.is_some() || tag.is_some() => (scalar("", true, tag.as_deref()), self.spans(start)),
            _ => return self.misplaced("did not find expected node content"),
        };
        if let Some(name) = anchor {
            self.anchors.insert(name, Some(node.0.clone()));
        }
        Ok(node)
    }

    fn alias(&mut self) -> Result<Node, YamlError> {
        let token = self.scanner.take()?;
        let value = match self.anchors.get(&token.text) {
            None => {
                let problem = format!("yaml: unknown anchor '{}' referenced", token.text);
                return Err(YamlError::plain(&problem, self.scanner.position(token.start)));
            }
            Some(None) => return Ok(self.record_error(&format!("yaml: anchor '{}' value contains itself", token.text), token.start)),
            Some(Some(value)) => value,
        };
        self.copies += count(value);
        if self.copies > MAX_COPIES {
            return Ok(self.record_error("yaml: document contains excessive aliasing", token.start));
        }
        Ok((value.clone(), self.spans(token.start)))
    }

    /// Consumes the token that ends a block; any other token is an error.
    fn end_block(&mut self, problem: &str) -> Result<(), YamlError> {
        match self.peek()? {
            Kind::BlockEnd => self.skip().map(drop),
            _ => self.misplaced(problem),
        }
    }

    /// Parses list items that begin with dashes.
    fn block_sequence(&mut self, start: Mark, in_mapping: bool, depth: usize) -> Result<Node, YamlError> {
        let mut list = List::new(self.spans(start));
        while self.peek()? == Kind::BlockEntry {
            let dash = self.skip()?;
            list.push(match self.peek()? {
                Kind::BlockEntry | Kind::BlockEnd => self.missing(dash),
                Kind::Key | Kind::Value if in_mapping => self.missing(dash),
                _ => self.node(true, false, depth + 1)?,
            });
        }
        Ok(list.node())
    }

    fn flow_sequence(&mut self, start: Mark, depth: usize) -> Result<Node, YamlError> {
        let mut list = List::new(self.spans(start));
        self.skip()?;
        while self.peek()? != Kind::FlowSequenceEnd {
            list.push(match self.peek()? {
                Kind::Key => {
                    let (mut map, start) = (Pairs::new(), self.scanner.peek()?.start);
                    self.pair(&mut map, false, depth + 1)?;
                    map.node(self.spans(start))
                }
                _ => self.node(false, false, depth + 1)?,
            });
            self.comma(Kind::FlowSequenceEnd, "did not find expected ',' or ']'")?;
        }
        self.skip()?;
        Ok(list.node())
    }
    /// Consumes the comma between two parts in brackets, unless the closing bracket follows.
    fn comma(&mut self, end: Kind, problem: &str) -> Result<(), YamlError> {
        match self.peek()? {
            Kind::FlowEntry => self.skip().map(drop),
            kind if kind == end => Ok(()),
            _ => self.misplaced(problem),
        }
    }

    fn mapping(&mut self, start: Mark, end: Kind, depth: usize) -> Result<Node, YamlError> {
        let (mut map, block) = (Pairs::new(), end == Kind::BlockEnd);
        self.skip()?;
        while self.peek()? != end {
            if block && self.peek()? != Kind::Key {
                return self.misplaced("did not find expected key");
            }
            self.pair(&mut map, block, depth + 1)?;
            if !block {
                self.comma(end, "did not find expected ',' or '}'")?;
            }
        }
        self.skip()?;
        Ok(map.node(self.spans(start)))
    }
    /// Parses a key with its value, and adds both to a map.
    fn pair(&mut self, map: &mut Pairs, block: bool, depth: usize) -> Result<(), YamlError> {
        let is_key = self.peek()? == Kind::Key;
        let before = if is_key { self.skip()? } else { Mark::default() };
        let token = self.scanner.peek()?;
        let (at, merge) = (token.start, token.kind == Kind::Plain && token.text == "<<");
        let key = if is_key && self.is_missing(block, true)? { self.missing(before) } else { self.node(block, block, depth)? };
        let value = match self.peek()? {
            Kind::Value if is_key => {
                let colon = self.skip()?;
                if self.is_missing(block, false)? { self.missing(colon) } else { self.node(block, block, depth)? }
            }
            _ => {
                let next = self.scanner.peek()?.start;
                self.missing(next)
            }
        };
        self.put(map, key, value, at, merge)
    }
    /// Returns true if the next token shows that a key (`key`) or a value is missing.
    fn is_missing(&mut self, block: bool, key: bool) -> Result<bool, YamlError> {
        Ok(match self.peek()? {
            Kind::Key | Kind::BlockEnd => block,
            Kind::Value => block || key,
            Kind::FlowEntry | Kind::FlowMappingEnd | Kind::FlowSequenceEnd => !block,
            _ => false,
        })
    }

    /// Inserts a pair into a map; for the key `<<`, merges the map that is its value.
    fn put(&mut self, map: &mut Pairs, (key, key_spans): Node, (value, mut child): Node, at: Mark, merge: bool) -> Result<(), YamlError> {
        if merge {
            if !merge_into(&mut map.map, value) {
                self.record_error("yaml: map merge requires map or sequence of maps as the value", at);
            }
            return Ok(());
        }
        let shown = go_syntax(&key);
        let name: ArcStr = match key {
            Value::Str(s) => s,
            Value::Int(_) | Value::Bool(_) => shown.as_str().into(),
            Value::Float(f) => super::emit::float_text(f).into(),
            Value::Null => {
                self.record_error(&format!("unsupported map key of type: %!s(<nil>), key: <nil>, value: {}", go_syntax(&value)), at);
                return Ok(());
            }
            Value::List(_) | Value::Map(_) => {
                self.record_error(&format!("yaml: invalid map key: {shown}"), at);
                return Ok(());
            }
        };
        if map.map.has(&name) {
            let line = key_spans.value.line - self.first_line;
            self.duplicates.push(Duplicate { key: shown, line, position: key_spans.value });
        }
        child.key = key_spans.value;
        map.map.insert(name.clone(), value);
        match map.children.binary_search_by(|(k, _)| k.cmp(&name)) {
            Ok(i) => map.children[i].1 = child,
            Err(i) => map.children.insert(i, (name, child)),
        }
        Ok(())
    }
}

/// A list that is being read.
struct List {
    items: Vec<Value>,
    spans: Spans,
}

impl List {
    fn new(spans: Spans) -> Self {
        List { items: Vec::new(), spans }
    }
    fn push(&mut self, (value, spans): Node) {
        self.items.push(value);
        self.spans.children.push((ArcStr::default(), spans));
    }
    fn node(self) -> Node {
        (Value::List(self.items), self.spans)
    }
}

/// A map that is being read.
struct Pairs {
    map: Map,
    children: Vec<(ArcStr, Spans)>,
}

impl Pairs {
    fn new() -> Self {
        Pairs { map: Map::new(), children: Vec::new() }
    }
    fn node(self, spans: Spans) -> Node {
        (Value::Map(self.map), Spans { children: self.children, ..spans })
    }
}

/// Merges the value of `<<`. goyaml v2 merges at the position of `<<`, so it overrides keys above it. Returns false if the value is not a map.
fn merge_into(map: &mut Map, value: Value) -> bool {
    match value {
        Value::Map(other) => {
            for (key, value) in other {
                map.insert(key, value);
            }
            true
        }
        // The first of several maps takes precedence, so they are merged from the last.
        Value::List(list) => list.into_iter().rev().all(|item| matches!(item, Value::Map(_)) && merge_into(map, item)),
        _ => false,
    }
}

fn count(value: &Value) -> usize {
    match value {
        Value::List(list) => 1 + list.iter().map(count).sum::<usize>(),
        Value::Map(map) => 1 + map.iter().map(|(_, v)| count(v)).sum::<usize>(),
        _ => 1,
    }
}

fn scalar(text: &str, plain: bool, tag: Option<&str>) -> Value {
    match tag.map(|tag| tag.strip_prefix("!!")) {
        Some(Some("str" | "binary") | None) => Value::from(text),
        Some(Some("float")) => match value_of(text) {
            Value::Str(_) => crate::api::float::parse(text).map_or(Value::from(text), Value::Float),
            other => other,
        },
        Some(Some(_)) => value_of(text),
        None if plain => value_of(text),
        None => Value::from(text),
    }
}

/// Formats a value that goyaml has decoded as Go's `%#v` does.
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
