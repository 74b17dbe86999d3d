//! Syntax highlighting of a manifest. It looks at single lines only, so that it works on half-written text.

/// The role of a piece of text, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// White space, a dash or a colon.
    Plain,
    /// A key of the manifest.
    Key,
    /// A value of the manifest.
    Value,
    /// A comment in the manifest.
    Comment,
    /// The line between two YAML documents.
    Divider,
}

impl Ink {
    /// Returns the name of the CSS class for such text.
    pub fn class(self) -> &'static str {
        match self {
            Ink::Plain => "ink-plain",
            Ink::Key => "ink-key",
            Ink::Value => "ink-value",
            Ink::Comment => "ink-comment",
            Ink::Divider => "ink-divider",
        }
    }
}

/// Splits a line of a manifest into pieces with their roles. Together the pieces are the line.
pub fn paint(line: &str) -> Vec<(Ink, &str)> {
    let mut pieces = Vec::new();
    if line.starts_with("---") || line.starts_with("...") {
        return vec![(Ink::Divider, line)];
    }
    let (code, comment) = line.split_at(comment_start(line));
    let indent = code.len() - code.trim_start_matches([' ', '-']).len();
    let (front, rest) = code.split_at(indent);
    pieces.push((Ink::Plain, front));
    match key_end(rest) {
        Some(end) => {
            let (key, value) = rest.split_at(end);
            pieces.push((Ink::Key, key));
            let (colon, value) = value.split_at(1);
            pieces.push((Ink::Plain, colon));
            pieces.push((Ink::Value, value));
        }
        None => pieces.push((Ink::Value, rest)),
    }
    pieces.push((Ink::Comment, comment));
    pieces.retain(|(_, text)| !text.is_empty());
    pieces
}

pub(super) fn comment_start(line: &str) -> usize {
    let (mut quote, mut before) = (None, ' ');
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '#') if before == ' ' => return at,
            (None, '"' | '\'') if before == ' ' => quote = Some(c),
            (Some(q), c) if q == c => quote = None,
            _ => {}
        }
        before = c;
    }
    line.len()
}

pub(super) fn key_end(rest: &str) -> Option<usize> {
    rest.match_indices(':').map(|(at, _)| at).find(|at| rest[at + 1..].is_empty() || rest[at + 1..].starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_the_sum_of_its_pieces() {
        for line in
            ["", "  - name: nginx", "image: nginx:1.25", "# all of it", "replicas: 3 # three", "a: \"# no comment\"", "é: ü:", "---"]
        {
            let whole: String = paint(line).into_iter().map(|(_, text)| text).collect();
            assert_eq!(whole, line);
        }
    }

    #[test]
    fn keys_values_and_comments_are_told_apart() {
        use Ink::*;
        assert_eq!(paint("  replicas: 3 # three"), [(Plain, "  "), (Key, "replicas"), (Plain, ":"), (Value, " 3 "), (Comment, "# three")]);
        assert_eq!(paint("- image: nginx:1.25"), [(Plain, "- "), (Key, "image"), (Plain, ":"), (Value, " nginx:1.25")]);
    }
}
