//! Converts JSON text to and from [`Value`]. Counterpart: Go's `encoding/json`, whose error words are kept.
//!
//! Simplifications: nesting is bounded at 500 levels (Go: 10,000), and numbers beyond 64 bits become floats.

use super::float;
use super::value::{Map, Value, to_value};
use arcstr::ArcStr;
use serde::Serialize;

const MAX_DEPTH: usize = 500;
pub(super) const END: &str = "unexpected end of JSON input";

/// Parses one JSON value; the error is in Go's words.
pub fn parse(text: &str) -> Result<Value, String> {
    parse_strict(text).map(|(value, _)| value)
}

/// Like [`parse`], but also returns the strict decoder's errors about duplicate keys (`duplicate field "spec.x"`).
pub fn parse_strict(text: &str) -> Result<(Value, Vec<String>), String> {
    let mut reader = Reader::new(text);
    let value = reader.value(0)?;
    reader.skip_space();
    match reader.peek() {
        None => Ok((value, reader.duplicates)),
        Some(_) => Err(reader.unexpected("after top-level value")),
    }
}

/// Parses JSON values that follow one another, as a stream decoder does.
pub fn parse_stream(text: &str) -> Result<Vec<Value>, String> {
    let (values, problem) = read_stream(text);
    problem.map_or_else(|| Ok(values.into_iter().map(|(value, _)| value).collect()), |(_, problem)| Err(problem))
}

/// The values of a stream, each with the byte offset at which it ends, and the first mistake, if any, with the number of bytes read up to it.
pub type Stream = (Vec<(Value, usize)>, Option<(usize, String)>);

