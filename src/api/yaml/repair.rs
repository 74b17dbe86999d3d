//! Texts that goyaml takes and a YAML 1.2 parser does not, made acceptable to the latter.
//!
//! goyaml does not ask for indentation inside brackets and quotes, and lets a tab follow a colon. Spaces at the start of
//! such lines mean nothing, so they may be added where the parser stumbles; columns are counted back afterwards.

use crate::persistent::FewMap;
use saphyr_parser::ScanError;

/// So many columns are put before a line that is not far enough in.
const PAD: usize = 200;
/// So often a text may be repaired, which bounds the work that a text can cause.
const MAX_REPAIRS: usize = 500;

/// A text under repair.
pub(super) struct Repair {
    lines: Vec<String>,
    /// Lines (from 1) that were moved.
    moved: FewMap<usize, usize>,
    repairs: usize,
}

impl Repair {
    pub(super) fn new(chunk: &str) -> Self {
        let lines = chunk.split_inclusive('\n').map(str::to_string).collect();
        Repair { lines, moved: FewMap::new(), repairs: 0 }
    }
    pub(super) fn text(&self) -> String {
        self.lines.concat()
    }
    /// How many columns a line was moved.
    pub(super) fn moved(&self) -> &FewMap<usize, usize> {
        &self.moved
    }
    /// Repairs what an error complains about; `false` where goyaml would complain as well.
    pub(super) fn repair(&mut self, error: &ScanError) -> bool {
        self.repairs += 1;
        let line = error.marker().line();
        if self.repairs > MAX_REPAIRS {
            return false;
        }
        match error.info() {
            "invalid indentation" | "invalid indentation in flow construct" => self.pad(line),
            "invalid indentation in quoted scalar" => {
                let open = |number: &usize| !self.moved.contains_key(number) && !self.is_blank(*number);
                (line + 1..=self.lines.len()).find(open).is_some_and(|next| self.pad(next))
            }
            "':' must be followed by a valid YAML whitespace" => self.replace_tab(line),
            _ => false,
        }
    }
    fn is_blank(&self, number: usize) -> bool {
        self.lines.get(number - 1).is_none_or(|line| line.trim().is_empty())
    }
    fn pad(&mut self, number: usize) -> bool {
        let Some(line) = self.lines.get_mut(number.wrapping_sub(1)) else {
            return false;
        };
        if self.moved.insert(number, PAD).is_some() {
            return false;
        }
        line.insert_str(0, &" ".repeat(PAD));
        true
    }
    fn replace_tab(&mut self, number: usize) -> bool {
        let Some(line) = self.lines.get_mut(number.wrapping_sub(1)) else {
            return false;
        };
        let Some(colon) = line.find(":\t") else {
            return false;
        };
        line.replace_range(colon + 1..colon + 2, " ");
        true
    }
}
