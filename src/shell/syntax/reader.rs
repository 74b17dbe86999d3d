//! Splits a text into words: blanks, comments, quotes, variables, here-documents.

use super::{Piece, Redirect, Word};

/// The reason why a text cannot be parsed.
#[derive(Debug)]
pub enum SyntaxError {
    /// The text ends too early, and more lines could complete it.
    More(String),
    /// The text is wrong, or uses something that the terminal's shell does not support.
    Wrong(String),
}

/// The result of parsing a part of a text.
pub type Read<T> = Result<T, SyntaxError>;

/// The text that is parsed, and the offset up to which it has been read.
pub struct Reader<'t> {
    pub text: &'t str,
    pub at: usize,
    /// The offset at which reading continues after the current line, behind the line's here-documents; `None` if it has none.
    pub resume: Option<usize>,
    /// Set if the line began with a prompt (`$ `): then its continuation lines may begin with `> `.
    pub prompted: bool,
    pub depth: usize,
    pub open_document: bool,
}

pub fn wrong<T>(message: impl Into<String>) -> Read<T> {
    Err(SyntaxError::Wrong(message.into()))
}

pub fn unexpected<T>(token: &str) -> Read<T> {
    wrong(format!("syntax error near unexpected token `{}'", if token == "\n" { "newline" } else { token }))
}

pub fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c == '_' || c.is_ascii_alphabetic()) && chars.all(|c| c == '_' || c.is_ascii_alphanumeric())
}

