//! Filters: the programs after a pipe, which read and write text one line at a time.
//!
//! A filter is fed its input in pieces, and [`Filter::end`] marks the end of the input. So a filter after `kubectl get -w` writes each line as it arrives,
//! and one that needs no more input (`head`) can end the pipe.
//!
//! **To add a filter**: a function that reads its arguments, in `text.rs` or, if it is large, in a file of its own; a variant of `Machine` with its arms in
//! `Filter::line`, `finish` and, if it may need no more input, [`Filter::is_done`]; an arm of [`parse`]; and its name in [`NAMES`], which the terminal's `help`, `which` and Tab read. Containers have it
//! if their image does: `src/container/programs/list.rs`.

mod awk;
mod grep;
mod jq;
mod options;
mod regex;
mod regex_compiler;
mod sed;
mod text;

pub use regex::{Dialect, MatchScope, Regex};

use std::collections::VecDeque;

/// A filter in a pipe, and the beginning of a line that it has not been fed completely.
#[derive(Clone, Debug)]
pub struct Filter {
    machine: Machine,
    part: String,
}

/// A filter that was created from its command line.
pub struct ParsedFilter {
    /// The filter, ready to be fed with its input.
    pub filter: Filter,
    /// The files that the filter reads instead of its standard input.
    pub files: Vec<String>,
}

/// The error message and the exit code of a filter that cannot start.
pub type Refusal = (String, i32);

#[derive(Clone, Debug)]
enum Machine {
    Awk(awk::Awk),
    Cat {
        numbered: bool,
        line: usize,
    },
    /// Encodes (`false`) or decodes (`true`) base64: the flag, the input so far, and the length of output lines.
    Base64(bool, String, usize),
    Cut(text::Cut),
    Grep(grep::Grep),
    Head {
        lines: usize,
        bytes: usize,
    },
    /// Reads no input; writes this text at its end and exits with this code.
    Fixed(String, i32),
    Jq(Box<jq::Jq>),
    /// Reverses each line.
    Rev,
    Sed(sed::Sed),
    Sort(text::Sort),
    /// Writes the lines in reverse order.
    Tac(Vec<String>),
    Tail {
        skip: Option<usize>,
        last: usize,
        kept: VecDeque<String>,
    },
    Tr(text::Tr),
    Uniq(text::Uniq),
    Wc {
        show: [bool; 3],
        counts: [usize; 3],
    },
}

/// The names of all filters.
pub const NAMES: &[&str] = &["awk", "base64", "cat", "cut", "grep", "head", "jq", "rev", "sed", "sort", "tac", "tail", "tr", "uniq", "wc"];

/// Returns the first `bytes` bytes of a text, or fewer so that no character is split.
fn start_of(text: &str, bytes: usize) -> &str {
    (0..=bytes.min(text.len())).rev().find_map(|end| text.get(..end)).unwrap_or("")
}

/// Creates a filter from its name and arguments; `None` if there is no filter of that name.
pub fn parse(name: &str, args: &[String]) -> Option<Result<ParsedFilter, Refusal>> {
    let parsed = match name {
        "awk" => awk::make(args),
        "base64" => text::base64(args),
        "cat" => text::cat(args),
        "cut" => text::cut(args),
        "grep" | "egrep" | "fgrep" => grep::make(name, args),
        "head" => text::head(args),
        "jq" => jq::make(args).map(|(jq, files)| (Machine::Jq(Box::new(jq)), files)),
        "rev" => Ok((Machine::Rev, args.to_vec())),
        "sed" => sed::make(args),
        "sort" => text::sort(args),
        "tac" => Ok((Machine::Tac(Vec::new()), args.to_vec())),
        "tail" => text::tail(args),
        "tr" => text::tr(args),
        "uniq" => text::uniq(args),
        "wc" => text::wc(args),
        _ => return None,
    };
    let trouble = match name {
        "jq" => 3,
        "grep" | "egrep" | "fgrep" | "sort" | "awk" => 2,
        _ => 1,
    };
    Some(match parsed {
        Ok((machine, files)) => Ok(ParsedFilter { filter: Filter { machine, part: String::new() }, files }),
        Err(why) => Err((format!("{name}: {why}\n"), trouble)),
    })
}

