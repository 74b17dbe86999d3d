//! Splits a YAML text into tokens, including the beginnings and ends of blocks, which only the indentation marks. Counterpart: goyaml v2's scanner, whose
//! rules decide what is a mistake, and with which message and line it is reported.
//!
//! Simplification: directives are skipped, because they precede a `---`, where kubectl has already split the text.

use super::Position;
use super::error::YamlError;

/// The type of a YAML token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    StreamEnd,
    Directive,
    DocumentStart,
    DocumentEnd,
    BlockSequence,
    BlockMapping,
    BlockEnd,
    FlowSequence,
    FlowSequenceEnd,
    FlowMapping,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias,
    Anchor,
    Tag,
    Plain,
    Quoted,
}

/// A position in the text: line and column are counted from 0.
#[derive(Clone, Copy, Default)]
pub(super) struct Mark {
    pub(super) index: usize,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// A token of a YAML text.
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: Mark,
    /// The text of a scalar, the name of an anchor, or a tag.
    pub(super) text: String,
}

/// A token that becomes a key if a colon follows it. Counterpart: `yaml_simple_key_t`.
#[derive(Clone, Copy, Default)]
struct SimpleKey {
    possible: bool,
    /// True if the token must become a key, because nothing else is allowed in its place.
    required: bool,
    /// The sequence number of the token among all tokens.
    token: usize,
    mark: Mark,
}

impl SimpleKey {
    /// Returns true if a colon at this position would still make the token a key: on the same line, and not too far away.
    fn is_near(&self, at: Mark) -> bool {
        self.mark.line == at.line && self.mark.index + LONGEST_KEY >= at.index
    }
}

/// Scans a YAML text token by token.
pub(super) struct Scanner {
    text: Vec<char>,
    /// The number of lines of the whole text before the part that is scanned.
    first_line: u32,
    pub(super) mark: Mark,
    /// The tokens that are scanned but not yet consumed.
    tokens: Vec<Token>,
    taken: usize,
    /// The column of the current block; `indents` has those of the blocks around it.
    pub(super) indent: i32,
    indents: Vec<i32>,
    pub(super) key_allowed: bool,
    /// The token that may become a key inside the innermost open bracket; `outside` keeps the tokens that may become keys around each open bracket.
    simple_key: SimpleKey,
    outside: Vec<SimpleKey>,
}

/// The maximum number of characters between the beginning of a key and its colon.
const LONGEST_KEY: usize = 1024;
const DEEPEST: usize = 10_000;
const NO_COLON: &str = "could not find expected ':'";

type Done = Result<(), YamlError>;

impl Scanner {
    /// Creates a scanner for a text that begins after `first_line` lines of the whole. A missing line break at the end is added, as kubectl does.
    pub(super) fn new(text: &str, first_line: usize) -> Self {
        let mut text: Vec<char> = text.chars().collect();
        if text.last() != Some(&'\n') {
            text.push('\n');
        }
        Scanner {
            text,
            first_line: first_line as u32,
            mark: Mark::default(),
            tokens: Vec::new(),
            taken: 0,
            indent: -1,
            indents: Vec::new(),
            key_allowed: true,
            simple_key: SimpleKey::default(),
            outside: Vec::new(),
        }
    }

    /// Returns the next token without consuming it.
    pub(super) fn peek(&mut self) -> Result<&Token, YamlError> {
        while self.tokens.is_empty() || self.awaits_colon()? {
            self.fetch()?;
        }
        Ok(&self.tokens[0])
    }
    /// Consumes and returns the next token.
    pub(super) fn take(&mut self) -> Result<Token, YamlError> {
        self.peek()?;
        self.taken += 1;
        Ok(self.tokens.remove(0))
    }

    /// Returns the position of a mark in the whole text.
    pub(super) fn position(&self, mark: Mark) -> Position {
        Position { line: self.first_line + mark.line + 1, column: mark.column + 1 }
    }
    /// Returns an error of goyaml's scanner, which counts lines from 1.
    #[cold]
    pub(super) fn mistake<T>(&self, problem: &str) -> Result<T, YamlError> {
        let line = if self.mark.line > 0 { self.mark.line + 1 } else { 0 };
        Err(YamlError::at_line(problem, line, self.position(self.mark)))
    }
    /// Returns an error of goyaml's parser, which counts lines from 0.
    #[cold]
    pub(super) fn misplaced<T>(&self, problem: &str, mark: Mark) -> Result<T, YamlError> {
        Err(YamlError::at_line(problem, mark.line, self.position(mark)))
    }

