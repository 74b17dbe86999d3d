//! Converts YAML text to and from [`Value`]. Counterparts: `sigs.k8s.io/yaml` on goyaml v2, and kubectl's splitting of a text into documents.
//!
//! Simplifications: nesting is limited, and so is the number of nodes that aliases copy.
//!
//! No YAML crate is used, because this reader must accept, reject and print exactly what goyaml does: people should see the same error messages, with the
//! same lines, and the same kubectl output as with a real cluster.

mod emit;
mod error;
mod load;
mod scalar;
mod scalar_scanner;
mod tokens;

use super::json;
use super::value::Value;
use arcstr::ArcStr;

pub use emit::emit;
pub use error::YamlError;

/// A position in a YAML text; line and column are counted from 1, and line 0 means that the position is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Position {
    /// The number of the line.
    pub line: u32,
    /// The number of the column, in characters.
    pub column: u32,
}

/// The positions of a value and its parts in the text: a tree parallel to the value.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Spans {
    /// The position of the key (unknown for list items and the root).
    pub key: Position,
    /// The position at which the value begins.
    pub value: Position,
    /// The positions of the parts: of a map's values sorted by key, of a list's items in order under empty keys.
    pub children: Vec<(ArcStr, Spans)>,
}

impl Spans {
    fn leaf(value: Position) -> Self {
        Spans { key: Position::default(), value, children: Vec::new() }
    }
    /// Returns the positions of the part under a key.
    pub fn field(&self, key: &str) -> Option<&Spans> {
        let i = self.children.binary_search_by(|(k, _)| k.as_str().cmp(key)).ok()?;
        self.children.get(i).map(|(_, spans)| spans)
    }
    /// Returns the positions of an item of a list.
    pub fn item(&self, index: usize) -> Option<&Spans> {
        self.children.get(index).filter(|(key, _)| key.is_empty()).map(|(_, spans)| spans)
    }
    /// Returns the positions of the part that a field path such as `spec.containers[0].image` names, or of the nearest one around it.
    pub fn find(&self, path: &str) -> &Spans {
        let mut at = self;
        let mut rest = path;
        while !rest.is_empty() {
            let Some((next, after)) = at.step(rest) else {
                break;
            };
            (at, rest) = (next, after);
        }
        at
    }
    /// Follows one segment of a field path, and returns the rest of the path. Keys may contain dots, so the longest matching key wins.
    fn step<'p>(&self, path: &'p str) -> Option<(&Spans, &'p str)> {
        if let Some(inner) = path.strip_prefix('[') {
            let (index, after) = inner.split_once(']')?;
            let child = match index.parse() {
                Ok(i) => self.item(i).or_else(|| self.field(index)),
                Err(_) => self.field(index),
            };
            return child.map(|c| (c, after.strip_prefix('.').unwrap_or(after)));
        }
        let fits = |key: &str| {
            let after = path.strip_prefix(key).filter(|_| !key.is_empty())?;
            match after.bytes().next() {
                None | Some(b'[') => Some(after),
                Some(b'.') => Some(&after[1..]),
                _ => None,
            }
        };
        let best = self.children.iter().filter_map(|(k, s)| fits(k).map(|after| (s, after)));
        best.min_by_key(|(_, after)| after.len())
    }
    /// Returns the position at which to mark a mistake: the key if there is one, else the value.
    pub fn mark(&self) -> Position {
        if self.key.line > 0 { self.key } else { self.value }
    }
}

/// A key that occurs again in the same map, whose last value counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The key as Go's `%#v` shows it, with quotes if it is a string.
    pub key: String,
    /// The line of the key within its document.
    pub line: u32,
    /// The position of the key in the whole text.
    pub position: Position,
}

/// One document of a YAML text.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The object in the document.
    pub value: Value,
    /// The positions of the object's parts in the whole text (empty for JSON that is not valid YAML).
    pub spans: Spans,
    /// The keys that occur more than once.
    pub duplicates: Vec<Duplicate>,
    /// The line of the whole text on which the document begins.
    pub line: u32,
}

impl Document {
    /// Returns the message of the API server's strict decoder about duplicate keys, if there are any.
    pub fn duplicates_message(&self) -> Option<String> {
        if self.duplicates.is_empty() {
            return None;
        }
        let lines = self.duplicates.iter().map(|d| format!("\n  line {}: key {} already set in map", d.line, d.key));
        Some(format!("yaml: unmarshal errors:{}", lines.collect::<String>()))
    }
}

