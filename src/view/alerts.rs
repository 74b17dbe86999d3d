//! Alerts: a rule that fires on lasting drift, and for comparison a naive one that fires on any error. Both are computed from the run's notes, so they follow
//! the selected moment.

use super::clock;
use super::notes::balance::{Balance, Window, Workload};
use super::notes::traffic::Trouble;
use super::run::Run;
use super::selection::Subject;
use crate::api::order::Order;
use crate::api::time::{Span, Time};

/// The alerts on lasting drift at one moment, compared with a naive rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alerts {
    /// Seconds of drift after which an alert fires.
    pub after: i64,
    /// The workloads with their alerts, firing ones first.
    pub rows: Vec<AlertRow>,
    /// The number of workloads that are not shown.
    pub more: usize,
    /// Alerts that are over, newest first.
    pub resolved: Vec<Resolved>,
    /// The number of alerts that have fired so far.
    pub fired: usize,
    /// The number of drifts that were over before an alert could fire.
    pub transient: usize,
    /// The number of times that the naive rule would have fired.
    pub naive: u64,
    /// The newest errors that the naive rule would fire on, newest first.
    pub errors: Vec<ErrorLine>,
    /// A sentence that compares both rules.
    pub words: String,
}

/// The state of the alert on one workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// The workload has drifted long enough for the alert to fire.
    Firing,
    /// The workload drifts, but the drift may pass before the alert fires.
    Pending,
    /// Desired and actual of the workload agree.
    Ok,
}

/// A workload with the state of its alert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertRow {
    /// The workload that the alert is about.
    pub subject: Subject,
    /// The state of the alert.
    pub standing: Standing,
    /// The state with its times: `drift reported for 12 s of 60`.
    pub text: String,
    /// The numbers of ready and of wanted pods: `2 of 3`.
    pub pods: String,
    /// The drift so far as a percentage of the time after which the alert fires.
    pub percent: i64,
}

/// An alert that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The workload that the alert was about.
    pub subject: Subject,
    /// The time at which the alert fired, as text.
    pub fired: String,
    /// The time for which the alert fired, as text.
    pub lasted: String,
    /// The length of the whole drift, as text.
    pub drift: String,
}

/// An error, on which a naive rule (an alert for every error) would fire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorLine {
    /// The time of the error, as text.
    pub at: String,
    /// The reason of the error, and the object that it is about.
    pub text: String,
}

/// The minimum and maximum number of seconds of drift after which a person can let an alert fire.
pub const AFTER: (i64, i64) = (10, 600);

/// The maximum number of workloads that are listed.
const ROWS_SHOWN: usize = 100;
/// The maximum number of workloads whose past drifts are searched for alerts that are over.
const LOOKED_THROUGH: usize = 1_000;
/// The maximum number of alerts that are over and still listed.
const RESOLVED_SHOWN: usize = 50;
/// The maximum number of errors that are listed.
const ERRORS_SHOWN: usize = 8;

impl Standing {
    /// Returns the name of the state on the page.
    pub fn word(self) -> &'static str {
        match self {
            Standing::Firing => "firing",
            Standing::Pending => "pending",
            Standing::Ok => "ok",
        }
    }
}

/// Returns the number of alerts that fire at a moment: those on workloads that have drifted for `after` seconds.
pub fn firing(balance: &Balance, now: Time, after: i64) -> usize {
    let latest = now + Span::secs(-after);
    balance.drifting.iter().take_while(|(since, _)| *since <= latest).count()
}

