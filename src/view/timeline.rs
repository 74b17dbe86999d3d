//! The timeline: commands, the distance between desired and actual, and the time until they agreed again. While a person looks at the past, the timeline still
//! continues to the newest moment, drawn pale.

use super::clock;
use super::command_text::describe;
use super::convergence;
use super::notes::balance::{Sample, Window};
use super::run::Run;
use super::selection::Subject;
use super::services::success_rate;
use crate::api::order::Order;
use crate::api::time::{Span, Time};
use crate::persistent::Vector;
use crate::sim::{Cluster, Second};
use std::rc::Rc;

/// A person's choices for the timeline, the request charts and the alerts.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeSelection {
    /// The length of time that the timeline shows; zero for the whole run.
    pub zoom: Span,
    /// The stretch of time that the timeline shows while a person drags on it; `None` otherwise.
    pub hold: Option<(Time, Time)>,
    /// The width of the timeline on the screen in CSS pixels, so that texts do not overlap.
    pub width: i64,
    /// The workload whose drift is drawn; `None` for all.
    pub workload: Option<Subject>,
    /// Set if requests are split by verb instead of by sender.
    pub by_verb: bool,
    /// The seconds of drift after which an alert fires.
    pub alert_after: i64,
}

impl Default for TimeSelection {
    fn default() -> Self {
        TimeSelection { zoom: Span(0), hold: None, width: 700, workload: None, by_verb: false, alert_after: 60 }
    }
}

/// A stretch of time along a line on the screen. Places on it are in thousandths of its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The time at the beginning of the axis.
    pub from: Time,
    /// The time at the end of the axis.
    pub to: Time,
}

impl Default for Axis {
    fn default() -> Self {
        Axis { from: Time(0), to: Time(1) }
    }
}

impl Axis {
    /// Returns the stretch of time that the timeline of a run shows.
    pub fn of(run: &Run, selection: &TimeSelection) -> Axis {
        if let Some((from, to)) = selection.hold {
            return Axis { from, to };
        }
        let (start, live, zoom) = (run.start, run.session.live().now, selection.zoom);
        let whole = window(live - start);
        if zoom.0 <= 0 || zoom >= whole {
            return Axis { from: start, to: start + whole };
        }
        let mut from = live + Span(zoom.0 / 20 - zoom.0);
        if run.now() < from {
            from = run.now() + Span(-zoom.0 / 2);
        }
        let from = from.max(start);
        Axis { from, to: from + zoom }
    }
    /// Returns the place of a time on the axis, in thousandths of its length.
    pub fn place(&self, at: Time) -> i64 {
        (i128::from((at - self.from).0) * 1000 / i128::from(self.span().0.max(1))).clamp(0, 1000) as i64
    }
    /// Returns the time at a place on the axis, given in thousandths of its length.
    pub fn time(&self, place: f64) -> Time {
        self.from + Span((self.span().0 as f64 * place.clamp(0.0, 1000.0) / 1000.0) as i64)
    }
    /// Returns the length of time that the axis covers.
    pub fn span(&self) -> Span {
        self.to - self.from
    }
    /// Returns round times to write along an axis of `width` pixels, as place and text, with enough room between them.
    pub fn ticks(&self, start: Time, width: i64) -> Vec<(i64, String)> {
        const STEPS: [i64; 17] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400];
        let (from, seconds) = ((self.from - start).as_secs(), self.span().as_secs().max(1));
        let most = (width / TICK_ROOM).clamp(2, 20);
        let step = STEPS.iter().copied().find(|s| seconds / s < most).unwrap_or(86_400 * (seconds / 86_400 / most + 1));
        let first = (from + step - 1).div_euclid(step) * step;
        let times = (0..=seconds / step).map(|i| Span::secs(first + i * step)).filter(|at| start + *at <= self.to);
        times.map(|at| (self.place(start + at), clock::second(at))).collect()
    }
}

