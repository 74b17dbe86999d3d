//! The beginning of a story: a person's last command, or the moment at which desired and actual drifted apart by themselves.

use super::commands::{Told, is_action};
use crate::api::order::Order;
use crate::api::time::Time;
use crate::sim::Command;
use crate::view::clock;
use crate::view::run::Run;

/// The number of newest commands, and of newest drifts, that are searched for a beginning.
const LOOKED_THROUGH: usize = 200;

/// The moment at which a story begins, and the command that it begins with, if any.
#[derive(Clone, Debug, PartialEq)]
pub struct Beginning {
    /// The virtual time at which the story begins.
    pub at: Time,
    /// The number of the step after which the story begins; 0 if only the time counts.
    pub after: u64,
    /// The index of the command with which the story begins, among all commands of the run; `None` if it begins with a drift.
    pub command: Option<usize>,
    /// The index of an earlier command that injected a fault; the story tells it first, because it may have caused the drift.
    pub before: Option<usize>,
}

impl Beginning {
    /// Returns the beginning of a story that covers the whole run.
    pub fn of_run(run: &Run) -> Beginning {
        Beginning { at: run.start, after: 0, command: None, before: None }
    }
    /// Returns the story's title, such as `Since the run began`.
    pub fn title(&self, run: &Run, commands: &[Told]) -> String {
        match commands.first().filter(|told| self.command == Some(told.place)) {
            Some(told) => format!("Since you {}", told.did),
            None if self.at == run.start => "Since the run began".to_owned(),
            None => format!("Since desired and actual drifted apart at {}", clock::moment(self.at - run.start)),
        }
    }
}

/// Returns the last two moments at which a story can begin, newest first.
pub fn beginnings(run: &Run) -> Vec<Beginning> {
    let steps = run.cluster().steps;
    let given = run.session.commands();
    let before = given.partition_point(|g| g.after < steps);
    let actions: Vec<usize> =
        (before.saturating_sub(LOOKED_THROUGH)..before).rev().filter(|place| is_action(run, *place)).take(2).collect();
    let of_command = |place: &usize| given.get(*place).map(|g| Beginning { at: g.at, after: g.after, command: Some(*place), before: None });
    let mut all: Vec<Beginning> = actions.iter().filter_map(of_command).collect();
    all.extend(drifts(run).into_iter().map(|at| {
        // The effect of a fault often shows only later, so the story tells the fault first.
        let before = actions.first().copied();
        let fault = before.filter(|place| given.get(*place).is_some_and(|g| g.at <= at && matches!(g.command, Command::Fault(_))));
        Beginning { at, after: 0, command: None, before: fault }
    }));
    all.order_by_key(|began| std::cmp::Reverse((began.at, began.after)));
    all.truncate(2);
    all
}

/// Returns the last two moments at which desired and actual drifted apart without a command, newest first.
fn drifts(run: &Run) -> Vec<Time> {
    let balance = &run.notes().balance;
    let given = run.session.commands();
    let mut starts: Vec<(Time, Time)> = Vec::new();
    let mut next = balance.rest().is_none().then_some(balance.since);
    for i in (0..balance.windows.len()).rev().take(LOOKED_THROUGH) {
        let Some(window) = balance.windows.get(i) else { break };
        starts.extend(next.map(|start| (window.to, start)));
        next = Some(window.from);
    }
    let by_itself = |(rest, start): &(Time, Time)| {
        let first = given.partition_point(|g| g.at < *rest);
        given.get(first).is_none_or(|g| g.at > *start)
    };
    starts.into_iter().filter(by_itself).map(|(_, start)| start).take(2).collect()
}