/// Returns the alerts at the selected moment, which fire after `after` seconds of drift.
pub fn alerts(run: &Run, after: i64) -> Alerts {
    let after = after.clamp(AFTER.0, AFTER.1);
    let (balance, traffic, now) = (&run.notes().balance, &run.notes().traffic, run.now());
    // Drifting workloads come first, then those whose status is late; the others follow while there is room.
    let drifting = balance.drifting.iter().map(|(_, name)| name);
    let calm = |late: bool| {
        let is_it = move |w: &Workload| w.there && w.drift.is_none() && late == (w.ready != w.desired);
        balance.workloads.iter().filter(move |(_, w)| is_it(w)).map(|(name, _)| name)
    };
    let shown = drifting.chain(calm(true)).chain(calm(false)).take(ROWS_SHOWN);
    let rows: Vec<AlertRow> = shown.filter_map(|name| Some(row(name, balance.workloads.get(name)?, now, after, run.start))).collect();
    let (mut over, mut transient) = (Vec::new(), 0);
    for (name, workload) in balance.workloads.iter().take(LOOKED_THROUGH) {
        for window in workload.windows.iter() {
            if window.length() >= Span::secs(after) {
                over.push((*window, name));
            } else {
                transient += 1;
            }
        }
    }
    over.order_by_key(|(window, _)| std::cmp::Reverse(window.to));
    let fired = over.len() + rows.iter().filter(|r| r.standing == Standing::Firing).count();
    Alerts {
        after,
        more: (balance.workloads.len()).saturating_sub(ROWS_SHOWN),
        resolved: over.iter().take(RESOLVED_SHOWN).map(|(w, name)| resolved(name, *w, after, run.start)).collect(),
        fired,
        transient,
        naive: traffic.error_count,
        errors: newest(traffic.errors.len(), |i| traffic.errors.get(i), run.start),
        words: words(transient, fired, traffic.error_count) + &alone(balance),
        rows,
    }
}

fn row(name: &Subject, workload: &Workload, now: Time, after: i64, start: Time) -> AlertRow {
    let (standing, text, percent) = match workload.drift.map(|since| (since, now - since)) {
        None if workload.ready != workload.desired => (Standing::Pending, "its status does not report the drift yet".to_owned(), 0),
        None => (Standing::Ok, "its status reports no drift".to_owned(), 0),
        Some((since, drift)) if drift >= Span::secs(after) => {
            let fired = since + Span::secs(after);
            (Standing::Firing, format!("since {}, drift reported for {}", clock::clock(fired - start), clock::span(drift)), 100)
        }
        Some((_, drift)) => {
            (Standing::Pending, format!("drift reported for {} s of {after}", drift.as_secs()), drift.as_secs() * 100 / after)
        }
    };
    AlertRow { subject: name.clone(), standing, text, pods: format!("{} of {}", workload.ready, workload.desired), percent }
}

fn resolved(name: &Subject, window: Window, after: i64, start: Time) -> Resolved {
    let fired = window.from + Span::secs(after);
    Resolved {
        subject: name.clone(),
        fired: clock::clock(fired - start),
        lasted: clock::span(window.to - fired),
        drift: clock::span(window.length()),
    }
}

fn newest<'a>(count: usize, get: impl Fn(usize) -> Option<&'a Trouble>, start: Time) -> Vec<ErrorLine> {
    let line = |t: &Trouble| ErrorLine { at: clock::clock(t.at - start), text: format!("{} {}", t.reason, t.about) };
    (0..count).rev().take(ERRORS_SHOWN).filter_map(get).map(line).collect()
}

/// Formats a number of things: `1 alert`, `3 alerts`.
pub fn count(n: u64, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// Returns a sentence about stuck pods that belong to no workload, on which no alert can fire.
fn alone(balance: &Balance) -> String {
    match balance.unready.len() {
        0 => String::new(),
        1 => " 1 pod is not ready and belongs to no workload: no alert fires on it.".to_owned(),
        n => format!(" {n} pods are not ready and belong to no workload: no alert fires on them."),
    }
}

fn words(transient: usize, fired: usize, naive: u64) -> String {
    let (fired, transient) = (count(fired as u64, "alert"), count(transient as u64, "transient drift"));
    format!(
        "{fired} on drift that lasted; {transient} did not fire. A drift counts for each workload, as long as its status reports it: it begins later than \
         that of the whole cluster, which the badge and the timeline count from its cause. A rule on any error would have fired {}.",
        count(naive, "time")
    )
}
