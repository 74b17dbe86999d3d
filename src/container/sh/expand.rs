//! Expands words: parameters, command substitutions, arithmetic, splitting and file names.

use super::arithmetic::{Names, evaluate};
use super::machine::Shell;
use super::pattern::{escape, matches, unescape};
use super::syntax::{Edit, Node, Piece, Redirect, Target, Tree, Word};
use crate::container::files::{Disk, absolute};
use std::sync::Arc;

/// The maximum length of a word in bytes.
const MAX_LENGTH: usize = 1 << 20;
/// The maximum number of words that a command line may expand to.
const MAX_WORDS: usize = 20_000;
/// The maximum length of a value from which a pattern is removed, as in `${name#pattern}`.
const MAX_EDITED: usize = 10_000;

/// Returns the command substitutions in a command, in the order in which they are run.
pub fn substitutions(node: &Node) -> Vec<Tree> {
    let mut found = Vec::new();
    match node {
        Node::Simple { assigns, words, redirects } => {
            assigns.iter().for_each(|(_, word)| gather(word, &mut found));
            words.iter().for_each(|word| gather(word, &mut found));
            gather_redirects(redirects, &mut found);
        }
        Node::For { words, .. } => words.iter().flatten().for_each(|word| gather(word, &mut found)),
        Node::Case { word, arms } => {
            gather(word, &mut found);
            arms.iter().flat_map(|(patterns, _)| patterns).for_each(|word| gather(word, &mut found));
        }
        Node::Arithmetic(word) => gather(word, &mut found),
        Node::Group(_, redirects) | Node::Subshell(_, redirects) => gather_redirects(redirects, &mut found),
        _ => {}
    }
    found
}

fn gather_redirects(redirects: &[Redirect], found: &mut Vec<Tree>) {
    for redirect in redirects {
        match &redirect.to {
            Target::Read(word) | Target::Write(word) | Target::Append(word) | Target::Both(word) | Target::Text(word) => {
                gather(word, found)
            }
            Target::Same(_) | Target::Close => {}
        }
    }
}

fn gather(word: &Word, found: &mut Vec<Tree>) {
    for piece in word {
        match piece {
            Piece::Command { tree, .. } => found.push(tree.clone()),
            Piece::Arithmetic { word, .. } => gather(word, found),
            Piece::Parameter { edit, .. } => match edit {
                Edit::Default(_, word) | Edit::Assign(_, word) | Edit::Alternative(_, word) | Edit::Require(_, word) => gather(word, found),
                Edit::Prefix(_, word) | Edit::Suffix(_, word) => gather(word, found),
                Edit::Replace(_, a, b) => [a, b].into_iter().for_each(|word| gather(word, found)),
                Edit::Slice(a, b) => [Some(a), b.as_ref()].into_iter().flatten().for_each(|word| gather(word, found)),
                Edit::None | Edit::Length => {}
            },
            Piece::Text { .. } => {}
        }
    }
}

/// The state of the shell by which words are expanded.
pub struct Expansion<'a> {
    pub shell: &'a mut Shell,
    pub disk: &'a Disk,
    pub cwd: &'a str,
    pub pid: u32,
    /// The command substitutions of the command that have been run, each with its output.
    pub results: &'a [(Tree, String)],
}

impl Names for Shell {
    fn get(&self, name: &str) -> String {
        Shell::get(self, name).unwrap_or("").to_owned()
    }
    fn set(&mut self, name: &str, value: i64) {
        Shell::set(self, name, &value.to_string());
    }
}

/// The fields that a word expands to so far, as patterns in which quoted characters are escaped.
#[derive(Default)]
struct Fields {
    done: Vec<String>,
    current: Option<String>,
}

impl Fields {
    fn push(&mut self, text: &str) {
        self.current.get_or_insert_default().push_str(text);
    }
    fn cut(&mut self) {
        self.done.extend(self.current.take());
    }
}

