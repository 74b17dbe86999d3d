//! Tokens of the label selector syntax, with a lookahead of one. Counterpart: the lexer in `k8s.io/apimachinery/pkg/labels`.

use arcstr::ArcStr;

/// The type of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Error,
    End,
    Close,
    Comma,
    Not,
    DoubleEquals,
    Equals,
    Greater,
    Identifier,
    In,
    Less,
    NotEquals,
    NotIn,
    Open,
}

/// The place of a token in a selector: `in` and `notin` are operators only after a key.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Context {
    Values,
    Operator,
}

/// The tokens of a selector, one after the other.
pub(super) struct Parser {
    words: Vec<(Token, ArcStr)>,
    next: usize,
}

impl Parser {
    pub(super) fn new(text: &str) -> Self {
        Parser { words: words(text), next: 0 }
    }
    /// Returns the next token without consuming it.
    pub(super) fn peek(&self, context: Context) -> (Token, ArcStr) {
        let (token, literal) = self.words.get(self.next).cloned().unwrap_or((Token::End, ArcStr::default()));
        match token {
            Token::In | Token::NotIn if context == Context::Values => (Token::Identifier, literal),
            _ => (token, literal),
        }
    }
    /// Consumes and returns the next token.
    pub(super) fn take(&mut self, context: Context) -> (Token, ArcStr) {
        let word = self.peek(context);
        self.next += 1;
        word
    }
}

fn is_special(c: char) -> bool {
    matches!(c, '=' | '!' | '(' | ')' | ',' | '>' | '<')
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn words(text: &str) -> Vec<(Token, ArcStr)> {
    let mut words = Vec::new();
    let mut rest = text.trim_start_matches(is_space);
    while let Some(first) = rest.chars().next() {
        let end = if is_special(first) {
            let pair = rest.get(..2).is_some_and(|p| p == "==" || p == "!=");
            if pair { 2 } else { 1 }
        } else {
            rest.find(|c| is_special(c) || is_space(c)).unwrap_or(rest.len())
        };
        let (word, after) = rest.split_at(end);
        words.push((kind(word), word.into()));
        rest = after.trim_start_matches(is_space);
    }
    words
}

fn kind(word: &str) -> Token {
    match word {
        ")" => Token::Close,
        "," => Token::Comma,
        "!" => Token::Not,
        "==" => Token::DoubleEquals,
        "=" => Token::Equals,
        ">" => Token::Greater,
        "in" => Token::In,
        "<" => Token::Less,
        "!=" => Token::NotEquals,
        "notin" => Token::NotIn,
        "(" => Token::Open,
        _ if word.chars().any(is_special) => Token::Error,
        _ => Token::Identifier,
    }
}