/// The timeline of a run, as the page draws it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// The stretch of time that the timeline shows.
    pub axis: Axis,
    /// The marks of commands, forks and convergences, in the order of time.
    pub marks: Rc<Vec<Mark>>,
    /// The numbers of wanted and ready pods, with one entry per change.
    pub steps: Vec<Level>,
    /// The stretches in which desired and actual did not agree: places from and to, in thousandths of the line.
    pub drift: Vec<(i64, i64)>,
    /// The stretches in which requests were sent over the network: places from and to, in thousandths of the line, and `true` if any of them failed.
    pub requests: Vec<(i64, i64, bool)>,
    /// The highest number of wanted or ready pods, at least 1.
    pub top: i64,
    /// The place of the selected moment, in thousandths of the line.
    pub now: i64,
    /// The place of the newest moment, in thousandths of the line.
    pub live: i64,
    /// The times to write under the line: place in thousandths, and text.
    pub ticks: Rc<Vec<(i64, String)>>,
    /// The workloads that a person can choose from.
    pub workloads: Rc<Vec<Subject>>,
    /// The chosen workload; `None` for all.
    pub chosen: Option<Subject>,
    /// The selected moment and the newest, in milliseconds since the run began.
    pub value: (i64, i64),
    /// The selected moment with the state of the cluster and its pods, as text.
    pub value_text: String,
    /// The numbers of ready and wanted pods at the selected moment, as text.
    pub words: String,
    /// The length of time that a person chose to see; zero for the whole run.
    pub zoom: Span,
    /// The number of branches that were left behind.
    pub branches: usize,
}

/// The numbers of wanted and ready pods from one place of the timeline on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// The place on the timeline, in thousandths of its length.
    pub place: i64,
    /// The number of wanted pods.
    pub desired: i64,
    /// The number of ready pods.
    pub ready: i64,
}

/// The sort of a mark on the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A person's command.
    Command,
    /// Desired and actual agree again.
    Converged,
    /// A person acted in the past, and the run went another way.
    Fork,
    /// The newest moment, while a person looks at an earlier one.
    Live,
}

/// A mark on the timeline: a command, a convergence, a fork, or the newest moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The place of the mark on the timeline, in thousandths of its length.
    pub place: i64,
    /// The time of the mark, as text.
    pub at: String,
    /// The full text of the mark.
    pub text: String,
    /// The label beside the mark, which may sum up several marks; empty if the label of another mark includes this one.
    pub label: String,
    /// The sort of the mark.
    pub sort: Sort,
    /// Set if the mark's command broke something.
    pub breaks: bool,
    /// The row of the label; `None` if there is no room for the label.
    pub row: Option<usize>,
    /// Set if the label is drawn to the left of the mark.
    pub left: bool,
}

/// The rows for the labels of commands and forks.
const COMMAND_ROWS: [usize; 2] = [0, 1];
/// The rows for the labels of convergences and of the newest moment.
const OUTCOME_ROWS: [usize; 1] = [2];
/// The greatest average width of a letter in a label, in pixels.
const LETTER: i64 = 7;
/// The distance in pixels below which commands share one label.
const CLOSE: i64 = 36;
/// The width in pixels that the text of a tick of the time axis needs.
const TICK_ROOM: i64 = 72;
/// The greatest number of marks of one sort that are shown.
const MARKS_SHOWN: usize = 40;
/// The greatest number of letters of a label.
const LETTERS_SHOWN: usize = 32;
/// The most workloads that a person can choose from.
const WORKLOADS_SHOWN: usize = 50;

/// Returns the timeline of a run.
pub fn timeline(run: &Run, selection: &TimeSelection) -> Timeline {
    let axis = Axis::of(run, selection);
    let (live, known) = (run.session.live(), &run.session.live_notes().balance);
    let chosen = selection.workload.as_ref().and_then(|name| known.workloads.get(name));
    let none = (&known.samples, &known.windows, (!known.converged).then_some(known.since));
    let (samples, windows, open) = chosen.map_or(none, |w| (&w.samples, &w.windows, w.drift));
    let steps = levels(samples, &axis);
    let shown: Vec<Window> = windows.iter().filter(|w| w.to >= axis.from).copied().collect();
    let still = open.map(|from| Window { from, to: live.now });
    let there = |(name, workload): (&Subject, &super::notes::balance::Workload)| workload.there.then(|| name.clone());
    Timeline {
        marks: Rc::new(marks(run, selection, &axis, &shown)),
        top: steps.iter().map(|s| s.desired.max(s.ready)).max().unwrap_or(0).max(1),
        steps,
        drift: shown.iter().copied().chain(still).map(|w| (axis.place(w.from), axis.place(w.to))).collect(),
        requests: requests(live, &axis),
        now: axis.place(run.now()),
        live: axis.place(live.now),
        ticks: Rc::new(axis.ticks(run.start, selection.width)),
        workloads: Rc::new(known.workloads.iter().filter_map(there).take(WORKLOADS_SHOWN).collect()),
        chosen: selection.workload.clone().filter(|_| chosen.is_some()),
        value: (run.elapsed().0 / 1000, (live.now - run.start).0 / 1000),
        value_text: value_text(run),
        words: words(run, selection),
        zoom: selection.zoom,
        branches: run.branches.len(),
        axis,
    }
}

