//! Compiles a regular expression into the steps that `super::regex` executes.

use super::regex::{Dialect, Place, Set, Step, set};

/// The maximum number of steps of a compiled pattern.
pub const MAX_STEPS: usize = 2_000;
const MAX_DEPTH: usize = 50;

const WORD: &[(char, char)] = &[('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')];
const SPACE: &[(char, char)] = &[(' ', ' '), ('\t', '\r')];
const DIGIT: &[(char, char)] = &[('0', '9')];

/// Returns the character ranges of the class `[:name:]`; `None` if there is no such class.
fn class(name: &str) -> Option<Vec<(char, char)>> {
    Some(match name {
        "alpha" => vec![('a', 'z'), ('A', 'Z')],
        "digit" => DIGIT.to_vec(),
        "alnum" => WORD.iter().copied().take(3).collect(),
        "upper" => vec![('A', 'Z')],
        "lower" => vec![('a', 'z')],
        "space" => SPACE.to_vec(),
        "blank" => vec![(' ', ' '), ('\t', '\t')],
        "punct" => vec![('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        "xdigit" => vec![('0', '9'), ('a', 'f'), ('A', 'F')],
        _ => return None,
    })
}

/// A compiler of one pattern: the pattern, the position in it, and the steps compiled so far.
pub struct Reader {
    chars: Vec<char>,
    at: usize,
    dialect: Dialect,
    steps: Vec<Step>,
    depth: usize,
}

impl Reader {
    /// Creates a compiler that appends the steps of a pattern to `steps`.
    pub fn new(pattern: &str, dialect: Dialect, steps: Vec<Step>) -> Reader {
        Reader { chars: pattern.chars().collect(), at: 0, dialect, steps, depth: 0 }
    }
    /// Returns the compiled steps; fails if the pattern has an unmatched `)`.
    pub fn finish(self) -> Result<Vec<Step>, &'static str> {
        if self.at < self.chars.len() { Err("Unmatched ) or \\)") } else { Ok(self.steps) }
    }
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }
    /// Returns whether an operator comes next: bare in extended patterns, after a backslash in basic ones.
    fn sees(&self, operator: char) -> bool {
        match self.dialect {
            Dialect::Fixed => false,
            Dialect::Extended => self.peek(0) == Some(operator),
            Dialect::Basic => self.peek(0) == Some('\\') && self.peek(1) == Some(operator),
        }
    }
    fn takes(&mut self, operator: char) -> bool {
        let sees = self.sees(operator);
        if sees {
            self.at += if self.dialect == Dialect::Basic { 2 } else { 1 };
        }
        sees
    }
    fn push(&mut self, step: Step) -> Result<(), &'static str> {
        self.steps.push(step);
        if self.steps.len() > MAX_STEPS { Err("Regular expression too big") } else { Ok(()) }
    }
    /// Compiles alternatives that are separated by `|`.
    pub fn alternatives(&mut self) -> Result<(), &'static str> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("Regular expression too big");
        }
        let mut ends = Vec::new();
        loop {
            let start = self.steps.len();
            self.branch()?;
            if !self.takes('|') {
                break;
            }
            self.insert(start, 1);
            ends.push(self.steps.len());
            self.push(Step::Jump(0))?;
            let next = self.steps.len();
            set(&mut self.steps, start, Step::Split(start + 1, next));
        }
        let end = self.steps.len();
        ends.into_iter().for_each(|at| set(&mut self.steps, at, Step::Jump(end)));
        self.depth -= 1;
        Ok(())
    }
    fn branch(&mut self) -> Result<(), &'static str> {
        let first = self.at;
        while self.at < self.chars.len() && !self.sees('|') && !self.sees(')') {
            let start = self.steps.len();
            let opens = self.at == first;
            self.atom(opens)?;
            self.repeats(start)?;
        }
        Ok(())
    }
    fn atom(&mut self, opens: bool) -> Result<(), &'static str> {
        if self.takes('(') {
            self.alternatives()?;
            return if self.takes(')') { Ok(()) } else { Err("Unmatched ( or \\(") };
        }
        let Some(c) = self.peek(0) else { return Ok(()) };
        self.at += 1;
        if self.dialect == Dialect::Fixed {
            return self.push(Step::Char(Set::one(c)));
        }
        let extended = self.dialect == Dialect::Extended;
        let step = match c {
            '.' => Step::Char(Set { not: true, ranges: Vec::new() }),
            '[' => Step::Char(self.bracket()?),
            '^' if extended || opens => Step::Assert(Place::Start),
            '$' if extended || self.at == self.chars.len() || self.sees(')') || self.sees('|') => Step::Assert(Place::End),
            '\\' => self.escape()?,
            c => Step::Char(Set::one(c)),
        };
        self.push(step)
    }
    fn escape(&mut self) -> Result<Step, &'static str> {
        let Some(c) = self.peek(0) else { return Err("Trailing backslash") };
        self.at += 1;
        let set = |not, ranges: &[(char, char)]| Step::Char(Set { not, ranges: ranges.to_vec() });
        Ok(match c {
            'w' => set(false, WORD),
            'W' => set(true, WORD),
            's' => set(false, SPACE),
            'S' => set(true, SPACE),
            'd' => set(false, DIGIT),
            'D' => set(true, DIGIT),
            'b' => Step::Assert(Place::Boundary(true)),
            'B' => Step::Assert(Place::Boundary(false)),
            '<' => Step::Assert(Place::WordStart),
            '>' => Step::Assert(Place::WordEnd),
            't' => Step::Char(Set::one('\t')),
            'n' => Step::Char(Set::one('\n')),
            '1'..='9' => return Err("Back-references are not supported here"),
            c => Step::Char(Set::one(c)),
        })
    }
    fn bracket(&mut self) -> Result<Set, &'static str> {
        const OPEN: &str = "Unmatched [, [^, [:, [., or [=";
        let not = self.peek(0) == Some('^');
        self.at += usize::from(not);
        let mut ranges = Vec::new();
        let first = self.at;
        loop {
            let c = self.peek(0).ok_or(OPEN)?;
            self.at += 1;
            if c == ']' && self.at > first + 1 {
                return Ok(Set { not, ranges });
            }
            if c == '[' && self.peek(0) == Some(':') {
                let rest = self.chars.get(self.at + 1..).unwrap_or(&[]);
                let len = rest.windows(2).position(|w| w == [':', ']']).ok_or(OPEN)?;
                let name: String = rest.iter().take(len).collect();
                ranges.extend(class(&name).ok_or("Invalid character class name")?);
                self.at += len + 3;
                continue;
            }
            let to = self.peek(1).filter(|to| self.peek(0) == Some('-') && *to != ']');
            if let Some(to) = to {
                self.at += 2;
                if to < c {
                    return Err("Invalid range end");
                }
                ranges.push((c, to));
            } else {
                ranges.push((c, c));
            }
        }
    }
    fn repeats(&mut self, start: usize) -> Result<(), &'static str> {
        if self.dialect == Dialect::Fixed {
            return Ok(());
        }
        loop {
            if self.peek(0) == Some('*') {
                self.at += 1;
                self.repeat(start, 0, None)?;
            } else if self.takes('+') {
                self.repeat(start, 1, None)?;
            } else if self.takes('?') {
                self.repeat(start, 0, Some(1))?;
            } else if self.sees('{') {
                let Some((min, max)) = self.bounds()? else { return Ok(()) };
                self.repeat(start, min, max)?;
            } else {
                return Ok(());
            }
        }
    }
    /// Reads `{2}`, `{2,}`, `{,3}` or `{2,3}`; in an extended pattern anything else is a literal brace.
    fn bounds(&mut self) -> Result<Option<(usize, Option<usize>)>, &'static str> {
        let back = self.at;
        self.takes('{');
        let min = self.number();
        let comma = self.peek(0) == Some(',');
        self.at += usize::from(comma);
        let max = if comma { self.number() } else { min };
        if !self.takes('}') || (min.is_none() && max.is_none()) {
            if self.dialect == Dialect::Basic {
                return Err("Unmatched \\{");
            }
            self.at = back + 1;
            self.push(Step::Char(Set::one('{')))?;
            return Ok(None);
        }
        let min = min.unwrap_or(0);
        if max.is_some_and(|max| max < min) {
            return Err("Invalid content of \\{\\}");
        }
        Ok(Some((min, max)))
    }
    fn number(&mut self) -> Option<usize> {
        let mut value = None;
        while let Some(digit) = self.peek(0).and_then(|c| c.to_digit(10)) {
            self.at += 1;
            value = Some((value.unwrap_or(0) * 10 + digit as usize).min(MAX_STEPS));
        }
        value
    }
    /// Inserts `room` steps at `start`, and adjusts the jump targets of the steps after them.
    fn insert(&mut self, start: usize, room: usize) {
        let moved = self.steps.split_off(start);
        (0..room).for_each(|_| self.steps.push(Step::Jump(start + room)));
        self.steps.extend(moved.into_iter().map(|step| step.moved(room)));
    }
    fn repeat(&mut self, start: usize, min: usize, max: Option<usize>) -> Result<(), &'static str> {
        let body = self.steps.split_off(start);
        let len = body.len();
        let copies = max.unwrap_or(min).max(min);
        if copies.saturating_mul(len + 1) > MAX_STEPS {
            return Err("Regular expression too big");
        }
        let copy = |reader: &mut Reader| {
            let by = reader.steps.len() - start;
            reader.steps.extend(body.iter().map(|step| step.clone().moved(by)));
        };
        (0..min).for_each(|_| copy(self));
        match max {
            None => {
                let split = self.steps.len();
                self.push(Step::Jump(0))?;
                copy(self);
                self.push(Step::Jump(split))?;
                let next = self.steps.len();
                set(&mut self.steps, split, Step::Split(split + 1, next));
            }
            Some(max) => {
                let end = self.steps.len() + (max - min) * (len + 1);
                for _ in min..max {
                    let next = self.steps.len() + 1;
                    self.push(Step::Split(next, end))?;
                    copy(self);
                }
            }
        }
        if self.steps.len() > MAX_STEPS { Err("Regular expression too big") } else { Ok(()) }
    }
}
