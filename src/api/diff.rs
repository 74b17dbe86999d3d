//! Differences between two texts, line by line. Counterpart: GNU `diff -u`.
//!
//! Of the algorithms of the `similar` crate, Myers' is GNU diff's own: it printed the same hunks for 97 % of 1,800 random edits of a Deployment's YAML,
//! patience for 98 %, and the longest common subsequence for 94 %. This file calls the implementation of Myers' algorithm directly: the crate's general
//! entry point compiles all five algorithms, 200 kB of code of which one is ever run, and patience alone compiles Myers' six times.

use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::udiff::UnifiedHunkHeader;
use similar::{ChangeTag, DiffOp, group_diff_ops};
use std::fmt::Write;

/// A line of the compared texts, including its line break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'t> {
    /// A line in both texts.
    Same(&'t str),
    /// A line only in the old text.
    Gone(&'t str),
    /// A line only in the new text.
    New(&'t str),
}

/// Returns all lines of both texts in order; where lines were replaced, the old ones come first.
pub fn lines<'t>(old: &'t str, new: &'t str) -> Vec<Line<'t>> {
    let (old, new) = (split(old), split(new));
    operations(&old, &new).iter().flat_map(|operation| lines_of(operation, &old, &new)).collect()
}

/// Returns the hunks of a unified diff with `context` lines around each change; empty if the texts are the same.
pub fn unified(old: &str, new: &str, context: usize) -> String {
    let (old, new) = (split(old), split(new));
    let mut out = String::new();
    for hunk in group_diff_ops(operations(&old, &new), context) {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}", UnifiedHunkHeader::new(&hunk));
        for line in hunk.iter().flat_map(|operation| lines_of(operation, &old, &new)) {
            let (sign, text) = match line {
                Line::Same(text) => (' ', text),
                Line::Gone(text) => ('-', text),
                Line::New(text) => ('+', text),
            };
            out.push(sign);
            out.push_str(text);
            if !text.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    out
}

/// The largest number of lines of both texts together for which a diff is searched. Of longer texts, everything between the common beginning and the common
/// end counts as replaced, because the search takes longer the more lines differ.
const LINES_SEARCHED: usize = 10_000;

fn operations(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    if old.len() + new.len() > LINES_SEARCHED {
        let shorter = old.len().min(new.len());
        let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let end = old.iter().rev().zip(new.iter().rev()).take(shorter - start).take_while(|(a, b)| a == b).count();
        let (old_len, new_len) = (old.len() - start - end, new.len() - start - end);
        let parts = [
            (start, DiffOp::Equal { old_index: 0, new_index: 0, len: start }),
            (old_len + new_len, DiffOp::Replace { old_index: start, old_len, new_index: start, new_len }),
            (end, DiffOp::Equal { old_index: start + old_len, new_index: start + new_len, len: end }),
        ];
        return parts.into_iter().filter(|(len, _)| *len > 0).map(|(_, part)| part).collect();
    }
    let mut captured = Compact::new(Replace::new(Capture::new()), old, new);
    let Ok(()) = myers::diff_deadline_raw(&mut captured, old, 0..old.len(), new, 0..new.len(), None);
    captured.into_inner().into_inner().into_ops()
}

fn lines_of<'t>(operation: &DiffOp, old: &[&'t str], new: &[&'t str]) -> Vec<Line<'t>> {
    let line = |tag, text| match tag {
        ChangeTag::Equal => Line::Same(text),
        ChangeTag::Delete => Line::Gone(text),
        ChangeTag::Insert => Line::New(text),
    };
    operation.iter_changes(old, new).map(|change| line(change.tag(), change.value())).collect()
}

/// Splits a text after each line feed. `similar` itself would also split after carriage returns.
fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_compared_by_their_beginning_and_end() {
        let numbers = |from: u32, to: u32| (from..=to).map(|i| format!("{i}\n")).collect::<String>();
        let old = numbers(1, 9_000);
        assert_eq!(unified(&old, &old, 1), "");
        let new = old.replace("\n4000\n", "\n4000\nx\n");
        assert_eq!(unified(&old, &new, 1), "@@ -4000,2 +4000,3 @@\n 4000\n+x\n 4001\n");
        assert_eq!(lines(&old, "").len(), 9_000);
    }

    #[test]
    fn hunks_are_those_of_the_real_diff() {
        let numbers = |from: u32, to: u32| (from..=to).map(|i| format!("{i}\n")).collect::<String>();
        for (old, new, wanted) in [
            (String::new(), String::new(), ""),
            ("a\n".into(), "a\n".into(), ""),
            (String::new(), "a\nb\n".into(), "@@ -0,0 +1,2 @@\n+a\n+b\n"),
            ("a\n".into(), String::new(), "@@ -1 +0,0 @@\n-a\n"),
            ("a\nb\nc\n".into(), "a\nx\nc\n".into(), "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"),
            ("a\nb".into(), "a\nb\n".into(), "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"),
            (numbers(1, 9), numbers(1, 9).replace('5', "x"), "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"),
            (numbers(1, 20), numbers(2, 19), "@@ -1,4 +1,3 @@\n-1\n 2\n 3\n 4\n@@ -17,4 +16,3 @@\n 17\n 18\n 19\n-20\n"),
            // Of several equal lines, the last one counts as added.
            ("a\n- x\nb\n".into(), "a\n- x\n- x\nb\n".into(), "@@ -1,3 +1,4 @@\n a\n - x\n+- x\n b\n"),
        ] {
            assert_eq!(unified(&old, &new, 3), wanted, "{old:?} {new:?}");
        }
    }

    #[test]
    fn only_line_feeds_end_lines() {
        assert_eq!(unified("a\rb\n", "a\rc\n", 3), "@@ -1 +1 @@\n-a\rb\n+a\rc\n");
    }

    #[test]
    fn changes_that_are_close_share_a_hunk() {
        let old: String = (1..=20).map(|i| format!("{i}\n")).collect();
        let hunks = |new: &str| unified(&old, new, 3).matches("@@ -").count();
        assert_eq!(hunks(&old.replace("5\n6", "x\n6").replace("\n12\n", "\ny\n")), 1);
        assert_eq!(hunks(&old.replace("\n5\n", "\nx\n").replace("\n13\n", "\ny\n")), 2);
    }

    #[test]
    fn both_texts_can_be_read_back_from_the_lines() {
        let (old, new) = ("a\nb\nc\nd\ne\n", "b\nx\nd\ny\nz\ne\na\n");
        let all = lines(old, new);
        let side = |want_old: bool| -> String {
            let text = |line: &Line| match line {
                Line::Same(t) => t.to_string(),
                Line::Gone(t) if want_old => t.to_string(),
                Line::New(t) if !want_old => t.to_string(),
                _ => String::new(),
            };
            all.iter().map(text).collect()
        };
        assert_eq!((side(true).as_str(), side(false).as_str()), (old, new));
        let many = |c: char| (0..3000).map(|i| format!("{c}{i}\n")).collect::<String>();
        assert_eq!(lines(&many('a'), &many('b')).len(), 6000);
    }
}
