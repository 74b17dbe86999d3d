//! The shell's language: text in, a list of commands out. Counterpart: the grammar of `bash`, a small part of it.
//!
//! What is not part of it (background jobs, functions, subshells, arithmetic, `case`) is refused by name. A line that cannot be read does not
//! hinder the lines before and after it, as in a terminal into which several lines are pasted.

use std::sync::Arc;

/// Commands one after the other.
pub type List = Arc<[Item]>;

/// One pipeline, and when it is run.
#[derive(Debug)]
pub struct Item {
    /// What it depends on.
    pub join: Join,
    /// Whether its success is turned round by `!`.
    pub not: bool,
    /// Its commands; each reads what the one before it writes.
    pub commands: Arc<[Command]>,
}

/// When a pipeline is run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Join {
    /// In any case.
    Always,
    /// After a success (`&&`).
    And,
    /// After a failure (`||`).
    Or,
}

/// A command of a pipeline, and where it reads and writes.
#[derive(Debug)]
pub struct Command {
    /// What is run.
    pub body: Body,
    /// Where it reads and writes.
    pub redirects: Vec<Redirect>,
}

/// What a command does.
#[derive(Debug)]
pub enum Body {
    /// `NAME=value …` and words.
    Simple { assigns: Vec<(String, Word)>, words: Vec<Word> },
    /// `for name in words; do body; done`
    For { name: String, words: Vec<Word>, body: List },
    /// `while test; do body; done`; with `until`, as long as the test fails.
    While { test: List, body: List, until: bool },
    /// `if test; then body; elif …; else other; fi`
    If { arms: Vec<(List, List)>, other: Option<List> },
    /// A line that could not be read: what the shell says of it.
    Fault(String),
}

/// Where a command reads or writes.
#[derive(Debug)]
pub enum Redirect {
    /// `<file`
    In(Word),
    /// `<<EOF` and `<<<word`: the text itself.
    Text(Word),
    /// `>file`, `>>file`
    Out(Word, bool),
    /// `2>file`, `2>>file`
    Err(Word, bool),
    /// `&>file`
    Both(Word),
    /// `2>&1`
    ErrToOut,
    /// `>&2`
    OutToErr,
}

/// A word before its variables are filled in.
pub type Word = Vec<Piece>;

/// A part of a word.
#[derive(Debug)]
pub enum Piece {
    /// Text as it stands; outside of quotes it may be a pattern of file names.
    Text { text: String, quoted: bool },
    /// `$NAME`
    Variable { name: String, quoted: bool },
    /// `$(…)`
    Command { list: List, quoted: bool },
}

/// Why a text cannot be read.
#[derive(Debug)]
enum Fault {
    /// It ends too early: what is missing.
    More(String),
    /// It is wrong, or not part of this shell.
    Wrong(String),
}

type Read<T> = Result<T, Fault>;

/// How deep lists may lie in lists.
const MAX_DEPTH: usize = 20;

/// Reads a text. The second answer tells whether more lines could complete it.
pub fn read(text: &str) -> (List, bool) {
    let mut reader = Reader { text, at: 0, resume: None, prompted: false, depth: 0, open_document: false };
    let mut items = Vec::new();
    let (mut more, mut line) = (false, 0);
    loop {
        reader.start_of_line();
        if reader.peek().is_none() {
            break;
        }
        let result = reader.and_or(&mut items).and_then(|()| reader.separator());
        if let Ok('\n') = result {
            line = items.len();
        }
        if let Err(fault) = result {
            items.truncate(line);
            let message = match fault {
                Fault::More(message) => {
                    more = true;
                    message
                }
                Fault::Wrong(message) => message,
            };
            let body = Body::Fault(format!("bash: {message}\n"));
            items.push(Item { join: Join::Always, not: false, commands: [Command { body, redirects: Vec::new() }].into() });
            line = items.len();
            reader.skip_line();
        }
    }
    (items.into(), more || reader.open_document || text.ends_with("\\\n") || text.ends_with('\\') && !text.ends_with("\\\\"))
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// Where the text goes on after this line, behind its here-documents.
    resume: Option<usize>,
    /// Whether the line began with a prompt: then its later lines may, too.
    prompted: bool,
    depth: usize,
    open_document: bool,
}

fn wrong<T>(message: impl Into<String>) -> Read<T> {
    Err(Fault::Wrong(message.into()))
}

fn unexpected<T>(token: &str) -> Read<T> {
    wrong(format!("syntax error near unexpected token `{}'", if token == "\n" { "newline" } else { token }))
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c == '_' || c.is_ascii_alphabetic()) && chars.all(|c| c == '_' || c.is_ascii_alphanumeric())
}

