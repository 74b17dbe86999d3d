//! The regular expressions of schemas. Counterpart: Go's `regexp`, of which this has the common part: classes, groups, alternatives, repetitions, anchors.
//!
//! Simplification: matching backtracks, with a bound on the number of steps; a pattern that exceeds the bound or cannot be parsed is taken to match.

/// The number of steps after which matching gives up.
const MOST_STEPS: usize = 100_000;

#[derive(Clone, Debug)]
enum Node {
    Any,
    Start,
    End,
    Class(Vec<(char, char)>, bool),
    Group(Vec<Vec<Node>>),
    Repeat(Box<Node>, usize, usize),
}

/// Returns true if a pattern matches somewhere in a text.
pub fn is_match(pattern: &str, text: &str) -> bool {
    let Some(alternatives) = parse(pattern) else { return true };
    let text: Vec<char> = text.chars().collect();
    let mut steps = 0;
    (0..=text.len()).any(|start| alternatives.iter().any(|nodes| walk(nodes, &text, start, &mut steps, &mut |_, _| true)))
}

/// Parses a pattern into alternatives; `None` if it cannot be parsed.
fn parse(pattern: &str) -> Option<Vec<Vec<Node>>> {
    let chars: Vec<char> = pattern.chars().collect();
    let mut at = 0;
    let found = alternatives(&chars, &mut at)?;
    (at == chars.len()).then_some(found)
}

fn alternatives(chars: &[char], at: &mut usize) -> Option<Vec<Vec<Node>>> {
    let mut all = vec![Vec::new()];
    while let Some(c) = chars.get(*at) {
        match c {
            ')' => break,
            '|' => {
                *at += 1;
                all.push(Vec::new());
            }
            _ => {
                let node = repeated(chars, at)?;
                all.last_mut()?.push(node);
            }
        }
    }
    Some(all)
}

fn repeated(chars: &[char], at: &mut usize) -> Option<Node> {
    let mut node = single(chars, at)?;
    while let Some(c) = chars.get(*at) {
        let (least, most) = match c {
            '*' => (0, usize::MAX),
            '+' => (1, usize::MAX),
            '?' => (0, 1),
            '{' => {
                let end = chars[*at..].iter().position(|c| *c == '}')? + *at;
                let inner: String = chars[*at + 1..end].iter().collect();
                *at = end;
                match inner.split_once(',') {
                    None => (inner.parse().ok()?, inner.parse().ok()?),
                    Some((least, "")) => (least.parse().ok()?, usize::MAX),
                    Some((least, most)) => (least.parse().ok()?, most.parse().ok()?),
                }
            }
            _ => break,
        };
        *at += 1;
        if chars.get(*at) == Some(&'?') {
            *at += 1;
        }
        node = Node::Repeat(Box::new(node), least, most);
    }
    Some(node)
}

fn single(chars: &[char], at: &mut usize) -> Option<Node> {
    let c = *chars.get(*at)?;
    *at += 1;
    Some(match c {
        '.' => Node::Any,
        '^' => Node::Start,
        '$' => Node::End,
        '(' => {
            if chars.get(*at) == Some(&'?') && chars.get(*at + 1) == Some(&':') {
                *at += 2;
            }
            let inner = alternatives(chars, at)?;
            (chars.get(*at) == Some(&')')).then_some(())?;
            *at += 1;
            Node::Group(inner)
        }
        '[' => class(chars, at)?,
        '\\' => {
            let c = *chars.get(*at)?;
            *at += 1;
            escape(c)
        }
        c => Node::Class(vec![(c, c)], false),
    })
}

fn escape(c: char) -> Node {
    let digits = vec![('0', '9')];
    let words = vec![('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
    let spaces = vec![('\t', '\r'), (' ', ' ')];
    match c {
        'd' => Node::Class(digits, false),
        'D' => Node::Class(digits, true),
        'w' => Node::Class(words, false),
        'W' => Node::Class(words, true),
        's' => Node::Class(spaces, false),
        'S' => Node::Class(spaces, true),
        'A' => Node::Start,
        'z' => Node::End,
        'n' => Node::Class(vec![('\n', '\n')], false),
        't' => Node::Class(vec![('\t', '\t')], false),
        c => Node::Class(vec![(c, c)], false),
    }
}

fn class(chars: &[char], at: &mut usize) -> Option<Node> {
    let negated = chars.get(*at) == Some(&'^');
    *at += usize::from(negated);
    let (mut ranges, mut first) = (Vec::new(), true);
    loop {
        let mut c = *chars.get(*at)?;
        *at += 1;
        if c == ']' && !first {
            return Some(Node::Class(ranges, negated));
        }
        first = false;
        if c == '\\' {
            c = *chars.get(*at)?;
            *at += 1;
            if let Node::Class(inner, false) = escape(c)
                && inner != [(c, c)]
            {
                ranges.extend(inner);
                continue;
            }
        }
        if chars.get(*at) == Some(&'-') && chars.get(*at + 1).is_some_and(|c| *c != ']') {
            ranges.push((c, *chars.get(*at + 1)?));
            *at += 2;
        } else {
            ranges.push((c, c));
        }
    }
}

/// Matches nodes of a pattern from an index of the text on. Calls `rest` with each index at which they can end, until `rest` returns `true`.
fn walk(nodes: &[Node], text: &[char], at: usize, steps: &mut usize, rest: &mut dyn FnMut(usize, &mut usize) -> bool) -> bool {
    *steps += 1;
    if *steps > MOST_STEPS {
        return true;
    }
    let Some((node, others)) = nodes.split_first() else { return rest(at, steps) };
    match node {
        Node::Start => at == 0 && walk(others, text, at, steps, rest),
        Node::End => at == text.len() && walk(others, text, at, steps, rest),
        Node::Any => at < text.len() && text[at] != '\n' && walk(others, text, at + 1, steps, rest),
        Node::Class(ranges, negated) => {
            let inside = |c: &char| ranges.iter().any(|(from, to)| (from..=to).contains(&c)) != *negated;
            text.get(at).is_some_and(inside) && walk(others, text, at + 1, steps, rest)
        }
        Node::Group(alternatives) => {
            alternatives.iter().any(|inner| walk(inner, text, at, steps, &mut |end, steps| walk(others, text, end, steps, &mut *rest)))
        }
        Node::Repeat(inner, least, most) => repeat(inner, (*least, *most), others, text, at, steps, rest),
    }
}

fn repeat(
    inner: &Node,
    (least, most): (usize, usize),
    others: &[Node],
    text: &[char],
    at: usize,
    steps: &mut usize,
    rest: &mut dyn FnMut(usize, &mut usize) -> bool,
) -> bool {
    let once_more = most > 0
        && walk(std::slice::from_ref(inner), text, at, steps, &mut |end, steps| {
            (end > at || least > 0)
                && repeat(inner, (least.saturating_sub(1), most.saturating_sub(1)), others, text, end, steps, &mut *rest)
        });
    once_more || (least == 0 && walk(others, text, at, steps, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_go() {
        for (pattern, text, expected) in [
            ("^[a-z]+$", "abc", true),
            ("^[a-z]+$", "aBc", false),
            ("^(a|bc){2}$", "bca", true),
            ("^v[0-9]+(\\.[0-9]+)*$", "v1.20.3", true),
            ("^v[0-9]+(\\.[0-9]+)*$", "v1.", false),
            ("\\d{2,}", "a1b22", true),
            ("[^-]x$", "-x", false),
        ] {
            assert_eq!(is_match(pattern, text), expected, "{pattern} {text}");
        }
    }
}
