//! Time along the bottom: what was done, how far actual was from desired, and how long it took until they agreed again. When a moment of the
//! past is looked at, the line still goes on to the newest: what is known to come is drawn pale.

use super::clock;
use super::deeds::describe;
use super::desk::Desk;
use super::look::Subject;
use super::notes::balance::{Sample, Window};
use crate::api::time::{Span, Time};
use crate::order;
use crate::persistent::Vector;

/// How time is looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeLook {
    /// How much of it the line covers; nothing for the whole run.
    pub zoom: Span,
    /// The stretch that stays while a person drags.
    pub hold: Option<(Time, Time)>,
    /// How wide the line is on the screen, in pixels: texts must not overlap.
    pub width: i64,
    /// The workload whose drift is drawn; none for all.
    pub workload: Option<Subject>,
    /// Whether requests are told apart by verb instead of by who asks.
    pub by_verb: bool,
    /// After how many seconds of drift an alert fires.
    pub alert_after: i64,
}

impl Default for TimeLook {
    fn default() -> Self {
        TimeLook { zoom: Span(0), hold: None, width: 700, workload: None, by_verb: false, alert_after: 60 }
    }
}

/// A stretch of time laid out along a line. Places are in thousandths of its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Where it begins.
    pub from: Time,
    /// Where it ends.
    pub to: Time,
}

impl Default for Axis {
    fn default() -> Self {
        Axis { from: Time(0), to: Time(1) }
    }
}

impl Axis {
    /// The stretch that a person looks at.
    pub fn of(desk: &Desk, look: &TimeLook) -> Axis {
        if let Some((from, to)) = look.hold {
            return Axis { from, to };
        }
        let (start, live, zoom) = (desk.start, desk.session.live().now, look.zoom);
        let whole = window(live - start);
        if zoom.0 <= 0 || zoom >= whole {
            return Axis { from: start, to: start + whole };
        }
        let mut from = live + Span(zoom.0 / 20 - zoom.0);
        if desk.now() < from {
            from = desk.now() + Span(-zoom.0 / 2);
        }
        let from = from.max(start);
        Axis { from, to: from + zoom }
    }
    /// Where a time is.
    pub fn place(&self, at: Time) -> i64 {
        (i128::from((at - self.from).0) * 1000 / i128::from(self.span().0.max(1))).clamp(0, 1000) as i64
    }
    /// Which time is at a place.
    pub fn time(&self, place: f64) -> Time {
        self.from + Span((self.span().0 as f64 * place.clamp(0.0, 1000.0) / 1000.0) as i64)
    }
    /// How much time it covers.
    pub fn span(&self) -> Span {
        self.to - self.from
    }
    /// Round times to write along it, with as much room as their texts need.
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

/// The timeline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// What it covers.
    pub axis: Axis,
    /// What was done and what came of it, in the order of time.
    pub marks: Vec<Mark>,
    /// Wanted and ready pods: a step at each.
    pub steps: Vec<Level>,
    /// When desired and actual did not agree: places from and to.
    pub drift: Vec<(i64, i64)>,
    /// The highest number of pods.
    pub top: i64,
    /// Where the moment looked at is.
    pub now: i64,
    /// Where the newest moment is.
    pub live: i64,
    /// Times to write under the line: place and text.
    pub ticks: Vec<(i64, String)>,
    /// The workloads that can be chosen: all of them, then one by one.
    pub workloads: Vec<Subject>,
    /// The one that is.
    pub chosen: Option<Subject>,
    /// The moment in thousandths of a second since the beginning, and the newest.
    pub value: (i64, i64),
    /// The moment looked at, in words.
    pub value_text: String,
    /// How things stand, in words.
    pub words: String,
    /// What it covers, as a person chose it.
    pub zoom: Span,
}

/// Pods wanted and ready from a place on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Where.
    pub place: i64,
    /// Pods wanted.
    pub desired: i64,
    /// Pods ready.
    pub ready: i64,
}

/// What sort of mark it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A person did something.
    Deed,
    /// Desired and actual agree again.
    Converged,
    /// Something was done in the past, and the run went another way.
    Fork,
    /// The newest moment, while an earlier one is looked at.
    Live,
}

/// Something on the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Where.
    pub place: i64,
    /// When.
    pub at: String,
    /// What.
    pub text: String,
    /// What sort.
    pub sort: Sort,
    /// Whether something was broken.
    pub breaks: bool,
    /// In which row its text stands; without room it has none.
    pub row: Option<usize>,
    /// Whether the text stands left of it.
    pub left: bool,
}

/// Rows of texts for what was done, and the row for what came of it.
const DEED_ROWS: [usize; 2] = [0, 1];
const OUTCOME_ROWS: [usize; 1] = [2];
/// How wide a letter is at most on average, and a text of the ticks with its room, in pixels.
const LETTER: i64 = 7;
const TICK_ROOM: i64 = 72;
/// How many marks of a sort are shown, and how many letters of each.
const MARKS_SHOWN: usize = 40;
const LETTERS_SHOWN: usize = 32;
/// How many workloads can be chosen from.
const WORKLOADS_SHOWN: usize = 50;

