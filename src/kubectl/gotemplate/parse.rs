//! Parses the text of a Go template into a tree. Counterpart: `text/template/parse`.
//!
//! Left out: `define`, `template` and `block`, which a template on a command line has no use for, and complex numbers.

use super::functions;

/// A part of a parsed Go template.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// Text outside of actions, which is printed unchanged.
    Text(String),
    /// A pipeline whose value is printed, unless it sets a variable.
    Action(Pipe),
    /// The action `if`, with its body and its `else` branch.
    If(Pipe, Vec<Node>, Vec<Node>),
    /// The action `with`, with its body and its `else` branch.
    With(Pipe, Vec<Node>, Vec<Node>),
    /// The action `range`, with its body and its `else` branch, which is used if there are no items.
    Range(Pipe, Vec<Node>, Vec<Node>),
    /// The action `break`, which ends a `range`.
    Break,
    /// The action `continue`, which goes on with the next item of a `range`.
    Continue,
}

/// A pipeline: commands, each of which gets the value of the one before as its last argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipe {
    /// The variables that the pipeline sets.
    pub variables: Vec<String>,
    /// Set if the pipeline declares its variables (`:=`) instead of assigning to existing ones (`=`).
    pub declares: bool,
    /// The commands of the pipeline, each of which is a term followed by its arguments.
    pub commands: Vec<Vec<Term>>,
}

/// A word of a command in a template's pipeline: an operand such as `.spec` or `$x`, and the fields that are read from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// The byte offset of the term in the source.
    pub at: usize,
    /// The text of the term in the source.
    pub text: String,
    /// The operand that the term begins with.
    pub operand: Operand,
    /// The fields that are read from the operand.
    pub fields: Vec<String>,
}

/// The operand of a term.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// The current value, `.`.
    Dot,
    /// A variable, `$name`.
    Variable(String),
    /// A function, by its name.
    Function(String),
    /// A string literal.
    Text(String),
    /// An integer literal.
    Int(i64),
    /// A floating-point literal.
    Float(f64),
    /// The literal `true` or `false`.
    Bool(bool),
    /// The literal `nil`.
    Nil,
    /// A pipeline in parentheses.
    Pipe(Pipe),
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Word,
    Dot,
    Field,
    Variable,
    Text(String),
    Number,
    Sign,
}

#[derive(Clone, Debug)]
struct Token {
    at: usize,
    kind: Kind,
    text: String,
    after_space: bool,
}

enum Piece {
    Text(String),
    Action(usize, Vec<Token>),
}

/// The result of parsing; the error is Go's message with the line number.
type Parsed<T> = Result<T, String>;

/// Parses the text of a template into its nodes.
pub fn parse(source: &str) -> Parsed<Vec<Node>> {
    let pieces = split(source)?;
    let end = source.len();
    let mut parser = Parser { source, pieces: pieces.into_iter().peekable(), variables: vec!["$".to_owned()], loops: 0 };
    let (nodes, closing) = parser.nodes(end)?;
    match closing {
        None => Ok(nodes),
        Some((at, word)) => Err(complaint(source, at, &format!("unexpected {{{{{word}}}}}"))),
    }
}

fn complaint(source: &str, at: usize, text: &str) -> String {
    let line = 1 + source.get(..at).unwrap_or(source).matches('\n').count();
    format!("template: output:{line}: {text}")
}

/// Splits a template into text and actions; `{{-` and `-}}` trim the white space beside them.
fn split(source: &str) -> Parsed<Vec<Piece>> {
    let (mut pieces, mut at, mut trim) = (Vec::new(), 0, false);
    loop {
        let rest = source.get(at..).unwrap_or("");
        let open = rest.find("{{");
        let mut text = rest.get(..open.unwrap_or(rest.len())).unwrap_or("");
        if trim {
            text = text.trim_start();
        }
        let Some(open) = open else {
            pieces.push(Piece::Text(text.to_owned()));
            return Ok(pieces);
        };
        let mut begin = at + open + 2;
        let inner = source.get(begin..).unwrap_or("");
        if inner.starts_with('-') && inner.chars().nth(1).is_some_and(char::is_whitespace) {
            text = text.trim_end();
            begin += 2;
        }
        if !text.is_empty() {
            pieces.push(Piece::Text(text.to_owned()));
        }
        let inner = source.get(begin..).unwrap_or("");
        if inner.trim_start().starts_with("/*") {
            let close = inner.find("*/").ok_or_else(|| complaint(source, begin, "unclosed comment"))?;
            let after = inner.get(close + 2..).unwrap_or("");
            let end = after.find("}}").ok_or_else(|| complaint(source, begin, "comment ends before closing delimiter"))?;
            trim = after.get(..end).is_some_and(|t| t.trim_start() == "-" && t.starts_with(char::is_whitespace));
            at = begin + close + 2 + end + 2;
            continue;
        }
        let (tokens, end, trimmed) = tokens(source, begin)?;
        pieces.push(Piece::Action(begin, tokens));
        (at, trim) = (end, trimmed);
    }
}

