//! Prints YAML as `kubectl -o yaml` does. Counterpart: goyaml v2's encoder and emitter as `sigs.k8s.io/yaml` uses them.

use super::scalar::{Plain, is_base60, resolve};
use crate::api::float;
use crate::api::order::Order;
use crate::api::value::{Map, Value};
use arcstr::ArcStr;
use std::cmp::Ordering;

/// Returns a value as YAML text: keys sorted, two spaces per level, lists at the indentation of their key.
pub fn emit(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Map(map) if !map.is_empty() => write_map(&mut out, map, 0, false),
        Value::List(list) if !list.is_empty() => write_list(&mut out, list, 0, false),
        _ => {
            write_flat(&mut out, value, 0);
            out.push('\n');
        }
    }
    out
}

/// The maximum length of a key that is written on one line with its colon.
const SIMPLE_KEY: usize = 128;

fn write_map(out: &mut String, map: &Map, indent: usize, inline: bool) {
    let mut entries: Vec<(&ArcStr, &Value)> = map.iter().collect();
    entries.order_by(|a, b| natural(a.0, b.0));
    for (i, (key, value)) in entries.into_iter().enumerate() {
        if i > 0 || !inline {
            pad(out, indent);
        }
        let simple = key.len() <= SIMPLE_KEY && !key.chars().any(is_break);
        if simple {
            write_text(out, key, indent, true);
        } else {
            out.push_str("? ");
            write_text(out, key, indent + 2, false);
            out.push('\n');
            pad(out, indent);
        }
        out.push(':');
        write_value(out, value, indent, simple);
    }
}

/// Writes the value after a key's colon. `simple` tells that the key is on one line with its colon; otherwise the value begins on the colon's line.
fn write_value(out: &mut String, value: &Value, indent: usize, simple: bool) {
    let opening = if simple { '\n' } else { ' ' };
    match value {
        Value::Map(map) if !map.is_empty() => {
            out.push(opening);
            write_map(out, map, indent + 2, !simple);
        }
        Value::List(list) if !list.is_empty() => {
            out.push(opening);
            let indent = if simple { indent } else { indent + 2 };
            write_list(out, list, indent, !simple);
        }
        _ => {
            out.push(' ');
            write_flat(out, value, indent + 2);
            out.push('\n');
        }
    }
}

fn write_list(out: &mut String, list: &[Value], indent: usize, inline: bool) {
    for (i, item) in list.iter().enumerate() {
        if i > 0 || !inline {
            pad(out, indent);
        }
        out.push_str("- ");
        match item {
            Value::Map(map) if !map.is_empty() => write_map(out, map, indent + 2, true),
            Value::List(list) if !list.is_empty() => write_list(out, list, indent + 2, true),
            _ => {
                write_flat(out, item, indent + 2);
                out.push('\n');
            }
        }
    }
}

fn pad(out: &mut String, indent: usize) {
    out.extend(std::iter::repeat_n(' ', indent));
}

/// Writes a scalar or an empty collection; `indent` is the indentation of further lines of a block.
fn write_flat(out: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Int(i) => out.push_str(&i.to_string()),
        // In Go, the value has passed through JSON, where a whole number of up to 64 bits became an integer.
        Value::Float(f) if f.abs() < 18446744073709551616.0 && *f as i128 as f64 == *f => {
            out.push_str(&f.to_string());
        }
        Value::Float(f) => out.push_str(&float_text(*f)),
        Value::Str(s) => write_text(out, s, indent, false),
        Value::List(_) => out.push_str("[]"),
        Value::Map(_) => out.push_str("{}"),
    }
}

/// Formats a float as Go's `%g` does.
pub(super) fn float_text(f: f64) -> String {
    if f.is_nan() {
        return ".nan".to_string();
    }
    if f.is_infinite() {
        return if f > 0.0 { ".inf" } else { "-.inf" }.to_string();
    }
    float::general(f)
}

fn write_text(out: &mut String, text: &str, indent: usize, key: bool) {
    let shape = Shape::of(text);
    if text.contains('\n') {
        if !key && shape.block {
            write_block(out, text, indent.max(2));
        } else {
            write_double(out, text, indent, !key);
        }
        return;
    }
    if resolve(text) == Plain::Text && !is_base60(text) && shape.plain {
        write_folded(out, text, indent, !key);
    } else if resolve(text) == Plain::Text && !is_base60(text) && shape.single {
        out.push('\'');
        write_folded(out, &text.replace('\'', "''"), indent, !key);
        out.push('\'');
    } else {
        write_double(out, text, indent, !key);
    }
}

/// The column after which a line is broken at the next single space.
const WIDTH: usize = 80;

fn column(out: &str) -> usize {
    out.rsplit('\n').next().unwrap_or("").chars().count()
}

/// Writes text without escapes; with `fold`, long text is broken into lines.
fn write_folded(out: &mut String, text: &str, indent: usize, fold: bool) {
    let mut column = column(out);
    // A line is never broken at a space at the very start.
    let mut after_space = text.starts_with(' ');
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == ' ' && fold && !after_space && column > WIDTH && chars.peek().is_some_and(|&n| n != ' ') {
            out.push('\n');
            pad(out, indent);
            column = indent;
        } else {
            out.push(c);
            column += 1;
        }
        after_space = c == ' ';
    }
}

/// The YAML styles in which a text can be written.
struct Shape {
    plain: bool,
    single: bool,
    block: bool,
}

