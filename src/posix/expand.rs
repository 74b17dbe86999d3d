//! Expands words: parameters, command substitutions, arithmetic, splitting and file names.

use super::arithmetic::evaluate;
use super::pattern::{escape, matches, unescape};
use super::syntax::{Edit, Node, Piece, Redirect, Target, Tree, Word};
use std::sync::Arc;

/// The maximum length of a word in bytes.
const MAX_LENGTH: usize = 1 << 20;
/// The maximum number of words that a command line may expand to.
pub const MAX_WORDS: usize = 20_000;
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
                Edit::Prefix(_, word) | Edit::Suffix(_, word) | Edit::Element(word, _) => gather(word, found),
                Edit::Replace(_, a, b) => [a, b].into_iter().for_each(|word| gather(word, found)),
                Edit::Slice(a, b) => [Some(a), b.as_ref()].into_iter().flatten().for_each(|word| gather(word, found)),
                Edit::None | Edit::Length => {}
            },
            Piece::Text { .. } => {}
        }
    }
}

/// The part of a shell that words are expanded by: its variables, parameters and files.
pub trait Scope {
    /// Returns the value of a variable or of a parameter that is no positional one, such as `?`; `None` if it is not set.
    fn value(&mut self, name: &str) -> Option<String>;
    /// Sets a variable.
    fn set(&mut self, name: &str, value: &str);
    /// Returns `$0` and the positional parameters.
    fn parameters(&self) -> Arc<[String]> {
        Arc::new([])
    }
    /// Returns whether an unset variable is an error (`set -u`).
    fn is_strict(&self) -> bool {
        false
    }
    /// Returns the names of the files that match a pattern, sorted.
    fn matching(&self, _pattern: &str) -> Vec<String> {
        Vec::new()
    }
}