/// Returns the numbers of wanted and ready pods at the selected moment, of the chosen workload or of all.
fn words(run: &Run, selection: &TimeSelection) -> String {
    let balance = &run.notes().balance;
    let chosen = selection.workload.as_ref().and_then(|name| Some((name, balance.workloads.get(name)?)));
    let pods = match chosen {
        Some((name, w)) => format!("{}: {} of {} ready", name.key.name, w.ready, wanted(w.desired, "wanted pod", "wanted pods")),
        None if balance.unready.is_empty() => {
            format!("{} of {} ready", balance.ready, wanted(balance.desired, "wanted pod", "wanted pods"))
        }
        None => convergence::pods(run),
    };
    match success_rate(run.cluster()) {
        rate if rate.is_empty() => pods,
        rate => format!("{pods}; {rate}"),
    }
}

fn wanted(n: i64, one: &str, many: &str) -> String {
    clock::count(n.max(0) as usize, one, many)
}

fn value_text(run: &Run) -> String {
    let balance = &run.notes().balance;
    let state = match balance.is_blocked() {
        _ if balance.converged => "converged",
        true => "stuck, drifting",
        false => "drifting",
    };
    let pods = format!("{} of {} ready", balance.ready, wanted(balance.desired, "wanted pod", "wanted pods"));
    let live = if run.session.is_looking_back() { "" } else { ", the newest moment" };
    format!("{}{live}: {state} for {}, {pods}", clock::moment(run.elapsed()), clock::span(run.now() - balance.since))
}

/// Returns the stretches of time in which requests were sent over the network: places from and to, and whether any failed.
fn requests(cluster: &Cluster, axis: &Axis) -> Vec<(i64, i64, bool)> {
    let mut stretches: Vec<(i64, i64, bool)> = Vec::new();
    let seen = |s: &&Second| s.at + Span::secs(1) >= axis.from && s.at <= axis.to;
    for second in cluster.traffic().seconds.iter().filter(seen) {
        let (from, to) = (axis.place(second.at), axis.place(second.at + Span::secs(1)));
        let failed = second.answered < second.all();
        match stretches.last_mut() {
            Some(last) if last.1 >= from && last.2 == failed => last.1 = to,
            _ => stretches.push((from, to, failed)),
        }
    }
    stretches
}

/// The least distance between two points of the chart, in thousandths of the line.
const GRAIN: i64 = 3;

/// Returns the steps of the chart of pods: the last sample at each place, and the last one before the line begins.
fn levels(samples: &Vector<Sample>, axis: &Axis) -> Vec<Level> {
    let mut steps = vec![Level { place: 0, desired: 0, ready: 0 }];
    for sample in samples.iter().take_while(|s| s.at <= axis.to) {
        let level = Level { place: axis.place(sample.at) / GRAIN * GRAIN, desired: sample.desired, ready: sample.ready };
        steps.pop_if(|last| last.place == level.place);
        steps.push(level);
    }
    steps
}

/// Returns the length of time that the timeline of a whole run covers: a round span with some room ahead.
fn window(elapsed: Span) -> Span {
    const ROUND: [i64; 24] = [
        10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 450, 600, 900, 1_200, 1_800, 2_700, 3_600, 5_400, 7_200, 10_800, 14_400, 21_600, 43_200,
        86_400,
    ];
    let wanted = elapsed.0 / 1_000_000 * 21 / 20;
    let round = ROUND.iter().find(|r| **r > wanted).copied();
    Span::secs(round.unwrap_or((wanted / 86_400 + 1) * 86_400))
}

fn marks(run: &Run, selection: &TimeSelection, axis: &Axis, windows: &[Window]) -> Vec<Mark> {
    let mut all: Vec<(Time, Mark)> = Vec::new();
    let mut add = |at: Time, text: String, sort: Sort, breaks: bool| {
        if at >= axis.from && at <= axis.to {
            let moment = clock::moment(at - run.start);
            all.push((at, Mark { place: axis.place(at), at: moment, label: text.clone(), text, sort, breaks, row: None, left: false }));
        }
    };
    if run.session.is_looking_back() {
        add(run.session.live().now, "now".to_owned(), Sort::Live, false);
    }
    for given in run.session.commands().iter().rev().take(MARKS_SHOWN) {
        let (text, breaks) = describe(&given.command);
        add(given.at, text, Sort::Command, breaks);
    }
    for fork in run.forked.iter().rev().take(MARKS_SHOWN) {
        add(fork.at, format!("fork: {} later steps replaced", fork.replaced), Sort::Fork, false);
    }
    for w in windows.iter().rev().take(MARKS_SHOWN) {
        add(w.to, format!("converged after {}", clock::span(w.length())), Sort::Converged, false);
    }
    let width = selection.width.max(1);
    merge_labels(&mut all, width);
    give_rows(&mut all, width);
    all.order_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, mark)| mark).collect()
}