impl Shape {
    fn of(text: &str) -> Shape {
        let mut indicators = text.starts_with("---") || text.starts_with("...");
        let (mut special, mut space_break, mut break_space) = (false, false, false);
        let mut previous = '\n';
        let mut first = true;
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let before_space = chars.peek().is_none_or(|&n| is_blank(n));
            indicators |= match c {
                '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' if first => true,
                '?' | '-' if first => before_space,
                ':' => before_space,
                '#' => is_blank(previous),
                _ => false,
            };
            special |= !is_printable(c);
            if !first {
                space_break |= previous == ' ' && is_break(c);
                break_space |= is_break(previous) && c == ' ';
            }
            (previous, first) = (c, false);
        }
        let edge = |c: Option<char>| c.is_some_and(|c| c == ' ' || is_break(c));
        let edges = edge(text.chars().next()) || edge(text.chars().next_back());
        let breaks = text.chars().any(is_break);
        let wild = space_break || special;
        Shape {
            plain: !(wild || indicators || edges || breaks || break_space),
            single: !(wild || break_space),
            block: !(wild || text.ends_with(' ')),
        }
    }
}

fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}
fn is_blank(c: char) -> bool {
    c == ' ' || c == '\t' || is_break(c)
}
fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}')
}

fn write_block(out: &mut String, text: &str, indent: usize) {
    out.push('|');
    if text.starts_with([' ', '\n']) {
        out.push('2');
    }
    if !text.ends_with('\n') {
        out.push('-');
    } else if text == "\n" || text.ends_with("\n\n") {
        out.push('+');
    }
    let body = text.strip_suffix('\n').unwrap_or(text);
    for line in body.split('\n') {
        out.push('\n');
        if !line.is_empty() {
            pad(out, indent);
            out.push_str(line);
        }
    }
}

fn write_double(out: &mut String, text: &str, indent: usize, fold: bool) {
    out.push('"');
    let (mut first, mut after_space) = (true, false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let inner = !first && chars.peek().is_some();
        if c == ' ' && fold && !after_space && inner && column(out) > WIDTH {
            out.push('\n');
            pad(out, indent);
            if chars.peek() == Some(&' ') {
                out.push('\\');
            }
        } else {
            write_escaped(out, c);
        }
        (first, after_space) = (false, c == ' ');
    }
    out.push('"');
}

fn write_escaped(out: &mut String, c: char) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\0' => out.push_str("\\0"),
        '\u{7}' => out.push_str("\\a"),
        '\u{8}' => out.push_str("\\b"),
        '\t' => out.push_str("\\t"),
        '\n' => out.push_str("\\n"),
        '\u{b}' => out.push_str("\\v"),
        '\u{c}' => out.push_str("\\f"),
        '\r' => out.push_str("\\r"),
        '\u{1b}' => out.push_str("\\e"),
        '\u{85}' => out.push_str("\\N"),
        '\u{2028}' => out.push_str("\\L"),
        '\u{2029}' => out.push_str("\\P"),
        c if is_printable(c) => out.push(c),
        c if (c as u32) < 0x100 => out.push_str(&format!("\\x{:02X}", c as u32)),
        c if (c as u32) < 0x10000 => out.push_str(&format!("\\u{:04X}", c as u32)),
        c => out.push_str(&format!("\\U{:08X}", c as u32)),
    }
}

/// Compares keys in goyaml's order: digits by their number, other characters before letters. Simplification: every character beyond ASCII counts as a letter.
fn natural(a: &str, b: &str) -> Ordering {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let Some(i) = a.iter().zip(&b).position(|(x, y)| x != y) else {
        return a.len().cmp(&b.len());
    };
    let (x, y) = (a[i], b[i]);
    let is_letter = |c: char| c.is_ascii_alphabetic() || !c.is_ascii();
    match (is_letter(x), is_letter(y)) {
        (true, true) => return x.cmp(&y),
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    // A zero inside a number counts as one of its digits, a leading one does not.
    let inside = (x == '0' || y == '0') && a[..i].iter().rev().take_while(|c| c.is_ascii_digit()).any(|&c| c != '0');
    let number = |s: &[char]| {
        let digits = s[i..].iter().take_while(|c| c.is_ascii_digit());
        let start = if inside { 1u64 } else { 0 };
        digits.fold((start, 0), |(n, len), c| (n.wrapping_mul(10).wrapping_add(u64::from(c.to_digit(10).unwrap_or(0))), len + 1))
    };
    number(&a).cmp(&number(&b)).then(x.cmp(&y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map;

    #[test]
    fn strings_are_quoted_only_where_goyaml_quotes_them() {
        for (text, yaml) in [
            ("plain", "plain"),
            ("", "\"\""),
            ("yes", "\"yes\""),
            ("123", "\"123\""),
            ("2024-01-01T00:00:00Z", "\"2024-01-01T00:00:00Z\""),
            ("10:30", "\"10:30\""),
            ("a: b", "'a: b'"),
            ("a #b", "'a #b'"),
            ("a:b#c", "a:b#c"),
            ("- a", "'- a'"),
            ("-a", "-a"),
            ("*x", "'*x'"),
            ("25%", "25%"),
            ("it's", "it's"),
            ("'q'", "'''q'''"),
            (" lead", "' lead'"),
            ("tab\t", "\"tab\\t\""),
            ("a\nb", "|-\n  a\n  b"),
            ("a\n", "|\n  a"),
            ("a\n\n", "|+\n  a\n"),
            (" a\nb\n", "|2\n   a\n  b"),
            ("a \nb", "\"a \\nb\""),
        ] {
            assert_eq!(emit(&Value::from(map! {"k" => text})), format!("k: {yaml}\n"), "{text}");
        }
    }

    #[test]
    fn keys_are_in_natural_order_and_floats_as_go_prints_them() {
        let map = map! {
            "a10" => 1, "a9" => Value::Float(0.5), "B" => Value::Float(1e21), "a" => Value::List(vec![]),
        };
        assert_eq!(emit(&Value::from(map)), "B: 1e+21\na: []\na9: 0.5\na10: 1\n");
    }
}