    /// Returns the character at an offset from the current one; `'\0'` after the end.
    pub(super) fn ahead(&self, offset: usize) -> char {
        self.text.get(self.mark.index + offset).copied().unwrap_or('\0')
    }
    pub(super) fn here(&self) -> char {
        self.ahead(0)
    }
    pub(super) fn blank_ahead(&self, offset: usize) -> bool {
        matches!(self.ahead(offset), ' ' | '\t' | '\n' | '\r' | '\0')
    }
    /// Consumes one character; returns `\n` for any kind of line break.
    pub(super) fn read(&mut self) -> char {
        let c = self.here();
        self.mark.index += 1;
        self.mark.column += 1;
        if matches!(c, '\n' | '\r') {
            self.mark.index += usize::from(c == '\r' && self.here() == '\n');
            self.mark.line += 1;
            self.mark.column = 0;
            return '\n';
        }
        c
    }
    /// Consumes the characters for which `fits` is true.
    pub(super) fn read_while(&mut self, fits: fn(char) -> bool) -> String {
        let mut read = String::new();
        while fits(self.here()) {
            read.push(self.read());
        }
        read
    }
    /// Consumes and returns the rest of a line, without the line break.
    pub(super) fn read_line(&mut self) -> String {
        self.read_while(|c| !matches!(c, '\n' | '\r' | '\0'))
    }
    /// Returns true if a line begins here with three characters `c` and a blank, as in `---`.
    pub(super) fn at_indicator(&self, c: char) -> bool {
        self.mark.column == 0 && (0..3).all(|i| self.ahead(i) == c) && self.blank_ahead(3)
    }
    pub(super) fn in_brackets(&self) -> bool {
        !self.outside.is_empty()
    }

    /// Returns true if the next token may turn out to be a key.
    fn awaits_colon(&mut self) -> Result<bool, YamlError> {
        let (taken, at) = (self.taken, self.mark);
        let all = self.outside.iter_mut().chain(std::iter::once(&mut self.simple_key));
        let Some(simple_key) = { all }.find(|c| c.possible && c.token == taken) else { return Ok(false) };
        simple_key.possible = simple_key.is_near(at);
        let SimpleKey { possible, required, .. } = *simple_key;
        if !possible && required { self.mistake(NO_COLON) } else { Ok(possible) }
    }
    /// Records that the next token may become a key.
    fn begin_candidate(&mut self) -> Done {
        if self.key_allowed {
            let required = !self.in_brackets() && self.indent == self.mark.column as i32;
            self.end_candidate()?;
            self.simple_key = SimpleKey { possible: true, required, token: self.taken + self.tokens.len(), mark: self.mark };
        }
        self.key_allowed = false;
        Ok(())
    }
    /// Records that the previous token cannot become a key any more.
    fn end_candidate(&mut self) -> Done {
        if self.simple_key.possible && self.simple_key.required {
            return self.mistake(NO_COLON);
        }
        self.simple_key.possible = false;
        Ok(())
    }

    /// Begins a block if the column of `mark` is further right than the current block. Inserts its token before the one with the sequence number `before`.
    fn begin_block(&mut self, kind: Kind, mark: Mark, before: usize) -> Done {
        let column = mark.column as i32;
        if !self.in_brackets() && self.indent < column {
            if self.indents.len() >= DEEPEST {
                return self.mistake("exceeded max depth of 10000");
            }
            self.indents.push(self.indent);
            self.indent = column;
            self.tokens.insert(before - self.taken, Token { kind, start: mark, text: String::new() });
        }
        Ok(())
    }
    /// Ends the blocks that begin further right than a column.
    fn end_blocks(&mut self, column: i32) {
        while !self.in_brackets() && self.indent > column {
            self.indent = self.indents.pop().unwrap_or(-1);
            self.push(Kind::BlockEnd, self.mark, String::new());
        }
    }

    pub(super) fn push(&mut self, kind: Kind, start: Mark, text: String) {
        self.tokens.push(Token { kind, start, text });
    }
    /// Adds a token that is `width` characters long.
    fn punctuation(&mut self, kind: Kind, width: usize) {
        let start = self.mark;
        for _ in 0..width {
            self.read();
        }
        self.push(kind, start, String::new());
    }

    /// Skips blanks and comments between tokens. Tabs count as blanks only where no key may begin.
    fn skip_blanks(&mut self) {
        loop {
            match self.here() {
                '\u{feff}' if self.mark.column == 0 => {}
                ' ' => {}
                '\t' if self.in_brackets() || !self.key_allowed => {}
                '#' => {
                    self.read_line();
                    continue;
                }
                '\n' | '\r' => self.key_allowed |= !self.in_brackets(),
                _ => return,
            }
            self.read();
        }
    }

