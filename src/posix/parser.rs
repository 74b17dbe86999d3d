//! Parses a script, or the lines of a terminal, into a syntax tree.

use super::syntax::{Node, Piece, Redirect, Target, Tree, Word};
use super::words::is_name;
use std::sync::Arc;

/// The text of a script, and the offset up to which it has been parsed.
pub struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    /// The offset at which parsing continues after this line, behind its here-documents.
    resume: Option<usize>,
    pub(super) depth: usize,
    /// Set for the lines of a terminal, which may be pasted with their prompts and with hard spaces.
    pub(super) terminal: bool,
    /// Set if the line began with a prompt (`$ `): then its continuation lines may begin with `> `.
    prompted: bool,
    /// Set if a here-document has no end.
    open_document: bool,
}

/// The reason why a text cannot be parsed.
#[derive(Clone, Debug, PartialEq)]
pub enum SyntaxError {
    /// This token cannot stand where it is.
    Unexpected(String),
    /// The text ends where this is still open: a quote, a bracket, or with `""` a command. More text could complete it.
    Open(&'static str),
    /// The text is wrong in another way, or uses something that this shell lacks.
    Wrong(String),
}

impl SyntaxError {
    /// Returns the message of bash.
    pub fn of_bash(&self) -> String {
        match self {
            SyntaxError::Unexpected(token) => format!("syntax error near unexpected token `{token}'"),
            SyntaxError::Open("") => END.to_owned(),
            SyntaxError::Open(mark) => format!("unexpected EOF while looking for matching `{mark}'"),
            SyntaxError::Wrong(why) => why.clone(),
        }
    }
    /// Returns the message of busybox.
    pub fn of_busybox(&self) -> String {
        match self {
            SyntaxError::Unexpected(token) => format!("syntax error: unexpected \"{token}\""),
            SyntaxError::Open("") => END.to_owned(),
            SyntaxError::Open("'" | "\"") => "syntax error: unterminated quoted string".to_owned(),
            SyntaxError::Open("`") => "syntax error: EOF in backquote substitution".to_owned(),
            SyntaxError::Open(")") => format!("{END} (expecting \")\")"),
            SyntaxError::Open(mark) => format!("syntax error: missing '{mark}'"),
            SyntaxError::Wrong(why) => format!("syntax error: {why}"),
        }
    }
}

/// The result of parsing a part of a script.
pub type Parsed<T> = Result<T, SyntaxError>;

/// The maximum nesting depth of commands.
const MAX_DEPTH: usize = 60;
/// Reserved words with which no command begins.
const RESERVED: &[&str] = &["do", "done", "then", "elif", "else", "fi", "esac", "}"];
const END: &str = "syntax error: unexpected end of file";

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

pub(super) fn unexpected(token: &str) -> SyntaxError {
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
    fn blanks(&mut self) {
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
    fn surprise(&self) -> SyntaxError {
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
                    if self.sees("(") {
                        return Err(SyntaxError::Wrong("arrays are not part of this shell".to_owned()));
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
                return Err(SyntaxError::Wrong(format!("file descriptor {number} is not part of this shell")));
            }
            fd = Some(number);
            self.at += digits;
        }
        const FORMS: &[&str] = &["<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">"];
        let Some(form) = FORMS.iter().find(|form| self.sees(form)) else { return Ok(None) };
        self.at += form.len();
        if self.sees("(") {
            return Err(SyntaxError::Wrong("process substitution is not part of this shell".to_owned()));
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
            "<<<" => Target::Text(word.into_iter().chain(super::words::quoted_text("\n".to_owned())).collect()),
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
        let delimiter: String = word.iter().map(|piece| if let Piece::Text { text, .. } = piece { text.as_str() } else { "" }).collect();
        let line_end = self.rest().find('\n').map_or(self.text.len(), |len| self.at + len + 1);
        let from = self.resume.unwrap_or(line_end);
        let (mut lines, mut at, mut closed) = (Vec::new(), from, false);
        for line in self.text.get(from..).unwrap_or("").split_inclusive('\n') {
            at += line.len();
            let line = if tabs { line.trim_start_matches('\t') } else { line };
            let bare = line.trim_end_matches(['\n', '\r']);
            let prompted = self.terminal && bare.strip_prefix("> ") == Some(delimiter.as_str());
            closed = prompted || bare == delimiter;
            if prompted {
                // A prompt before the delimiter means that the lines were copied from a terminal, each with a prompt.
                lines = lines.into_iter().map(|line: &str| line.strip_prefix("> ").unwrap_or(line)).collect();
            }
            if closed {
                break;
            }
            lines.push(line);
        }
        self.open_document |= !closed;
        self.resume = Some(at);
        let body = lines.concat().replace("\r\n", "\n");
        if quoted {
            return Ok(Target::Text(super::words::quoted_text(body)));
        }
        let word = Parser::inner(&body, self.depth).rest_as_word();
        // More lines would not end what is open inside the document.
        let ended = |error| if let SyntaxError::Open(_) = error { SyntaxError::Wrong(error.of_bash()) } else { error };
        word.map(Target::Text).map_err(ended)
    }
}