/// The expansion of a command whose command substitutions have been run.
pub struct Expansion<'a> {
    pub scope: &'a mut dyn Scope,
    /// The command substitutions, each with its output.
    pub results: &'a [(Tree, String)],
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
            self.fields(word, &mut fields)?;
            fields.cut();
            for field in fields.done {
                match brace_range(&field) {
                    Some(range) => all.extend(range),
                    None => self.file_names(&field, &mut all),
                }
            }
            if all.len() > MAX_WORDS || all.last().is_some_and(|word| word.len() > MAX_LENGTH) {
                return Err("argument list too long".to_owned());
            }
        }
        Ok(all)
    }
    /// Expands a word into exactly one text, without field splitting and file names.
    pub fn text(&mut self, word: &Word) -> Result<String, String> {
        self.joined(word, |value, _| value)
    }
    /// Expands a word into a pattern, in which quoted characters are escaped.
    pub fn pattern(&mut self, word: &Word) -> Result<String, String> {
        self.joined(word, |value, piece| match piece {
            Piece::Text { quoted: false, .. } | Piece::Parameter { quoted: false, .. } => value,
            _ => escape(&value),
        })
    }
    fn joined(&mut self, word: &Word, change: fn(String, &Piece) -> String) -> Result<String, String> {
        let mut text = String::new();
        for piece in word {
            let value = self.piece(piece)?;
            text.push_str(&change(value, piece));
            if text.len() > MAX_LENGTH {
                return Err("word too long".to_owned());
            }
        }
        Ok(text)
    }
    /// Returns the body of the arm of a `case` whose pattern matches; `None` if no pattern does.
    pub fn choose(&mut self, word: &Word, arms: &[(Vec<Word>, Tree)]) -> Result<Option<Tree>, String> {
        let text = self.text(word)?;
        for (patterns, body) in arms {
            for pattern in patterns {
                if matches(&self.pattern(pattern)?, &text) {
                    return Ok(Some(body.clone()));
                }
            }
        }
        Ok(None)
    }
    fn fields(&mut self, word: &Word, fields: &mut Fields) -> Result<(), String> {
        for (n, piece) in word.iter().enumerate() {
            match piece {
                Piece::Text { text, quoted: true } => fields.push(&escape(text)),
                Piece::Text { text, .. } if n == 0 && text.starts_with('~') => {
                    let rest = text.get(1..).unwrap_or("");
                    let home = if rest.is_empty() || rest.starts_with('/') { self.scope.value("HOME") } else { None };
                    fields.push(&format!("{}{rest}", home.as_deref().unwrap_or("~")));
                }
                Piece::Text { text, .. } => fields.push(text),
                Piece::Parameter { name, edit: Edit::None, quoted } if name == "@" || name == "*" && !quoted => {
                    let parameters = self.scope.parameters();
                    for (n, argument) in parameters.iter().skip(1).enumerate() {
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
                Piece::Parameter { name, edit: Edit::Element(at, false), quoted: true } if matches!(at.as_slice(), [Piece::Text { text, .. }] if text == "@") => {
                    for (n, element) in self.elements(name).iter().enumerate() {
                        if n > 0 {
                            fields.cut();
                        }
                        fields.push(&escape(element));
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
    fn split(&mut self, value: &str, fields: &mut Fields) {
        let ifs = self.scope.value("IFS").unwrap_or_else(|| " \t\n".to_owned());
        let mut blank = true;
        for c in value.chars() {
            if !ifs.contains(c) {
                let field = fields.current.get_or_insert_default();
                field.extend(matches!(c, '\\' | '{').then_some('\\'));
                field.push(c);
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
    fn file_names(&self, field: &str, all: &mut Vec<String>) {
        let names = if is_pattern(field) { self.scope.matching(field) } else { Vec::new() };
        if names.is_empty() { all.push(unescape(field)) } else { all.extend(names) }
    }
    fn piece(&mut self, piece: &Piece) -> Result<String, String> {
        match piece {
            Piece::Text { text, .. } => Ok(text.clone()),
            Piece::Command { tree, .. } => {
                Ok(self.results.iter().find(|(of, _)| Arc::ptr_eq(of, tree)).map(|(_, text)| text.clone()).unwrap_or_default())
            }
            Piece::Arithmetic { word, .. } => {
                let text = self.text(word)?;
                evaluate(&text, self.scope).map(|value| value.to_string())
            }
            Piece::Parameter { name, edit, .. } => self.parameter(name, edit),
        }
    }
    /// Returns the elements of an array.
    fn elements(&mut self, name: &str) -> Vec<String> {
        let count = self.scope.value(&format!("{name}[#]")).and_then(|n| n.parse().ok()).unwrap_or(0);
        (0..count).map(|n: usize| self.scope.value(&format!("{name}[{n}]")).unwrap_or_default()).collect()
    }
    /// Returns an element of an array, or with `@` all of them, or the length of that.
    fn element(&mut self, name: &str, at: &Word, length: bool) -> Result<String, String> {
        let at = self.text(at)?;
        if at == "@" || at == "*" {
            let all = self.elements(name);
            return Ok(if length { all.len().to_string() } else { all.join(" ") });
        }
        let mut n = evaluate(&at, self.scope)?;
        if n < 0 {
            n += self.elements(name).len() as i64;
        }
        let plain = if n == 0 { self.scope.value(name) } else { None };
        let value = plain.or_else(|| self.scope.value(&format!("{name}[{n}]"))).unwrap_or_default();
        Ok(if length { value.chars().count().to_string() } else { value })
    }
    fn parameter(&mut self, name: &str, edit: &Edit) -> Result<String, String> {
        if let Edit::Element(at, length) = edit {
            return self.element(name, at, *length);
        }
        let value = self.value(name);
        let given = |colon: &bool| value.as_ref().filter(|value| !*colon || !value.is_empty()).cloned();
        Ok(match edit {
            Edit::None => match value {
                Some(value) => value,
                None if self.scope.is_strict() && !matches!(name, "@" | "*") => return Err(format!("{name}: parameter not set")),
                None => String::new(),
            },
            Edit::Element(..) => String::new(),
            Edit::Length if name == "@" || name == "*" => self.scope.parameters().len().saturating_sub(1).to_string(),
            Edit::Length => value.map_or(0, |value| value.chars().count()).to_string(),
            Edit::Default(colon, word) => match given(colon) {
                Some(value) => value,
                None => self.text(word)?,
            },
            Edit::Assign(colon, word) => match given(colon) {
                Some(value) => value,
                None => {
                    let text = self.text(word)?;
                    self.scope.set(name, &text);
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
                let from = self.text(from).and_then(|text| evaluate(&text, self.scope))?;
                let start = if from < 0 { value.len() as i64 + from } else { from }.clamp(0, value.len() as i64) as usize;
                let mut rest = value.get(start..).unwrap_or(&[]).to_vec();
                if let Some(count) = count {
                    let count = self.text(count).and_then(|text| evaluate(&text, self.scope))?;
                    let keep = if count < 0 { rest.len() as i64 + count } else { count };
                    rest.truncate(keep.max(0) as usize);
                }
                rest.into_iter().collect()
            }
        })
    }
    fn value(&mut self, name: &str) -> Option<String> {
        if let Ok(n) = name.parse::<usize>() {
            return self.scope.parameters().get(n).cloned();
        }
        match name {
            "#" => Some(self.scope.parameters().len().saturating_sub(1).to_string()),
            "@" | "*" => Some(self.scope.parameters().get(1..).unwrap_or(&[]).join(" ")),
            name => match self.scope.value(name) {
                None => self.scope.value(&format!("{name}[0]")),
                value => value,
            },
        }
    }
}

/// Returns whether a text has characters of a pattern that are not escaped.
pub fn is_pattern(text: &str) -> bool {
    let mut escaped = false;
    text.chars().any(|c| {
        let found = !escaped && matches!(c, '*' | '?' | '[');
        escaped = !escaped && c == '\\';
        found
    })
}

/// Expands a field such as `x{1..5}` (bash); `None` if it has no such form.
fn brace_range(field: &str) -> Option<Vec<String>> {
    let (before, rest) = field.split_once('{')?;
    let (range, after) = rest.split_once('}')?;
    let (from, to) = range.split_once("..")?;
    let (from, to) = (from.parse::<i32>().ok()?, to.parse::<i32>().ok()?);
    if before.ends_with('\\') || from.abs_diff(to) as usize >= MAX_WORDS {
        return None;
    }
    let name = |n: i32| unescape(&format!("{before}{n}{after}"));
    Some(if from <= to { (from..=to).map(name).collect() } else { (to..=from).rev().map(name).collect() })
}
