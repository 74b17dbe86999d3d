//! Syntax errors of regular expressions, in Go's words. Counterpart: `regexp/syntax`.
//!
//! Simplification: only the mistakes that people make are found: brackets that are not closed, and repetitions of nothing.

/// Returns Go's message about the first mistake in a pattern, if one is found.
pub(super) fn problem(pattern: &str) -> Option<String> {
    let (mut depth, mut atom, mut repeated) = (0usize, false, 0);
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let at = rest;
        rest = &rest[c.len_utf8()..];
        match c {
            '\\' => match rest.chars().next() {
                None => return Some("trailing backslash at end of expression: ``".to_owned()),
                Some(escaped) => rest = &rest[escaped.len_utf8()..],
            },
            '[' => {
                let inside = rest.strip_prefix('^').unwrap_or(rest);
                let Some(end) = class_end(inside) else { return Some(format!("missing closing ]: `{at}`")) };
                rest = &inside[end + 1..];
            }
            '(' => {
                if let Some(sign) = ["?=", "?!", "?<=", "?<!"].iter().find(|sign| rest.starts_with(**sign)) {
                    return Some(format!("invalid or unsupported Perl syntax: `({sign}`"));
                }
                rest = rest.strip_prefix("?:").unwrap_or(rest);
                depth += 1;
            }
            ')' if depth == 0 => return Some(format!("unexpected ): `{pattern}`")),
            ')' => depth -= 1,
            '*' | '+' if !atom => return Some(format!("missing argument to repetition operator: `{c}`")),
            '?' if !atom => return Some("missing argument to repetition operator: `?`".to_owned()),
            '*' | '+' if repeated > 0 => {
                return Some(format!("invalid nested repetition operator: `{}{c}`", &pattern[repeated - 1..repeated]));
            }
            _ => {}
        }
        let repeats = matches!(c, '*' | '+' | '?');
        (atom, repeated) = (!matches!(c, '(' | '|' | '^'), if repeats && repeated == 0 { pattern.len() - rest.len() } else { 0 });
    }
    (depth > 0).then(|| format!("missing closing ): `{pattern}`"))
}

/// Returns the byte offset of the `]` that ends a character class. A `]` at the very beginning belongs to the class.
fn class_end(inside: &str) -> Option<usize> {
    let mut escaped = false;
    inside.char_indices().skip(usize::from(inside.starts_with(']'))).find_map(|(i, c)| match c {
        _ if escaped => {
            escaped = false;
            None
        }
        '\\' => {
            escaped = true;
            None
        }
        ']' => Some(i),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_in_patterns_are_told_in_the_words_of_go() {
        for (pattern, told) in [
            ("a[", "missing closing ]: `[`"),
            ("a(b", "missing closing ): `a(b`"),
            ("a)", "unexpected ): `a)`"),
            ("*a", "missing argument to repetition operator: `*`"),
            ("a**", "invalid nested repetition operator: `**`"),
            ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
            ("a\\", "trailing backslash at end of expression: ``"),
        ] {
            assert_eq!(problem(pattern).as_deref(), Some(told), "{pattern}");
        }
        for pattern in ["^[a-z]+$", "[]a]", "^(a|b)*?$", "\\[", "(?:a)?", "a{2,3}", "[^\\]]*"] {
            assert_eq!(problem(pattern), None, "{pattern}");
        }
    }
}