impl Filter {
    /// Creates a filter that reads no input, writes a text and exits with a code.
    pub fn fixed(text: String, code: i32) -> Filter {
        Filter { machine: Machine::Fixed(text, code), part: String::new() }
    }
    /// Feeds text to the filter and returns the output that it writes.
    pub fn feed(&mut self, text: &str) -> String {
        let mut out = String::new();
        for line in text.split_inclusive('\n') {
            if self.is_done() {
                break;
            }
            if !line.ends_with('\n') {
                self.part.push_str(line);
            } else if self.part.is_empty() {
                self.line(line, &mut out);
            } else {
                let mut whole = std::mem::take(&mut self.part);
                whole.push_str(line);
                self.line(&whole, &mut out);
            }
        }
        out
    }
    /// Ends the input. Returns the rest of the output and the exit code.
    pub fn end(&mut self) -> (String, i32) {
        let mut out = String::new();
        let part = std::mem::take(&mut self.part);
        if !part.is_empty() && !self.is_done() {
            self.line(&part, &mut out);
        }
        let code = self.finish(&mut out);
        (out, code)
    }
    /// Returns whether no further input could change the output.
    pub fn is_done(&self) -> bool {
        match &self.machine {
            Machine::Head { lines, bytes } => *lines == 0 || *bytes == 0,
            Machine::Grep(grep) => grep.is_done(),
            Machine::Fixed(..) => true,
            Machine::Jq(jq) => jq.is_done(),
            _ => false,
        }
    }
    /// Handles one line, with its newline if it has one.
    fn line(&mut self, line: &str, out: &mut String) {
        let bare = line.strip_suffix('\n').unwrap_or(line);
        match &mut self.machine {
            Machine::Awk(awk) => awk.line(bare, out),
            Machine::Cat { numbered, line: n } => {
                *n += 1;
                if *numbered {
                    out.push_str(&format!("{n:6}\t"));
                }
                out.push_str(line);
            }
            Machine::Base64(_, text, _) => text.push_str(line),
            Machine::Jq(jq) => jq.take(line),
            Machine::Cut(cut) => cut.line(bare, out),
            Machine::Grep(grep) => grep.line(bare, out),
            Machine::Head { lines, bytes } => {
                *lines -= 1;
                let shown = start_of(line, *bytes);
                *bytes = bytes.saturating_sub(line.len());
                out.push_str(shown);
            }
            Machine::Fixed(..) => {}
            Machine::Rev => {
                out.extend(bare.chars().rev());
                out.push_str(&line[bare.len()..]);
            }
            Machine::Sed(sed) => sed.line(bare, out),
            Machine::Sort(sort) => sort.lines.push(bare.to_owned()),
            Machine::Tac(lines) => lines.push(line.to_owned()),
            Machine::Tail { skip: Some(0), .. } => out.push_str(line),
            Machine::Tail { skip: Some(n), .. } => *n -= 1,
            Machine::Tail { last, kept, .. } => {
                kept.push_back(line.to_owned());
                if kept.len() > *last {
                    kept.pop_front();
                }
            }
            Machine::Tr(tr) => tr.text(line, out),
            Machine::Uniq(uniq) => uniq.line(bare, out),
            Machine::Wc { counts: [lines, words, bytes], .. } => {
                *lines += usize::from(line.ends_with('\n'));
                *words += line.split_whitespace().count();
                *bytes += line.len();
            }
        }
    }
    fn finish(&mut self, out: &mut String) -> i32 {
        match &mut self.machine {
            Machine::Awk(awk) => awk.end(out),
            Machine::Base64(decode, text, width) => return text::end_base64(*decode, text, *width, out),
            Machine::Jq(jq) => return jq.end(out),
            Machine::Grep(grep) => return grep.end(out),
            Machine::Fixed(text, code) => {
                out.push_str(text);
                return *code;
            }
            Machine::Sort(sort) => sort.end(out),
            Machine::Tac(lines) => out.extend(lines.drain(..).rev()),
            Machine::Tail { kept, .. } => kept.drain(..).for_each(|line| out.push_str(&line)),
            Machine::Uniq(uniq) => uniq.flush(out),
            Machine::Wc { show, counts } => {
                let all = !show.contains(&true);
                let shown: Vec<String> = counts.iter().zip(show).filter(|(_, show)| **show || all).map(|(n, _)| n.to_string()).collect();
                // A single number is printed as it is; several are aligned in columns.
                let width = if shown.len() > 1 { 7 } else { 0 };
                let columns: Vec<String> = shown.iter().map(|n| format!("{n:>width$}")).collect();
                out.push_str(&columns.join(" "));
                out.push('\n');
            }
            _ => {}
        }
        0
    }
}