impl Expansion<'_> {
    /// Expands words; one word may become several fields or none.
    pub fn words(&mut self, words: &[Word]) -> Result<Vec<String>, String> {
        let mut all = Vec::new();
        for word in words {
            let mut fields = Fields::default();
            let mut braces = Vec::new();
            if !brace_range(word, &mut braces) {
                self.fields(word, &mut fields)?;
                fields.cut();
            }
            all.append(&mut braces);
            for field in fields.done {
                self.file_names(field, &mut all);
            }
            if all.len() > MAX_WORDS || all.last().is_some_and(|word| word.len() > MAX_LENGTH) {
                return Err("argument list too long".to_owned());
            }
        }
        Ok(all)
    }
    /// Expands a word into exactly one text, without field splitting and file names.
    pub fn text(&mut self, word: &Word) -> Result<String, String> {
        Ok(unescape(&self.pattern(word)?))
    }
    /// Expands a word into a pattern, in which quoted characters are escaped.
    pub fn pattern(&mut self, word: &Word) -> Result<String, String> {
        let mut text = String::new();
        for piece in word {
            let quoted = !matches!(piece, Piece::Text { quoted: false, .. } | Piece::Parameter { quoted: false, .. });
            let value = self.piece(piece)?;
            text.push_str(&if quoted { escape(&value) } else { value });
            if text.len() > MAX_LENGTH {
                return Err("word too long".to_owned());
            }
        }
        Ok(text)
    }
    fn fields(&mut self, word: &Word, fields: &mut Fields) -> Result<(), String> {
        for (n, piece) in word.iter().enumerate() {
            match piece {
                Piece::Text { text, quoted: true } => fields.push(&escape(text)),
                Piece::Text { text, .. } if n == 0 && text.starts_with('~') => {
                    let home = self.shell.get("HOME").unwrap_or("/").to_owned();
                    let rest = text.get(1..).unwrap_or("");
                    let home = if rest.is_empty() || rest.starts_with('/') { home } else { "~".to_owned() };
                    fields.push(&format!("{home}{rest}"));
                }
                Piece::Text { text, .. } => fields.push(text),
                Piece::Parameter { name, edit: Edit::None, quoted } if name == "@" || name == "*" && !quoted => {
                    let arguments = self.shell.arguments.clone();
                    for (n, argument) in arguments.iter().skip(1).enumerate() {
                        if n > 0 {
                            fields.cut();
                        }
                        if *quoted {
                            fields.push(&escape(argument));
                        } else {
                            self.split(argument, fields);
                        }
                    }
                }
                Piece::Parameter { quoted: false, .. } | Piece::Command { quoted: false, .. } | Piece::Arithmetic { quoted: false, .. } => {
                    let value = self.piece(piece)?;
                    self.split(&value, fields);
                }
                piece => {
                    let value = self.piece(piece)?;
                    fields.push(&escape(&value));
                }
            }
            if fields.current.as_ref().is_some_and(|text| text.len() > MAX_LENGTH) || fields.done.len() > MAX_WORDS {
                return Err("argument list too long".to_owned());
            }
        }
        Ok(())
    }
    /// Splits an unquoted value into fields at the characters of IFS.
    fn split(&self, value: &str, fields: &mut Fields) {
        let ifs = self.shell.get("IFS").unwrap_or(" \t\n");
        let mut blank = true;
        for c in value.chars() {
            if !ifs.contains(c) {
                let mut buffer = [0; 4];
                fields.push(c.encode_utf8(&mut buffer));
                blank = false;
            } else if c.is_whitespace() {
                fields.cut();
                blank = true;
            } else {
                if blank && fields.current.is_none() {
                    fields.push("");
                }
                fields.cut();
                blank = true;
            }
        }
    }
    /// Replaces a pattern by the names of the files that match it, if there are any.
    fn file_names(&self, field: String, all: &mut Vec<String>) {
        let special = |text: &str| {
            let mut escaped = false;
            text.chars().any(|c| {
                let found = !escaped && matches!(c, '*' | '?' | '[');
                escaped = !escaped && c == '\\';
                found
            })
        };
        if !special(&field) {
            return all.push(unescape(&field));
        }
        let mut paths = vec![if field.starts_with('/') { "/".to_owned() } else { String::new() }];
        for part in field.split('/').filter(|part| !part.is_empty()) {
            let mut next = Vec::new();
            for path in &paths {
                let join =
                    |name: &str| if path.is_empty() || path.ends_with('/') { format!("{path}{name}") } else { format!("{path}/{name}") };
                if !special(part) {
                    next.push(join(&unescape(part)));
                    continue;
                }
                let names = self.disk.list(&absolute(self.cwd, path)).unwrap_or_default();
                next.extend(
                    names.iter().filter(|name| (!name.starts_with('.') || part.starts_with('.')) && matches(part, name)).map(|n| join(n)),
                );
            }
            next.truncate(MAX_WORDS);
            paths = next;
        }
        paths.retain(|path| self.disk.get(&absolute(self.cwd, path)).is_some());
        if paths.is_empty() { all.push(unescape(&field)) } else { all.extend(paths) }
    }
    fn piece(&mut self, piece: &Piece) -> Result<String, String> {
        match piece {
            Piece::Text { text, .. } => Ok(text.clone()),
            Piece::Command { tree, .. } => {
                Ok(self.results.iter().find(|(of, _)| Arc::ptr_eq(of, tree)).map(|(_, text)| text.clone()).unwrap_or_default())
            }
            Piece::Arithmetic { word, .. } => {
                let text = self.text(word)?;
                evaluate(&text, self.shell).map(|value| value.to_string())
            }
            Piece::Parameter { name, edit, .. } => self.parameter(name, edit),
        }
    }
    fn parameter(&mut self, name: &str, edit: &Edit) -> Result<String, String> {
        let value = self.value(name);
        let given = |colon: &bool| value.as_ref().filter(|value| !*colon || !value.is_empty()).cloned();
        Ok(match edit {
            Edit::None => match value {
                Some(value) => value,
                None if self.shell.options.nounset && !matches!(name, "@" | "*") => return Err(format!("{name}: parameter not set")),
                None => String::new(),
            },
            Edit::Length if name == "@" || name == "*" => self.shell.arguments.len().saturating_sub(1).to_string(),
            Edit::Length => value.map_or(0, |value| value.chars().count()).to_string(),
            Edit::Default(colon, word) => match given(colon) {
                Some(value) => value,
                None => self.text(word)?,
            },
            Edit::Assign(colon, word) => match given(colon) {
                Some(value) => value,
                None => {
                    let text = self.text(word)?;
                    self.shell.set(name, &text);
                    text
                }
            },
            Edit::Alternative(colon, word) => match given(colon) {
                Some(_) => self.text(word)?,
                None => String::new(),
            },
            Edit::Require(colon, word) => match given(colon) {
                Some(value) => value,
                None => {
                    let text = self.text(word)?;
                    return Err(format!("{name}: {}", if text.is_empty() { "parameter not set or null" } else { &text }));
                }
            },
            Edit::Prefix(..) | Edit::Suffix(..) if value.as_ref().is_some_and(|value| value.len() > MAX_EDITED) => {
                value.unwrap_or_default()
            }
            Edit::Prefix(longest, word) => {
                let (value, pattern) = (value.unwrap_or_default(), self.pattern(word)?);
                let mut ends: Vec<usize> = value.char_indices().map(|(at, _)| at).chain([value.len()]).collect();
                if *longest {
                    ends.reverse();
                }
                let end = ends.into_iter().find(|end| matches(&pattern, value.get(..*end).unwrap_or("")));
                value.get(end.unwrap_or(0)..).unwrap_or("").to_owned()
            }
            Edit::Suffix(longest, word) => {
                let (value, pattern) = (value.unwrap_or_default(), self.pattern(word)?);
                let mut starts: Vec<usize> = value.char_indices().map(|(at, _)| at).chain([value.len()]).collect();
                if !*longest {
                    starts.reverse();
                }
                let start = starts.into_iter().find(|start| matches(&pattern, value.get(*start..).unwrap_or("")));
                value.get(..start.unwrap_or(value.len())).unwrap_or("").to_owned()
            }
            Edit::Replace(all, pattern, with) => {
                let (value, from, to) = (value.unwrap_or_default(), self.text(pattern)?, self.text(with)?);
                if from.is_empty() {
                    value
                } else if *all {
                    value.replace(&from, &to)
                } else {
                    value.replacen(&from, &to, 1)
                }
            }
            Edit::Slice(from, count) => {
                let value: Vec<char> = value.unwrap_or_default().chars().collect();
                let from = self.text(from).and_then(|text| evaluate(&text, self.shell))?;
                let start = if from < 0 { value.len() as i64 + from } else { from }.clamp(0, value.len() as i64) as usize;
                let mut rest = value.get(start..).unwrap_or(&[]).to_vec();
                if let Some(count) = count {
                    let count = self.text(count).and_then(|text| evaluate(&text, self.shell))?;
                    let keep = if count < 0 { rest.len() as i64 + count } else { count };
                    rest.truncate(keep.max(0) as usize);
                }
                rest.into_iter().collect()
            }
        })
    }
    fn value(&mut self, name: &str) -> Option<String> {
        Some(match name {
            "?" => self.shell.status.to_string(),
            "#" => self.shell.arguments.len().saturating_sub(1).to_string(),
            "$" => self.pid.to_string(),
            "!" => self.shell.background.to_string(),
            "-" => "c".to_owned(),
            "@" | "*" => self.shell.arguments.get(1..).unwrap_or(&[]).join(" "),
            "RANDOM" => {
                self.shell.random = self.shell.random.wrapping_mul(1_103_515_245).wrapping_add(12_345);
                (self.shell.random >> 16 & 0x7fff).to_string()
            }
            "PPID" => "0".to_owned(),
            name if name.bytes().all(|b| b.is_ascii_digit()) => {
                return name.parse::<usize>().ok().and_then(|n| self.shell.arguments.get(n)).cloned();
            }
            name => return self.shell.get(name).map(str::to_owned),
        })
    }
}

/// Expands a word such as `{1..5}` (bash). Returns `false` if the word has no such form.
fn brace_range(word: &Word, out: &mut Vec<String>) -> bool {
    let [Piece::Text { text, quoted: false }] = word.as_slice() else { return false };
    let Some((before, rest)) = text.split_once('{') else { return false };
    let Some((range, after)) = rest.split_once('}') else { return false };
    let Some((from, to)) = range.split_once("..") else { return false };
    let (Ok(from), Ok(to)) = (from.parse::<i32>(), to.parse::<i32>()) else { return false };
    if from.abs_diff(to) as usize >= MAX_WORDS {
        return false;
    }
    let name = |n: i32| format!("{before}{n}{after}");
    if from <= to {
        out.extend((from..=to).map(name))
    } else {
        out.extend((to..=from).rev().map(name))
    }
    true
}