/// Splits a text into documents as kubectl does and parses each; empty documents are left out.
pub fn parse_documents(text: &str) -> Vec<Result<Document, YamlError>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('{') { json_documents(text) } else { yaml_documents(text, 0) }
}

/// Parses the documents of a part of the text that begins after `first_line` lines of the whole text.
fn yaml_documents(text: &str, first_line: usize) -> Vec<Result<Document, YamlError>> {
    let load = |chunk| match chunk {
        Ok((chunk, line)) => load::load(chunk, first_line + line).transpose(),
        Err(error) => Some(Err(error)),
    };
    chunks(text).into_iter().filter_map(load).collect()
}

/// Parses the first document of a text; an empty text is `null`.
pub fn parse(text: &str) -> Result<Value, YamlError> {
    match parse_documents(text).into_iter().next() {
        Some(document) => document.map(|d| d.value),
        None => Ok(Value::Null),
    }
}

/// Parses a text that looks like JSON, in which objects may follow one another without a separator. From the first mistake on, the rest is parsed as YAML,
/// unless there were several objects before it. If the rest is not YAML either, the error is the one about JSON. Counterpart: `YAMLOrJSONDecoder`.
fn json_documents(text: &str) -> Vec<Result<Document, YamlError>> {
    let (values, problem) = json::read_stream(text);
    let (mut documents, mut start, several) = (Vec::new(), 0, values.len() > 1);
    for (value, end) in values {
        let line = text[..start].matches('\n').count();
        // The YAML loader knows the positions of the parts, but does not accept everything that is valid JSON.
        let document = load::load(&text[start..end], line).ok().flatten();
        let plain = || Document { value, spans: Spans::default(), duplicates: Vec::new(), line: line as u32 + 1 };
        documents.push(Ok(document.unwrap_or_else(plain)));
        start = end;
    }
    let Some((read, problem)) = problem else { return documents };
    let error = YamlError::json(read, &problem, several);
    let blank = text[start..].find(|c: char| !c.is_whitespace() || c == '\n').unwrap_or(0);
    let rest = &text[start + blank..];
    let rest = rest.strip_prefix('\n').unwrap_or(rest);
    let mut others = if several { Vec::new() } else { yaml_documents(rest, text[..text.len() - rest.len()].matches('\n').count()) };
    if several || others.first().is_some_and(Result::is_err) {
        others = vec![Err(error)];
    }
    documents.extend(others);
    documents
}

