//! Parses a script, or the lines of a terminal, into a syntax tree.

use super::error::SyntaxError;
use super::syntax::{Node, Piece, Redirect, Target, Tree, Word};
use super::words::is_name;
use std::sync::Arc;

/// The text of a script, and the offset up to which it has been parsed.
pub struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    /// The offset at which parsing continues after this line, behind its here-documents.
    pub(super) resume: Option<usize>,
    pub(super) depth: usize,
    /// Set for the lines of a terminal, which may be pasted with their prompts and with hard spaces.
    pub(super) terminal: bool,
    /// Set if the line began with a prompt (`$ `): then its continuation lines may begin with `> `.
    prompted: bool,
    /// Set if a here-document has no end.
    pub(super) open_document: bool,
}

/// The result of parsing a part of a script.
pub type Parsed<T> = Result<T, SyntaxError>;

/// The maximum nesting depth of commands.
const MAX_DEPTH: usize = 60;
/// Reserved words with which no command begins.
const RESERVED: &[&str] = &["do", "done", "then", "elif", "else", "fi", "esac", "}"];

/// Parses a whole script.
pub fn parse(text: &str) -> Parsed<Tree> {
    let mut parser = Parser::inner(text, 0);
    let tree = parser.list(&[])?;
    match parser.peek() {
        None => Ok(tree),
        Some(_) => Err(parser.surprise()),
    }
}

/// Parses the lines of a terminal. A line that cannot be parsed becomes an error message ([`Node::Wrong`]) and does not affect the lines before and after
/// it. The second value is `true` if the text is incomplete and more lines could complete it.
pub fn parse_lines(text: &str) -> (Tree, bool) {
    let mut parser = Parser { terminal: true, ..Parser::inner(text, 0) };
    let mut items = Vec::new();
    let (mut more, mut line) = (text.ends_with("\\\n") || text.ends_with('\\') && !text.ends_with("\\\\"), 0);
    loop {
        parser.start_of_line();
        if parser.peek().is_none() {
            break;
        }
        match parser.item() {
            Ok(item) => items.push(item),
            Err(error) => {
                more |= matches!(error, SyntaxError::Open(_));
                items.truncate(line);
                items.push((Arc::new(Node::Wrong(error.of_bash())), false));
                parser.skip_line();
            }
        }
        if text.get(..parser.at).is_some_and(|read| read.ends_with('\n')) {
            line = items.len();
        }
    }
    (Arc::new(Node::List(items)), more || parser.open_document)
}

fn unexpected(token: &str) -> SyntaxError {
    SyntaxError::Unexpected(if token == "\n" { "newline" } else { token }.to_owned())
}

impl<'t> Parser<'t> {
    pub(super) fn inner(text: &'t str, depth: usize) -> Parser<'t> {
        Parser { text, at: 0, resume: None, depth: depth + 1, terminal: false, prompted: false, open_document: false }
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
    /// Skips blanks, line continuations and comments.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\r') => self.at += 1,
                Some(c @ '\u{a0}') if self.terminal => self.at += c.len_utf8(),
                Some('\\') if self.continues() => {}
                Some('#') => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                _ => return,
            }
        }
    }
    /// Skips a backslash at the end of a line, and the prompt of the next line. Returns `false` if there is none here.
    pub(super) fn continues(&mut self) -> bool {
        let Some(mark) = ["\\\n", "\\\r\n"].into_iter().find(|mark| self.sees(mark)) else { return false };
        self.at += mark.len() - 1;
        self.next();
        self.skip_prompt();
        true
    }
    fn skip_prompt(&mut self) {
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
            self.skip_prompt();
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
        while self.next().is_some_and(|c| c != '\n') {}
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
    pub(super) fn surprise(&self) -> SyntaxError {
        match (self.plain(), self.peek()) {
            (_, None) => SyntaxError::Open(""),
            ("", Some(c)) => {
                let operator = ["&&", "||", ";;"].into_iter().find(|token| self.sees(token));
                unexpected(operator.unwrap_or(&c.to_string()))
            }
            (word, _) => unexpected(word),
        }
    }
    pub(super) fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(SyntaxError::Wrong("this is nested too deep".to_owned()));
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
                let ended = ends.contains(&p.plain());
                if ended && items.is_empty() && ends != ["esac"] {
                    return Err(p.surprise());
                }
                if ended || p.peek().is_none() || p.peek() == Some(')') || p.sees(";;") {
                    return Ok(Arc::new(Node::List(items)));
                }
                items.push(p.item()?);
            }
        })
    }
    /// Parses a command of a list with its separator. The flag is set if the command runs in the background.
    fn item(&mut self) -> Parsed<(Tree, bool)> {
        let tree = self.and_or()?;
        self.blanks();
        let background = !self.sees("&&") && self.takes("&");
        if background {
            self.blanks();
        }
        match self.peek() {
            None | Some(')') => {}
            Some(';') if background || self.sees(";;") => {}
            Some(';' | '\n') => {
                self.next();
            }
            Some(_) if background => {}
            Some(_) => return Err(self.surprise()),
        }
        Ok((tree, background))
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
            if self.takes("&")
                && let Some(Node::Simple { redirects, .. }) = stages.last_mut().and_then(Arc::get_mut)
            {
                redirects.push(Redirect { fd: 2, to: Target::Same(1) });
            }
            self.newlines();
            stages.push(self.command()?);
        }
        if stages.len() == 1 && !not {
            return stages.pop().ok_or(SyntaxError::Open(""));
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
            return Err(SyntaxError::Wrong(format!("`{name}': not a valid identifier")));
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
        let end = self.rest().find("))").ok_or(SyntaxError::Open("))"))?;
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
    /// Parses the elements of an array (bash) up to `)`. An array `a` is kept as the variables `a[0]`, `a[1]` … and `a[#]`, the number of elements.
    fn array(&mut self, name: &str, assigns: &mut Vec<(String, Word)>) -> Parsed<()> {
        for count in 0.. {
            self.newlines();
            self.blanks();
            if self.takes(")") {
                assigns.push((format!("{name}[#]"), vec![Piece::Text { text: count.to_string(), quoted: true }]));
                break;
            }
            assigns.push((format!("{name}[{count}]"), self.word()?.ok_or(SyntaxError::Open(")"))?));
        }
        Ok(())
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
                    if self.takes("(") {
                        self.array(name, &mut assigns)?;
                        continue;
                    }
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
}
