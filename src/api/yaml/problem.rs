//! The parser's complaints in goyaml's words and with goyaml's line numbers. Counterpart: `fail()` in goyaml v2's `decode.go`.
//!
//! goyaml counts lines from zero; its scanner's errors have one added, its parser's errors do not, and line zero is not
//! named. So the same mistake is told with another line depending on who finds it.

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
    pub(super) fn plain(problem: &str, line: usize, column: usize) -> YamlError {
        YamlError { message: format!("error converting YAML to JSON: {problem}"), line: line as u32, column: column as u32 }
    }

    /// Tells a scan error of `chunk` as goyaml would; `chunk` begins after `first_line` lines of the whole text.
    pub(super) fn from_scan(error: &ScanError, chunk: &str, first_line: usize) -> YamlError {
        let (mut line, column) = (error.marker().line(), error.marker().col());
        let (problem, finder) = translate(error.info(), chunk, line, column);
        // At the end of the text goyaml stands on the line after the last newline.
        if problem.contains("end of stream") {
            line = chunk.matches('\n').count() + 1;
        }
        let told = match finder {
            Finder::Scanner if line > 1 => line,
            Finder::Parser => line - 1,
            _ => 0,
        };
        let place = if told > 0 { format!("line {told}: ") } else { String::new() };
        Self::plain(&format!("yaml: {place}{problem}"), first_line + line, column + 1)
    }
}

fn translate(info: &str, chunk: &str, line: usize, column: usize) -> (String, Finder) {
    use Finder::{Parser, Reader, Scanner};
    let text = match info.split_once(", ") {
        Some((context, rest)) if context.starts_with("while ") => rest,
        _ => info,
    };
    let (problem, finder) = match text {
        "found unknown anchor" => {
            return (format!("unknown anchor '{}' referenced", name_at(chunk, line, column)), Reader);
        }
        "found unprintable character" => ("control characters are not allowed", Reader),
        "simple key expect ':'" | "simple key expected" => ("could not find expected ':'", Scanner),
        "tabs disallowed within this context (block indentation)"
        | "tabs disallowed in this context"
        | "a block scalar content cannot start with a tab" => ("found character that cannot start any token", Scanner),
        "found a tab" | "tab cannot be used as indentation" => ("found a tab character that violates indentation", Scanner),
        "expected ',' or ']'" => ("did not find expected ',' or ']'", Parser),
        "the handle wasn't declared" => ("found undefined tag handle", Parser),
        "misplaced bracket" => ("did not find expected node content", Parser),
        "invalid trailing content after double-quoted scalar" | "unexpected eof" => ("did not find expected key", Parser),
        "illegal placement of ':' indicator" => ("mapping values are not allowed in this context", Scanner),
        "invalid content after document end marker" => ("did not find expected <document start>", Parser),
        "recursion limit exceeded" => ("exceeded max depth of 10000", Reader),
        _ if text.starts_with("unexpected character") => ("found character that cannot start any token", Scanner),
        _ if text.starts_with("did not find expected <")
            || text.starts_with("did not find expected key")
            || text.starts_with("did not find expected node")
            || text.starts_with("did not find expected '-'")
            || text.starts_with("did not find expected ','") =>
        {
            (text, Parser)
        }
        _ => (text, Scanner),
    };
    (problem.to_string(), finder)
}

/// The name of the alias that stands at a place.
pub(super) fn name_at(chunk: &str, line: usize, column: usize) -> String {
    let text = chunk.lines().nth(line.saturating_sub(1)).unwrap_or("");
    let rest: String = text.chars().skip(column).collect();
    let name = rest.strip_prefix('*').unwrap_or(&rest);
    name.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
}