/// Reads the values of a stream up to the first mistake.
pub fn read_stream(text: &str) -> Stream {
    let mut reader = Reader::new(text);
    let mut values = Vec::new();
    loop {
        reader.skip_space();
        if reader.peek().is_none() {
            return (values, None);
        }
        match reader.value(0) {
            Ok(value) => values.push((value, reader.pos)),
            Err(problem) => return (values, Some((reader.pos + 1, problem))),
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    pos: usize,
    /// The path of the value that is being read, for the errors about duplicate keys.
    path: String,
    duplicates: Vec<String>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Reader { text, bytes: text.as_bytes(), pos: 0, path: String::new(), duplicates: Vec::new() }
    }
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied()
    }
    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.pos += 1;
        }
    }
    /// Returns Go's error for an unexpected next byte. Go looks at bytes, so a multi-byte character shows as its first byte.
    fn unexpected(&self, context: &str) -> String {
        match self.peek() {
            None => END.to_string(),
            Some(c) => format!("invalid character {} {context}", quote_byte(c)),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, String> {
        if depth > MAX_DEPTH {
            return Err("exceeded max depth".to_string());
        }
        self.skip_space();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Value::from),
            Some(b't') => self.literal("true", Value::Bool(true)),
            Some(b'f') => self.literal("false", Value::Bool(false)),
            Some(b'n') => self.literal("null", Value::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.unexpected("looking for beginning of value")),
        }
    }

    fn literal(&mut self, word: &str, value: Value) -> Result<Value, String> {
        self.pos += 1;
        for expected in word.bytes().skip(1) {
            if self.peek() != Some(expected) {
                return Err(self.unexpected(&format!("in literal {word} (expecting {})", quote_byte(expected))));
            }
            self.pos += 1;
        }
        Ok(value)
    }

    fn object(&mut self, depth: usize) -> Result<Value, String> {
        self.pos += 1;
        let mut entries: Vec<(ArcStr, Value)> = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                Some(b'}') if entries.is_empty() => break,
                Some(b'"') => {}
                _ => return Err(self.unexpected("looking for beginning of object key string")),
            }
            let key = ArcStr::from(self.string()?);
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err(self.unexpected("after object key"));
            }
            self.pos += 1;
            let outer = self.path.len();
            if outer > 0 {
                self.path.push('.');
            }
            self.path.push_str(&key);
            let value = self.value(depth + 1)?;
            self.note_duplicate(&entries, &key);
            self.path.truncate(outer);
            entries.push((key, value));
            self.skip_space();
            match self.peek() {
                Some(b',') => self.pos += 1,
                Some(b'}') => break,
                _ => return Err(self.unexpected("after object key:value pair")),
            }
        }
        self.pos += 1;
        Ok(Value::Map(entries.into_iter().collect::<Map>()))
    }

    fn note_duplicate(&mut self, entries: &[(ArcStr, Value)], key: &str) {
        if entries.iter().any(|(k, _)| k == key) {
            let complaint = format!("duplicate field \"{}\"", self.path);
            if !self.duplicates.contains(&complaint) {
                self.duplicates.push(complaint);
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, String> {
        self.pos += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.peek() == Some(b']') {
            self.pos += 1;
            return Ok(Value::List(items));
        }
        let outer = self.path.len();
        loop {
            self.path.push_str(&format!("[{}]", items.len()));
            items.push(self.value(depth + 1)?);
            self.path.truncate(outer);
            self.skip_space();
            match self.peek() {
                Some(b',') => self.pos += 1,
                Some(b']') => break,
                _ => return Err(self.unexpected("after array element")),
            }
        }
        self.pos += 1;
        Ok(Value::List(items))
    }

    fn string(&mut self) -> Result<String, String> {
        self.pos += 1;
        let mut out = String::new();
        loop {
            let start = self.pos;
            while self.peek().is_some_and(|c| c != b'"' && c != b'\\' && c >= 0x20) {
                self.pos += 1;
            }
            out.push_str(&self.text[start..self.pos]);
            match self.peek() {
                Some(b'"') => {
                    self.pos += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    self.pos += 1;
                    self.escape(&mut out)?;
                }
                _ => return Err(self.unexpected("in string literal")),
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<(), String> {
        let plain = match self.peek() {
            Some(c @ (b'"' | b'\\' | b'/')) => c as char,
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.pos += 1;
                let high = self.hex4()?;
                out.push(self.surrogate(high)?);
                return Ok(());
            }
            _ => return Err(self.unexpected("in string escape code")),
        };
        self.pos += 1;
        out.push(plain);
        Ok(())
    }

    /// Reads the second half of a surrogate pair and joins both. A lone half becomes U+FFFD, as in Go.
    fn surrogate(&mut self, high: u32) -> Result<char, String> {
        let paired = (0xd800..0xdc00).contains(&high) && self.bytes[self.pos..].starts_with(b"\\u");
        if !paired {
            return Ok(char::from_u32(high).unwrap_or('\u{fffd}'));
        }
        let before = self.pos;
        self.pos += 2;
        let low = self.hex4()?;
        if !(0xdc00..0xe000).contains(&low) {
            self.pos = before;
            return Ok('\u{fffd}');
        }
        let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
        Ok(char::from_u32(code).unwrap_or('\u{fffd}'))
    }

    fn hex4(&mut self) -> Result<u32, String> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|c| (c as char).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.unexpected("in \\u hexadecimal character escape"));
            };
            code = code * 16 + digit;
            self.pos += 1;
        }
        Ok(code)
    }

    fn digits(&mut self) -> usize {
        let start = self.pos;
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.pos += 1;
        }
        self.pos - start
    }

    fn number(&mut self) -> Result<Value, String> {
        let start = self.pos;
        let mut integer = true;
        if self.peek() == Some(b'-') {
            self.pos += 1;
        }
        if self.peek() == Some(b'0') {
            self.pos += 1;
        } else if self.digits() == 0 {
            return Err(self.unexpected("in numeric literal"));
        }
        if self.peek() == Some(b'.') {
            integer = false;
            self.pos += 1;
            if self.digits() == 0 {
                return Err(self.unexpected("after decimal point in numeric literal"));
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            integer = false;
            self.pos += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.pos += 1;
            }
            if self.digits() == 0 {
                return Err(self.unexpected("in exponent of numeric literal"));
            }
        }
        let text = &self.text[start..self.pos];
        if integer && let Ok(i) = text.parse() {
            return Ok(Value::Int(i));
        }
        match super::float::parse(text) {
            Some(f) if f.is_finite() => Ok(Value::Float(f)),
            _ => Err(format!("json: cannot unmarshal number {text} into Go value of type float64")),
        }
    }
}

fn quote_byte(c: u8) -> String {
    match c {
        b'\'' => "'\\''".to_string(),
        b'"' => "'\"'".to_string(),
        b'\\' => "'\\\\'".to_string(),
        7 => "'\\a'".to_string(),
        8 => "'\\b'".to_string(),
        b'\t' => "'\\t'".to_string(),
        b'\n' => "'\\n'".to_string(),
        11 => "'\\v'".to_string(),
        12 => "'\\f'".to_string(),
        b'\r' => "'\\r'".to_string(),
        0..32 | 127 => format!("'\\x{c:02x}'"),
        128..=160 | 173 => format!("'\\u{c:04x}'"),
        _ => format!("'{}'", c as char),
    }
}

/// Encodes a value as compact JSON with sorted keys; `<`, `>` and `&` are not escaped.
pub fn to_string(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, None, Escapes::Go, 0);
    out
}

/// Encodes anything that serde can serialize as compact JSON with sorted keys. `serde_json` would be a second writer, which brings 10 kB of tables for numbers.
pub fn text_of<T: Serialize + ?Sized>(data: &T) -> String {
    let mut out = String::new();
    if let Ok(value) = to_value(data) {
        write(&mut out, &value, None, Escapes::Json, 0);
    }
    out
}

/// Encodes a value as compact JSON with `<`, `>` and `&` escaped, as Go's `json.Marshal` does.
pub fn to_string_html(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, None, Escapes::GoHtml, 0);
    out
}

