//! The filter `grep`.

use super::Machine;
use super::options::Options;
use super::regex::{Dialect, MatchScope, Regex};
use std::collections::VecDeque;

#[derive(Clone, Debug)]
pub struct Grep {
    regex: Regex,
    invert: bool,
    count: bool,
    quiet: bool,
    only: bool,
    numbered: bool,
    before: usize,
    after: usize,
    left: usize,
    found: usize,
    line: usize,
    /// The last lines without a match, with their line numbers, for `-B`.
    kept: VecDeque<(usize, String)>,
    /// The number of lines that are still to be shown after the last match, for `-A`.
    trailing: usize,
    /// The number of the line shown last.
    shown: usize,
}

pub fn make(name: &str, args: &[String]) -> Result<(Machine, Vec<String>), String> {
    let args: Vec<String> = args.iter().filter(|a| !a.starts_with("--color") && *a != "--line-buffered").cloned().collect();
    let options = Options::read(&args, "vicEFGPonwqxhHs", "ABCme#")?;
    let mut files = options.rest.clone();
    let mut patterns: Vec<String> = options.given.iter().filter(|(c, _)| *c == 'e').map(|(_, p)| p.clone()).collect();
    if patterns.is_empty() {
        if files.is_empty() {
            return Err("no pattern: write grep PATTERN".to_owned());
        }
        patterns.push(files.remove(0));
    }
    let lines: Vec<&str> = patterns.iter().flat_map(|p| p.split('\n')).collect();
    let dialect = match () {
        () if options.has('F') || name == "fgrep" => Dialect::Fixed,
        () if options.has('E') || options.has('P') || name == "egrep" => Dialect::Extended,
        () => Dialect::Basic,
    };
    let scope = if options.has('x') { MatchScope::Line } else { MatchScope::Anything };
    let scope = if options.has('w') { MatchScope::Word } else { scope };
    let both = options.number('C')?.or(options.number('#')?);
    let grep = Grep {
        regex: Regex::new(&lines, dialect, options.has('i'), scope)?,
        invert: options.has('v'),
        count: options.has('c'),
        quiet: options.has('q'),
        only: options.has('o'),
        numbered: options.has('n'),
        before: options.number('B')?.or(both).unwrap_or(0),
        after: options.number('A')?.or(both).unwrap_or(0),
        left: options.number('m')?.unwrap_or(usize::MAX),
        found: 0,
        line: 0,
        kept: VecDeque::new(),
        trailing: 0,
        shown: 0,
    };
    Ok((Machine::Grep(grep), files))
}

impl Grep {
    pub fn is_done(&self) -> bool {
        (self.left == 0 && self.trailing == 0) || (self.quiet && self.found > 0)
    }
    pub fn line(&mut self, line: &str, out: &mut String) {
        self.line += 1;
        if self.left > 0 && self.regex.is_match(line) != self.invert {
            self.left -= 1;
            self.found += 1;
            self.trailing = self.after;
            if !self.count && !self.quiet {
                self.show_match(line, out);
            }
            return;
        }
        if self.count || self.quiet || self.only {
            self.trailing = self.trailing.saturating_sub(1);
        } else if self.trailing > 0 {
            self.trailing -= 1;
            self.show(self.line, '-', line, out);
        } else if self.before > 0 {
            self.kept.push_back((self.line, line.to_owned()));
            if self.kept.len() > self.before {
                self.kept.pop_front();
            }
        }
    }
    fn show_match(&mut self, line: &str, out: &mut String) {
        if self.only {
            let mut from = 0;
            while let Some((start, end)) = self.regex.find(line, from).filter(|_| !self.invert) {
                if end > start {
                    self.show(self.line, ':', line.get(start..end).unwrap_or(""), out);
                }
                // After an empty match the search continues at the next character.
                let step = line.get(start..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
                from = end.max(start + step);
                if from >= line.len() {
                    break;
                }
            }
            return;
        }
        for (number, text) in std::mem::take(&mut self.kept) {
            self.show(number, '-', &text, out);
        }
        self.show(self.line, ':', line, out);
    }
    fn show(&mut self, number: usize, mark: char, text: &str, out: &mut String) {
        if self.shown > 0 && number > self.shown + 1 && self.before + self.after > 0 && !self.only {
            out.push_str("--\n");
        }
        self.shown = number;
        if self.numbered {
            out.push_str(&format!("{number}{mark}"));
        }
        out.push_str(text);
        out.push('\n');
    }
    pub fn end(&mut self, out: &mut String) -> i32 {
        if self.count {
            out.push_str(&format!("{}\n", self.found));
        }
        i32::from(self.found == 0)
    }
}
