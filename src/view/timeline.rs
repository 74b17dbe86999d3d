//! Time along the bottom: what a person did, and how far actual was from desired.

use super::clock;
use super::desk::Desk;
use crate::api::time::{Span, Time};
use crate::sim::{Command, Fault, ProcessName};

/// The timeline from the run's beginning to now. Places are in thousandths of its width.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// Commands and faults.
    pub marks: Vec<Mark>,
    /// Wanted pods over time: place and number, a step at each.
    pub desired: Vec<(i64, i64)>,
    /// Ready pods over time.
    pub ready: Vec<(i64, i64)>,
    /// The highest number in either.
    pub top: i64,
    /// Where now is.
    pub now: i64,
    /// Times to write under the line: place and text.
    pub ticks: Vec<(i64, String)>,
    /// The same in words.
    pub words: String,
}

/// Something a person did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Where.
    pub place: i64,
    /// When.
    pub at: String,
    /// What.
    pub text: String,
    /// Whether something was broken.
    pub breaks: bool,
    /// In which row its text stands; without room it has none.
    pub row: Option<usize>,
}

/// How many rows of texts there are.
const ROWS: usize = 2;
/// How wide a letter is, in thousandths of the line.
const LETTER: i64 = 9;
/// How many marks are shown.
const MARKS_SHOWN: usize = 40;

/// The timeline of a run.
pub fn timeline(desk: &Desk) -> Timeline {
    let span = window(desk.elapsed());
    let place = |at: Time| ((at - desk.start).0.max(0) as i128 * 1000 / span.0 as i128).min(1000) as i64;
    let now = place(desk.now());
    let samples = &desk.notes().balance.samples;
    let steps = |of: fn(&super::notes::balance::Sample) -> i64| {
        let mut line: Vec<(i64, i64)> = vec![(0, 0)];
        for sample in samples.iter() {
            // Of several samples at one place only the last shows.
            let point = (place(sample.at), of(sample));
            if line.last().is_some_and(|last| last.0 == point.0) {
                line.pop();
            }
            line.push(point);
        }
        line
    };
    let (desired, ready) = (desk.notes().balance.desired, desk.notes().balance.ready);
    Timeline {
        marks: marks(desk, place),
        desired: steps(|s| s.desired),
        ready: steps(|s| s.ready),
        top: samples.iter().map(|s| s.desired.max(s.ready)).max().unwrap_or(0).max(1),
        now,
        ticks: ticks(span),
        words: format!("{ready} of {desired} pods of ReplicaSets are ready"),
    }
}

/// How much time the line covers: a round span with some room ahead.
fn window(elapsed: Span) -> Span {
    const ROUND: [i64; 14] = [10, 20, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400];
    let wanted = elapsed.0 / 1_000_000 * 11 / 10;
    let round = ROUND.iter().find(|r| **r > wanted).copied();
    Span::secs(round.unwrap_or((wanted / 86_400 + 1) * 86_400))
}

fn ticks(span: Span) -> Vec<(i64, String)> {
    (0..5).map(|i| (i * 200, clock::second(Span(span.0 / 5 * i)))).collect()
}

fn marks(desk: &Desk, place: impl Fn(Time) -> i64) -> Vec<Mark> {
    let mut free = [0i64; ROWS];
    let commands = desk.session.commands();
    let from = commands.len().saturating_sub(MARKS_SHOWN);
    let mark = |given: &crate::sim::history::Given| {
        let (text, breaks) = describe(&given.command);
        let place = place(given.at);
        let width = (text.chars().count() as i64 + 2) * LETTER;
        let row = free.iter().position(|end| *end <= place).filter(|_| place + width <= 1000);
        if let Some(row) = row {
            free[row] = place + width;
        }
        Mark { place, at: clock::moment(given.at - desk.start), text, breaks, row }
    };
    commands.iter().skip(from).map(mark).collect()
}

fn describe(command: &Command) -> (String, bool) {
    match command {
        Command::Run(program) => {
            let title = program.title();
            (title.strip_prefix("kubectl ").unwrap_or(&title).trim_end_matches(" -n default").to_owned(), false)
        }
        Command::Interrupt(_) => ("^C".to_owned(), false),
        Command::Fault(fault) => fault_text(fault),
    }
}

fn fault_text(fault: &Fault) -> (String, bool) {
    let process = |p: &ProcessName| match p {
        ProcessName::ControllerManager(_) => "controller manager".to_owned(),
        ProcessName::Scheduler => "scheduler".to_owned(),
        ProcessName::Kubelet(node) => node.clone(),
    };
    match fault {
        Fault::KillPod { pod, .. } => (format!("kill {pod}"), true),
        Fault::KillContainer { pod, container, .. } => (format!("kill {container} in {pod}"), true),
        Fault::CrashNode { node } => (format!("crash {node}"), true),
        Fault::RestartNode { node } => (format!("restart {node}"), false),
        Fault::FreezeNode { node } => (format!("freeze {node}"), true),
        Fault::ThawNode { node } => (format!("thaw {node}"), false),
        Fault::Partition { process: p } => (format!("cut off {}", process(p)), true),
        Fault::Heal { process: p } => (format!("heal {}", process(p)), false),
        Fault::CrashProcess { process: p } | Fault::CrashBeforeAction { process: p, .. } => (format!("crash {}", process(p)), true),
        Fault::RestartProcess { process: p } => (format!("restart {}", process(p)), false),
        Fault::DropWatchEvent { process: p } => (format!("drop a watch event to {}", process(p)), true),
        Fault::SlowLink { process: p, .. } => (format!("slow link to {}", process(p)), true),
        Fault::FailCalls { count, .. } => (format!("fail {count} calls"), true),
        Fault::Registry { up } => (if *up { "registry up" } else { "registry down" }.to_owned(), !*up),
        Fault::AddNode { node } => (format!("add node {node}").trim_end().to_owned(), false),
        Fault::ProbeFile { pod, .. } => (format!("probe file in {pod}"), false),
        Fault::Images { node, .. } => (format!("images on {node}"), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_covers_a_round_span_with_room_ahead() {
        for (elapsed, covered) in [(0, 10), (8, 10), (10, 20), (58, 120), (100_000, 172_800)] {
            assert_eq!(window(Span::secs(elapsed)), Span::secs(covered), "{elapsed}");
        }
    }
}
