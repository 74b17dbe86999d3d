//! Requests, watch events and queues over time: small charts on one time axis, and the clients with the most requests.

use super::clock;
use super::notes::traffic::{Stretch, Talk, Talker, Traffic, VERBS, WHO};
use super::object::who;
use super::rings::name_of;
use super::run::Run;
use super::timeline::{Axis, TimeSelection};
use crate::api::order::Order;
use crate::api::time::{Span, Time};
use crate::sim::{Cluster, Process};
use std::cmp::Reverse;
use std::rc::Rc;

/// The charts of requests, watch events and queues over time, as the page draws them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    /// The stretch of time that the charts cover.
    pub axis: Axis,
    /// The charts, one below the other.
    pub panels: Vec<Rc<Panel>>,
    /// The position of the selected moment on the time axis, in thousandths of its length.
    pub now: i64,
    /// The labels of the time axis: position in thousandths of its length, and text.
    pub ticks: Rc<Vec<(i64, String)>>,
    /// The clients of the API server with the most requests.
    pub talkers: Rc<Vec<TalkerRow>>,
    /// Set if requests are split by verb instead of by client.
    pub by_verb: bool,
    /// A sentence with the numbers of requests, changes and watch events so far.
    pub words: String,
    /// The length of time that a person chose to see; zero for the whole run.
    pub zoom: Span,
}

/// One chart with several lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panel {
    /// The name of the quantity that the chart shows.
    pub name: &'static str,
    /// The value at the top of the chart, as text.
    pub top: String,
    /// The lines of the chart.
    pub lines: Vec<Line>,
    /// The current value of each line and the highest value, as text.
    pub words: String,
}

/// One line of a chart, drawn in steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The name of the quantity that the line shows.
    pub name: &'static str,
    /// The steps of the line: position and height, both in thousandths of the chart.
    pub steps: Vec<(i64, i64)>,
    /// The value of the second before the selected moment, in tenths; the current second is not over yet.
    pub now: i64,
}

/// A client of the API server, with the numbers of its requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TalkerRow {
    /// The name of the client.
    pub name: String,
    /// The client's requests: all, those that changed something, those that were refused.
    pub talk: Talk,
    /// The client's share of all requests, in percent.
    pub percent: u64,
}

/// The number of positions along the time axis at which a line of a chart has a value. Of several values at one position the highest is drawn.
const COLUMNS: i64 = 250;
/// The number of clients that are listed.
const TALKERS_SHOWN: usize = 8;

/// Returns the charts of the requests and queues of a run.
pub fn requests(run: &Run, selection: &TimeSelection) -> Requests {
    let axis = Axis::of(run, selection);
    let (known, past) = (&run.session.live_notes().traffic, &run.notes().traffic);
    let chart = Chart { axis, traffic: known, now: run.now(), live: run.session.live().now };
    let asked: Vec<Line> = if selection.by_verb {
        (0..VERBS.len()).map(|i| chart.line(VERBS[i], |s| rate(s.by_verb[i], s))).collect()
    } else {
        (0..WHO.len()).map(|i| chart.line(WHO[i], |s| rate(s.by_who[i], s))).collect()
    };
    let told = vec![chart.line("watch events", |s| rate(s.told, s))];
    let queues = vec![chart.line("ready", |s| i64::from(s.ready) * 10), chart.line("waiting", |s| i64::from(s.waiting) * 10)];
    let talkers = Rc::new(talkers(past, run.cluster()));
    Requests {
        panels: [panel("requests per second", asked), panel("watch events per second", told), panel("keys in queues", queues)]
            .map(Rc::new)
            .into(),
        now: axis.place(run.now()),
        ticks: Rc::new(axis.ticks(run.start, selection.width)),
        by_verb: selection.by_verb,
        zoom: selection.zoom,
        words: words(past, run),
        talkers,
        axis,
    }
}

/// Returns a count in a stretch of time as a rate, in tenths per second.
fn rate(count: u32, stretch: &Stretch) -> i64 {
    i64::from(count) * 10 / stretch.length.max(1)
}

/// The input from which every line of a chart is made.
struct Chart<'a> {
    axis: Axis,
    traffic: &'a Traffic,
    now: Time,
    live: Time,
}

