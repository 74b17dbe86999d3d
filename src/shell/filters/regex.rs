//! Regular expressions, basic and extended, in linear time. Counterpart: what `grep` and `sed` take; no back-references.
//!
//! A pattern becomes a small program of character tests and jumps. All its threads walk over the text together, so no pattern can hang; each
//! thread knows where it began, so the leftmost and then longest match comes out, as POSIX wants it.

/// A pattern that is ready to be looked for.
#[derive(Clone, Debug)]
pub struct Regex {
    steps: Vec<Step>,
    fold: bool,
}

/// How a pattern is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Dialect {
    /// `\(a\|b\)\{2\}`
    Basic,
    /// `(a|b){2}`
    Extended,
    /// Every character means itself.
    Fixed,
}

/// What must hold around a match.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Around {
    /// Nothing.
    Anything,
    /// It is a word (`-w`).
    Word,
    /// It is the line (`-x`).
    Line,
}

#[derive(Clone, Debug)]
enum Step {
    Char(Set),
    /// Both ways; the first is longer.
    Split(usize, usize),
    Jump(usize),
    Assert(Place),
    Match,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    Start,
    End,
    Boundary(bool),
    NoWordBefore,
    NoWordAfter,
    WordStart,
    WordEnd,
}

/// A set of characters.
#[derive(Clone, Debug)]
struct Set {
    not: bool,
    ranges: Vec<(char, char)>,
}

impl Set {
    fn one(c: char) -> Set {
        Set { not: false, ranges: vec![(c, c)] }
    }
    fn has(&self, c: char) -> bool {
        self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != self.not
    }
    fn has_folded(&self, c: char) -> bool {
        self.has(c) || self.has(other_case(c))
    }
}

fn other_case(c: char) -> char {
    if c.is_lowercase() { c.to_uppercase().next().unwrap_or(c) } else { c.to_lowercase().next().unwrap_or(c) }
}

fn is_word(c: Option<char>) -> bool {
    c.is_some_and(|c| c == '_' || c.is_alphanumeric())
}

/// A pattern of more steps is refused.
const MAX_STEPS: usize = 2_000;
const MAX_DEPTH: usize = 50;

const WORD: &[(char, char)] = &[('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')];
const SPACE: &[(char, char)] = &[(' ', ' '), ('\t', '\r')];
const DIGIT: &[(char, char)] = &[('0', '9')];

/// The ranges of `[:name:]`.
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

impl Regex {
    /// Reads patterns; a text that fits one of them is a match.
    pub fn new(patterns: &[&str], dialect: Dialect, fold: bool, around: Around) -> Result<Regex, &'static str> {
        let mut steps = Vec::new();
        let mut ends = Vec::new();
        for (n, pattern) in patterns.iter().enumerate() {
            let split = steps.len();
            if n + 1 < patterns.len() {
                steps.push(Step::Jump(0));
            }
            let (before, after) = match around {
                Around::Anything => (None, None),
                Around::Word => (Some(Place::NoWordBefore), Some(Place::NoWordAfter)),
                Around::Line => (Some(Place::Start), Some(Place::End)),
            };
            steps.extend(before.map(Step::Assert));
            let mut reader = Reader { chars: pattern.chars().collect(), at: 0, dialect, steps, depth: 0 };
            reader.alternatives()?;
            if reader.at < reader.chars.len() {
                return Err("Unmatched ) or \\)");
            }
            steps = reader.steps;
            steps.extend(after.map(Step::Assert));
            if n + 1 < patterns.len() {
                ends.push(steps.len());
                steps.push(Step::Jump(0));
                let next = steps.len();
                set(&mut steps, split, Step::Split(split + 1, next));
            }
        }
        let end = steps.len();
        ends.into_iter().for_each(|at| set(&mut steps, at, Step::Jump(end)));
        steps.push(Step::Match);
        if steps.len() > MAX_STEPS {
            return Err("Regular expression too big");
        }
        Ok(Regex { steps, fold })
    }
    /// Whether there is a match.
    pub fn is_match(&self, text: &str) -> bool {
        self.walk(text, 0, true).is_some()
    }
    /// The leftmost longest match from a place on: its first byte, and the one after its last.
    pub fn find(&self, text: &str, from: usize) -> Option<(usize, usize)> {
        self.walk(text, from, false)
    }
    fn walk(&self, text: &str, from: usize, any: bool) -> Option<(usize, usize)> {
        let mut threads = Threads { list: Vec::new(), seen: vec![0; self.steps.len()], mark: 0, stack: Vec::new() };
        let mut next: Vec<(usize, usize)> = Vec::new();
        let mut found: Option<(usize, usize)> = None;
        let mut before = text.get(..from)?.chars().next_back();
        let mut rest = text.get(from..)?.chars();
        let mut at = from;
        loop {
            let c = rest.clone().next();
            threads.begin();
            for (pc, began) in next.drain(..) {
                threads.add(&self.steps, pc, began, before, c);
            }
            if found.is_none() {
                threads.add(&self.steps, 0, at, before, c);
            }
            for &(pc, began) in &threads.list {
                if found.is_some_and(|(first, _)| began > first) {
                    continue;
                }
                match self.steps.get(pc) {
                    Some(Step::Match) => {
                        found = Some((began, at));
                        if any {
                            return found;
                        }
                    }
                    Some(Step::Char(set)) if c.is_some_and(|c| if self.fold { set.has_folded(c) } else { set.has(c) }) => {
                        next.push((pc + 1, began))
                    }
                    _ => {}
                }
            }
            if let Some((first, _)) = found {
                next.retain(|(_, began)| *began <= first);
                if next.is_empty() {
                    return found;
                }
            }
            let Some(c) = rest.next() else { return found };
            at += c.len_utf8();
            before = Some(c);
        }
    }
}

