//! Scans scalars: plain, in quotes, or in a block of lines. Counterpart: the second half of goyaml v2's scanner.

use super::error::YamlError;
use super::tokens::{Kind, Scanner};

type Done = Result<(), YamlError>;

/// The space between two words of a scalar: blanks in one line, or line breaks that are folded.
#[derive(Default)]
struct Gap {
    blanks: String,
    /// True if there was a line break in the gap.
    broken: bool,
    /// True if the line break was escaped, so that it does not count.
    escaped: bool,
    /// The line breaks of empty lines, which are kept.
    empty: String,
}

impl Gap {
    fn add(&mut self, c: char) {
        match c {
            '\n' if self.broken => self.empty.push(c),
            '\n' => self.broken = true,
            _ if !self.broken => self.blanks.push(c),
            _ => {}
        }
    }
    fn join(self, text: &mut String) {
        text.push_str(match self {
            Gap { broken: false, .. } => &self.blanks,
            Gap { escaped: false, .. } if self.empty.is_empty() => " ",
            _ => &self.empty,
        });
    }
}

impl Scanner {
    fn at_break(&self) -> bool {
        matches!(self.here(), '\n' | '\r')
    }
    fn at_line_end(&self) -> bool {
        self.at_break() || self.here() == '\0'
    }
    fn at_tab_or_space(&self) -> bool {
        matches!(self.here(), ' ' | '\t')
    }
    fn at_document_indicator(&self) -> bool {
        self.at_indicator('-') || self.at_indicator('.')
    }

    /// Scans a scalar without quotes.
    pub(super) fn plain_scalar(&mut self) -> Done {
        let (start, least) = (self.mark, self.indent + 1);
        let (mut text, mut gap) = (String::new(), Gap::default());
        while !self.at_document_indicator() && self.here() != '#' {
            while !self.blank_ahead(0) && !self.ends_plain() {
                std::mem::take(&mut gap).join(&mut text);
                text.push(self.read());
            }
            if !self.at_tab_or_space() && !self.at_break() {
                break;
            }
            while self.at_tab_or_space() || self.at_break() {
                if gap.broken && self.here() == '\t' && (self.mark.column as i32) < least {
                    return self.mistake("found a tab character that violates indentation");
                }
                gap.add(self.read());
            }
            if !self.in_brackets() && (self.mark.column as i32) < least {
                break;
            }
        }
        self.push(Kind::Plain, start, text);
        self.key_allowed |= gap.broken;
        Ok(())
    }
    fn ends_plain(&self) -> bool {
        match self.here() {
            ':' => self.blank_ahead(1) || self.in_brackets() && matches!(self.ahead(1), ',' | '[' | ']' | '{' | '}'),
            ',' | '[' | ']' | '{' | '}' => self.in_brackets(),
            _ => false,
        }
    }