    /// Scans one more token.
    fn fetch(&mut self) -> Done {
        self.skip_blanks();
        self.end_blocks(self.mark.column as i32);
        let followed = self.blank_ahead(1);
        let block = !self.in_brackets();
        match self.here() {
            '\0' => self.outside_blocks(Kind::StreamEnd, 0)?,
            '%' if self.mark.column == 0 => {
                self.outside_blocks(Kind::Directive, 1)?;
                self.directive()?;
            }
            '-' if self.at_indicator('-') => self.outside_blocks(Kind::DocumentStart, 3)?,
            '.' if self.at_indicator('.') => self.outside_blocks(Kind::DocumentEnd, 3)?,
            '[' => self.open(Kind::FlowSequence)?,
            '{' => self.open(Kind::FlowMapping)?,
            ']' => self.close(Kind::FlowSequenceEnd)?,
            '}' => self.close(Kind::FlowMappingEnd)?,
            ',' => {
                self.end_candidate()?;
                self.key_allowed = true;
                self.punctuation(Kind::FlowEntry, 1);
            }
            '-' if followed => {
                self.begin_entry(Kind::BlockSequence, "block sequence entries are not allowed in this context")?;
                self.end_candidate()?;
                self.key_allowed = true;
                self.punctuation(Kind::BlockEntry, 1);
            }
            '?' if followed || !block => {
                self.begin_entry(Kind::BlockMapping, "mapping keys are not allowed in this context")?;
                self.end_candidate()?;
                self.key_allowed = block;
                self.punctuation(Kind::Key, 1);
            }
            ':' if followed || !block => self.colon()?,
            '*' => self.named(Kind::Alias)?,
            '&' => self.named(Kind::Anchor)?,
            '!' => {
                self.begin_candidate()?;
                self.tag()?;
            }
            '|' | '>' if block => {
                self.end_candidate()?;
                self.key_allowed = true;
                self.block_scalar()?;
            }
            quote @ ('\'' | '"') => {
                self.begin_candidate()?;
                self.quoted_scalar(quote)?;
            }
            '-' if !matches!(self.ahead(1), ' ' | '\t') => self.begin_plain()?,
            '?' | ':' if block => self.begin_plain()?,
            '-' | '?' | ':' | '#' | '|' | '>' | '%' | '@' | '`' | '\t' => {
                return self.mistake("found character that cannot start any token");
            }
            _ => self.begin_plain()?,
        }
        Ok(())
    }
    fn begin_plain(&mut self) -> Done {
        self.begin_candidate()?;
        self.plain_scalar()
    }

    /// Adds a token that ends all blocks, such as `---`.
    fn outside_blocks(&mut self, kind: Kind, width: usize) -> Done {
        self.end_blocks(-1);
        self.end_candidate()?;
        self.key_allowed = false;
        self.punctuation(kind, width);
        Ok(())
    }
    fn open(&mut self, kind: Kind) -> Done {
        self.begin_candidate()?;
        if self.outside.len() >= DEEPEST {
            return self.mistake("exceeded max depth of 10000");
        }
        self.outside.push(std::mem::take(&mut self.simple_key));
        self.key_allowed = true;
        self.punctuation(kind, 1);
        Ok(())
    }
    fn close(&mut self, kind: Kind) -> Done {
        self.end_candidate()?;
        self.simple_key = self.outside.pop().unwrap_or_default();
        self.key_allowed = false;
        self.punctuation(kind, 1);
        Ok(())
    }
    /// Begins a block for a list item or a key if needed; fails where these are not allowed.
    fn begin_entry(&mut self, kind: Kind, problem: &str) -> Done {
        if !self.in_brackets() && !self.key_allowed {
            return self.mistake(problem);
        }
        self.begin_block(kind, self.mark, self.taken + self.tokens.len())
    }
    fn colon(&mut self) -> Done {
        let SimpleKey { possible, required, token, mark } = self.simple_key;
        if possible && self.simple_key.is_near(self.mark) {
            self.simple_key.possible = false;
            self.tokens.insert(token - self.taken, Token { kind: Kind::Key, start: mark, text: String::new() });
            self.begin_block(Kind::BlockMapping, mark, token)?;
            self.key_allowed = false;
        } else if possible && required {
            return self.mistake(NO_COLON);
        } else {
            self.simple_key.possible = false;
            self.begin_entry(Kind::BlockMapping, "mapping values are not allowed in this context")?;
            self.key_allowed = !self.in_brackets();
        }
        self.punctuation(Kind::Value, 1);
        Ok(())
    }
    /// Scans an anchor or an alias.
    fn named(&mut self, kind: Kind) -> Done {
        self.begin_candidate()?;
        let start = self.mark;
        self.read();
        let name = self.read_while(is_word);
        if name.is_empty() || !(self.blank_ahead(0) || matches!(self.here(), '?' | ':' | ',' | ']' | '}' | '%' | '@' | '`')) {
            return self.mistake("did not find expected alphabetic or numeric character");
        }
        self.push(kind, start, name);
        Ok(())
    }
    /// Scans a tag such as `!!str`; its text is kept as written, without expanding the handle.
    fn tag(&mut self) -> Done {
        let start = self.mark;
        let tag = self.read_while(|c| is_word(c) || matches!(c, '!' | '<' | '>') || ";/?:@&=+$.,~*'()[]%".contains(c));
        if tag == "!!" {
            return self.mistake("did not find expected tag URI");
        }
        if !self.blank_ahead(0) {
            return self.mistake("did not find expected whitespace or line break");
        }
        self.push(Kind::Tag, start, tag);
        Ok(())
    }
    /// Skips a directive, which is a line that begins with `%`.
    fn directive(&mut self) -> Done {
        let name = self.read_while(is_word);
        match &*name {
            "" => return self.mistake("could not find expected directive name"),
            "YAML" | "TAG" => drop(self.read_line()),
            _ => return self.mistake("found unknown directive name"),
        }
        Ok(())
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}
