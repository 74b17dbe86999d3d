//! Entering lines: now, when their turn comes, or answered while time stands still.

use super::{Entry, EntryView, FIRST_READ, Source, Wait, remember};
use crate::shell::{Env, Line};
use crate::sim::{Command, Console};
use crate::view::clock;
use crate::view::run::Run;
use std::rc::Rc;
use std::sync::Arc;

impl Run {
    /// Runs what a person entered.
    pub fn enter(&mut self, text: &str) {
        let text = text.trim_end();
        if text.trim().is_empty() {
            return;
        }
        if let Some(id) = self.terminal.running(self.session.cluster()) {
            if self.takes_input() {
                self.give(Command::Type(id, Some(text.into())));
                self.terminal.settle(self.session.cluster());
            } else {
                self.terminal.ahead.push(text.to_owned());
            }
            return;
        }
        let terminal = &mut self.terminal;
        remember(Arc::make_mut(&mut terminal.env.history), text);
        let line = Line { text: text.to_owned(), env: terminal.env.clone() };
        self.enter_line(line);
    }
    /// Tells whether what is typed goes to a container, because the command in front has a session there.
    pub fn takes_input(&self) -> bool {
        let cluster = self.session.cluster();
        self.terminal.running(cluster).and_then(|id| cluster.console(id)).is_some_and(Console::takes_input)
    }
    /// Runs what a person entered while time stands still, or while the past is looked at: a line that only reads is answered from this moment. Any other
    /// line has to wait if time stands still.
    pub fn enter_still(&mut self, text: &str, is_still: bool) {
        let text = text.trim_end();
        let why = if is_still { "time stands still" } else { "which is past" };
        if text.trim().is_empty() || !self.takes_input() && self.answer_still(text, why) {
            return;
        }
        if is_still {
            remember(&mut self.terminal.history, text);
            self.terminal.ahead.push(text.to_owned());
        } else {
            self.enter(text);
        }
    }
    /// Answers a line from this moment, if it only reads. Any other line is not run, and the answer is `false`.
    pub fn enter_reading(&mut self, text: &str) -> bool {
        let text = text.trim_end();
        let why = if self.session.is_looking_back() { "which is past" } else { "this is read-only" };
        text.trim().is_empty() || self.answer_still(text, why)
    }
    /// Answers a line from this moment, if it only reads. `why` is added to the answer.
    fn answer_still(&mut self, text: &str, why: &str) -> bool {
        let terminal = &mut self.terminal;
        let mut history = terminal.history.clone();
        remember(&mut history, text);
        let env = Env { history: Arc::new(history), ..terminal.env.clone() };
        let cluster = self.session.cluster();
        let Some(console) = cluster.answer_still(Arc::new(Line { text: text.to_owned(), env })) else { return false };
        remember(&mut terminal.history, text);
        terminal.reads += 1;
        let mut entry = Entry {
            source: Source::Moment(cluster.now),
            env: terminal.env.clone(),
            text: text.to_owned(),
            effects: 0,
            follow_ups: Vec::new(),
            last: None,
        };
        let remark = format!("answered from {}, {why}", clock::exact(cluster.now - self.start));
        entry.last = Some(Rc::new(EntryView { id: FIRST_READ + terminal.reads, remark, ..entry.view(cluster, &console) }));
        console.effects().for_each(|effect| terminal.take_hold(0, effect.clone()));
        terminal.env.status = console.exit().unwrap_or(0);
        terminal.push(entry);
        true
    }
    /// Tells the terminal whether time stands still.
    pub fn tell_terminal(&mut self, is_still: bool) {
        let later = self.session.is_looking_back().then(|| self.session.live().steps - self.cluster().steps);
        self.terminal.wait = Wait { is_still, later };
    }
    /// Runs a line in surroundings of its own, which become the terminal's.
    pub(in crate::view) fn enter_line(&mut self, line: Line) {
        let Line { text, env } = line.clone();
        self.terminal.env = env.clone();
        remember(&mut self.terminal.history, &text);
        self.give(Command::Run(Arc::new(line)));
        let source = Source::Program(self.session.cluster().last_console());
        self.terminal.push(Entry { source, env, text, effects: 0, follow_ups: Vec::new(), last: None });
        self.terminal.settle(self.session.cluster());
    }
    /// Runs the next of the lines that wait, unless another one still runs. The answer is whether one was started.
    pub fn enter_next(&mut self) -> bool {
        let terminal = &self.terminal;
        let running = terminal.running(self.session.cluster());
        if terminal.ahead.is_empty() || running.is_some() && !self.takes_input() {
            return false;
        }
        let next = self.terminal.ahead.remove(0);
        self.enter(&next);
        true
    }
    /// Ends what runs in the terminal, as Ctrl-C does, and gives up what was to come after it.
    pub fn interrupt(&mut self) {
        self.terminal.ahead.clear();
        if let Some(id) = self.terminal.running(self.session.cluster()) {
            self.give(Command::Interrupt(id));
            self.terminal.settle(self.session.cluster());
        }
    }
}
