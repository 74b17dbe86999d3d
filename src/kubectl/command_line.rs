//! Splits a command line into words, and finds the commands that a mistyped word may mean.

/// Splits a line at blanks; quotes and backslashes hold words together. A leading `kubectl` or a `<<EOF` is a word like any other.
pub fn split(line: &str) -> Result<Vec<String>, &'static str> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\n' | '\r' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        None => return Err("unexpected EOF while looking for matching `''"),
                        Some('\'') => break,
                        Some(c) => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        None => return Err("unexpected EOF while looking for matching `\"'"),
                        Some('"') => break,
                        Some('\\') => match chars.next() {
                            Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                            Some('\n') | None => {}
                            Some(c) => word.extend(['\\', c]),
                        },
                        Some(c) => word.push(c),
                    }
                }
            }
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some(c) => word.get_or_insert_default().push(c),
            },
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

/// Words that are no commands, each with the command to suggest. Counterpart: cobra's `SuggestFor`.
const SUGGEST_FOR: &[(&str, &str)] = &[("list", "get"), ("ps", "get"), ("rm", "delete"), ("resize", "scale")];

/// Returns whether to suggest the command `known` for the mistyped word `typed`. Counterpart: cobra's `SuggestionsFor`.
pub(super) fn is_suggestion(known: &str, typed: &str) -> bool {
    let typed = typed.to_ascii_lowercase();
    distance(known, &typed) <= 2 || known.starts_with(&typed) || SUGGEST_FOR.contains(&(typed.as_str(), known))
}

/// Returns the Levenshtein distance of two words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut corner = i;
        let mut left = i + 1;
        for (cell, cb) in row.iter_mut().skip(1).zip(&b) {
            let above = *cell;
            let best = (corner + usize::from(ca != *cb)).min(above + 1).min(left + 1);
            (corner, left) = (above, best);
            *cell = best;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}