/// Returns the documents of a text, each with the number of lines before it. A `---` line that no content precedes is part of the document that follows, so
/// its line is not among those before it.
fn chunks(text: &str) -> Vec<Result<(&str, usize), YamlError>> {
    let mut chunks = Vec::new();
    let (mut start, mut start_line, mut offset) = (0, 0, 0);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if let Some(rest) = line.strip_prefix("---") {
            let rest = rest.trim();
            if !rest.is_empty() && !rest.starts_with('#') {
                chunks.push(Err(YamlError::separator(rest, number + 1)));
                return chunks;
            }
            if offset > start {
                chunks.push(Ok((&text[start..offset], start_line)));
                (start, start_line) = (offset + line.len(), number + 1);
            }
        }
        offset += line.len();
    }
    if start < text.len() {
        chunks.push(Ok((&text[start..], start_line)));
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str) -> Document {
        parse_documents(text).remove(0).unwrap()
    }

    #[test]
    fn parts_are_found_in_the_whole_text() {
        let text = "a: 1\n---\nspec:\n  list:\n  - x.y/z: 5\n";
        let document = parse_documents(text).remove(1).unwrap();
        let spans = document.spans.find("spec.list[0].x.y/z");
        assert_eq!(spans.key, Position { line: 5, column: 5 });
        assert_eq!(spans.value, Position { line: 5, column: 12 });
        assert_eq!(document.spans.find("spec.list[7].name").mark(), Position { line: 4, column: 3 });
    }

    #[test]
    fn what_goyaml_takes_is_taken() {
        let json = |text| json::to_string(&first(text).value);
        assert_eq!(json("a: {\n\"b\": 1\n}\n"), r#"{"a":{"b":1}}"#);
        assert_eq!(json("a:\tb\nc: 'x\ny'\n"), r#"{"a":"b","c":"x y"}"#);
        assert_eq!(json("{\t\"a\": 1,\n\t\"b\": 2}"), r#"{"a":1,"b":2}"#);
        let merged = first("x: &d {p: 1, q: 2}\nz:\n  <<: *d\n  q: 3\n");
        assert_eq!(json::to_string(merged.value.get("z").unwrap()), r#"{"p":1,"q":3}"#);
    }

    #[test]
    fn texts_and_collections_of_all_styles_are_read() {
        for (text, json) in [
            ("a: |\n  x\n\n  y\nb: >-\n  x\n  y\n\n  z\n", r#"{"a":"x\n\ny\n","b":"x y\nz"}"#),
            ("a: |+\n  x\n\nb: |2-\n   x\nc: |\n  x", r#"{"a":"x\n\n","b":" x","c":"x\n"}"#),
            ("a: \"x\\ty\\u00e9\\\n   z\"\nb: 'it''s\n\n  so'\nc: two\n  lines\n", r#"{"a":"x\tyéz","b":"it's\nso","c":"two lines"}"#),
            ("- a # why\n- - b\n  - c\n-\n- ? k\n  : v\n", r#"["a",["b","c"],null,{"k":"v"}]"#),
            ("{a: [x, k: z,], b, \"c\":1}", r#"{"a":["x",{"k":"z"}],"b":null,"c":1}"#),
            ("a: !!str 1\nb: &x !y 2\nc: *x\nd:\n- e:\n- f\n", r#"{"a":"1","b":"2","c":"2","d":[{"e":null},"f"]}"#),
        ] {
            assert_eq!(json::to_string(&first(text).value), json, "{text:?}");
        }
    }

    #[test]
    fn a_key_written_twice_counts_last_and_is_told() {
        let document = first("a: 1\na: 2\n");
        assert_eq!(document.value.get("a"), Some(&Value::Int(2)));
        let told = "yaml: unmarshal errors:\n  line 2: key \"a\" already set in map";
        assert_eq!(document.duplicates_message().as_deref(), Some(told));
    }

    #[test]
    fn no_text_can_use_up_memory_or_stack() {
        assert!(parse(&"[".repeat(100_000)).is_err());
        assert!(parse(&"- ".repeat(100_000)).is_err());
        let mut bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_string();
        for (from, to) in ('a'..'k').zip('b'..) {
            bomb += &format!("{to}: &{to} [*{from}, *{from}, *{from}, *{from}, *{from}, *{from}]\n");
        }
        let error = parse(&bomb).unwrap_err();
        assert!(error.message.ends_with("yaml: document contains excessive aliasing"));
    }

    #[test]
    fn mistakes_are_told_in_the_words_of_goyaml() {
        for (text, told) in [
            ("a: {{ x }}", "yaml: invalid map key: map[interface {}]interface {}{\"x\":interface {}(nil)}"),
            ("a: b\n\tc: d\n", "yaml: line 2: found a tab character that violates indentation"),
            ("a: [1,2\nb: 3\n", "yaml: line 1: did not find expected ',' or ']'"),
            ("a:\n  : b\n", "yaml: line 1: did not find expected key"),
            ("a: b: c", "yaml: mapping values are not allowed in this context"),
            ("a: 'x", "yaml: line 2: found unexpected end of stream"),
            ("a: \"\\q\"", "yaml: found unknown escape character"),
            ("a: @b", "yaml: found character that cannot start any token"),
            ("a: *b", "yaml: unknown anchor 'b' referenced"),
            ("a: &b [*b]", "yaml: anchor 'b' value contains itself"),
            ("a: 1\nb\nc: 2\n", "yaml: line 3: could not find expected ':'"),
            ("a: 1\n- b\n", "yaml: line 1: did not find expected key"),
        ] {
            let error = parse(text).unwrap_err().message;
            assert_eq!(error, format!("error converting YAML to JSON: {told}"), "{text:?}");
        }
        let error = parse_documents("a: 1\n--- x\n").pop().unwrap().unwrap_err();
        assert_eq!(error.message, "invalid Yaml document separator: x");
    }
}