/// Returns the tokens of the action that begins at `begin`, the offset of its end, and whether it trims the white space after it.
fn tokens(source: &str, begin: usize) -> Parsed<(Vec<Token>, usize, bool)> {
    let mut all: Vec<Token> = Vec::new();
    let (mut at, mut after_space, mut depth) = (begin, false, 0usize);
    loop {
        let rest = source.get(at..).unwrap_or("");
        let Some(first) = rest.chars().next() else { return Err(complaint(source, begin, "unclosed action")) };
        if rest.starts_with("}}") {
            if depth > 0 {
                return Err(complaint(source, at, "unclosed left paren"));
            }
            return Ok((all, at + 2, false));
        }
        if rest.starts_with("-}}") && after_space {
            return Ok((all, at + 3, true));
        }
        if first.is_whitespace() {
            at += first.len_utf8();
            after_space = true;
            continue;
        }
        let word_len = |from: usize| {
            let tail = rest.get(from..).unwrap_or("");
            from + tail.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(tail.len())
        };
        let (kind, len) = match first {
            '"' | '`' | '\'' => quoted(rest, first).ok_or_else(|| {
                let what = match first {
                    '"' => "unterminated quoted string",
                    '`' => "unterminated raw quoted string",
                    _ => "unterminated character constant",
                };
                complaint(source, at, what)
            })?,
            '.' if rest.chars().nth(1).is_some_and(|c| c.is_ascii_alphabetic() || c == '_') => (Kind::Field, word_len(1)),
            '.' if !rest.chars().nth(1).is_some_and(|c| c.is_ascii_digit()) => (Kind::Dot, 1),
            '$' => (Kind::Variable, word_len(1)),
            ':' if rest.starts_with(":=") => (Kind::Sign, 2),
            '|' | ',' | '=' => (Kind::Sign, 1),
            '(' => {
                depth += 1;
                (Kind::Sign, 1)
            }
            ')' if depth == 0 => return Err(complaint(source, at, "unexpected right paren")),
            ')' => {
                depth -= 1;
                (Kind::Sign, 1)
            }
            c if c.is_ascii_digit() || ((c == '-' || c == '+' || c == '.') && rest.chars().nth(1).is_some_and(|c| c.is_ascii_digit())) => {
                let tail = rest.get(1..).unwrap_or("");
                (Kind::Number, 1 + tail.find(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '_').unwrap_or(tail.len()))
            }
            c if c.is_ascii_alphabetic() || c == '_' => (Kind::Word, word_len(0)),
            c => return Err(complaint(source, at, &format!("unrecognized character in action: U+{:04X} '{c}'", c as u32))),
        };
        let text = rest.get(..len).unwrap_or("").to_owned();
        all.push(Token { at, kind, text, after_space });
        (at, after_space) = (at + len, false);
    }
}

/// Reads a quoted string or character. Returns its token kind and its length in the source; `None` if the quote is not closed.
fn quoted(rest: &str, quote: char) -> Option<(Kind, usize)> {
    let (mut text, mut chars) = (String::new(), rest.char_indices().skip(1));
    while let Some((i, c)) = chars.next() {
        match c {
            c if c == quote && quote == '\'' => return Some((Kind::Number, i + 1)),
            c if c == quote => return Some((Kind::Text(text), i + 1)),
            '\\' if quote != '`' => text.push(match chars.next()?.1 {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                other => other,
            }),
            '\n' if quote != '`' => return None,
            c => text.push(c),
        }
    }
    None
}

struct Parser<'s> {
    source: &'s str,
    pieces: std::iter::Peekable<std::vec::IntoIter<Piece>>,
    variables: Vec<String>,
    loops: usize,
}

