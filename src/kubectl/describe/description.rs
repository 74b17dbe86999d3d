//! The output of `kubectl describe`: lines whose cells are aligned as by Go's `text/tabwriter`. A column is as wide as its widest cell in a block of
//! consecutive lines that have it.

use crate::api::value::{Map, Value};

/// The maximum length of a line with an annotation. A longer annotation is printed below its key, with each of its lines cut to this length. Counterpart:
/// `maxAnnotationLen`.
const LONG: usize = 140;

/// The lines of a description, with tabs between their cells.
#[derive(Debug, Default)]
pub struct Description(Vec<String>);

impl Description {
    /// Adds a line, indented by two spaces per level.
    pub fn line(&mut self, level: usize, text: impl AsRef<str>) {
        self.0.push(format!("{}{}", "  ".repeat(level), text.as_ref()));
    }
    /// Adds a line without indentation.
    pub fn raw(&mut self, text: impl Into<String>) {
        self.0.push(text.into());
    }
    /// Adds a title with a text beside it, unless the text is empty.
    pub fn given(&mut self, level: usize, title: &str, text: &str) {
        if !text.is_empty() {
            self.line(level, format!("{title}:\t{text}"));
        }
    }
    /// Adds a title with the items beside it, one per line; `<none>` if there are none.
    pub fn list(&mut self, level: usize, title: &str, items: &[String]) {
        let first = items.first().map_or("<none>", String::as_str);
        self.line(level, format!("{title}:\t{first}"));
        for item in items.iter().skip(1) {
            self.raw(format!("\t{item}"));
        }
    }
    /// Adds labels as `key=value`, one per line.
    pub fn labels(&mut self, level: usize, title: &str, labels: &Map) {
        let items: Vec<String> = labels.iter().map(|(k, v)| format!("{k}={}", v.as_str().unwrap_or(""))).collect();
        self.list(level, title, &items);
    }
    /// Adds annotations, except for the last-applied manifest of `kubectl apply`.
    pub fn annotations(&mut self, level: usize, title: &str, annotations: &Map) {
        let mut items = Vec::new();
        for (key, value) in annotations.iter().filter(|(k, _)| *k != "kubectl.kubernetes.io/last-applied-configuration") {
            let value = value.as_str().unwrap_or("");
            let value = value.strip_suffix('\n').unwrap_or(value);
            if key.len() + value.len() + 2 <= LONG && !value.contains('\n') {
                items.push(format!("{key}: {value}"));
                continue;
            }
            items.push(format!("{key}:"));
            items.extend(value.split('\n').map(|line| format!("  {}", shortened(line))));
        }
        self.list(level, title, &items);
    }
    /// Adds a title, and under it `name: amount` for each resource; adds nothing if there are no amounts.
    pub fn amounts(&mut self, level: usize, title: &str, amounts: Option<&Map>) {
        let Some(amounts) = amounts.filter(|a| !a.is_empty()) else { return };
        self.line(level, format!("{title}:"));
        for (name, amount) in amounts.iter() {
            self.line(level + 1, format!("{name}:\t{}", plain(amount)));
        }
    }
    /// Returns the lines as they are, with tabs between cells.
    pub fn unaligned(&self) -> String {
        self.0.iter().map(|line| format!("{line}\n")).collect()
    }
    /// Returns the lines with their cells aligned in columns.
    pub fn text(&self) -> String {
        let lines: Vec<Vec<&str>> = self.0.iter().flat_map(|text| text.split('\n')).map(|l| l.split('\t').collect()).collect();
        let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
        let mut widths: Vec<Vec<usize>> = lines.iter().map(|l| vec![0; l.len()]).collect();
        for column in 0..columns {
            let mut at = 0;
            while at < lines.len() {
                let run = lines[at..].iter().take_while(|l| l.len() > column + 1).count();
                let widest = lines[at..at + run].iter().map(|l| l[column].chars().count()).max().unwrap_or(0);
                widths[at..at + run].iter_mut().for_each(|w| w[column] = widest + 2);
                at += run.max(1);
            }
        }
        let mut out = String::new();
        for (cells, widths) in lines.iter().zip(&widths) {
            for (cell, width) in cells.iter().zip(widths) {
                out.push_str(cell);
                out.extend(std::iter::repeat_n(' ', width.saturating_sub(cell.chars().count())));
            }
            out.push('\n');
        }
        out
    }
}

fn shortened(line: &str) -> String {
    if line.chars().count() > LONG - 2 { line.chars().take(LONG - 2).chain("...".chars()).collect() } else { line.to_owned() }
}

/// Formats a scalar: a string without quotes, anything else as JSON.
pub fn plain(value: &Value) -> String {
    match value {
        Value::Str(text) => text.to_string(),
        other => crate::api::json::to_string(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_as_wide_as_its_widest_cell_in_a_run_of_lines() {
        let mut description = Description::default();
        description.line(0, "Name:\tdemo");
        description.line(0, "Long Title:\tx");
        description.line(0, "Block:");
        description.line(1, "a:\tb");
        assert_eq!(description.text(), "Name:        demo\nLong Title:  x\nBlock:\n  a:  b\n");
    }
}
