//! Enters lines: runs them now or later, or answers them while time stands still.

use super::{Entry, EntryView, FIRST_READ, Source, Wait, remember};
use crate::shell::{Env, Line};
use crate::sim::{Command, Console};
use crate::view::clock;
use crate::view::run::Run;
use std::rc::Rc;
use std::sync::Arc;

impl Run {
    /// Runs a line that a person entered. While a program runs, the line is typed into its container session, or waits.
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
    /// Returns whether typed text goes to a container, because the program in the foreground has a session there.
    pub fn takes_input(&self) -> bool {
        let cluster = self.session.cluster();
        self.terminal.running(cluster).and_then(|id| cluster.console(id)).is_some_and(Console::takes_input)
    }
    /// Enters a line while time stands still or while a person looks at the past: a line that only reads is answered from the selected moment. Any other line
    /// waits if time stands still.
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
    /// Answers a line from the selected moment, if it only reads. Otherwise returns `false` and does not run it.
    pub fn enter_reading(&mut self, text: &str) -> bool {
        let text = text.trim_end();
        let why = if self.session.is_looking_back() { "which is past" } else { "this is read-only" };
        text.trim().is_empty() || self.answer_still(text, why)
    }
    /// Answers a line from the selected moment, if it only reads, with `why` in the remark. Otherwise returns `false`.
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
        // A line that sent no request, such as one with a typing mistake, has the same answer at every moment, so none is named.
        let answered = || format!("answered from {}, {why}", clock::clock(cluster.now - self.start));
        let remark = if console.calls.is_empty() { String::new() } else { answered() };
        entry.last = Some(Rc::new(EntryView { id: FIRST_READ + terminal.reads, remark, ..entry.view(cluster, &console) }));
        console.effects().for_each(|effect| terminal.take_hold(0, effect.clone()));
        terminal.env.status = console.exit().unwrap_or(0);
        terminal.push(entry);
        true
    }
    /// Tells the terminal whether time stands still, which decides why lines wait.
    pub fn tell_terminal(&mut self, is_still: bool) {
        let later = self.session.is_looking_back().then(|| self.session.live().steps - self.cluster().steps);
        self.terminal.wait = Wait { is_still, later };
    }
    /// Runs a line in its own environment, which becomes the terminal's.
    pub(in crate::view) fn enter_line(&mut self, line: Line) {
        let Line { text, env } = line.clone();
        self.terminal.env = env.clone();
        remember(&mut self.terminal.history, &text);
        self.give(Command::Run(Arc::new(line)));
        let source = Source::Program(self.session.cluster().last_console());
        self.terminal.push(Entry { source, env, text, effects: 0, follow_ups: Vec::new(), last: None });
        self.terminal.settle(self.session.cluster());
    }
    /// Runs the next line that waits, unless another one still runs. A line that ends at once, such as one with a typing mistake, makes room for the next.
    /// Returns whether one was started.
    pub fn enter_next(&mut self) -> bool {
        let mut started = false;
        while !self.terminal.ahead.is_empty() {
            let is_busy = self.terminal.running(self.session.cluster()).is_some();
            if is_busy && (started || !self.takes_input()) {
                break;
            }
            let next = self.terminal.ahead.remove(0);
            self.enter(&next);
            started = true;
        }
        started
    }
    /// Interrupts the running program, as Ctrl-C does, and drops the lines that wait.
    pub fn interrupt(&mut self) {
        self.terminal.ahead.clear();
        if let Some(id) = self.terminal.running(self.session.cluster()) {
            self.give(Command::Interrupt(id));
            self.terminal.settle(self.session.cluster());
        }
    }
}
