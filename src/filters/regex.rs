//! Regular expressions, basic and extended, in linear time. Counterpart: the expressions of `grep` and `sed`, without back-references.
//!
//! A pattern is compiled to a small program of character tests and jumps. All threads of the program advance over the text together, so no pattern can
//! hang; each thread knows where it started, so the search finds the leftmost and then the longest match, as POSIX requires.
//!
//! This implementation is our own, because the `regex` crate takes the first alternative that matches instead of the longest: in `foobar`, the expression
//! `foo|foobar` matches the whole text here and `foo` there. Nor does that crate support basic expressions, in which `\(` opens a group and `(` is a
//! literal.

use super::regex_compiler::{MAX_STEPS, Reader};

/// A compiled regular expression.
#[derive(Clone, Debug)]
pub struct Regex {
    steps: Vec<Step>,
    fold: bool,
}

/// The syntax of a regular expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Dialect {
    /// Basic: `\(a\|b\)\{2\}`.
    Basic,
    /// Extended: `(a|b){2}`.
    Extended,
    /// Every character of the pattern is a literal.
    Fixed,
}

/// The condition on the text around a match.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MatchScope {
    /// No condition.
    Anything,
    /// The match is a whole word (`-w`).
    Word,
    /// The match is the whole line (`-x`).
    Line,
}

#[derive(Clone, Debug)]
pub enum Step {
    Char(Set),
    /// Continues as two threads, at both of these steps.
    Split(usize, usize),
    Jump(usize),
    Assert(Place),
    Match,
}

#[derive(Clone, Copy, Debug)]
pub enum Place {
    Start,
    End,
    Boundary(bool),
    NoWordBefore,
    NoWordAfter,
    WordStart,
    WordEnd,
}

/// A set of characters that a step accepts.
#[derive(Clone, Debug)]
pub struct Set {
    pub not: bool,
    pub ranges: Vec<(char, char)>,
}

impl Set {
    pub fn one(c: char) -> Set {
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
    if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
}

fn is_word(c: Option<char>) -> bool {
    c.is_some_and(|c| c == '_' || c.is_ascii_alphanumeric())
}

impl Regex {
    /// Compiles patterns into one expression; a text matches if it matches one of them. `fold` ignores case.
    pub fn new(patterns: &[&str], dialect: Dialect, fold: bool, scope: MatchScope) -> Result<Regex, &'static str> {
        let mut steps = Vec::new();
        let mut ends = Vec::new();
        for (n, pattern) in patterns.iter().enumerate() {
            let split = steps.len();
            if n + 1 < patterns.len() {
                steps.push(Step::Jump(0));
            }
            let (before, after) = match scope {
                MatchScope::Anything => (None, None),
                MatchScope::Word => (Some(Place::NoWordBefore), Some(Place::NoWordAfter)),
                MatchScope::Line => (Some(Place::Start), Some(Place::End)),
            };
            steps.extend(before.map(Step::Assert));
            let mut reader = Reader::new(pattern, dialect, steps);
            reader.alternatives()?;
            steps = reader.finish()?;
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
    /// Returns whether a text has a match.
    pub fn is_match(&self, text: &str) -> bool {
        self.walk(text, 0, true).is_some()
    }
    /// Returns the byte range of the leftmost longest match at or after `from`.
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

pub fn set(steps: &mut [Step], at: usize, step: Step) {
    if let Some(place) = steps.get_mut(at) {
        *place = step;
    }
}

/// The threads of a search, each as its step and the offset where it started; those that started first come first.
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
    /// Adds a thread, after following its jumps and assertions up to the next character tests.
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

impl Step {
    /// Returns the step with its jump targets moved by `by`.
    pub fn moved(self, by: usize) -> Step {
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
        let regex = Regex::new(&[pattern], dialect, false, MatchScope::Anything).expect(pattern);
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
            assert!(Regex::new(&[pattern], Dialect::Extended, false, MatchScope::Anything).is_err(), "{pattern}");
        }
        let slow = Regex::new(&["(a*)*(a|aa)+b"], Dialect::Extended, false, MatchScope::Anything).expect("a pattern");
        assert!(!slow.is_match(&"a".repeat(5_000)));
    }
}
