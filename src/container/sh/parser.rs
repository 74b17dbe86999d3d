//! Parses a script into a syntax tree.

use super::syntax::{Node, Redirect, Target, Tree, Word};
use super::words::is_name;
use std::sync::Arc;

/// The text of a script, and the offset up to which it has been parsed.
pub struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    /// The offset at which parsing continues after this line, behind its here-documents.
    resume: Option<usize>,
    pub(super) depth: usize,
}

/// The result of parsing a part of a script; an error is a message.
pub type Parsed<T> = Result<T, String>;

/// The maximum nesting depth of commands.
const MAX_DEPTH: usize = 60;
/// Reserved words with which no command begins.
const RESERVED: &[&str] = &["do", "done", "then", "elif", "else", "fi", "esac", "}"];

/// Parses a whole script.
pub fn parse(text: &str) -> Parsed<Tree> {
    let mut parser = Parser { text, at: 0, resume: None, depth: 0 };
    let tree = parser.list(&[])?;
    match parser.peek() {
        None => Ok(tree),
        Some(c) => Err(unexpected(&c.to_string())),
    }
}

fn unexpected(token: &str) -> String {
    format!("syntax error: unexpected \"{}\"", if token == "\n" { "newline" } else { token })
}

const END: &str = "syntax error: unexpected end of file";