impl<'t> Reader<'t> {
    pub fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }
    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }
    pub fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        if c == '\n' {
            self.at = self.resume.take().unwrap_or(self.at);
        }
        Some(c)
    }
    pub fn sees(&self, token: &str) -> bool {
        self.rest().starts_with(token)
    }
    pub fn takes(&mut self, token: &str) -> bool {
        let sees = self.sees(token);
        if sees {
            self.at += token.len();
        }
        sees
    }
    /// Skips blanks, line continuations and comments.
    pub fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\r' | '\u{a0}') => {
                    self.next();
                }
                Some('\\') if self.sees("\\\n") || self.sees("\\\r\n") => self.go_on(),
                Some('#') => {
                    let len = self.rest().find('\n').unwrap_or(self.rest().len());
                    self.at += len;
                }
                _ => return,
            }
        }
    }
    /// Skips a line continuation: a backslash at the end of a line.
    fn go_on(&mut self) {
        self.at += 1;
        self.takes("\r");
        self.next();
        if self.prompted {
            self.takes("> ");
        }
    }
    pub fn newlines(&mut self) {
        loop {
            self.blanks();
            if self.peek() != Some('\n') {
                return;
            }
            self.next();
            if self.prompted {
                self.takes("> ");
            }
        }
    }
    pub fn start_of_line(&mut self) {
        self.prompted = false;
        loop {
            self.blanks();
            if self.takes("$ ") {
                self.prompted = true;
            } else if self.takes("> ") || self.peek() == Some('\n') && self.next().is_some() {
            } else {
                return;
            }
        }
    }
    pub fn skip_line(&mut self) {
        self.depth = 0;
        while let Some(c) = self.next() {
            if c == '\n' {
                return;
            }
        }
    }
    /// Returns the text up to the next blank, operator or quote, for comparison with reserved words.
    pub fn plain(&self) -> &'t str {
        let rest = self.rest();
        rest.split(|c: char| c.is_whitespace() || ";|&()<>\"'\\$`#".contains(c)).next().unwrap_or("")
    }
    pub fn redirect(&mut self) -> Read<Option<Redirect>> {
        if self.sees("<(") || self.sees(">(") {
            return wrong("process substitution is not part of this shell");
        }
        if self.takes("2>&1") {
            return Ok(Some(Redirect::ErrToOut));
        }
        if self.takes(">&2") || self.takes("1>&2") {
            return Ok(Some(Redirect::OutToErr));
        }
        const FORMS: &[&str] = &["<<<", "<<-", "<<", "<", "&>>", "&>", "2>>", "2>", "1>>", "1>", ">>", ">|", ">"];
        let Some(form) = FORMS.iter().find(|form| self.sees(form)) else { return Ok(None) };
        self.at += form.len();
        if self.sees("&") {
            return wrong("of file descriptors only 2>&1 and >&2 are part of this shell");
        }
        self.blanks();
        if let "<<" | "<<-" = *form {
            return self.document(*form == "<<-").map(Some);
        }
        let Some(word) = self.word()? else {
            return match self.peek() {
                None | Some('\n') => unexpected("\n"),
                Some(c) => unexpected(&c.to_string()),
            };
        };
        Ok(Some(match *form {
            "<<<" => {
                let mut word = word;
                word.push(Piece::Text { text: "\n".to_owned(), quoted: true });
                Redirect::Text(word)
            }
            "<" => Redirect::In(word),
            "&>" | "&>>" => Redirect::Both(word),
            "2>" | "2>>" => Redirect::Err(word, *form == "2>>"),
            form => Redirect::Out(word, form.ends_with(">>")),
        }))
    }
    /// Parses a here-document: the lines after this one, up to a line that contains only the delimiter.
    fn document(&mut self, tabs: bool) -> Read<Redirect> {
        let start = self.at;
        let word = self.word()?.unwrap_or_default();
        let quoted = self.text.get(start..self.at).unwrap_or("").contains(['\'', '"', '\\']);
        let delimiter: String = word.iter().map(|piece| if let Piece::Text { text, .. } = piece { text.as_str() } else { "" }).collect();
        if delimiter.is_empty() {
            return unexpected("\n");
        }
        let line_end = self.rest().find('\n').map_or(self.text.len(), |len| self.at + len + 1);
        let from = self.resume.unwrap_or(line_end);
        let mut lines = Vec::new();
        let mut at = from;
        let mut closed = false;
        for line in self.text.get(from..).unwrap_or("").split_inclusive('\n') {
            at += line.len();
            let bare = line.trim_end_matches(['\n', '\r']);
            let bare = if tabs { bare.trim_start_matches('\t') } else { bare };
            if bare == delimiter || bare.strip_prefix("> ") == Some(delimiter.as_str()) {
                // A prompt before the delimiter means that the lines were copied from a terminal, each with a prompt.
                if bare != delimiter {
                    lines = lines.iter().map(|line: &&str| line.strip_prefix("> ").unwrap_or(line)).collect();
                }
                closed = true;
                break;
            }
            lines.push(if tabs { line.trim_start_matches('\t') } else { line });
        }
        self.open_document |= !closed;
        self.resume = Some(at);
        let text = lines.into_iter().collect::<String>().replace("\r\n", "\n");
        if quoted {
            return Ok(Redirect::Text(vec![Piece::Text { text, quoted: true }]));
        }
        let mut inner = Reader { text: &text, at: 0, resume: None, prompted: false, depth: self.depth + 1, open_document: false };
        Ok(Redirect::Text(inner.quoted(None)?))
    }
    /// Parses a word; `None` if no word begins here.
    pub fn word(&mut self) -> Read<Option<Word>> {
        let mut word = Word::new();
        let mut bare = String::new();
        let mut any = false;
        fn flush(word: &mut Word, bare: &mut String) {
            if !bare.is_empty() {
                word.push(Piece::Text { text: std::mem::take(bare), quoted: false });
            }
        }
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\r' | '\n' | '\u{a0}' | ';' | '|' | '&' | '(' | ')' | '<' | '>' => break,
                '\\' if self.sees("\\\n") || self.sees("\\\r\n") => self.go_on(),
                '\\' => {
                    self.next();
                    flush(&mut word, &mut bare);
                    let text = self.next().map_or_else(|| "\\".to_owned(), |c| c.to_string());
                    word.push(Piece::Text { text, quoted: true });
                }
                '\'' => {
                    flush(&mut word, &mut bare);
                    self.next();
                    let Some(len) = self.rest().find('\'') else {
                        return Err(SyntaxError::More("unexpected EOF while looking for matching `''".to_owned()));
                    };
                    let text = self.rest().get(..len).unwrap_or("").to_owned();
                    self.at += len + 1;
                    word.push(Piece::Text { text, quoted: true });
                }
                '"' => {
                    flush(&mut word, &mut bare);
                    self.next();
                    word.push(Piece::Text { text: String::new(), quoted: true });
                    word.extend(self.quoted(Some('"'))?);
                }
                '`' => return wrong("backquotes are not part of this shell: write $(…)"),
                '$' => match self.dollar(false)? {
                    Some(piece) => {
                        flush(&mut word, &mut bare);
                        word.push(piece);
                    }
                    None => bare.push('$'),
                },
                c => {
                    self.next();
                    bare.push(c);
                }
            }
            any = true;
        }
        flush(&mut word, &mut bare);
        Ok(any.then_some(word))
    }
    /// Parses text by the rules inside double quotes, up to the closing `mark` or, without one, to the end.
    fn quoted(&mut self, mark: Option<char>) -> Read<Word> {
        let mut word = Word::new();
        let mut text = String::new();
        loop {
            let Some(c) = self.peek() else {
                if mark.is_some() {
                    return Err(SyntaxError::More("unexpected EOF while looking for matching `\"'".to_owned()));
                }
                break;
            };
            if c == '$' {
                match self.dollar(true)? {
                    Some(piece) => {
                        word.push(Piece::Text { text: std::mem::take(&mut text), quoted: true });
                        word.push(piece);
                    }
                    None => text.push('$'),
                }
                continue;
            }
            self.at += c.len_utf8();
            match c {
                c if Some(c) == mark => break,
                '`' if mark.is_some() => return wrong("backquotes are not part of this shell: write $(…)"),
                '\\' => match self.peek() {
                    Some(c @ ('\\' | '$' | '`' | '"')) if c != '"' || mark.is_some() => {
                        self.at += 1;
                        text.push(c);
                    }
                    Some('\n') => self.at += 1,
                    _ => text.push('\\'),
                },
                c => text.push(c),
            }
        }
        word.push(Piece::Text { text, quoted: true });
        Ok(word)
    }
    /// Parses the expansion that begins with a `$`; `None` if the `$` stands for itself.
    fn dollar(&mut self, quoted: bool) -> Read<Option<Piece>> {
        self.at += 1;
        if self.sees("((") {
            return wrong("arithmetic is not part of this shell");
        }
        if self.takes("(") {
            let (list, _) = self.list(&[")"])?;
            return Ok(Some(Piece::Command { list, quoted }));
        }
        if self.takes("{") {
            let rest = self.rest();
            let Some(len) = rest.find('}') else {
                return Err(SyntaxError::More("unexpected EOF while looking for matching `}'".to_owned()));
            };
            let name = rest.get(..len).unwrap_or("");
            if !is_name(name) && name != "?" {
                return wrong(format!("${{{name}}}: of parameters only ${{NAME}} is part of this shell"));
            }
            self.at += len + 1;
            return Ok(Some(Piece::Variable { name: name.to_owned(), quoted }));
        }
        let rest = self.rest();
        let len = match rest.chars().next() {
            Some('?' | '0'..='9' | '#' | '@') => 1,
            Some(c) if c == '_' || c.is_ascii_alphabetic() => rest.bytes().take_while(|b| *b == b'_' || b.is_ascii_alphanumeric()).count(),
            _ => return Ok(None),
        };
        let name = rest.get(..len).unwrap_or("").to_owned();
        self.at += len;
        Ok(Some(Piece::Variable { name, quoted }))
    }
}