/// Merges the labels of commands that are close together: one label, at the newest of them, with the number of the others.
fn merge_labels(marks: &mut [(Time, Mark)], width: i64) {
    let near = CLOSE * 1000 / width;
    let mut commands: Vec<&mut Mark> = marks.iter_mut().map(|(_, mark)| mark).filter(|mark| mark.sort == Sort::Command).collect();
    commands.order_by_key(|mark| std::cmp::Reverse(mark.place));
    let mut rest = commands.as_mut_slice();
    while let Some((newest, others)) = rest.split_first_mut() {
        let count = others.iter().take_while(|mark| newest.place - mark.place < near).count();
        let (merged, next) = others.split_at_mut(count);
        let alike = merged.iter().all(|mark| mark.text == newest.text);
        newest.label = match count {
            0 => newest.text.clone(),
            _ if alike => format!("{}× {}", count + 1, newest.text),
            _ => format!("{} + {count} more", shortened(&newest.text, LETTERS_SHOWN - 9)),
        };
        merged.iter_mut().for_each(|mark| mark.label.clear());
        rest = next;
    }
}

/// Assigns rows to the labels of marks, the newest first, so that no two labels overlap.
fn give_rows(marks: &mut [(Time, Mark)], width: i64) {
    let mut taken: [Vec<(i64, i64)>; 3] = Default::default();
    for (_, mark) in marks.iter_mut() {
        if mark.label.is_empty() {
            continue;
        }
        let letters = mark.label.chars().count().min(LETTERS_SHOWN) as i64;
        let room = (letters * LETTER + 10) * 1000 / width;
        let rows: &[usize] = if matches!(mark.sort, Sort::Converged | Sort::Live) { &OUTCOME_ROWS } else { &COMMAND_ROWS };
        let right = (mark.place, mark.place + room, false);
        let left = (mark.place - room, mark.place, true);
        'places: for (from, to, is_left) in [right, left] {
            for row in rows.iter().copied().filter(|_| from >= 0 && to <= 1000) {
                if taken[row].iter().all(|(a, b)| to <= *a || from >= *b) {
                    taken[row].push((from, to));
                    (mark.row, mark.left) = (Some(row), is_left);
                    break 'places;
                }
            }
        }
    }
}

impl Mark {
    /// Returns the label of the mark, cut to the most letters that are shown.
    pub fn short(&self) -> String {
        shortened(&self.label, LETTERS_SHOWN)
    }
}

/// Returns a text of at most `most` letters.
fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_covers_a_round_span_with_room_ahead() {
        for (elapsed, covered) in [(0, 10), (8, 10), (10, 15), (58, 90), (100_000, 172_800)] {
            assert_eq!(window(Span::secs(elapsed)), Span::secs(covered), "{elapsed}");
        }
    }

    #[test]
    fn commands_that_stand_close_share_one_label() {
        let mark = |place: i64, text: &str| {
            let (at, text, label) = (String::new(), text.to_owned(), text.to_owned());
            (Time(place), Mark { place, at, text, label, sort: Sort::Command, breaks: false, row: None, left: false })
        };
        let mut marks =
            [mark(100, "apply Pod a"), mark(110, "apply Pod a"), mark(300, "apply Pod b"), mark(310, "scale"), mark(900, "drain")];
        merge_labels(&mut marks, 700);
        let labels: Vec<&str> = marks.iter().map(|(_, mark)| mark.label.as_str()).collect();
        assert_eq!(labels, ["", "2× apply Pod a", "", "scale + 1 more", "drain"]);
    }

    #[test]
    fn ticks_are_round_and_have_room_for_their_texts() {
        let start = Time(1_000_000_000);
        for (from, seconds, width) in [(0, 10, 700), (0, 90, 300), (33, 60, 700), (0, 172_800, 900), (7, 5, 200), (0, 4_000_000, 700)] {
            let axis = Axis { from: start + Span::secs(from), to: start + Span::secs(from + seconds) };
            let ticks = axis.ticks(start, width);
            assert!(ticks.len() >= 2 || seconds < 10, "{from} {seconds}: {ticks:?}");
            for pair in ticks.windows(2) {
                assert!((pair[1].0 - pair[0].0) * width / 1000 >= 45, "{from} {seconds}: {ticks:?}");
            }
        }
    }
}