/// Words that open or close a construct where a command may stand.
const RESERVED: &[&str] = &["do", "done", "then", "elif", "else", "fi", "in", "}"];
const REFUSED: &[(&str, &str)] = &[
    ("case", "`case' is not part of this shell: use `if'"),
    ("select", "`select' is not part of this shell"),
    ("function", "functions are not part of this shell"),
    ("{", "groups in braces are not part of this shell: write the commands one after the other"),
    ("[[", "`[[' is not part of this shell: use `['"),
    ("time", "`time' is not part of this shell: the page shows virtual time"),
    ("coproc", "`coproc' is not part of this shell"),
];

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }
    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }
    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        if c == '\n' {
            self.at = self.resume.take().unwrap_or(self.at);
        }
        Some(c)
    }
    fn sees(&self, token: &str) -> bool {
        self.rest().starts_with(token)
    }
    fn takes(&mut self, token: &str) -> bool {
        let sees = self.sees(token);
        if sees {
            self.at += token.len();
        }
        sees
    }
    /// Skips blanks, lines that go on, and comments.
    fn blanks(&mut self) {
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
    /// Skips a backslash at the end of a line.
    fn go_on(&mut self) {
        self.at += 1;
        self.takes("\r");
        self.next();
        if self.prompted {
            self.takes("> ");
        }
    }
    fn newlines(&mut self) {
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
    fn start_of_line(&mut self) {
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
    fn skip_line(&mut self) {
        self.depth = 0;
        while let Some(c) = self.next() {
            if c == '\n' {
                return;
            }
        }
    }
    /// The word that stands here, if it is all plain letters: what a reserved word looks like.
    fn plain(&self) -> &'t str {
        let rest = self.rest();
        rest.split(|c: char| c.is_whitespace() || ";|&()<>\"'\\$`#".contains(c)).next().unwrap_or("")
    }
    /// What stands between a command and the next.
    fn separator(&mut self) -> Read<char> {
        self.blanks();
        match self.peek() {
            None => Ok('\n'),
            Some(';') if self.sees(";;") => unexpected(";;"),
            Some(c @ (';' | '\n')) => {
                self.next();
                Ok(c)
            }
            Some('&') => wrong("background jobs (`&') are not part of this shell: run the command in the foreground, Ctrl-C ends it"),
            Some(c) => unexpected(&c.to_string()),
        }
    }
    /// `a && b || c`
    fn and_or(&mut self, items: &mut Vec<Item>) -> Read<()> {
        let mut join = Join::Always;
        loop {
            let item = self.pipeline(join)?;
            items.push(item);
            self.blanks();
            join = match () {
                () if self.takes("&&") => Join::And,
                () if self.takes("||") => Join::Or,
                () => return Ok(()),
            };
            self.newlines();
        }
    }
    fn pipeline(&mut self, join: Join) -> Read<Item> {
        self.blanks();
        let not = self.plain() == "!" && self.takes("!");
        let mut commands = Vec::new();
        loop {
            let mut command = self.command()?;
            self.blanks();
            let pipe = !self.sees("||") && self.takes("|");
            if pipe && self.takes("&") {
                command.redirects.push(Redirect::ErrToOut);
            }
            commands.push(command);
            if !pipe {
                return Ok(Item { join, not, commands: commands.into() });
            }
            self.newlines();
        }
    }
    /// Commands up to one of the words that may end them.
    fn list(&mut self, ends: &[&str]) -> Read<(List, String)> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return wrong("this is nested too deep");
        }
        let mut items = Vec::new();
        loop {
            self.newlines();
            let word = if self.peek() == Some(')') { ")" } else { self.plain() };
            if ends.contains(&word) {
                if items.is_empty() && word != ")" {
                    return unexpected(word);
                }
                self.at += word.len();
                self.depth -= 1;
                return Ok((items.into(), word.to_owned()));
            }
            if self.peek().is_none() {
                return Err(Fault::More("syntax error: unexpected end of file".to_owned()));
            }
            self.and_or(&mut items)?;
            self.blanks();
            if self.peek() != Some(')') {
                self.separator()?;
            }
        }
    }
    fn command(&mut self) -> Read<Command> {
        self.blanks();
        if self.peek().is_none() {
            return Err(Fault::More("syntax error: unexpected end of file".to_owned()));
        }
        if self.sees("((") {
            return wrong("arithmetic is not part of this shell");
        }
        if self.sees("(") {
            return wrong("subshells `( )' are not part of this shell: write the commands one after the other");
        }
        let word = self.plain();
        if let Some((_, why)) = REFUSED.iter().find(|(name, _)| *name == word) {
            return wrong(*why);
        }
        let body = match word {
            "for" => self.for_loop()?,
            "while" | "until" => {
                self.at += word.len();
                let (test, _) = self.list(&["do"])?;
                let (body, _) = self.list(&["done"])?;
                Body::While { test, body, until: word == "until" }
            }
            "if" => self.branches()?,
            word if RESERVED.contains(&word) && word != "in" => return unexpected(word),
            _ => return self.simple(),
        };
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(Command { body, redirects }),
            }
        }
    }
    fn for_loop(&mut self) -> Read<Body> {
        self.at += "for".len();
        self.blanks();
        let name = self.plain();
        if !is_name(name) {
            return wrong(format!("`{name}': not a valid identifier"));
        }
        self.at += name.len();
        self.blanks();
        if self.plain() != "in" {
            return wrong("this shell has only `for NAME in WORDS; do …; done'");
        }
        self.at += "in".len();
        let mut words = Vec::new();
        loop {
            self.blanks();
            match self.word()? {
                Some(word) => words.push(word),
                None => break,
            }
        }
        if self.peek().is_none() {
            return Err(Fault::More("syntax error: unexpected end of file".to_owned()));
        }
        self.separator()?;
        self.newlines();
        if self.plain() != "do" {
            return if self.peek().is_none() {
                Err(Fault::More("syntax error: unexpected end of file".to_owned()))
            } else {
                unexpected(self.plain())
            };
        }
        self.at += "do".len();
        let (body, _) = self.list(&["done"])?;
        Ok(Body::For { name: name.to_owned(), words, body })
    }
    fn branches(&mut self) -> Read<Body> {
        self.at += "if".len();
        let mut arms = Vec::new();
        loop {
            let (test, _) = self.list(&["then"])?;
            let (body, end) = self.list(&["elif", "else", "fi"])?;
            arms.push((test, body));
            match end.as_str() {
                "elif" => {}
                "else" => {
                    let (other, _) = self.list(&["fi"])?;
                    return Ok(Body::If { arms, other: Some(other) });
                }
                _ => return Ok(Body::If { arms, other: None }),
            }
        }
    }
    fn simple(&mut self) -> Read<Command> {
        let (mut assigns, mut words, mut redirects) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            self.blanks();
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            if words.is_empty() {
                let name = self.rest().split('=').next().unwrap_or("");
                if is_name(name) && self.text.get(self.at + name.len()..).is_some_and(|rest| rest.starts_with('=')) {
                    self.at += name.len() + 1;
                    if self.sees("(") {
                        return wrong("arrays are not part of this shell");
                    }
                    assigns.push((name.to_owned(), self.word()?.unwrap_or_default()));
                    continue;
                }
            }
            match self.word()? {
                Some(word) => words.push(word),
                None => break,
            }
            if words.len() == 1 && self.sees("(") {
                return wrong("functions are not part of this shell");
            }
        }
        if self.sees("(") {
            return unexpected("(");
        }
        if words.is_empty() && assigns.is_empty() && redirects.is_empty() {
            return match self.peek() {
                None => Err(Fault::More("syntax error: unexpected end of file".to_owned())),
                Some(_) if self.sees("&&") => unexpected("&&"),
                Some(_) if self.sees("||") => unexpected("||"),
                Some(_) if self.sees(";;") => unexpected(";;"),
                Some(c) => unexpected(&c.to_string()),
            };
        }
        Ok(Command { body: Body::Simple { assigns, words }, redirects })
    }
    fn redirect(&mut self) -> Read<Option<Redirect>> {
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
    /// A here-document: its text stands behind this line, up to a line that is only its delimiter.
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
                // Lines with the prompt of a terminal in front were copied from one.
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
        let text: String = lines.concat().replace("\r\n", "\n");
        if quoted {
            return Ok(Redirect::Text(vec![Piece::Text { text, quoted: true }]));
        }
        let mut inner = Reader { text: &text, at: 0, resume: None, prompted: false, depth: self.depth + 1, open_document: false };
        Ok(Redirect::Text(inner.quoted(None)?))
    }
    /// A word, if one stands here.
    fn word(&mut self) -> Read<Option<Word>> {
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
                        return Err(Fault::More("unexpected EOF while looking for matching `''".to_owned()));
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
    /// Text in double quotes, or all the rest.
    fn quoted(&mut self, mark: Option<char>) -> Read<Word> {
        let mut word = Word::new();
        let mut text = String::new();
        loop {
            let Some(c) = self.peek() else {
                if mark.is_some() {
                    return Err(Fault::More("unexpected EOF while looking for matching `\"'".to_owned()));
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
    /// What stands behind a `$`; `None` if it is only a `$`.
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
                return Err(Fault::More("unexpected EOF while looking for matching `}'".to_owned()));
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
