//! Parses the text of a `jq` filter.

use crate::api::value::Value;

/// A `jq` filter as a syntax tree.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// The input itself: `.`.
    Identity,
    /// The input and all values inside it: `..`.
    Recurse,
    /// A literal value.
    Literal(Value),
    /// A string with parts that are computed; each part is formatted by the format (`@base64`), if there is one.
    Text(Vec<Expr>, Option<String>),
    /// A variable: `$name`.
    Variable(String),
    /// A field or element: `a.b`, `a["b"]`, `a[0]`.
    Index(Box<Expr>, Box<Expr>),
    /// A part of a list or string: `a[1:2]`.
    Slice(Box<Expr>, Option<Box<Expr>>, Option<Box<Expr>>),
    /// All elements: `a[]`.
    Iterate(Box<Expr>),
    /// A filter whose errors are ignored: `a?`.
    Try(Box<Expr>),
    /// The negation of a number: `-a`.
    Negate(Box<Expr>),
    /// A filter that is applied to the values of another: `a | b`.
    Pipe(Box<Expr>, Box<Expr>),
    /// The values of two filters one after the other: `a, b`.
    Comma(Box<Expr>, Box<Expr>),
    /// An operator between two filters.
    Operator(&'static str, Box<Expr>, Box<Expr>),
    /// A variable binding: `a as $x | b`.
    As(Box<Expr>, String, Box<Expr>),
    /// A condition: `if a then b else c end`.
    If(Box<Expr>, Box<Expr>, Option<Box<Expr>>),
    /// A list of all values of a filter: `[a]`.
    List(Option<Box<Expr>>),
    /// An object with its keys and values: `{a: b}`.
    Object(Vec<(Expr, Expr)>),
    /// A function call with its arguments: `name(a; b)`.
    Call(String, Vec<Expr>),
}

/// The maximum nesting depth of a filter.
const MAX_DEPTH: usize = 100;
/// The binary operators by precedence, the loosest first. Those in one group have the same precedence.
const LEVELS: &[&[&str]] = &[&["//"], &["or"], &["and"], &["==", "!=", "<=", ">=", "<", ">"], &["+", "-"], &["*", "/", "%"]];

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

type Parsed = Result<Expr, String>;