    /// Scans a scalar in single or double quotes.
    pub(super) fn quoted_scalar(&mut self, quote: char) -> Done {
        let start = self.mark;
        let mut text = String::new();
        self.read();
        loop {
            if self.at_document_indicator() {
                return self.mistake("found unexpected document indicator");
            }
            if self.here() == '\0' {
                return self.mistake("found unexpected end of stream");
            }
            let mut gap = Gap::default();
            while !self.blank_ahead(0) {
                match self.read() {
                    '\'' if quote == '\'' && self.here() == '\'' => text.push(self.read()),
                    c if c == quote => {
                        self.push(Kind::Quoted, start, text);
                        return Ok(());
                    }
                    '\\' if quote == '"' && self.at_break() => {
                        self.read();
                        (gap.broken, gap.escaped) = (true, true);
                        break;
                    }
                    '\\' if quote == '"' => text.push(self.escape()?),
                    c => text.push(c),
                }
            }
            while self.at_tab_or_space() || self.at_break() {
                gap.add(self.read());
            }
            gap.join(&mut text);
        }
    }
    /// Returns the character for the escape sequence after a backslash.
    fn escape(&mut self) -> Result<char, YamlError> {
        let escape = self.here();
        let known = "0\0a\u{7}b\u{8}t\t\t\tn\nv\u{b}f\u{c}r\re\u{1b}  \"\"//''\\\\N\u{85}_\u{a0}L\u{2028}P\u{2029}x2u4U8";
        let mut pairs = known.chars();
        let Some((_, meaning)) = std::iter::from_fn(|| pairs.next().zip(pairs.next())).find(|(name, _)| *name == escape) else {
            return self.mistake("found unknown escape character");
        };
        let digits = match escape {
            'x' | 'u' | 'U' => meaning.to_digit(10).unwrap_or(0),
            _ => {
                self.read();
                return Ok(meaning);
            }
        };
        self.read();
        let mut code = 0;
        for i in 0..digits {
            let Some(digit) = self.ahead(i as usize).to_digit(16) else {
                return self.mistake("did not find expected hexdecimal number");
            };
            code = code << 4 | digit;
        }
        let Some(c) = char::from_u32(code) else {
            return self.mistake("found invalid Unicode character escape code");
        };
        for _ in 0..digits {
            self.read();
        }
        Ok(c)
    }

    /// Scans a block scalar (`|` or `>`): the lines that are indented further than the block around them. The position of the scalar is its first line.
    pub(super) fn block_scalar(&mut self) -> Done {
        let literal = self.read() == '|';
        let (mut chomp, mut indent) = (' ', 0);
        for _ in 0..2 {
            match self.here() {
                '+' | '-' if chomp == ' ' => chomp = self.read(),
                '0' if indent == 0 => return self.mistake("found an indentation indicator equal to 0"),
                c @ '1'..='9' if indent == 0 => {
                    indent = self.indent.max(0) + c as i32 - '0' as i32;
                    self.read();
                }
                _ => {}
            }
        }
        self.read_while(|c| matches!(c, ' ' | '\t'));
        if self.here() == '#' {
            self.read_line();
        }
        if !self.at_line_end() {
            return self.mistake("did not find expected comment or line break");
        }
        self.read();
        let (mut text, mut after_blank, mut ended) = (String::new(), false, false);
        let mut empty = self.empty_lines(&mut indent)?;
        let start = self.mark;
        while self.mark.column as i32 == indent && self.here() != '\0' {
            let blank = self.at_tab_or_space();
            if ended && (literal || after_blank || blank) {
                text.push('\n');
            } else if ended && empty.is_empty() {
                text.push(' ');
            }
            text.push_str(&empty);
            text.push_str(&self.read_line());
            (after_blank, ended) = (blank, self.at_break());
            if ended {
                self.read();
            }
            empty = self.empty_lines(&mut indent)?;
        }
        if chomp != '-' && ended {
            text.push('\n');
        }
        if chomp == '+' {
            text.push_str(&empty);
        }
        self.push(Kind::Quoted, start, text);
        Ok(())
    }
    /// Reads empty lines and the indentation of the line after them, and returns the line breaks. If the indentation of the block is not known yet, the
    /// deepest one found becomes it.
    fn empty_lines(&mut self, indent: &mut i32) -> Result<String, YamlError> {
        let (mut empty, mut furthest) = (String::new(), 0);
        loop {
            let further = |scanner: &Scanner| *indent == 0 || (scanner.mark.column as i32) < *indent;
            while further(self) && self.here() == ' ' {
                self.read();
            }
            furthest = furthest.max(self.mark.column as i32);
            if further(self) && self.here() == '\t' {
                return self.mistake("found a tab character where an indentation space is expected");
            }
            if !self.at_break() {
                break;
            }
            empty.push(self.read());
        }
        if *indent == 0 {
            *indent = furthest.max(self.indent + 1).max(1);
        }
        Ok(empty)
    }
}