impl<'t> Parser<'t> {
    pub(super) fn inner(text: &'t str, depth: usize) -> Parser<'t> {
        Parser { text, at: 0, resume: None, depth: depth + 1 }
    }
    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }
    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }
    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        if c == '\n' {
            self.at = self.resume.take().unwrap_or(self.at);
        }
        Some(c)
    }
    pub(super) fn sees(&self, token: &str) -> bool {
        self.rest().starts_with(token)
    }
    pub(super) fn takes(&mut self, token: &str) -> bool {
        let sees = self.sees(token);
        if sees {
            self.at += token.len();
        }
        sees
    }
    fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\r') => self.at += 1,
                Some('\\') if self.sees("\\\n") => {
                    self.at += 1;
                    self.next();
                }
                Some('#') => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                _ => return,
            }
        }
    }
    fn newlines(&mut self) {
        loop {
            self.blanks();
            if self.peek() != Some('\n') {
                return;
            }
            self.next();
        }
    }
    /// Returns the text up to the next blank, operator or quote, for comparison with reserved words.
    fn plain(&self) -> &'t str {
        self.rest().split(|c: char| c.is_whitespace() || ";|&()<>\"'\\$`#".contains(c)).next().unwrap_or("")
    }
    fn takes_word(&mut self, word: &str) -> bool {
        self.newlines();
        let found = self.plain() == word;
        if found {
            self.at += word.len();
        }
        found
    }
    fn expects(&mut self, word: &str) -> Parsed<()> {
        if self.takes_word(word) { Ok(()) } else { Err(self.surprise()) }
    }
    fn surprise(&self) -> String {
        match (self.plain(), self.peek()) {
            (_, None) => END.to_owned(),
            ("", Some(c)) => unexpected(&c.to_string()),
            (word, _) => unexpected(word),
        }
    }
    pub(super) fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err("syntax error: this is nested too deep".to_owned());
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }
    /// Parses commands up to one of the words in `ends`, which is not consumed; `)` and `;;` end a list as well.
    pub(super) fn list(&mut self, ends: &[&str]) -> Parsed<Tree> {
        self.deeper(|p| {
            let mut items = Vec::new();
            loop {
                p.newlines();
                if p.peek().is_none() || p.peek() == Some(')') || p.sees(";;") || ends.contains(&p.plain()) {
                    return Ok(Arc::new(Node::List(items)));
                }
                let tree = p.and_or()?;
                p.blanks();
                let background = !p.sees("&&") && p.takes("&");
                items.push((tree, background));
                match p.peek() {
                    _ if p.sees(";;") => {}
                    Some(';' | '\n') if !background || p.peek() == Some('\n') => {
                        p.next();
                    }
                    None | Some(')') => {}
                    _ if background => {}
                    Some(_) => return Err(p.surprise()),
                }
            }
        })
    }
    fn and_or(&mut self) -> Parsed<Tree> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.blanks();
            let and = if self.takes("&&") {
                true
            } else if self.takes("||") {
                false
            } else {
                break;
            };
            self.newlines();
            rest.push((and, self.pipeline()?));
        }
        Ok(if rest.is_empty() { first } else { Arc::new(Node::AndOr(first, rest)) })
    }
    fn pipeline(&mut self) -> Parsed<Tree> {
        self.blanks();
        let mut not = false;
        while self.plain() == "!" {
            self.at += 1;
            not = !not;
            self.blanks();
        }
        let mut stages = vec![self.command()?];
        loop {
            self.blanks();
            if self.sees("||") || !self.takes("|") {
                break;
            }
            self.takes("&");
            self.newlines();
            stages.push(self.command()?);
        }
        if stages.len() == 1 && !not {
            return stages.pop().ok_or_else(|| END.to_owned());
        }
        Ok(Arc::new(Node::Pipeline(not, stages)))
    }
    fn command(&mut self) -> Parsed<Tree> {
        self.deeper(Self::any_command)
    }
    fn any_command(&mut self) -> Parsed<Tree> {
        self.blanks();
        if self.sees("((") {
            self.at += 2;
            let word = self.arithmetic_word()?;
            return Ok(Arc::new(Node::Arithmetic(word)));
        }
        if self.takes("(") {
            let body = self.list(&[])?;
            if !self.takes(")") {
                return Err(self.surprise());
            }
            return Ok(Arc::new(Node::Subshell(body, self.redirects()?)));
        }
        let word = self.plain();
        let compound = match word {
            "{" => {
                self.at += 1;
                let body = self.list(&["}"])?;
                self.expects("}")?;
                return Ok(Arc::new(Node::Group(body, self.redirects()?)));
            }
            "for" => self.for_loop()?,
            "while" | "until" => {
                self.at += word.len();
                let test = self.list(&["do"])?;
                self.expects("do")?;
                let body = self.list(&["done"])?;
                self.expects("done")?;
                Node::While { test, body, until: word == "until" }
            }
            "if" => self.branches()?,
            "case" => self.cases()?,
            "function" => {
                self.at += word.len();
                self.blanks();
                let name = self.plain().to_owned();
                self.at += name.len();
                self.blanks();
                self.takes("()");
                return self.function(name);
            }
            word if RESERVED.contains(&word) => return Err(unexpected(word)),
            _ => return self.simple(),
        };
        let redirects = self.redirects()?;
        let tree = Arc::new(compound);
        Ok(if redirects.is_empty() { tree } else { Arc::new(Node::Group(tree, redirects)) })
    }
    fn function(&mut self, name: String) -> Parsed<Tree> {
        self.newlines();
        let body = self.command()?;
        Ok(Arc::new(Node::Function { name, body }))
    }
    fn for_loop(&mut self) -> Parsed<Node> {
        self.at += "for".len();
        self.blanks();
        if self.sees("((") {
            return self.counting_loop();
        }
        let name = self.plain().to_owned();
        if !is_name(&name) {
            return Err(format!("syntax error: bad for loop variable \"{name}\""));
        }
        self.at += name.len();
        self.newlines();
        let mut words = None;
        if self.plain() == "in" {
            self.at += 2;
            let mut list = Vec::new();
            loop {
                self.blanks();
                match self.word()? {
                    Some(word) => list.push(word),
                    None => break,
                }
            }
            words = Some(list);
        }
        self.blanks();
        self.takes(";");
        let body = self.do_group()?;
        Ok(Node::For { name, words, body })
    }
    fn do_group(&mut self) -> Parsed<Tree> {
        self.expects("do")?;
        let body = self.list(&["done"])?;
        self.expects("done")?;
        Ok(body)
    }
    /// Parses bash's `for ((a; b; c))` as `a; while ((b)); do …; c; done`. Simplification: `continue` skips `c`.
    fn counting_loop(&mut self) -> Parsed<Node> {
        self.at += 2;
        let Some(end) = self.rest().find("))") else { return Err(END.to_owned()) };
        let head = self.rest().get(..end).unwrap_or("").to_owned();
        self.at += end + 2;
        self.blanks();
        self.takes(";");
        let body = self.do_group()?;
        let mut parts = head.splitn(3, ';').map(|part| Parser::inner(part, self.depth).rest_as_word());
        let mut part = || parts.next().unwrap_or_else(|| Ok(Word::new())).map(|word| Arc::new(Node::Arithmetic(word)));
        let (first, test, step) = (part()?, part()?, part()?);
        let body = Arc::new(Node::List(vec![(body, false), (step, false)]));
        let turns = Arc::new(Node::While { test, body, until: false });
        Ok(Node::List(vec![(first, false), (turns, false)]))
    }
    fn branches(&mut self) -> Parsed<Node> {
        self.at += "if".len();
        let mut arms = Vec::new();
        loop {
            let test = self.list(&["then"])?;
            self.expects("then")?;
            let body = self.list(&["elif", "else", "fi"])?;
            arms.push((test, body));
            if self.takes_word("elif") {
                continue;
            }
            let mut other = None;
            if self.takes_word("else") {
                other = Some(self.list(&["fi"])?);
            }
            self.expects("fi")?;
            return Ok(Node::If { arms, other });
        }
    }
    fn cases(&mut self) -> Parsed<Node> {
        self.at += "case".len();
        self.blanks();
        let word = self.word()?.ok_or_else(|| self.surprise())?;
        self.expects("in")?;
        let mut arms = Vec::new();
        loop {
            self.newlines();
            if self.takes_word("esac") {
                return Ok(Node::Case { word, arms });
            }
            self.takes("(");
            let mut patterns = Vec::new();
            loop {
                self.blanks();
                patterns.push(self.word()?.ok_or_else(|| self.surprise())?);
                self.blanks();
                if !self.takes("|") {
                    break;
                }
            }
            if !self.takes(")") {
                return Err(self.surprise());
            }
            let body = self.list(&["esac"])?;
            arms.push((patterns, body));
            self.newlines();
            self.takes(";;");
        }
    }
    fn redirects(&mut self) -> Parsed<Vec<Redirect>> {
        let mut all = Vec::new();
        loop {
            self.blanks();
            match self.redirect()? {
                Some(redirect) => all.push(redirect),
                None => return Ok(all),
            }
        }
    }
    fn simple(&mut self) -> Parsed<Tree> {
        let (mut assigns, mut words, mut redirects) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            self.blanks();
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            let rest = self.rest();
            if words.is_empty() {
                let name = rest.split(['=', ' ', '\n']).next().unwrap_or("");
                if is_name(name) && rest.get(name.len()..).is_some_and(|rest| rest.starts_with('=')) {
                    self.at += name.len() + 1;
                    assigns.push((name.to_owned(), self.word()?.unwrap_or_default()));
                    continue;
                }
                let name = self.plain();
                let after = rest.get(name.len()..).unwrap_or("").trim_start_matches([' ', '\t']);
                if assigns.is_empty() && !name.is_empty() && after.starts_with('(') {
                    let name = name.to_owned();
                    self.at += rest.len() - after.len() + 1;
                    self.blanks();
                    if !self.takes(")") {
                        return Err(self.surprise());
                    }
                    return self.function(name);
                }
            }
            match self.word()? {
                Some(word) => words.push(word),
                None => break,
            }
        }
        if words.is_empty() && assigns.is_empty() && redirects.is_empty() {
            return Err(self.surprise());
        }
        Ok(Arc::new(Node::Simple { assigns, words, redirects }))
    }
    fn redirect(&mut self) -> Parsed<Option<Redirect>> {
        let rest = self.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let numbered = digits > 0 && rest.get(digits..).is_some_and(|rest| rest.starts_with(['<', '>']));
        if self.takes("&>>") || self.takes("&>") {
            self.blanks();
            let word = self.word()?.ok_or_else(|| self.surprise())?;
            return Ok(Some(Redirect { fd: 1, to: Target::Both(word) }));
        }
        let mut fd = None;
        if numbered {
            let number: usize = rest.get(..digits).and_then(|n| n.parse().ok()).unwrap_or(9);
            if number > 2 {
                return Err(format!("syntax error: file descriptor {number} is not part of this shell"));
            }
            fd = Some(number);
            self.at += digits;
        }
        const FORMS: &[&str] = &["<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">"];
        let Some(form) = FORMS.iter().find(|form| self.sees(form)) else { return Ok(None) };
        self.at += form.len();
        if self.sees("(") {
            return Err("syntax error: process substitution is not part of this shell".to_owned());
        }
        self.blanks();
        let fd = fd.unwrap_or(usize::from(form.starts_with('>')));
        if let "<<" | "<<-" = *form {
            return Ok(Some(Redirect { fd, to: self.document(*form == "<<-")? }));
        }
        if form.ends_with('&') {
            let to = match self.peek() {
                Some(c @ '0'..='2') => Target::Same(c as usize - '0' as usize),
                Some('-') => Target::Close,
                _ => return Err(self.surprise()),
            };
            self.at += 1;
            return Ok(Some(Redirect { fd, to }));
        }
        let word = self.word()?.ok_or_else(|| self.surprise())?;
        let to = match *form {
            "<<<" => Target::Text(Self::with_newline(word)),
            "<" | "<>" => Target::Read(word),
            ">>" => Target::Append(word),
            _ => Target::Write(word),
        };
        Ok(Some(Redirect { fd, to }))
    }
    /// Parses a here-document: the lines after this one, up to a line that contains only the delimiter.
    fn document(&mut self, tabs: bool) -> Parsed<Target> {
        let start = self.at;
        let word = self.word()?.ok_or_else(|| self.surprise())?;
        let quoted = self.text.get(start..self.at).unwrap_or("").contains(['\'', '"', '\\']);
        let delimiter = super::words::literal(&word);
        let line_end = self.rest().find('\n').map_or(self.text.len(), |len| self.at + len + 1);
        let from = self.resume.unwrap_or(line_end);
        let (mut body, mut at) = (String::new(), from);
        for line in self.text.get(from..).unwrap_or("").split_inclusive('\n') {
            at += line.len();
            let line = if tabs { line.trim_start_matches('\t') } else { line };
            if line.trim_end_matches(['\n', '\r']) == delimiter {
                break;
            }
            body.push_str(line);
        }
        self.resume = Some(at);
        Ok(Target::Text(if quoted { super::words::quoted_text(body) } else { Parser::inner(&body, self.depth).rest_as_word()? }))
    }
}
