//! Programs that read text and write text, one line at a time: what stands after a pipe.
//!
//! A filter is a small machine that is fed and at last told that there is no more. So a filter behind `kubectl get -w` shows each line as it
//! comes, and one that has seen enough (`head`) says so.

mod awk;
mod grep;
mod options;
mod pattern;
mod regex;
mod sed;
mod text;

pub use regex::{Around, Dialect, Regex};

use std::collections::VecDeque;

/// A filter with the part of a line that it has been fed last.
#[derive(Clone, Debug)]
pub struct Filter {
    machine: Machine,
    part: String,
}

/// A filter as its arguments make it.
pub struct Made {
    /// The filter.
    pub filter: Filter,
    /// Files it reads instead of what is piped into it.
    pub files: Vec<String>,
}

/// Why a filter does not start: its complaint, and its exit code.
pub type Refusal = (String, i32);

#[derive(Clone, Debug)]
enum Machine {
    Awk(awk::Awk),
    Cat {
        numbered: bool,
        line: usize,
    },
    Cut(text::Cut),
    Grep(grep::Grep),
    Head {
        lines: usize,
        bytes: usize,
    },
    /// It reads nothing: what it writes at its end, and its exit code.
    Said(String, i32),
    Sed(sed::Sed),
    Sort(text::Sort),
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
pub const NAMES: &[&str] = &["awk", "cat", "cut", "grep", "head", "sed", "sort", "tail", "tr", "uniq", "wc"];

/// The first bytes of a text, without half a character at the end.
fn start_of(text: &str, bytes: usize) -> &str {
    (0..=bytes.min(text.len())).rev().find_map(|end| text.get(..end)).unwrap_or("")
}

/// Makes a filter of its arguments; `None` for a name that is no filter.
pub fn make(name: &str, args: &[String]) -> Option<Result<Made, Refusal>> {
    let made = match name {
        "awk" => awk::make(args),
        "cat" => text::cat(args),
        "cut" => text::cut(args),
        "grep" | "egrep" | "fgrep" => grep::make(name, args),
        "head" => text::head(args),
        "sed" => sed::make(args),
        "sort" => text::sort(args),
        "tail" => text::tail(args),
        "tr" => text::tr(args),
        "uniq" => text::uniq(args),
        "wc" => text::wc(args),
        _ => return None,
    };
    let trouble = if name.ends_with("grep") || name == "sort" || name == "awk" { 2 } else { 1 };
    Some(match made {
        Ok((machine, files)) => Ok(Made { filter: Filter { machine, part: String::new() }, files }),
        Err(why) => Err((format!("{name}: {why}\n"), trouble)),
    })
}

impl Filter {
    /// A filter that reads nothing, writes a text and ends with a code.
    pub fn said(text: String, code: i32) -> Filter {
        Filter { machine: Machine::Said(text, code), part: String::new() }
    }
    /// Feeds it text. The answer is what it writes.
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
    /// There is no more: what it still writes, and its exit code.
    pub fn end(&mut self) -> (String, i32) {
        let mut out = String::new();
        let part = std::mem::take(&mut self.part);
        if !part.is_empty() && !self.is_done() {
            self.line(&part, &mut out);
        }
        let code = self.finish(&mut out);
        (out, code)
    }
    /// Whether nothing that it could be fed would change what it writes.
    pub fn is_done(&self) -> bool {
        match &self.machine {
            Machine::Head { lines, bytes } => *lines == 0 || *bytes == 0,
            Machine::Grep(grep) => grep.is_done(),
            Machine::Said(..) => true,
            _ => false,
        }
    }
    /// One line, with the newline that ends it if there is one.
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
            Machine::Cut(cut) => cut.line(bare, out),
            Machine::Grep(grep) => grep.line(bare, out),
            Machine::Head { lines, bytes } => {
                *lines -= 1;
                let shown = start_of(line, *bytes);
                *bytes = bytes.saturating_sub(line.len());
                out.push_str(shown);
            }
            Machine::Said(..) => {}
            Machine::Sed(sed) => sed.line(bare, out),
            Machine::Sort(sort) => sort.lines.push(bare.to_owned()),
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
            Machine::Grep(grep) => return grep.end(out),
            Machine::Said(text, code) => {
                out.push_str(text);
                return *code;
            }
            Machine::Sort(sort) => sort.end(out),
            Machine::Tail { kept, .. } => kept.drain(..).for_each(|line| out.push_str(&line)),
            Machine::Uniq(uniq) => uniq.flush(out),
            Machine::Wc { show, counts } => {
                let all = !show.contains(&true);
                let shown: Vec<String> = counts.iter().zip(show).filter(|(_, show)| **show || all).map(|(n, _)| n.to_string()).collect();
                // A single number stands alone; several stand in columns.
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
