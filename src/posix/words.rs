//! Parses the words of a script: quotes, parameters, substitutions.

use super::error::SyntaxError;
use super::parser::{Parsed, Parser};
use super::syntax::{Edit, Piece, Word};

/// Returns whether a text is a valid name of a variable.
pub fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c == '_' || c.is_ascii_alphabetic()) && chars.all(|c| c == '_' || c.is_ascii_alphanumeric())
}

/// Returns a word that consists of one quoted text.
pub fn quoted_text(text: String) -> Word {
    vec![Piece::Text { text, quoted: true }]
}

fn flush(word: &mut Word, bare: &mut String) {
    if !bare.is_empty() {
        word.push(Piece::Text { text: std::mem::take(bare), quoted: false });
    }
}

impl Parser<'_> {
    /// Parses a word; `None` if no word begins here.
    pub(super) fn word(&mut self) -> Parsed<Option<Word>> {
        const ENDS: &str = " \t\r\n;|&()<>\u{a0}";
        self.word_until(if self.terminal { ENDS } else { ENDS.trim_end_matches('\u{a0}') })
    }
    fn word_until(&mut self, ends: &str) -> Parsed<Option<Word>> {
        let (mut word, mut bare, mut any) = (Word::new(), String::new(), false);
        while let Some(c) = self.peek() {
            match c {
                c if ends.contains(c) => break,
                '\\' if self.continues() => {}
                '\\' => {
                    self.at += 1;
                    flush(&mut word, &mut bare);
                    let text = self.next().map_or_else(|| "\\".to_owned(), |c| c.to_string());
                    word.push(Piece::Text { text, quoted: true });
                }
                '\'' => {
                    flush(&mut word, &mut bare);
                    self.at += 1;
                    let len = self.rest().find('\'').ok_or(SyntaxError::Open("'"))?;
                    let text = self.rest().get(..len).unwrap_or("").to_owned();
                    self.at += len + 1;
                    word.push(Piece::Text { text, quoted: true });
                }
                '"' => {
                    flush(&mut word, &mut bare);
                    self.at += 1;
                    word.push(Piece::Text { text: String::new(), quoted: true });
                    word.extend(self.quoted(Some('"'))?);
                }
                '`' => {
                    flush(&mut word, &mut bare);
                    word.push(self.backquotes(false)?);
                }
                '$' => match self.dollar(false)? {
                    Some(piece) => {
                        flush(&mut word, &mut bare);
                        word.push(piece);
                    }
                    None => bare.push('$'),
                },
                c => {
                    self.at += c.len_utf8();
                    bare.push(c);
                }
            }
            any = true;
        }
        flush(&mut word, &mut bare);
        Ok(any.then_some(word))
    }
    /// Parses the rest of the text by the rules inside double quotes.
    pub(super) fn rest_as_word(mut self) -> Parsed<Word> {
        self.quoted(None)
    }
    /// Parses text by the rules inside double quotes, up to the closing `mark` or, without one, to the end.
    fn quoted(&mut self, mark: Option<char>) -> Parsed<Word> {
        let (mut word, mut text) = (Word::new(), String::new());
        loop {
            let Some(c) = self.peek() else {
                match mark {
                    Some('"') => return Err(SyntaxError::Open("\"")),
                    Some(_) => return Err(SyntaxError::Open("}")),
                    None => break,
                }
            };
            match c {
                c if Some(c) == mark => {
                    self.at += 1;
                    break;
                }
                '$' => match self.dollar(true)? {
                    Some(piece) => {
                        word.push(Piece::Text { text: std::mem::take(&mut text), quoted: true });
                        word.push(piece);
                    }
                    None => text.push('$'),
                },
                '`' => {
                    word.push(Piece::Text { text: std::mem::take(&mut text), quoted: true });
                    word.push(self.backquotes(true)?);
                }
                '\\' => {
                    self.at += 1;
                    match self.peek() {
                        Some(c @ ('\\' | '$' | '`' | '"')) if c != '"' || mark.is_some() => {
                            self.at += 1;
                            text.push(c);
                        }
                        Some('\n') => self.at += 1,
                        _ => text.push('\\'),
                    }
                }
                c => {
                    self.at += c.len_utf8();
                    text.push(c);
                }
            }
        }
        word.push(Piece::Text { text, quoted: true });
        Ok(word)
    }
    fn backquotes(&mut self, quoted: bool) -> Parsed<Piece> {
        self.at += 1;
        let mut inside = String::new();
        loop {
            match self.next() {
                None => return Err(SyntaxError::Open("`")),
                Some('`') => break,
                Some('\\') => match self.next() {
                    Some(c @ ('`' | '\\' | '$')) => inside.push(c),
                    Some(c) => inside.extend(['\\', c]),
                    None => inside.push('\\'),
                },
                Some(c) => inside.push(c),
            }
        }
        let tree = Parser::inner(&inside, self.depth).list(&[])?;
        Ok(Piece::Command { tree, quoted })
    }
    /// Parses an arithmetic expression up to `))`.
    pub(super) fn arithmetic_word(&mut self) -> Parsed<Word> {
        let mut open = 0usize;
        let mut len = 0;
        for (at, c) in self.rest().char_indices() {
            match c {
                '(' => open += 1,
                ')' if open > 0 => open -= 1,
                ')' if self.rest().get(at..).is_some_and(|rest| rest.starts_with("))")) => {
                    len = at + 1;
                    break;
                }
                _ => {}
            }
        }
        let inside = len.checked_sub(1).and_then(|end| self.rest().get(..end)).ok_or(SyntaxError::Open("))"))?;
        self.at += len + 1;
        Parser::inner(inside, self.depth).rest_as_word()
    }
    /// Parses the expansion that begins with a `$`; `None` if the `$` stands for itself.
    fn dollar(&mut self, quoted: bool) -> Parsed<Option<Piece>> {
        self.at += 1;
        if self.takes("((") {
            return self.deeper(|p| Ok(Some(Piece::Arithmetic { word: p.arithmetic_word()?, quoted })));
        }
        if self.takes("(") {
            let tree = self.list(&[])?;
            if !self.takes(")") {
                return Err(SyntaxError::Open(")"));
            }
            return Ok(Some(Piece::Command { tree, quoted }));
        }
        if self.takes("{") {
            return self.deeper(|p| p.braces(quoted)).map(Some);
        }
        let rest = self.rest();
        let len = match rest.chars().next() {
            Some('?' | '0'..='9' | '#' | '@' | '*' | '$' | '!' | '-') => 1,
            Some(c) if c == '_' || c.is_ascii_alphabetic() => rest.bytes().take_while(|b| *b == b'_' || b.is_ascii_alphanumeric()).count(),
            _ => return Ok(None),
        };
        let name = rest.get(..len).unwrap_or("").to_owned();
        self.at += len;
        Ok(Some(Piece::Parameter { name, edit: Edit::None, quoted }))
    }
    fn braces(&mut self, quoted: bool) -> Parsed<Piece> {
        let length = self.sees("#") && !self.sees("#}") && !self.sees("##") && !self.sees("#%");
        if length {
            self.at += 1;
        }
        let rest = self.rest();
        let special = rest.starts_with(['?', '#', '@', '*', '$', '!', '-']);
        let len = if special { 1 } else { rest.bytes().take_while(|b| *b == b'_' || b.is_ascii_alphanumeric()).count() };
        let name = rest.get(..len).unwrap_or("").to_owned();
        if name.is_empty() {
            return Err(SyntaxError::Wrong("bad substitution".to_owned()));
        }
        self.at += len;
        if !special && self.takes("[") {
            let at = self.word_until("]")?.unwrap_or_default();
            if !self.takes("]") || !self.takes("}") {
                return Err(SyntaxError::Wrong("bad substitution".to_owned()));
            }
            return Ok(Piece::Parameter { name, edit: Edit::Element(at, length), quoted });
        }
        let colon = self.takes(":");
        let operator = self.peek();
        let edit = match operator {
            Some('}') if !colon => {
                self.at += 1;
                return Ok(Piece::Parameter { name, edit: if length { Edit::Length } else { Edit::None }, quoted });
            }
            Some(c @ ('-' | '=' | '+' | '?')) => {
                self.at += 1;
                let word = self.inside(quoted)?;
                match c {
                    '-' => Edit::Default(colon, word),
                    '=' => Edit::Assign(colon, word),
                    '+' => Edit::Alternative(colon, word),
                    _ => Edit::Require(colon, word),
                }
            }
            Some(c @ ('#' | '%')) if !colon => {
                self.at += 1;
                let longest = self.peek() == Some(c);
                self.at += usize::from(longest);
                let word = self.inside(false)?;
                if c == '#' { Edit::Prefix(longest, word) } else { Edit::Suffix(longest, word) }
            }
            Some('/') if !colon => {
                self.at += 1;
                let all = self.takes("/");
                let pattern = self.word_until("/}")?.unwrap_or_default();
                let with = if self.takes("/") { self.word_until("}")?.unwrap_or_default() } else { Word::new() };
                Edit::Replace(all, pattern, with)
            }
            Some(_) if colon => {
                let from = self.word_until(":}")?.unwrap_or_default();
                let count = if self.takes(":") { Some(self.word_until("}")?.unwrap_or_default()) } else { None };
                Edit::Slice(from, count)
            }
            _ => return Err(SyntaxError::Wrong("bad substitution".to_owned())),
        };
        if !self.takes("}") {
            return Err(if self.peek().is_none() { SyntaxError::Open("}") } else { SyntaxError::Wrong("bad substitution".to_owned()) });
        }
        Ok(Piece::Parameter { name, edit, quoted })
    }
    /// Parses the word inside `${name-…}` up to the closing brace.
    fn inside(&mut self, quoted: bool) -> Parsed<Word> {
        if quoted { self.quoted_until_brace() } else { self.word_until("}").map(Option::unwrap_or_default) }
    }
    fn quoted_until_brace(&mut self) -> Parsed<Word> {
        let mut word = self.quoted(Some('}'))?;
        // The caller consumes the brace.
        self.at -= 1;
        if word.is_empty() {
            word = quoted_text(String::new());
        }
        Ok(word)
    }
}
