//! What differs between two texts, line by line. Counterpart: GNU `diff -u`.
//!
//! The longest common part is found by a table, so texts that differ in very many lines are shown as replaced as a whole.

/// A line of one or both texts, with its line break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'t> {
    /// In both.
    Same(&'t str),
    /// Only in the old one.
    Gone(&'t str),
    /// Only in the new one.
    New(&'t str),
}

/// The table has at most so many cells.
const MAX_CELLS: usize = 1 << 21;

/// All lines of both texts in order; where lines were replaced, the old ones come first.
pub fn lines<'t>(old: &'t str, new: &'t str) -> Vec<Line<'t>> {
    let (a, b): (Vec<&str>, Vec<&str>) = (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let head = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (a_rest, b_rest) = (a.get(head..).unwrap_or_default(), b.get(head..).unwrap_or_default());
    let tail = a_rest.iter().rev().zip(b_rest.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a_middle, a_tail) = a_rest.split_at(a_rest.len() - tail);
    let b_middle = b_rest.get(..b_rest.len() - tail).unwrap_or_default();
    let mut out: Vec<Line> = a.iter().take(head).map(|line| Line::Same(line)).collect();
    middle(a_middle, b_middle, &mut out);
    out.extend(a_tail.iter().map(|line| Line::Same(line)));
    out
}

fn middle<'t>(a: &[&'t str], b: &[&'t str], out: &mut Vec<Line<'t>>) {
    let width = b.len() + 1;
    // `common[i * width + j]` is the length of the longest common part of what follows line i of the old and line j of the new text.
    let fits = (a.len() + 1).saturating_mul(width) <= MAX_CELLS;
    let mut common = if fits { vec![0u32; (a.len() + 1) * width] } else { Vec::new() };
    let at = |common: &[u32], i: usize, j: usize| common.get(i * width + j).copied().unwrap_or(0);
    if fits {
        for (i, x) in a.iter().enumerate().rev() {
            for (j, y) in b.iter().enumerate().rev() {
                let best = if x == y { at(&common, i + 1, j + 1) + 1 } else { at(&common, i + 1, j).max(at(&common, i, j + 1)) };
                if let Some(cell) = common.get_mut(i * width + j) {
                    *cell = best;
                }
            }
        }
    }
    let (mut i, mut j, mut added) = (0, 0, Vec::new());
    loop {
        match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) if fits && x == y => {
                out.append(&mut added);
                out.push(Line::Same(x));
                (i, j) = (i + 1, j + 1);
            }
            (Some(x), y) if y.is_none() || at(&common, i + 1, j) >= at(&common, i, j + 1) => {
                out.push(Line::Gone(x));
                i += 1;
            }
            (_, Some(y)) => {
                added.push(Line::New(y));
                j += 1;
            }
            _ => break,
        }
    }
    out.append(&mut added);
}

/// The hunks of a unified diff with so many lines around each change; empty if the texts are the same.
pub fn unified(old: &str, new: &str, context: usize) -> String {
    let all = lines(old, new);
    let changed: Vec<usize> = all.iter().enumerate().filter(|(_, line)| !matches!(line, Line::Same(_))).map(|(i, _)| i).collect();
    let mut hunks: Vec<(usize, usize)> = Vec::new();
    for i in changed {
        let (from, to) = (i.saturating_sub(context), (i + context + 1).min(all.len()));
        match hunks.last_mut() {
            Some((_, end)) if from <= *end => *end = to,
            _ => hunks.push((from, to)),
        }
    }
    let mut out = String::new();
    let (mut done, mut old_line, mut new_line) = (0, 0, 0);
    for (from, to) in hunks {
        let skipped = from - done;
        (old_line, new_line, done) = (old_line + skipped, new_line + skipped, to);
        let hunk = all.get(from..to).unwrap_or_default();
        let old_count = hunk.iter().filter(|line| !matches!(line, Line::New(_))).count();
        let new_count = hunk.iter().filter(|line| !matches!(line, Line::Gone(_))).count();
        out.push_str(&format!("@@ -{} +{} @@\n", range(old_line, old_count), range(new_line, new_count)));
        (old_line, new_line) = (old_line + old_count, new_line + new_count);
        hunk.iter().for_each(|line| write_line(&mut out, line));
    }
    out
}

/// `7,3`: from which line and how many; the number is left out where it is 1.
fn range(lines_before: usize, count: usize) -> String {
    match count {
        0 => format!("{lines_before},0"),
        1 => (lines_before + 1).to_string(),
        _ => format!("{},{count}", lines_before + 1),
    }
}

fn write_line(out: &mut String, line: &Line) {
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

#[cfg(test)]
mod tests {
    use super::*;

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
            // Of several like lines the last one counts as added.
            ("a\n- x\nb\n".into(), "a\n- x\n- x\nb\n".into(), "@@ -1,3 +1,4 @@\n a\n - x\n+- x\n b\n"),
        ] {
            assert_eq!(unified(&old, &new, 3), wanted, "{old:?} {new:?}");
        }
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
        assert_eq!(lines(&many('a'), &many('b')).len(), 6000, "texts beyond the table's size are replaced as a whole");
    }
}
