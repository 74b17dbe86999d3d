//! The log of a container, of which the newest lines are kept. Counterpart: the shim's log files, and the kubelet's log rotation.

use super::process::Stream;
use crate::api::time::Time;
use crate::persistent::Vector;
use arcstr::ArcStr;

/// The maximum number of lines that a log keeps.
const LOG_LINES: usize = 5_000;
/// The maximum number of bytes that a log keeps.
pub(super) const LOG_BYTES: usize = 1 << 20;
/// The longest line of a log in bytes; a longer one is split.
const LINE_BYTES: usize = 16 << 10;

/// The output of a container: lines with their times.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// The number, time and text of each line that is kept.
    pub lines: Vector<(u64, Time, ArcStr)>,
    part: [String; 2],
    bytes: usize,
    count: u64,
}

impl Log {
    pub(super) fn write(&mut self, stream: Stream, text: &str, now: Time) {
        let part = usize::from(stream == Stream::Err);
        for piece in text.split_inclusive('\n') {
            let line = &mut self.part[part];
            line.push_str(piece);
            if line.ends_with('\n') || line.len() > LINE_BYTES {
                let whole = std::mem::take(line);
                self.line(whole.trim_end_matches('\n'), now);
            }
        }
    }
    /// Adds a line to the log, and drops the oldest if the log becomes too long.
    pub fn line(&mut self, text: &str, now: Time) {
        self.count += 1;
        self.bytes += text.len();
        self.lines.push_back((self.count, now, text.into()));
        while self.lines.len() > LOG_LINES || self.bytes > LOG_BYTES {
            let Some((.., old)) = self.lines.pop_front() else { return };
            self.bytes -= old.len().min(self.bytes);
        }
    }
    /// Adds the unfinished lines of both streams as lines, since nothing more will follow.
    pub(super) fn flush(&mut self, now: Time) {
        for part in 0..2 {
            let rest = std::mem::take(&mut self.part[part]);
            if !rest.is_empty() {
                self.line(&rest, now);
            }
        }
    }
    /// Returns the text of all lines that are kept, followed by the unfinished ones.
    pub(super) fn so_far(&self) -> String {
        let lines: String = self.lines.iter().map(|(.., line)| format!("{line}\n")).collect();
        lines + &self.part.join("")
    }
    /// Returns the total size of the lines that are kept, in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}
