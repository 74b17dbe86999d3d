//! Shell patterns for file names and `case`: `*`, `?`, `[…]`.

/// Returns whether a text matches a pattern. A backslash makes the next character literal.
pub fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    // The usual algorithm that backtracks to the last `*` only; its time is at most the product of both lengths.
    let (mut p, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        match one(&pattern, p, text[t]) {
            Some(next) => (p, t) = (next, t + 1),
            None if pattern.get(p) == Some(&'*') => {
                star = Some((p, t));
                p += 1;
            }
            None => match star {
                Some((at, from)) => {
                    (p, t) = (at + 1, from + 1);
                    star = Some((at, from + 1));
                }
                None => return false,
            },
        }
    }
    pattern.get(p..).is_some_and(|rest| rest.iter().all(|c| *c == '*'))
}

/// Matches one character at position `p` of a pattern. Returns the position after it, or `None` if the character does not match.
fn one(pattern: &[char], p: usize, c: char) -> Option<usize> {
    match pattern.get(p)? {
        '*' => None,
        '?' => Some(p + 1),
        '\\' => (pattern.get(p + 1) == Some(&c)).then_some(p + 2),
        '[' => match set(pattern, p, c) {
            Some((true, next)) => Some(next),
            Some((false, _)) => None,
            None => (c == '[').then_some(p + 1),
        },
        literal => (*literal == c).then_some(p + 1),
    }
}

/// Matches a set such as `[a-z]` or `[!0-9]`. Returns whether it contains the character, and the position after the set; `None` if the set is not closed.
fn set(pattern: &[char], p: usize, c: char) -> Option<(bool, usize)> {
    let not = matches!(pattern.get(p + 1), Some('!' | '^'));
    let first = p + 1 + usize::from(not);
    let mut at = first;
    let mut found = false;
    loop {
        let low = *pattern.get(at)?;
        if low == ']' && at > first {
            return Some((found != not, at + 1));
        }
        if low == '['
            && pattern.get(at + 1) == Some(&':')
            && let Some(len) = pattern.get(at + 2..)?.windows(2).position(|pair| pair == [':', ']'])
        {
            let name: String = pattern.get(at + 2..at + 2 + len)?.iter().collect();
            found |= match name.as_str() {
                "alpha" => c.is_ascii_alphabetic(),
                "digit" => c.is_ascii_digit(),
                "alnum" => c.is_ascii_alphanumeric(),
                "space" => c.is_whitespace(),
                "upper" => c.is_ascii_uppercase(),
                "lower" => c.is_ascii_lowercase(),
                _ => false,
            };
            at += len + 4;
            continue;
        }
        if pattern.get(at + 1) == Some(&'-') && pattern.get(at + 2).is_some_and(|high| *high != ']') {
            let high = *pattern.get(at + 2)?;
            found |= low <= c && c <= high;
            at += 3;
        } else {
            found |= low == c;
            at += 1;
        }
    }
}

/// Escapes the special characters of patterns, so that a text matches only itself.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '*' | '?' | '[' | '{' | '\\') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Removes the escapes of a pattern.
pub fn unescape(pattern: &str) -> String {
    let mut text = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        text.push(if c == '\\' { chars.next().unwrap_or('\\') } else { c });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_a_shell() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("a*c", "abbc", true),
            ("a*c", "abbd", false),
            ("?x", "yx", true),
            ("[a-c]?", "b1", true),
            ("[!a-c]", "b", false),
            ("[[:digit:]]*", "7x", true),
            ("\\*", "*", true),
            ("\\*", "x", false),
            ("[", "[", true),
            ("*.txt", "a.txt", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
        assert_eq!(unescape(&escape("a*[b]\\")), "a*[b]\\");
    }
}
