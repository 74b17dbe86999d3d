//! Parses expressions in CEL, the language of rules in schemas. Counterpart: `cel-go/parser`.

use crate::api::float;
use crate::api::value::Value;

/// A parsed expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
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

/// The binary operators by rising precedence.
const LEVELS: &[&[&str]] = &[&["||"], &["&&"], &["==", "!=", "<=", ">=", "<", ">", "in"], &["+", "-"], &["*", "/", "%"]];
/// The maximum nesting of expressions; deeper ones are not parsed.
const MOST_NESTED: usize = 64;

/// Parses an expression; `None` if the text is not valid.
pub fn parse(text: &str) -> Option<Expr> {
    let mut reader = Reader { chars: text.chars().collect(), at: 0, depth: 0 };
    let expression = reader.ternary()?;
    reader.space();
    (reader.at == reader.chars.len()).then_some(expression)
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    depth: usize,
}

impl Reader {
    fn space(&mut self) {
        while self.chars.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
    }
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }
    fn starts(&self, word: &str) -> bool {
        word.chars().enumerate().all(|(i, c)| self.chars.get(self.at + i) == Some(&c))
    }
    fn take(&mut self, word: &str) -> Option<()> {
        self.space();
        self.starts(word).then(|| self.at += word.len())
    }
    fn ternary(&mut self) -> Option<Expr> {
        self.depth += 1;
        if self.depth > MOST_NESTED {
            return None;
        }
        let condition = self.binary(0)?;
        let expression = if self.take("?").is_some() {
            let yes = self.ternary()?;
            self.take(":")?;
            Expr::If(Box::new(condition), Box::new(yes), Box::new(self.ternary()?))
        } else {
            condition
        };
        self.depth -= 1;
        Some(expression)
    }
    fn binary(&mut self, level: usize) -> Option<Expr> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        loop {
            self.space();
            let is_word = |end: usize| self.chars.get(end).is_none_or(|c| !c.is_ascii_alphanumeric() && *c != '_');
            let found = operators.iter().find(|op| self.starts(op) && (**op != "in" || is_word(self.at + 2)));
            let Some(operator) = found else { return Some(left) };
            self.at += operator.len();
            left = Expr::Binary(operator, Box::new(left), Box::new(self.binary(level + 1)?));
        }
    }
    fn unary(&mut self) -> Option<Expr> {
        self.space();
        for operator in ["!", "-"] {
            if self.starts(operator) {
                self.at += 1;
                return Some(Expr::Unary(operator, Box::new(self.unary()?)));
            }
        }
        self.postfix()
    }
    fn postfix(&mut self) -> Option<Expr> {
        let mut value = self.primary()?;
        loop {
            self.space();
            match self.peek() {
                Some('.') => {
                    self.at += 1;
                    let name = self.name()?;
                    if self.peek() == Some('(') {
                        let arguments = self.arguments(")")?;
                        value = Expr::Call(name, Some(Box::new(value)), arguments);
                    } else {
                        value = Expr::Field(Box::new(value), name);
                    }
                }
                Some('[') => {
                    self.at += 1;
                    let index = self.ternary()?;
                    self.take("]")?;
                    value = Expr::Index(Box::new(value), Box::new(index));
                }
                _ => return Some(value),
            }
        }
    }
    /// Parses expressions separated by commas, from an opening bracket to the closing one.
    fn arguments(&mut self, close: &str) -> Option<Vec<Expr>> {
        self.at += 1;
        let mut all = Vec::new();
        while self.take(close).is_none() {
            if !all.is_empty() {
                self.take(",")?;
            }
            all.push(self.ternary()?);
        }
        Some(all)
    }
    fn name(&mut self) -> Option<String> {
        self.space();
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
            self.at += 1;
        }
        (self.at > start).then(|| self.chars[start..self.at].iter().collect())
    }
    fn primary(&mut self) -> Option<Expr> {
        self.space();
        match self.peek()? {
            '(' => {
                self.at += 1;
                let inner = self.ternary()?;
                self.take(")")?;
                Some(inner)
            }
            '[' => Some(Expr::List(self.arguments("]")?)),
            '{' => self.map(),
            quote @ ('"' | '\'') => self.text(quote).map(|text| Expr::Literal(text.into())),
            c if c.is_ascii_digit() => self.number(),
            _ => {
                let name = self.name()?;
                Some(match name.as_str() {
                    "true" => Expr::Literal(true.into()),
                    "false" => Expr::Literal(false.into()),
                    "null" => Expr::Literal(Value::Null),
                    _ if self.peek() == Some('(') => Expr::Call(name, None, self.arguments(")")?),
                    _ => Expr::Name(name),
                })
            }
        }
    }
    fn map(&mut self) -> Option<Expr> {
        self.at += 1;
        let mut all = Vec::new();
        while self.take("}").is_none() {
            if !all.is_empty() {
                self.take(",")?;
            }
            let key = self.ternary()?;
            self.take(":")?;
            all.push((key, self.ternary()?));
        }
        Some(Expr::Map(all))
    }
    fn text(&mut self, quote: char) -> Option<String> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let c = self.peek()?;
            self.at += 1;
            match c {
                '\\' => {
                    let escaped = self.peek()?;
                    self.at += 1;
                    out.push(match escaped {
                        'n' => '\n',
                        't' => '\t',
                        other => other,
                    });
                }
                c if c == quote => return Some(out),
                c => out.push(c),
            }
        }
    }
    fn number(&mut self) -> Option<Expr> {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_digit() || c == '.') {
            self.at += 1;
        }
        let text: String = self.chars[start..self.at].iter().collect();
        if self.peek() == Some('u') {
            self.at += 1;
        }
        Some(Expr::Literal(match text.parse::<i64>() {
            Ok(number) => Value::Int(number),
            Err(_) => Value::Float(float::parse(&text)?),
        }))
    }
}