fn set(steps: &mut [Step], at: usize, step: Step) {
    if let Some(place) = steps.get_mut(at) {
        *place = step;
    }
}

/// Where the threads of a walk are; the ones that began first come first.
struct Threads {
    list: Vec<(usize, usize)>,
    seen: Vec<u32>,
    mark: u32,
    stack: Vec<usize>,
}

impl Threads {
    fn begin(&mut self) {
        self.list.clear();
        self.mark += 1;
    }
    /// Follows jumps to the next character tests.
    fn add(&mut self, steps: &[Step], pc: usize, began: usize, before: Option<char>, after: Option<char>) {
        self.stack.push(pc);
        while let Some(pc) = self.stack.pop() {
            let Some(seen) = self.seen.get_mut(pc) else { continue };
            if *seen == self.mark {
                continue;
            }
            *seen = self.mark;
            match steps.get(pc) {
                Some(Step::Jump(to)) => self.stack.push(*to),
                Some(Step::Split(a, b)) => self.stack.extend([*b, *a]),
                Some(Step::Assert(place)) if place.holds(before, after) => self.stack.push(pc + 1),
                Some(Step::Assert(_)) | None => {}
                Some(_) => self.list.push((pc, began)),
            }
        }
    }
}

impl Place {
    fn holds(self, before: Option<char>, after: Option<char>) -> bool {
        let (left, right) = (is_word(before), is_word(after));
        match self {
            Place::Start => before.is_none(),
            Place::End => after.is_none(),
            Place::Boundary(wanted) => (left != right) == wanted,
            Place::NoWordBefore => !left,
            Place::NoWordAfter => !right,
            Place::WordStart => !left && right,
            Place::WordEnd => left && !right,
        }
    }
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    dialect: Dialect,
    steps: Vec<Step>,
    depth: usize,
}

impl Reader {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }
    /// Whether an operator stands here: bare in one dialect, behind a backslash in the other.
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
    fn alternatives(&mut self) -> Result<(), &'static str> {
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
    /// `{2}`, `{2,}`, `{,3}`, `{2,3}`; anything else in an extended pattern is a brace.
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
    /// Makes room before what was read since `start`; its jumps move along.
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

impl Step {
    fn moved(self, by: usize) -> Step {
        match self {
            Step::Split(a, b) => Step::Split(a + by, b + by),
            Step::Jump(to) => Step::Jump(to + by),
            step => step,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, dialect: Dialect, text: &str) -> Option<String> {
        let regex = Regex::new(&[pattern], dialect, false, Around::Anything).expect(pattern);
        let span = regex.find(text, 0);
        assert_eq!(regex.is_match(text), span.is_some());
        span.map(|(from, to)| text[from..to].to_owned())
    }

    #[test]
    fn the_leftmost_longest_match_is_found() {
        use Dialect::{Basic, Extended, Fixed};
        for (pattern, dialect, text, wanted) in [
            ("b*", Basic, "aabb", Some("")),
            ("bb*", Basic, "aabbb", Some("bbb")),
            ("a|ab", Extended, "xab", Some("ab")),
            ("(a|b)+c", Extended, "xabac", Some("abac")),
            (r"\(a\|b\)\+c", Basic, "xabac", Some("abac")),
            ("a+", Basic, "aa a+", Some("a+")),
            ("*a", Basic, "a*a", Some("*a")),
            ("^status:", Basic, "status: x", Some("status:")),
            ("^status:", Basic, "  status: x", None),
            ("a$", Basic, "ba", Some("a")),
            ("a$b", Basic, "a$b", Some("a$b")),
            ("[0-9]{2,3}", Extended, "1 2345", Some("234")),
            ("[0-9]{,2}x", Extended, "123x", Some("23x")),
            (r"[^[:space:]]\+", Basic, "  pod/a b", Some("pod/a")),
            ("[]a]+", Extended, "x]a]", Some("]a]")),
            ("[a-c-]+", Extended, "d-ab", Some("-ab")),
            (r"\bweb\b", Extended, "webs web", Some("web")),
            (r"\d+/\d+", Extended, "READY 10/12", Some("10/12")),
            ("a.c", Fixed, "abc a.c", Some("a.c")),
            ("ü+", Extended, "grüün", Some("üü")),
            ("(a?){3}b", Extended, "aab", Some("aab")),
            ("x{a}", Extended, "x{a}", Some("x{a}")),
            ("()", Extended, "x", Some("")),
            ("a(b(c|d)*)?e", Extended, "abcdce", Some("abcdce")),
        ] {
            assert_eq!(found(pattern, dialect, text).as_deref(), wanted, "{pattern} in {text}");
        }
    }

    #[test]
    fn bad_patterns_are_refused_and_none_hangs() {
        for pattern in ["(", ")", "[a", "[z-a]", "a{3,2}", r"\", r"(a)\1", "[[:no:]]", "((a{50}){50}){50}"] {
            assert!(Regex::new(&[pattern], Dialect::Extended, false, Around::Anything).is_err(), "{pattern}");
        }
        let slow = Regex::new(&["(a*)*(a|aa)+b"], Dialect::Extended, false, Around::Anything).expect("a pattern");
        assert!(!slow.is_match(&"a".repeat(5_000)));
    }
}
