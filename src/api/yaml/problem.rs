//! The parser's complaints in goyaml's words and with goyaml's line numbers. Counterpart: `fail()` in goyaml v2's `decode.go`.
//!
//! goyaml counts lines from zero; its scanner's errors have one added, its parser's errors do not, and line zero is not
//! named. So the same mistake is told with another line depending on who finds it.

use super::Position;
use saphyr_parser::ScanError;

/// A text that is no YAML, or YAML that is no API object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// What kubectl prints after `error parsing FILE: `.
    pub message: String,
    /// Where it was found in the whole text, counted from 1.
    pub line: u32,
    /// The column, counted from 1.
    pub column: u32,
}

/// Who finds a mistake in goyaml, which decides the line number.
#[derive(PartialEq)]
enum Finder {
    Scanner,
    Parser,
    Reader,
}

impl YamlError {
    /// An error found after parsing, which goyaml gives without a line.
    pub(super) fn plain(problem: &str, place: Position) -> YamlError {
        YamlError { message: format!("error converting YAML to JSON: {problem}"), line: place.line, column: place.column }
    }

    /// A line that begins like a separator but goes on with other text.
    pub(super) fn separator(text: &str, line: usize) -> YamlError {
        YamlError { message: format!("invalid Yaml document separator: {text}"), line: line as u32, column: 4 }
    }

    /// The first character that may not stand in a YAML text at all.
    pub(super) fn control_character(chunk: &str, first_line: usize) -> Option<YamlError> {
        let forbidden = |c: char| c != '\n' && c != '\r' && c != '\t' && (c < ' ' || ('\u{7f}'..'\u{a0}').contains(&c) && c != '\u{85}');
        let (before, _) = chunk.split_at(chunk.find(forbidden)?);
        let line = (first_line + before.matches('\n').count() + 1) as u32;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() as u32 + 1;
        Some(Self::plain("yaml: control characters are not allowed", Position { line, column }))
    }

    /// Tells a scan error of `chunk` as goyaml would; `chunk` begins after `first_line` lines of the whole text.
    pub(super) fn from_scan(error: &ScanError, chunk: &str, first_line: usize) -> YamlError {
        let place = Place { chunk, line: error.marker().line(), column: error.marker().col() };
        let told = translate(error.info(), &place);
        let number = match told.finder {
            Finder::Scanner if told.line > 1 => told.line,
            Finder::Parser => told.line.saturating_sub(1),
            _ => 0,
        };
        let prefix = if number > 0 { format!("line {number}: ") } else { String::new() };
        let column = if told.line == place.line { place.column as u32 + 1 } else { 1 };
        let at = Position { line: (first_line + told.line) as u32, column };
        Self::plain(&format!("yaml: {prefix}{}", told.problem), at)
    }
}

/// Where the parser stopped.
struct Place<'a> {
    chunk: &'a str,
    line: usize,
    column: usize,
}

/// A complaint in goyaml's words.
struct Told {
    problem: String,
    finder: Finder,
    line: usize,
}

fn translate(info: &str, place: &Place) -> Told {
    use Finder::{Parser, Reader, Scanner};
    let text = match info.split_once(", ") {
        Some((context, rest)) if context.starts_with("while ") => rest,
        _ => info,
    };
    let mut line = place.line;
    let (problem, finder) = match text {
        "found unknown anchor" => {
            let name = name_at(place.chunk, place.line, place.column);
            (format!("unknown anchor '{name}' referenced"), Reader)
        }
        "simple key expect ':'" | "simple key expected" => ("could not find expected ':'".into(), Scanner),
        "tabs disallowed within this context (block indentation)" | "tabs disallowed in this context" => {
            ("found character that cannot start any token".into(), Scanner)
        }
        "found a tab" | "tab cannot be used as indentation" => {
            line = place.next_tab_line();
            ("found a tab character that violates indentation".into(), Scanner)
        }
        "a block scalar content cannot start with a tab" => {
            line = place.next_tab_line();
            ("found a tab character where an indentation space is expected".into(), Scanner)
        }
        // At the end of the text goyaml stands on the line after the last newline, which kubectl adds if it is missing.
        "found unexpected end of stream" => {
            let added = usize::from(!place.chunk.ends_with('\n'));
            line = place.chunk.matches('\n').count() + added + 1;
            (text.into(), Scanner)
        }
        "\"-\" is only valid inside a block" | "illegal placement of ':' indicator" => (place.flow_problem(), Parser),
        "misplaced bracket" if place.begins_node() => ("did not find expected node content".into(), Parser),
        "misplaced bracket" => ("did not find expected key".into(), Parser),
        "expected ',' or ']'" => ("did not find expected ',' or ']'".into(), Parser),
        "the handle wasn't declared" => ("found undefined tag handle".into(), Parser),
        "invalid trailing content after double-quoted scalar" | "unexpected eof" => ("did not find expected key".into(), Parser),
        "missing explicit document end marker before directive" => ("found unknown directive name".into(), Scanner),
        "invalid content after document end marker" => ("did not find expected <document start>".into(), Parser),
        "recursion limit exceeded" => ("exceeded max depth of 10000".into(), Reader),
        _ if text.starts_with("unexpected character") => ("found character that cannot start any token".into(), Scanner),
        _ if PARSER_WORDS.iter().any(|words| text.starts_with(words)) => (text.into(), Parser),
        _ => (text.into(), Scanner),
    };
    Told { problem, finder, line }
}

/// How the complaints of goyaml's parser (as opposed to its scanner) begin that both parsers share.
const PARSER_WORDS: [&str; 5] = [
    "did not find expected <",
    "did not find expected key",
    "did not find expected node",
    "did not find expected '-'",
    "did not find expected ','",
];

impl Place<'_> {
    /// The text before the place.
    fn before(&self) -> &str {
        let lines = self.chunk.split_inclusive('\n').take(self.line.saturating_sub(1));
        let start: usize = lines.map(str::len).sum();
        let columns: usize = self.chunk[start..].chars().take(self.column).map(char::len_utf8).sum();
        &self.chunk[..start + columns]
    }

    /// Whether a value is still to come here, by what stands before.
    fn begins_node(&self) -> bool {
        self.before().trim_end().ends_with([':', '-', ',', '[', '{', '?']) || self.before().trim().is_empty()
    }

    /// What the parser misses inside brackets: a value, or a comma and what closes the innermost bracket.
    fn flow_problem(&self) -> String {
        if self.begins_node() {
            return "did not find expected node content".to_string();
        }
        let mut open = Vec::new();
        for c in self.before().chars() {
            match c {
                '[' => open.push(']'),
                '{' => open.push('}'),
                ']' | '}' => drop(open.pop()),
                _ => {}
            }
        }
        format!("did not find expected ',' or '{}'", open.pop().unwrap_or(']'))
    }

    /// The first line after the place that begins with a tab among its blanks.
    fn next_tab_line(&self) -> usize {
        let has_tab = |line: &str| {
            let text = line.trim_start();
            line[..line.len() - text.len()].contains('\t') && !text.is_empty()
        };
        let found = self.chunk.lines().enumerate().skip(self.line).find(|(_, line)| has_tab(line));
        found.map_or(self.line, |(i, _)| i + 1)
    }
}

/// The name of the alias that stands at a place.
pub(super) fn name_at(chunk: &str, line: usize, column: usize) -> String {
    let text = chunk.lines().nth(line.saturating_sub(1)).unwrap_or("");
    let rest: String = text.chars().skip(column).collect();
    let name = rest.strip_prefix('*').unwrap_or(&rest);
    name.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
}
