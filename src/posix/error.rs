//! The errors of the parser, in the words of bash and of busybox.

const END: &str = "syntax error: unexpected end of file";

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
            SyntaxError::Open(mark) => format!("unexpected EOF while looking for matching `{}'", mark.get(..1).unwrap_or(mark)),
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