/// The timeline of a run.
pub fn timeline(desk: &Desk, look: &TimeLook) -> Timeline {
    let axis = Axis::of(desk, look);
    let (live, known) = (desk.session.live(), &desk.session.live_notes().balance);
    let chosen = look.workload.as_ref().and_then(|name| known.workloads.get(name));
    let none = (&known.samples, &known.windows, (!known.converged).then_some(known.since));
    let (samples, windows, open) = chosen.map_or(none, |w| (&w.samples, &w.windows, w.drift));
    let steps = levels(samples, &axis);
    let shown: Vec<Window> = windows.iter().filter(|w| w.to >= axis.from).copied().collect();
    let still = open.map(|from| Window { from, to: live.now });
    let there = |(name, workload): (&Subject, &super::notes::balance::Workload)| workload.there.then(|| name.clone());
    Timeline {
        marks: marks(desk, look, &axis, &shown),
        top: steps.iter().map(|s| s.desired.max(s.ready)).max().unwrap_or(0).max(1),
        steps,
        drift: shown.iter().copied().chain(still).map(|w| (axis.place(w.from), axis.place(w.to))).collect(),
        now: axis.place(desk.now()),
        live: axis.place(live.now),
        ticks: axis.ticks(desk.start, look.width),
        workloads: known.workloads.iter().filter_map(there).take(WORKLOADS_SHOWN).collect(),
        chosen: look.workload.clone().filter(|_| chosen.is_some()),
        value: (desk.elapsed().0 / 1000, (live.now - desk.start).0 / 1000),
        value_text: value_text(desk),
        words: words(desk, look),
        zoom: look.zoom,
        axis,
    }
}

/// Pods wanted and ready at the moment looked at, of what is chosen.
fn words(desk: &Desk, look: &TimeLook) -> String {
    let balance = &desk.notes().balance;
    let chosen = look.workload.as_ref().and_then(|name| Some((name, balance.workloads.get(name)?)));
    match chosen {
        Some((name, w)) => format!("{}: {} of {} pods are ready", name.key.name, w.ready, w.desired),
        None => format!("{} of {} wanted pods are ready", balance.ready, balance.desired),
    }
}

fn value_text(desk: &Desk) -> String {
    let balance = &desk.notes().balance;
    let state = if balance.converged { "converged" } else { "drifting" };
    let pods = format!("{} of {} wanted pods ready", balance.ready, balance.desired);
    let live = if desk.session.is_looking_back() { "" } else { ", the newest moment" };
    format!("{}{live}: {state} for {}, {pods}", clock::moment(desk.elapsed()), clock::span(desk.now() - balance.since))
}

/// How many thousandths of the line are one place for the chart: two of its points are not nearer.
const GRAIN: i64 = 3;

/// Of several samples at one place only the last shows; of those before the line begins only the last matters.
fn levels(samples: &Vector<Sample>, axis: &Axis) -> Vec<Level> {
    let mut steps = vec![Level { place: 0, desired: 0, ready: 0 }];
    for sample in samples.iter().take_while(|s| s.at <= axis.to) {
        let level = Level { place: axis.place(sample.at) / GRAIN * GRAIN, desired: sample.desired, ready: sample.ready };
        steps.pop_if(|last| last.place == level.place);
        steps.push(level);
    }
    steps
}

/// How much time the line covers: a round span with some room ahead.
fn window(elapsed: Span) -> Span {
    const ROUND: [i64; 24] = [
        10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 450, 600, 900, 1_200, 1_800, 2_700, 3_600, 5_400, 7_200, 10_800, 14_400, 21_600, 43_200,
        86_400,
    ];
    let wanted = elapsed.0 / 1_000_000 * 21 / 20;
    let round = ROUND.iter().find(|r| **r > wanted).copied();
    Span::secs(round.unwrap_or((wanted / 86_400 + 1) * 86_400))
}

fn marks(desk: &Desk, look: &TimeLook, axis: &Axis, windows: &[Window]) -> Vec<Mark> {
    let mut all: Vec<(Time, Mark)> = Vec::new();
    let mut add = |at: Time, text: String, sort: Sort, breaks: bool| {
        if at >= axis.from && at <= axis.to {
            let moment = clock::moment(at - desk.start);
            all.push((at, Mark { place: axis.place(at), at: moment, text, sort, breaks, row: None, left: false }));
        }
    };
    if desk.session.is_looking_back() {
        add(desk.session.live().now, "now".to_owned(), Sort::Live, false);
    }
    for given in desk.session.commands().iter().rev().take(MARKS_SHOWN) {
        let (text, breaks) = describe(&given.command);
        add(given.at, text, Sort::Deed, breaks);
    }
    for fork in desk.forked.iter().rev().take(MARKS_SHOWN) {
        add(fork.at, format!("fork: {} later steps replaced", fork.replaced), Sort::Fork, false);
    }
    for w in windows.iter().rev().take(MARKS_SHOWN) {
        add(w.to, format!("converged after {}", clock::span(w.length())), Sort::Converged, false);
    }
    give_rows(&mut all, look.width.max(1));
    order::sort_by_key(&mut all, |(at, _)| *at);
    all.into_iter().map(|(_, mark)| mark).collect()
}

/// Gives texts their rows, the newest first, so that no two overlap.
fn give_rows(marks: &mut [(Time, Mark)], width: i64) {
    let mut taken: [Vec<(i64, i64)>; 3] = Default::default();
    for (_, mark) in marks.iter_mut() {
        let letters = mark.text.chars().count().min(LETTERS_SHOWN) as i64;
        let room = (letters * LETTER + 10) * 1000 / width;
        let rows: &[usize] = if matches!(mark.sort, Sort::Converged | Sort::Live) { &OUTCOME_ROWS } else { &DEED_ROWS };
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
    /// Its text, cut to what there is room for.
    pub fn short(&self) -> String {
        if self.text.chars().count() <= LETTERS_SHOWN {
            return self.text.clone();
        }
        self.text.chars().take(LETTERS_SHOWN - 1).chain(['…']).collect()
    }
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