/// The action that ended a list of nodes: its offset, and its word `end` or `else`.
type Closing = Option<(usize, String)>;

impl Parser<'_> {
    fn nodes(&mut self, end: usize) -> Parsed<(Vec<Node>, Closing)> {
        let mut nodes = Vec::new();
        while let Some(piece) = self.pieces.peek() {
            let (at, tokens) = match piece {
                Piece::Text(text) => {
                    nodes.push(Node::Text(text.clone()));
                    self.pieces.next();
                    continue;
                }
                Piece::Action(at, tokens) => (*at, tokens.clone()),
            };
            let word = tokens.first().filter(|t| t.kind == Kind::Word).map(|t| t.text.clone()).unwrap_or_default();
            let rest = tokens.get(1..).unwrap_or_default();
            match word.as_str() {
                // `else` is not consumed here, because `block` reads the words after it, such as `if`.
                "else" => return Ok((nodes, Some((at, "else".to_owned())))),
                "end" => {
                    self.pieces.next();
                    return Ok((nodes, Some((at, "end".to_owned()))));
                }
                _ => drop(self.pieces.next()),
            }
            match word.as_str() {
                "if" | "with" | "range" => nodes.push(self.block(&word, at, rest, end)?),
                "break" | "continue" if self.loops == 0 => {
                    return Err(complaint(self.source, at, &format!("{{{{{word}}}}} outside {{{{range}}}}")));
                }
                "break" => nodes.push(Node::Break),
                "continue" => nodes.push(Node::Continue),
                "define" | "template" | "block" => {
                    return Err(complaint(self.source, at, &format!("this playground has no {{{{{word}}}}}")));
                }
                _ => nodes.push(Node::Action(self.pipe(&mut Tokens::new(&tokens), at, "command")?)),
            }
        }
        Ok((nodes, None))
    }

    fn block(&mut self, word: &str, at: usize, rest: &[Token], end: usize) -> Parsed<Node> {
        let known = self.variables.len();
        let pipe = self.pipe(&mut Tokens::new(rest), at, word)?;
        self.loops += usize::from(word == "range");
        let (body, closing) = self.nodes(end)?;
        let mut otherwise = Vec::new();
        match closing {
            None => return Err(complaint(self.source, end, "unexpected EOF")),
            Some((_, closed)) if closed == "end" => {}
            Some((else_at, _)) => {
                let Some(Piece::Action(_, tokens)) = self.pieces.next() else { return Err(complaint(self.source, end, "unexpected EOF")) };
                match tokens.get(1).map(|t| t.text.as_str()) {
                    None => {
                        let (nodes, closing) = self.nodes(end)?;
                        match closing {
                            None => return Err(complaint(self.source, end, "unexpected EOF")),
                            Some((_, closed)) if closed == "end" => otherwise = nodes,
                            Some((again, _)) => return Err(complaint(self.source, again, "expected end; found {{else}}")),
                        }
                    }
                    // `else if` is a block of its own that shares the `end` of the first.
                    Some(next) if next == word && word != "range" => {
                        otherwise = vec![self.block(word, else_at, tokens.get(2..).unwrap_or_default(), end)?];
                    }
                    Some(next) => {
                        return Err(complaint(self.source, else_at, &format!("unexpected <{next}> in else")));
                    }
                }
            }
        }
        self.loops -= usize::from(word == "range");
        self.variables.truncate(known);
        Ok(match word {
            "if" => Node::If(pipe, body, otherwise),
            "with" => Node::With(pipe, body, otherwise),
            _ => Node::Range(pipe, body, otherwise),
        })
    }

    fn pipe(&mut self, tokens: &mut Tokens, at: usize, context: &str) -> Parsed<Pipe> {
        let mut pipe = Pipe { variables: Vec::new(), declares: false, commands: Vec::new() };
        let sign = |t: Option<&Token>| t.filter(|t| t.kind == Kind::Sign).map(|t| t.text.clone()).unwrap_or_default();
        let is_variable = |t: Option<&Token>| t.is_some_and(|t| t.kind == Kind::Variable);
        if is_variable(tokens.peek(0)) {
            let two = sign(tokens.peek(1)) == "," && is_variable(tokens.peek(2));
            let assign = sign(tokens.peek(if two { 3 } else { 1 }));
            if assign == ":=" || assign == "=" {
                pipe.declares = assign == ":=";
                for _ in 0..if two { 2 } else { 1 } {
                    pipe.variables.extend(tokens.next().map(|t| t.text));
                    tokens.next();
                }
            }
        }
        loop {
            let mut command = Vec::new();
            while let Some(token) = tokens.peek(0) {
                if token.kind == Kind::Sign && (token.text == "|" || token.text == ")") {
                    break;
                }
                command.push(self.term(tokens, context)?);
            }
            if command.is_empty() {
                return Err(complaint(self.source, at, &format!("missing value for {context}")));
            }
            pipe.commands.push(command);
            if sign(tokens.peek(0)) != "|" {
                break;
            }
            tokens.next();
        }
        if pipe.declares {
            self.variables.extend(pipe.variables.iter().cloned());
        }
        Ok(pipe)
    }

    fn term(&mut self, tokens: &mut Tokens, context: &str) -> Parsed<Term> {
        let Some(token) = tokens.next() else { return Err(complaint(self.source, 0, &format!("missing value for {context}"))) };
        let unexpected = |token: &Token| complaint(self.source, token.at, &format!("unexpected <{}> in operand", token.text));
        let (mut at, mut text, mut fields) = (token.at, token.text.clone(), Vec::new());
        let operand = match &token.kind {
            Kind::Dot => Operand::Dot,
            Kind::Field => {
                fields.push(token.text.trim_start_matches('.').to_owned());
                Operand::Dot
            }
            Kind::Variable if self.variables.contains(&token.text) => Operand::Variable(token.text.clone()),
            Kind::Variable => return Err(complaint(self.source, token.at, &format!("undefined variable \"{}\"", token.text))),
            Kind::Text(inner) => Operand::Text(inner.clone()),
            Kind::Number => {
                number(&token.text).ok_or_else(|| complaint(self.source, token.at, &format!("bad number syntax: \"{}\"", token.text)))?
            }
            Kind::Word => match token.text.as_str() {
                "true" | "false" => Operand::Bool(token.text == "true"),
                "nil" => Operand::Nil,
                name if functions::NAMES.contains(&name) => Operand::Function(name.to_owned()),
                name => return Err(complaint(self.source, token.at, &format!("function \"{name}\" not defined"))),
            },
            Kind::Sign if token.text == "(" => {
                let pipe = self.pipe(tokens, token.at, "parenthesized pipeline")?;
                let close =
                    tokens.next().filter(|t| t.text == ")").ok_or_else(|| complaint(self.source, token.at, "unclosed left paren"))?;
                text = self.source.get(token.at..=close.at).unwrap_or("()").to_owned();
                Operand::Pipe(pipe)
            }
            Kind::Sign => return Err(unexpected(&token)),
        };
        let mut chained = false;
        while let Some(next) = tokens.peek(0).filter(|t| t.kind == Kind::Field && !t.after_space) {
            if !chained {
                (at, chained) = (next.at, true);
            }
            text.push_str(&next.text);
            fields.push(next.text.trim_start_matches('.').to_owned());
            tokens.next();
        }
        if let Some(next) = tokens.peek(0).filter(|t| !t.after_space && t.kind != Kind::Sign) {
            return Err(unexpected(next));
        }
        Ok(Term { at, text, operand, fields })
    }
}

fn number(text: &str) -> Option<Operand> {
    if let Some(inner) = text.strip_prefix('\'') {
        return inner.chars().next().map(|c| Operand::Int(i64::from(c as u32)));
    }
    let plain = text.replace('_', "");
    let hex = plain.strip_prefix("0x").and_then(|hex| i64::from_str_radix(hex, 16).ok());
    hex.or_else(|| plain.parse().ok()).map(Operand::Int).or_else(|| crate::api::float::parse(&plain).map(Operand::Float))
}

struct Tokens<'t> {
    all: &'t [Token],
    at: usize,
}

impl<'t> Tokens<'t> {
    fn new(all: &'t [Token]) -> Tokens<'t> {
        Tokens { all, at: 0 }
    }
    fn peek(&self, ahead: usize) -> Option<&'t Token> {
        self.all.get(self.at + ahead)
    }
    fn next(&mut self) -> Option<Token> {
        let token = self.peek(0).cloned();
        self.at += 1;
        token
    }
}
