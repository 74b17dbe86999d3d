//! Differences between two texts, line by line. Counterpart: `github.com/pmezard/go-difflib`, a port of Python's difflib, with which the
//! API server shows the changes of a pod spec.
//!
//! The `similar` crate cannot be used here: it minimises the changes, while difflib looks for the longest block that both texts share, so the messages
//! would differ from the API server's.

use crate::api::order::Order;
use crate::api::sorted::SortedMap;

const CONTEXT: usize = 3;

/// A range of lines in the old and in the new text, and whether it is the same in both.
struct Stretch {
    same: bool,
    old: (usize, usize),
    new: (usize, usize),
}

/// Returns a unified diff without a header; each line ends with a line break.
pub(super) fn unified(old: &[String], new: &[String]) -> String {
    let mut out = String::new();
    for group in groups(stretches(old, new)) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let range = |start: usize, end: usize| match end - start {
            1 => format!("{}", start + 1),
            0 => format!("{start},0"),
            length => format!("{},{length}", start + 1),
        };
        out += &format!("@@ -{} +{} @@\n", range(first.old.0, last.old.1), range(first.new.0, last.new.1));
        for stretch in &group {
            let mut put = |sign: char, lines: &[String]| {
                for line in lines {
                    out.push(sign);
                    out.push_str(line);
                    out.push('\n');
                }
            };
            let lines = |text: &'_ [String], (start, end): (usize, usize)| text.get(start..end).unwrap_or(&[]).to_vec();
            if stretch.same {
                put(' ', &lines(old, stretch.old));
            } else {
                put('-', &lines(old, stretch.old));
                put('+', &lines(new, stretch.new));
            }
        }
    }
    out
}

/// Returns the matching blocks (old index, new index, length): the longest one, and recursively those before and after it.
fn matches(old: &[String], new: &[String]) -> Vec<(usize, usize, usize)> {
    let mut places: SortedMap<&str, Vec<usize>> = SortedMap::new();
    for (i, line) in new.iter().enumerate() {
        places.or_default(line).push(i);
    }
    // Like difflib's autojunk: in long texts, very frequent lines do not begin a match.
    let popular = if new.len() >= 200 { new.len() / 100 + 1 } else { usize::MAX };
    places.retain(|_, at| at.len() <= popular);
    let (mut found, mut todo) = (Vec::new(), vec![(0, old.len(), 0, new.len())]);
    while let Some((old_from, old_to, new_from, new_to)) = todo.pop() {
        let (i, j, length) = longest(old, new, &places, (old_from, old_to), (new_from, new_to));
        if length > 0 {
            found.push((i, j, length));
            todo.push((old_from, i, new_from, j));
            todo.push((i + length, old_to, j + length, new_to));
        }
    }
    found.order();
    found
}

fn longest(
    old: &[String],
    new: &[String],
    places: &SortedMap<&str, Vec<usize>>,
    (old_from, old_to): (usize, usize),
    (new_from, new_to): (usize, usize),
) -> (usize, usize, usize) {
    let mut best = (old_from, new_from, 0);
    let mut lengths: SortedMap<usize, usize> = SortedMap::new();
    for (i, line) in old.iter().enumerate().take(old_to).skip(old_from) {
        let mut next = SortedMap::new();
        for &j in places.get(line.as_str()).into_iter().flatten().filter(|j| (new_from..new_to).contains(*j)) {
            let length = j.checked_sub(1).and_then(|p| lengths.get(&p)).map_or(1, |l| l + 1);
            next.insert(j, length);
            if length > best.2 {
                best = (i + 1 - length, j + 1 - length, length);
            }
        }
        lengths = next;
    }
    let (mut i, mut j, mut length) = best;
    while i > old_from && j > new_from && old[i - 1] == new[j - 1] {
        (i, j, length) = (i - 1, j - 1, length + 1);
    }
    while i + length < old_to && j + length < new_to && old[i + length] == new[j + length] {
        length += 1;
    }
    (i, j, length)
}

fn stretches(old: &[String], new: &[String]) -> Vec<Stretch> {
    let (mut out, mut at): (Vec<Stretch>, (usize, usize)) = (Vec::new(), (0, 0));
    let mut all = matches(old, new);
    all.push((old.len(), new.len(), 0));
    for (i, j, length) in all {
        if at.0 < i || at.1 < j {
            out.push(Stretch { same: false, old: (at.0, i), new: (at.1, j) });
        }
        match out.last_mut() {
            Some(last) if last.same && length > 0 => (last.old.1, last.new.1) = (i + length, j + length),
            _ if length > 0 => out.push(Stretch { same: true, old: (i, i + length), new: (j, j + length) }),
            _ => {}
        }
        at = (i + length, j + length);
    }
    out
}

/// Divides the ranges into hunks: shortens long equal ranges to the context lines, and starts a new group at each.
fn groups(stretches: Vec<Stretch>) -> Vec<Vec<Stretch>> {
    let (mut out, mut group): (Vec<Vec<Stretch>>, Vec<Stretch>) = (Vec::new(), Vec::new());
    let count = stretches.len();
    for (i, mut s) in stretches.into_iter().enumerate() {
        if s.same && i == 0 {
            s.old.0 = s.old.0.max(s.old.1.saturating_sub(CONTEXT));
            s.new.0 = s.new.0.max(s.new.1.saturating_sub(CONTEXT));
        }
        if s.same && i + 1 == count {
            s.old.1 = s.old.1.min(s.old.0 + CONTEXT);
            s.new.1 = s.new.1.min(s.new.0 + CONTEXT);
        }
        if s.same && i > 0 && i + 1 < count && s.old.1 - s.old.0 > 2 * CONTEXT {
            let head = Stretch { same: true, old: (s.old.0, s.old.0 + CONTEXT), new: (s.new.0, s.new.0 + CONTEXT) };
            group.push(head);
            out.push(std::mem::take(&mut group));
            s.old.0 = s.old.1 - CONTEXT;
            s.new.0 = s.new.1 - CONTEXT;
        }
        group.push(s);
    }
    if !(group.len() == 1 && group[0].same) {
        out.push(group);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_line_is_shown_between_its_neighbours() {
        let text = |s: &str| s.chars().map(String::from).collect::<Vec<_>>();
        assert_eq!(unified(&text("abcdefgh"), &text("abcdXfgh")), "@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+X\n f\n g\n h\n");
        assert_eq!(unified(&text("abc"), &text("abc")), "");
    }
}
