//! Branches that were left behind: acting in the past replaces the later steps, whose commands are kept here, so that a person can reopen them.

use super::clock;
use super::command_text::describe;
use super::run::{Fork, Run};
use super::selection::Selection;
use super::share::{Done, Moment, Share};
use crate::api::time::{Span, Time};

/// The number of branches that a run keeps; the oldest is dropped first.
pub const MOST_BRANCHES: usize = 8;
/// The number of a branch's commands that its line in the list names.
const NAMED: usize = 3;

/// A branch: the rest of a run that was left behind when somebody acted in its past.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The number of the branch in the run, from 1.
    pub number: u32,
    /// The virtual time of the moment in the past at which somebody acted.
    pub left_at: Time,
    /// The number of the step after which somebody acted.
    pub after: u64,
    /// The share state of the run with this branch, up to its end.
    share: Share,
}

/// A branch as the page lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchLine {
    /// The number of the branch in the run, from 1.
    pub number: u32,
    /// The time at which the branch was left, as text.
    pub at: String,
    /// A sentence about the branch: `Branch left at 0:12.300: 3 later commands: delete pod x, …`
    pub text: String,
}

impl Branch {
    /// Makes a branch of the run's steps after the step `after`; `None` if the run has no later commands.
    fn of(run: &Run, number: u32, after: u64, left_at: Time) -> Option<Branch> {
        let live = run.session.live();
        let at = Moment { at: live.now - run.start, after: Some(live.steps) };
        let share = Share { at, ..Share::of(run, &Selection::default(), "") };
        Some(Branch { number, left_at, after, share }).filter(|branch| branch.later_commands().next().is_some())
    }
    /// Returns the commands of the branch after the step `after`, as texts.
    fn later_commands(&self) -> impl Iterator<Item = String> {
        let is_later = |done: &&Done| done.moment.after >= Some(self.after);
        self.share.commands.iter().filter(is_later).map(|done| describe(&done.input.command()).0)
    }
    /// Returns the number of the branch's steps after the step `after`.
    fn steps(&self) -> u64 {
        self.share.at.after.unwrap_or_default().saturating_sub(self.after)
    }
    /// Serializes the branch as a line of text: its number, the moment at which it was left, and its share state.
    fn write(&self, start: Time) -> String {
        format!("{} {} {} {}", self.number, (self.left_at - start).0, self.after, self.share.write())
    }
    /// Reads a branch from the line that [`Branch::write`] has made; `None` if it has become something else.
    fn read(line: &str, start: Time) -> Option<Branch> {
        let mut words = line.splitn(4, ' ');
        let (number, left_at, after) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        Some(Branch { number, left_at: start + Span(left_at), after, share: Share::read_own(words.next()?).ok()? })
    }
    fn line(&self, run: &Run) -> BranchLine {
        let at = clock::clock(self.left_at - run.start);
        let (count, named) = (self.later_commands().count(), self.later_commands().take(NAMED).collect::<Vec<_>>().join(", "));
        let (commands, more) = (if count == 1 { "command" } else { "commands" }, if count > NAMED { ", …" } else { "" });
        BranchLine { number: self.number, text: format!("Branch left at {at}: {count} later {commands}: {named}{more}"), at }
    }
}

/// The branches and forks of a branch that is being reopened: the run gets them once it has been replayed.
#[derive(Clone, Debug)]
pub struct Reopening {
    /// The moment at which the reopened branch was left, as text.
    pub at: String,
    pub(super) branches: Vec<Branch>,
    forked: Vec<Fork>,
    forks: u32,
    last_branch: u32,
}

impl Run {
    /// Returns the branches that were left behind, the newest first.
    pub fn branch_lines(&self) -> Vec<BranchLine> {
        self.branches.iter().rev().map(|branch| branch.line(self)).collect()
    }
    /// Serializes the branches for the storage of the browser, a line for each, the oldest first.
    pub fn write_branches(&self) -> Vec<String> {
        self.branches.iter().map(|branch| branch.write(self.start)).collect()
    }
    /// Gives a run that was replayed the branches that [`Run::write_branches`] has serialized, and the forks that have left them behind.
    pub fn read_branches(&mut self, lines: &str) {
        for branch in lines.lines().filter_map(|line| Branch::read(line, self.start)) {
            self.last_branch = self.last_branch.max(branch.number);
            self.forked.retain(|fork| fork.at < branch.left_at);
            self.forked.push(Fork { at: branch.left_at, replaced: branch.steps() });
            self.forks += 1;
            push(&mut self.branches, branch);
        }
    }
    /// Keeps the steps after the selected moment as a branch, before a command replaces them.
    pub(super) fn keep_branch(&mut self) {
        let (at, after) = (self.now(), self.cluster().steps);
        if let Some(branch) = Branch::of(self, self.last_branch + 1, after, at) {
            self.last_branch += 1;
            push(&mut self.branches, branch);
        }
    }
    /// Returns the share state of a branch, and the branches of the run that it becomes. The present run is kept as a branch from the point where the two
    /// part.
    pub fn reopen(&self, number: u32) -> Option<(Share, Reopening)> {
        let branch = self.branches.iter().find(|branch| branch.number == number)?;
        let mut branches: Vec<Branch> = self.branches.iter().filter(|other| other.number != number).cloned().collect();
        let mut last_branch = self.last_branch;
        if let Some(present) = Branch::of(self, last_branch + 1, branch.after, branch.left_at) {
            last_branch += 1;
            push(&mut branches, present);
        }
        let mut forked: Vec<Fork> = self.forked.iter().copied().filter(|fork| fork.at < branch.left_at).collect();
        forked.push(Fork { at: branch.left_at, replaced: self.session.live().steps.saturating_sub(branch.after) });
        let at = clock::clock(branch.left_at - self.start);
        Some((branch.share.clone(), Reopening { at, branches, forked, forks: self.forks + 1, last_branch }))
    }
    /// Gives a reopened run, after it has been replayed, its branches and forks.
    pub fn take_branches(&mut self, reopening: Reopening) {
        let Reopening { branches, forked, forks, last_branch, .. } = reopening;
        (self.branches, self.forked, self.forks, self.last_branch) = (branches, forked, forks, last_branch);
    }
}

fn push(branches: &mut Vec<Branch>, branch: Branch) {
    branches.push(branch);
    let over = branches.len().saturating_sub(MOST_BRANCHES);
    branches.drain(..over);
}