/// Encodes a value as JSON over several lines, indenting each level by `indent` spaces, as `kubectl -o json` does (without the last newline).
pub fn pretty(value: &Value, indent: usize) -> String {
    let mut out = String::new();
    write(&mut out, value, Some(indent), Escapes::GoHtml, 0);
    out
}

/// The characters of strings that are written as escape sequences such as `\u003c`.
#[derive(Clone, Copy, PartialEq)]
enum Escapes {
    /// Only the characters that JSON requires to be escaped.
    Json,
    /// Also the line separators U+2028 and U+2029, which Go's encoder always escapes.
    Go,
    /// Also `<`, `>` and `&`, as Go's `json.Marshal` does.
    GoHtml,
}

fn write(out: &mut String, value: &Value, indent: Option<usize>, escapes: Escapes, depth: usize) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Int(i) => out.push_str(&i.to_string()),
        Value::Float(f) => out.push_str(&float_text(*f)),
        Value::Str(s) => write_string(out, s, escapes),
        Value::List(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                separate(out, i == 0, indent, depth + 1);
                write(out, item, indent, escapes, depth + 1);
            }
            close(out, items.is_empty(), indent, depth);
            out.push(']');
        }
        Value::Map(map) => {
            out.push('{');
            for (i, (key, item)) in map.iter().enumerate() {
                separate(out, i == 0, indent, depth + 1);
                write_string(out, key, escapes);
                out.push_str(if indent.is_some() { ": " } else { ":" });
                write(out, item, indent, escapes, depth + 1);
            }
            close(out, map.is_empty(), indent, depth);
            out.push('}');
        }
    }
}

fn separate(out: &mut String, first: bool, indent: Option<usize>, depth: usize) {
    if !first {
        out.push(',');
    }
    close(out, false, indent, depth);
}

fn close(out: &mut String, empty: bool, indent: Option<usize>, depth: usize) {
    if let Some(width) = indent.filter(|_| !empty) {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', width * depth));
    }
}

fn write_string(out: &mut String, text: &str, escapes: Escapes) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '<' | '>' | '&' if escapes != Escapes::GoHtml => out.push(c),
            '\u{2028}' | '\u{2029}' if escapes == Escapes::Json => out.push(c),
            '\0'..='\u{1f}' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", c as u32)),
            _ => out.push(c),
        }
    }
    out.push('"');
}

/// Formats a float as Go's JSON encoder does: shortest digits, with an exponent only for very small and very large numbers.
pub fn float_text(f: f64) -> String {
    if !f.is_finite() {
        return "null".to_string();
    }
    let size = f.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        let (digits, power) = float::scientific(f);
        return format!("{digits}e{}{power}", if power < 0 { "" } else { "+" });
    }
    f.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_in_the_words_of_go() {
        for (text, error) in [
            ("{b", "invalid character 'b' looking for beginning of object key string"),
            ("{\"a\":1,}", "invalid character '}' looking for beginning of object key string"),
            ("[1,]", "invalid character ']' looking for beginning of value"),
            ("{\"a\" 1}", "invalid character '1' after object key"),
            ("{\"a\":1 2}", "invalid character '2' after object key:value pair"),
            ("[1 2]", "invalid character '2' after array element"),
            ("1 x", "invalid character 'x' after top-level value"),
            ("{\"a\":", END),
            ("", END),
            ("trux", "invalid character 'x' in literal true (expecting 'e')"),
            ("\"a\nb\"", "invalid character '\\n' in string literal"),
            ("\"\\x\"", "invalid character 'x' in string escape code"),
            ("1.x", "invalid character 'x' after decimal point in numeric literal"),
            ("01", "invalid character '1' after top-level value"),
        ] {
            assert_eq!(parse(text), Err(error.to_string()), "{text}");
        }
        assert!(parse(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn text_survives_a_round_trip() {
        let text = r#"{"a":[1,-2,0.5,1e+21,1e-7,true,null,{}],"b":"x\n\u2028é<","c":[]}"#;
        let value = parse(text).unwrap();
        assert_eq!(to_string(&value), text);
        assert_eq!(to_string_html(&Value::from("<&>")), "\"\\u003c\\u0026\\u003e\"");
        assert_eq!(pretty(&parse("{\"a\":[1],\"b\":{}}").unwrap(), 4), "{\n    \"a\": [\n        1\n    ],\n    \"b\": {}\n}");
        assert_eq!(parse("\"\\ud83d\\ude00\""), Ok(Value::from("😀")));
    }

    #[test]
    fn a_key_written_twice_is_named_with_its_path() {
        let (value, twice) = parse_strict(r#"{"spec":{"a":[{"x":1,"x":2}]}}"#).unwrap();
        assert_eq!(twice, ["duplicate field \"spec.a[0].x\""]);
        assert_eq!(to_string(&value), r#"{"spec":{"a":[{"x":2}]}}"#);
    }
}
