//! Parses expressions in CEL, the language of rules in schemas. Counterpart: `cel-go/parser`.
//!
//! Simplifications: the parser stops at the first error, and the syntax of optional fields (`a.?b`) is not known.

use crate::api::float;
use crate::api::value::Value;

/// An expression, and the place in the text to which its errors refer: the operator, the bracket of a call, or the first character.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// The number of characters before that place.
    pub at: usize,
    /// The expression itself.
    pub node: Node,
}

/// The forms of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A number, string, boolean or `null`.
    Literal(Value),
    /// The name of a variable.
    Name(String),
    /// A list: `[a, b]`.
    List(Vec<Expr>),
    /// A map: `{a: b}`.
    Map(Vec<(Expr, Expr)>),
    /// A field: `a.b`.
    Field(Box<Expr>, String),
    /// An item of a list or map: `a[b]`.
    Index(Box<Expr>, Box<Expr>),
    /// A call of a function: `f(a)`, or `a.f(b)` with the receiver `a`.
    Call(String, Option<Box<Expr>>, Vec<Expr>),
    /// An operator with one operand: `-a`, `!a`.
    Unary(&'static str, Box<Expr>),
    /// An operator with two operands, such as `a + b`.
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// The conditional operator: `a ? b : c`.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// A syntax error: its place, and the parser's words.
pub type Problem = (usize, String);

/// The binary operators by rising precedence.
const LEVELS: &[&[&str]] = &[&["||"], &["&&"], &["==", "!=", "<=", ">=", "<", ">", "in"], &["+", "-"], &["*", "/", "%"]];
/// The maximum nesting of expressions; deeper ones are not parsed.
const MOST_NESTED: usize = 64;
/// The tokens with which an expression can begin.
const STARTS: &str = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
/// The words that cannot be names.
const RESERVED: &[&str] = &[
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// Parses an expression.
pub fn parse(text: &str) -> Result<Expr, Problem> {
    let mut reader = Reader { chars: text.chars().collect(), at: 0, depth: 0 };
    let expression = reader.ternary()?;
    reader.space();
    if reader.at < reader.chars.len() {
        let (at, token) = (reader.at, reader.token());
        reader.at += token.chars().count();
        reader.space();
        let how = if reader.at < reader.chars.len() { "mismatched" } else { "extraneous" };
        return Err((at, format!("Syntax error: {how} input '{token}' expecting <EOF>")));
    }
    Ok(expression)
}

/// Returns the name of the field that an expression writes in an escaped form, such as `a__dot__b` for `a.b`; `""` for words that must be escaped and are not.
pub fn unescape(name: &str) -> String {
    if !name.contains("__") {
        return if RESERVED.contains(&name) { String::new() } else { name.to_owned() };
    }
    let inner = name.strip_prefix("__").and_then(|rest| rest.strip_suffix("__"));
    if let Some(word) = inner.filter(|word| RESERVED.contains(word) || matches!(*word, "true" | "false" | "null" | "in")) {
        return word.to_owned();
    }
    name.replace("__dot__", ".").replace("__dash__", "-").replace("__slash__", "/").replace("__underscores__", "__")
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    depth: usize,
}

fn boxed(at: usize, node: Node) -> Expr {
    Expr { at, node }
}

impl Reader {
    fn space(&mut self) {
        loop {
            while self.peek().is_some_and(char::is_whitespace) {
                self.at += 1;
            }
            if !self.starts("//") {
                return;
            }
            while self.peek().is_some_and(|c| c != '\n') {
                self.at += 1;
            }
        }
    }
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }
    fn starts(&self, word: &str) -> bool {
        word.chars().enumerate().all(|(i, c)| self.chars.get(self.at + i) == Some(&c))
    }
    /// Returns the text of the token that begins here, as far as messages show it.
    fn token(&self) -> String {
        let rest = &self.chars[self.at..];
        let word = rest.iter().take_while(|c| c.is_alphanumeric() || **c == '_').count();
        let two = matches!(rest.iter().take(2).collect::<String>().as_str(), "==" | "!=" | "<=" | ">=" | "&&" | "||");
        rest.iter().take(word.max(1 + usize::from(two))).collect()
    }
    fn refuse<T>(&self, expected: &str) -> Result<T, Problem> {
        let token = if self.at < self.chars.len() { self.token() } else { "<EOF>".to_owned() };
        Err((self.at, format!("Syntax error: mismatched input '{token}' expecting {expected}")))
    }
    fn take(&mut self, word: &str) -> bool {
        self.space();
        let found = self.starts(word);
        if found {
            self.at += word.len();
        }
        found
    }
    fn expect(&mut self, word: &str) -> Result<(), Problem> {
        if self.take(word) { Ok(()) } else { self.refuse(&format!("'{word}'")) }
    }
    fn ternary(&mut self) -> Result<Expr, Problem> {
        self.depth += 1;
        if self.depth > MOST_NESTED {
            return Err((self.at, "expression recursion limit exceeded: 250".to_owned()));
        }
        let condition = self.binary(0)?;
        self.space();
        let at = self.at;
        let expression = if self.take("?") {
            let yes = self.ternary()?;
            self.expect(":")?;
            let no = self.ternary()?;
            boxed(at, Node::If(Box::new(condition), Box::new(yes), Box::new(no)))
        } else {
            condition
        };
        self.depth -= 1;
        Ok(expression)
    }
    fn binary(&mut self, level: usize) -> Result<Expr, Problem> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        loop {
            self.space();
            let is_word = |end: usize| self.chars.get(end).is_none_or(|c| !c.is_ascii_alphanumeric() && *c != '_');
            let found = operators.iter().find(|op| self.starts(op) && (**op != "in" || is_word(self.at + 2)));
            let Some(operator) = found else { return Ok(left) };
            let at = self.at;
            self.at += operator.len();
            left = boxed(at, Node::Binary(operator, Box::new(left), Box::new(self.binary(level + 1)?)));
        }
    }
    fn unary(&mut self) -> Result<Expr, Problem> {
        self.space();
        let at = self.at;
        for operator in ["!", "-"] {
            if self.starts(operator) {
                self.at += 1;
                if operator == "-" && self.peek().is_some_and(|c| c.is_ascii_digit()) {
                    self.at = at;
                    break;
                }
                return Ok(boxed(at, Node::Unary(operator, Box::new(self.unary()?))));
            }
        }
        self.postfix()
    }
    fn postfix(&mut self) -> Result<Expr, Problem> {
        let mut value = self.primary()?;
        loop {
            self.space();
            let at = self.at;
            match self.peek() {
                Some('.') => {
                    self.at += 1;
                    let Some(name) = self.name() else { return self.refuse("{IDENTIFIER, ESC_IDENTIFIER}") };
                    let open = self.at;
                    value = if self.peek() == Some('(') {
                        let arguments = self.arguments(")")?;
                        boxed(open, Node::Call(name, Some(Box::new(value)), arguments))
                    } else {
                        boxed(at, Node::Field(Box::new(value), name))
                    };
                }
                Some('[') => {
                    self.at += 1;
                    let index = self.ternary()?;
                    self.expect("]")?;
                    value = boxed(at, Node::Index(Box::new(value), Box::new(index)));
                }
                _ => return Ok(value),
            }
        }
    }
    /// Parses expressions separated by commas, from an opening bracket to the closing one.
    fn arguments(&mut self, close: &str) -> Result<Vec<Expr>, Problem> {
        self.at += 1;
        let mut all = Vec::new();
        while !self.take(close) {
            if !all.is_empty() {
                self.expect(",")?;
                if close == "]" && self.take(close) {
                    break;
                }
            }
            all.push(self.ternary()?);
        }
        Ok(all)
    }
    fn name(&mut self) -> Option<String> {
        self.space();
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
            self.at += 1;
        }
        (self.at > start).then(|| self.chars[start..self.at].iter().collect())
    }
    fn primary(&mut self) -> Result<Expr, Problem> {
        self.space();
        let at = self.at;
        let node = match self.peek() {
            Some('(') => {
                self.at += 1;
                let inner = self.ternary()?;
                self.expect(")")?;
                return Ok(inner);
            }
            Some('[') => Node::List(self.arguments("]")?),
            Some('{') => self.map()?,
            Some('"' | '\'') => Node::Literal(self.text(false)?.into()),
            Some('r' | 'R' | 'b' | 'B') if matches!(self.chars.get(at + 1), Some('"' | '\'')) => {
                self.at += 1;
                let raw = self.chars[at].eq_ignore_ascii_case(&'r');
                let text = boxed(at, Node::Literal(self.text(raw)?.into()));
                if raw { text.node } else { Node::Call("bytes".to_owned(), None, vec![text]) }
            }
            Some(c) if c.is_ascii_digit() || c == '-' => self.number(),
            _ => {
                let Some(name) = self.name() else { return self.refuse(STARTS) };
                let open = self.at;
                match name.as_str() {
                    "true" => Node::Literal(true.into()),
                    "false" => Node::Literal(false.into()),
                    "null" => Node::Literal(Value::Null),
                    word if RESERVED.contains(&word) => return Err((at, format!("reserved identifier: {word}"))),
                    _ if self.peek() == Some('(') => return Ok(boxed(open, Node::Call(name, None, self.arguments(")")?))),
                    _ => Node::Name(name),
                }
            }
        };
        Ok(boxed(at, node))
    }
    fn map(&mut self) -> Result<Node, Problem> {
        self.at += 1;
        let mut all = Vec::new();
        while !self.take("}") {
            if !all.is_empty() {
                self.expect(",")?;
                if self.take("}") {
                    break;
                }
            }
            let key = self.ternary()?;
            self.expect(":")?;
            all.push((key, self.ternary()?));
        }
        Ok(Node::Map(all))
    }
    /// Parses a string in single or double quotes, or in three of them. In a raw string, backslashes stand for themselves.
    fn text(&mut self, raw: bool) -> Result<String, Problem> {
        let start = self.at;
        let quote = self.chars[start];
        let close: String = std::iter::repeat_n(quote, if self.starts(&quote.to_string().repeat(3)) { 3 } else { 1 }).collect();
        self.at += close.len();
        let mut out = String::new();
        while !self.starts(&close) {
            let Some(c) = self.peek() else {
                let rest: String = self.chars[start..].iter().collect();
                return Err((start, format!("Syntax error: token recognition error at: '{rest}'")));
            };
            self.at += 1;
            if c != '\\' || raw {
                out.push(c);
                continue;
            }
            let escaped = self.peek().unwrap_or('\\');
            self.at += 1;
            let digits = match escaped {
                'u' => 4,
                'U' => 8,
                'x' | 'X' => 2,
                _ => 0,
            };
            let code: String = self.chars.iter().skip(self.at).take(digits).collect();
            match u32::from_str_radix(&code, 16).ok().and_then(char::from_u32) {
                Some(c) => {
                    out.push(c);
                    self.at += digits;
                }
                None => out.push(match escaped {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    other => other,
                }),
            }
        }
        self.at += close.len();
        Ok(out)
    }
    fn number(&mut self) -> Node {
        let start = self.at;
        self.at += 1;
        let exponent = |c: char, last: char| matches!(c, 'e' | 'E') || (matches!(c, '+' | '-') && matches!(last, 'e' | 'E'));
        while self.peek().is_some_and(|c| c.is_ascii_hexdigit() || matches!(c, '.' | 'x' | 'X') || exponent(c, self.chars[self.at - 1])) {
            self.at += 1;
        }
        let text: String = self.chars[start..self.at].iter().collect();
        let hexadecimal = text.replace("0x", "").replace("0X", "");
        let whole = if hexadecimal == text { text.parse::<i64>() } else { i64::from_str_radix(&hexadecimal, 16) };
        let literal = Node::Literal(whole.map_or_else(|_| Value::Float(float::parse(&text).unwrap_or(0.0)), Value::Int));
        if !matches!(self.peek(), Some('u' | 'U')) {
            return literal;
        }
        self.at += 1;
        Node::Call("uint".to_owned(), None, vec![boxed(start, literal)])
    }
}