/// Parses the whole text of a filter.
pub fn parse(text: &str) -> Parsed {
    let mut parser = Parser { text, at: 0, depth: 0 };
    let expr = parser.pipe()?;
    parser.blanks();
    match parser.rest().is_empty() {
        true => Ok(expr),
        false => Err(parser.surprise()),
    }
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }
    fn blanks(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with('#') {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }
    fn surprise(&self) -> String {
        let shown: String = self.rest().chars().take(12).collect();
        let what = if shown.is_empty() { "end of the filter".to_owned() } else { format!("'{shown}'") };
        format!("error: syntax error, unexpected {what}\njq: 1 compile error")
    }
    fn sees(&mut self, token: &str) -> bool {
        self.blanks();
        let word = token.chars().all(|c| c.is_ascii_alphabetic());
        self.rest().strip_prefix(token).is_some_and(|rest| !word || !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    }
    fn takes(&mut self, token: &str) -> bool {
        let sees = self.sees(token);
        if sees {
            self.at += token.len();
        }
        sees
    }
    fn expects(&mut self, token: &str) -> Result<(), String> {
        if self.takes(token) { Ok(()) } else { Err(self.surprise()) }
    }
    fn name(&mut self) -> Option<String> {
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return None;
        }
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).map(str::to_owned)
    }
    fn pipe(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("error: the filter is nested too deep".to_owned());
        }
        let first = self.comma()?;
        let expr = if self.takes("as") {
            self.expects("$")?;
            let name = self.name().ok_or_else(|| self.surprise())?;
            self.expects("|")?;
            Expr::As(Box::new(first), name, Box::new(self.pipe()?))
        } else if !self.sees("|=") && self.takes("|") {
            Expr::Pipe(Box::new(first), Box::new(self.pipe()?))
        } else {
            first
        };
        self.depth -= 1;
        Ok(expr)
    }
    fn comma(&mut self) -> Parsed {
        let mut expr = self.operators(0)?;
        while self.takes(",") {
            expr = Expr::Comma(Box::new(expr), Box::new(self.operators(0)?));
        }
        Ok(expr)
    }
    fn operators(&mut self, level: usize) -> Parsed {
        let Some(known) = LEVELS.get(level) else { return self.postfix() };
        let mut left = self.operators(level + 1)?;
        while let Some(operator) = self.operator(known) {
            self.at += operator.len();
            left = Expr::Operator(operator, Box::new(left), Box::new(self.operators(level + 1)?));
        }
        Ok(left)
    }
    /// Returns the next operator, without consuming it, if it is one of `known`. Assignments such as `+=` are not operators here.
    fn operator(&mut self, known: &'static [&'static str]) -> Option<&'static str> {
        self.blanks();
        let rest = self.rest();
        known.iter().copied().find(|operator| match rest.strip_prefix(operator) {
            None => false,
            Some(after) if operator.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
            }
            Some(after) => (operator.ends_with('=') || !after.starts_with('=')) && !(*operator == "/" && after.starts_with('/')),
        })
    }
    fn postfix(&mut self) -> Parsed {
        let mut expr = self.term()?;
        loop {
            if self.rest().starts_with("..") {
                return Ok(expr);
            }
            if self.rest().starts_with('.')
                && self.rest().get(1..).is_some_and(|r| r.starts_with(|c: char| c.is_ascii_alphabetic() || "_\"[".contains(c)))
            {
                self.at += 1;
                if let Some(name) = self.name() {
                    expr = Expr::Index(Box::new(expr), Box::new(Expr::Literal(name.into())));
                } else if self.rest().starts_with('"') {
                    expr = Expr::Index(Box::new(expr), Box::new(self.string(None)?));
                }
            } else if self.rest().starts_with('[') {
                self.at += 1;
                expr = self.bracket(expr)?;
            } else if self.rest().starts_with('?') && !self.rest().starts_with("?//") {
                self.at += 1;
                expr = Expr::Try(Box::new(expr));
            } else {
                return Ok(expr);
            }
        }
    }
    fn bracket(&mut self, of: Expr) -> Parsed {
        let of = Box::new(of);
        if self.takes("]") {
            return Ok(Expr::Iterate(of));
        }
        if self.takes(":") {
            let to = self.pipe()?;
            self.expects("]")?;
            return Ok(Expr::Slice(of, None, Some(Box::new(to))));
        }
        let from = self.pipe()?;
        if self.takes(":") {
            let to = if self.sees("]") { None } else { Some(Box::new(self.pipe()?)) };
            self.expects("]")?;
            return Ok(Expr::Slice(of, Some(Box::new(from)), to));
        }
        self.expects("]")?;
        Ok(Expr::Index(of, Box::new(from)))
    }
    fn term(&mut self) -> Parsed {
        self.blanks();
        let rest = self.rest();
        let first = rest.chars().next().unwrap_or(' ');
        if self.takes("..") {
            return Ok(Expr::Recurse);
        }
        match first {
            '.' => {
                self.at += 1;
                let name = self.name();
                match (name, self.rest().starts_with('"')) {
                    (Some(name), _) => Ok(Expr::Index(Box::new(Expr::Identity), Box::new(Expr::Literal(name.into())))),
                    (None, true) => Ok(Expr::Index(Box::new(Expr::Identity), Box::new(self.string(None)?))),
                    (None, false) => Ok(Expr::Identity),
                }
            }
            '"' => self.string(None),
            '@' => {
                self.at += 1;
                let format = self.name().ok_or_else(|| self.surprise())?;
                if self.rest().trim_start().starts_with('"') {
                    self.blanks();
                    return self.string(Some(format));
                }
                Ok(Expr::Text(vec![Expr::Identity], Some(format)))
            }
            '$' => {
                self.at += 1;
                Ok(Expr::Variable(self.name().ok_or_else(|| self.surprise())?))
            }
            '-' => {
                self.at += 1;
                Ok(Expr::Negate(Box::new(self.postfix()?)))
            }
            '0'..='9' => {
                let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
                self.at += end;
                let text = rest.get(..end).unwrap_or("");
                let number = text.parse().map(Value::Int).ok().or_else(|| crate::api::float::parse(text).map(Value::Float));
                number.map(Expr::Literal).ok_or_else(|| self.surprise())
            }
            '(' => {
                self.at += 1;
                let inner = self.pipe()?;
                self.expects(")")?;
                Ok(inner)
            }
            '[' => {
                self.at += 1;
                if self.takes("]") {
                    return Ok(Expr::List(None));
                }
                let inner = self.pipe()?;
                self.expects("]")?;
                Ok(Expr::List(Some(Box::new(inner))))
            }
            '{' => {
                self.at += 1;
                self.object()
            }
            _ => self.word(),
        }
    }
    fn word(&mut self) -> Parsed {
        let Some(name) = self.name() else { return Err(self.surprise()) };
        let literal = match name.as_str() {
            "null" => Some(Value::Null),
            "true" => Some(true.into()),
            "false" => Some(false.into()),
            _ => None,
        };
        if let Some(value) = literal {
            return Ok(Expr::Literal(value));
        }
        if name == "if" {
            return self.condition();
        }
        if matches!(name.as_str(), "then" | "else" | "elif" | "end" | "as" | "def" | "reduce" | "foreach" | "and" | "or") {
            return Err(format!("error: syntax error, unexpected '{name}'\njq: 1 compile error"));
        }
        if name == "try" {
            return Ok(Expr::Try(Box::new(self.postfix()?)));
        }
        let mut arguments = Vec::new();
        if self.rest().starts_with('(') {
            self.at += 1;
            loop {
                arguments.push(self.pipe()?);
                if self.takes(")") {
                    break;
                }
                self.expects(";")?;
            }
        }
        Ok(Expr::Call(name, arguments))
    }
    fn condition(&mut self) -> Parsed {
        let test = self.pipe()?;
        self.expects("then")?;
        let then = self.pipe()?;
        let other = if self.takes("elif") {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return Err("error: the filter is nested too deep".to_owned());
            }
            Some(Box::new(self.condition()?))
        } else if self.takes("else") {
            let other = self.pipe()?;
            self.expects("end")?;
            Some(Box::new(other))
        } else {
            self.expects("end")?;
            None
        };
        Ok(Expr::If(Box::new(test), Box::new(then), other))
    }
    fn object(&mut self) -> Parsed {
        let mut fields = Vec::new();
        while !self.takes("}") {
            self.blanks();
            let key = if self.rest().starts_with('(') {
                self.at += 1;
                let key = self.pipe()?;
                self.expects(")")?;
                key
            } else if self.rest().starts_with('"') {
                self.string(None)?
            } else if self.rest().starts_with('$') {
                self.at += 1;
                let name = self.name().ok_or_else(|| self.surprise())?;
                fields.push((Expr::Literal(name.as_str().into()), Expr::Variable(name)));
                if !self.takes(",") && !self.sees("}") {
                    return Err(self.surprise());
                }
                continue;
            } else {
                Expr::Literal(self.name().ok_or_else(|| self.surprise())?.into())
            };
            let value = if self.takes(":") { self.field_value()? } else { Expr::Index(Box::new(Expr::Identity), Box::new(key.clone())) };
            fields.push((key, value));
            if !self.takes(",") && !self.sees("}") {
                return Err(self.surprise());
            }
        }
        Ok(Expr::Object(fields))
    }
    /// Parses the value of a field in an object: it may have pipes, but no comma outside of parentheses.
    fn field_value(&mut self) -> Parsed {
        let mut value = self.operators(0)?;
        while !self.sees("|=") && self.takes("|") {
            value = Expr::Pipe(Box::new(value), Box::new(self.operators(0)?));
        }
        Ok(value)
    }
    fn string(&mut self, format: Option<String>) -> Parsed {
        self.at += 1;
        let (mut parts, mut text) = (Vec::new(), String::new());
        loop {
            let Some(c) = self.rest().chars().next() else {
                return Err("error: syntax error, unterminated string\njq: 1 compile error".to_owned());
            };
            self.at += c.len_utf8();
            match c {
                '"' => break,
                '\\' => {
                    let escaped = self.rest().chars().next().unwrap_or(' ');
                    self.at += escaped.len_utf8();
                    match escaped {
                        'n' => text.push('\n'),
                        't' => text.push('\t'),
                        'r' => text.push('\r'),
                        'u' => {
                            let code = self.rest().get(..4).and_then(|hex| u32::from_str_radix(hex, 16).ok());
                            self.at += 4.min(self.rest().len());
                            text.push(code.and_then(char::from_u32).unwrap_or('\u{fffd}'));
                        }
                        '(' => {
                            parts.push(Expr::Literal(std::mem::take(&mut text).into()));
                            parts.push(self.pipe()?);
                            self.expects(")")?;
                        }
                        other => text.push(other),
                    }
                }
                c => text.push(c),
            }
        }
        if parts.is_empty() {
            return Ok(Expr::Literal(text.into()));
        }
        parts.push(Expr::Literal(text.into()));
        Ok(Expr::Text(parts, format.or(Some("text".to_owned()))))
    }
}
