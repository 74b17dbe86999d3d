//! The commands `test`, `[` and `[[`.

use super::pattern;

/// The maximum nesting depth of a test.
const MAX_DEPTH: usize = 40;

/// A file that a test asks for.
#[derive(Clone, Copy, PartialEq)]
pub enum Found {
    /// A directory.
    Directory,
    /// A file; the flag is set if it has content.
    File(bool),
}

/// Returns what is at a path, and whether it can be written; `None` if there is nothing.
pub type Look<'a> = dyn Fn(&str) -> Option<(Found, bool)> + 'a;

/// Evaluates the words of the command `name`: `test`, `[` or `[[`, in which `==` compares with a pattern. The error is a message.
pub fn evaluate(name: &str, words: &[String], look: &Look) -> Result<bool, String> {
    let end = match name {
        "[" => "]",
        "[[" => "]]",
        _ => "",
    };
    let words = match words.split_last() {
        _ if end.is_empty() => words,
        Some((last, words)) if last == end => words,
        _ => return Err(format!("missing {end}")),
    };
    if words.is_empty() {
        return Ok(false);
    }
    let mut reader = Reader { words, at: 0, look, patterns: name == "[[", depth: 0 };
    let value = reader.or()?;
    match reader.words.get(reader.at) {
        None => Ok(value),
        Some(word) => Err(format!("{word}: unexpected operator")),
    }
}

struct Reader<'a> {
    words: &'a [String],
    at: usize,
    look: &'a Look<'a>,
    patterns: bool,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> Option<&str> {
        self.words.get(self.at + ahead).map(String::as_str)
    }
    fn or(&mut self) -> Result<bool, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("too many arguments".to_owned());
        }
        let mut value = self.and()?;
        while matches!(self.peek(0), Some("-o" | "||")) {
            self.at += 1;
            value |= self.and()?;
        }
        self.depth -= 1;
        Ok(value)
    }
    fn and(&mut self) -> Result<bool, String> {
        let mut value = self.one()?;
        while matches!(self.peek(0), Some("-a" | "&&")) {
            self.at += 1;
            value &= self.one()?;
        }
        Ok(value)
    }
    fn one(&mut self) -> Result<bool, String> {
        let left = self.words.len() - self.at.min(self.words.len());
        let Some(first) = self.peek(0).map(str::to_owned) else { return Err("argument expected".to_owned()) };
        if left >= 3
            && let Some(value) = self.binary(&first)?
        {
            return Ok(value);
        }
        if first == "!" && left > 1 {
            self.at += 1;
            return self.one().map(|value| !value);
        }
        if first == "(" && left > 2 {
            self.at += 1;
            let value = self.or()?;
            if self.peek(0) != Some(")") {
                return Err("closing paren expected".to_owned());
            }
            self.at += 1;
            return Ok(value);
        }
        self.at += 1;
        if first.len() == 2
            && first.starts_with('-')
            && let Some(operand) = self.peek(0).map(str::to_owned)
            && let Some(value) = self.unary(&first, &operand)
        {
            self.at += 1;
            return Ok(value);
        }
        Ok(!first.is_empty())
    }
    fn unary(&self, operator: &str, operand: &str) -> Option<bool> {
        let found = || (self.look)(operand);
        Some(match operator {
            "-z" => operand.is_empty(),
            "-n" => !operand.is_empty(),
            "-e" | "-a" | "-r" | "-x" => found().is_some(),
            "-w" => found().is_some_and(|(_, writable)| writable),
            "-f" => matches!(found(), Some((Found::File(_), _))),
            "-d" => matches!(found(), Some((Found::Directory, _))),
            "-s" => matches!(found(), Some((Found::File(true), _))),
            "-t" | "-L" | "-h" | "-S" | "-p" | "-b" | "-c" => false,
            _ => return None,
        })
    }
    fn binary(&mut self, left: &str) -> Result<Option<bool>, String> {
        let (Some(operator), Some(right)) = (self.peek(1).map(str::to_owned), self.peek(2).map(str::to_owned)) else { return Ok(None) };
        let numbers = || {
            let parse = |text: &str| text.trim().parse::<i64>().map_err(|_| format!("{text}: bad number"));
            Ok::<_, String>((parse(left)?, parse(&right)?))
        };
        let value = match operator.as_str() {
            "=" | "==" if self.patterns => pattern::matches(&right, left),
            "!=" if self.patterns => !pattern::matches(&right, left),
            "=" | "==" => left == right,
            "!=" => left != right,
            "<" => left < right.as_str(),
            ">" => left > right.as_str(),
            "-eq" => numbers().map(|(a, b)| a == b)?,
            "-ne" => numbers().map(|(a, b)| a != b)?,
            "-lt" => numbers().map(|(a, b)| a < b)?,
            "-le" => numbers().map(|(a, b)| a <= b)?,
            "-gt" => numbers().map(|(a, b)| a > b)?,
            "-ge" => numbers().map(|(a, b)| a >= b)?,
            "-nt" | "-ot" | "-ef" => false,
            "=~" => left.contains(right.trim_start_matches('^').trim_end_matches('$')),
            _ => return Ok(None),
        };
        self.at += 3;
        Ok(Some(value))
    }
}