impl Chart<'_> {
    /// Returns a line of the chart. Its heights are in tenths (of a request per second, or of a queued key), not yet scaled to the height of the chart.
    fn line(&self, name: &'static str, of: impl Fn(&Stretch) -> i64) -> Line {
        let mut steps: Vec<(i64, i64)> = vec![(0, 0)];
        let (mut now, before) = (0, self.now + Span::secs(-1));
        let mut add = |at: Time, height: i64| {
            let place = self.axis.place(at) * COLUMNS / 1000 * 1000 / COLUMNS;
            match steps.last_mut() {
                // Before the start of the axis the last value counts, not the highest.
                Some(last) if last.0 == place && at >= self.axis.from => last.1 = last.1.max(height),
                Some(last) if last.0 == place => last.1 = height,
                Some(last) if last.1 == height => {}
                _ => steps.push((place, height)),
            }
        };
        let mut end = self.axis.from;
        for stretch in self.traffic.stretches() {
            let (from, to) = (Time(stretch.second * 1_000_000), Time((stretch.second + stretch.length) * 1_000_000));
            if to <= self.axis.from || from > self.axis.to {
                continue;
            }
            if from > end {
                add(end, 0);
            }
            add(from, of(stretch));
            if from <= before && before < to {
                now = of(stretch);
            }
            end = to;
        }
        if end < self.live {
            add(end, 0);
        }
        Line { name, steps, now }
    }
}

fn panel(name: &'static str, mut lines: Vec<Line>) -> Panel {
    let highest = lines.iter().flat_map(|l| &l.steps).map(|s| s.1).max().unwrap_or(0);
    let top = round_up(highest);
    let parts: Vec<String> = lines.iter().map(|l| format!("{} {}", l.name, tenths(l.now))).collect();
    for line in &mut lines {
        line.steps.iter_mut().for_each(|s| s.1 = s.1 * 1000 / top);
    }
    Panel { name, top: tenths(top), lines, words: format!("{name}: {}; highest {}", parts.join(", "), tenths(highest)) }
}

/// Returns the next round number of at least 10: its first digit is 1, 2 or 5, the others are 0.
fn round_up(n: i64) -> i64 {
    let mut unit = 10;
    loop {
        if let Some(round) = [1, 2, 5].into_iter().map(|f| f * unit).find(|r| *r >= n) {
            return round;
        }
        unit *= 10;
    }
}

/// Formats a number of tenths: `3`, `3.5`.
pub fn tenths(n: i64) -> String {
    if n % 10 == 0 { (n / 10).to_string() } else { format!("{}.{}", n / 10, n % 10) }
}

fn talkers(traffic: &Traffic, cluster: &Cluster) -> Vec<TalkerRow> {
    let mut top: Vec<(Talker, Talk)> = Vec::new();
    for (talker, talk) in &traffic.talkers {
        // Only a few of thousands of kubelets have enough requests to be shown.
        if top.len() < TALKERS_SHOWN || top.last().is_some_and(|(_, least)| least.requests < talk.requests) {
            top.push((*talker, *talk));
            top.order_by_key(|(_, talk)| Reverse(talk.requests));
            top.truncate(TALKERS_SHOWN);
        }
    }
    let all = traffic.requests.max(1);
    let row = |(talker, talk): (Talker, Talk)| TalkerRow { name: name(talker, cluster), talk, percent: talk.requests * 100 / all };
    top.into_iter().map(row).collect()
}

fn name(talker: Talker, cluster: &Cluster) -> String {
    let several = cluster.managers.len() > 1;
    let of = |what: &str, n: u32| if several { format!("{what} of controller manager {n}") } else { what.to_owned() };
    match talker {
        Talker::Controller(index) => format!("{} controller", name_of(cluster, index as usize)),
        Talker::Informers(n) => of("informers", n),
        Talker::Election(n) => of("leader election", n),
        Talker::Scheduler => "scheduler".to_owned(),
        Talker::Kubelet(n) => who::process(Process::Kubelet(n), cluster),
        Talker::Person => "people".to_owned(),
    }
}

fn words(traffic: &Traffic, run: &Run) -> String {
    let Traffic { requests, writes, told, .. } = traffic;
    let (requests, writes) = (clock::count(*requests as usize, "request", "requests"), clock::count(*writes as usize, "change", "changes"));
    format!("{requests}, {writes} and {} in {}", clock::count(*told as usize, "watch event", "watch events"), clock::span(run.elapsed()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_is_as_high_as_the_next_round_number() {
        for (n, top) in [(0, 10), (10, 10), (11, 20), (30, 50), (51, 100), (999, 1000), (1001, 2000)] {
            assert_eq!(round_up(n), top);
        }
        assert_eq!((tenths(30), tenths(35)), ("3".to_owned(), "3.5".to_owned()));
    }
}
