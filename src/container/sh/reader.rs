//! A shell that reads its commands from its input, line by line: `sh` in a terminal, or behind a pipe.

use super::machine::Shell;
use crate::container::guest::{Input, Kernel};
use crate::container::images::Base;
use crate::container::process::{Fd, State, Stream};
use crate::posix::SyntaxError;

/// The maximum length of a command that is read, in bytes.
const MAX_COMMAND: usize = 64 << 10;

impl Shell {
    /// Reads the next line, and runs the command if it is whole. Returns the exit code at the end of the input.
    pub(super) fn read_command(&mut self, pid: u32, kernel: &mut Kernel) -> Option<i32> {
        let mut text = self.input.take().unwrap_or_default();
        let in_terminal = kernel.guest.has_terminal(pid);
        if in_terminal && !self.prompted {
            let prompt = if text.is_empty() { self.prompt(pid, kernel) } else { "> ".to_owned() };
            kernel.write(pid, Stream::Err, &prompt);
            self.prompted = true;
        }
        match kernel.read(pid, true) {
            Input::Text(line) => text.push_str(&line),
            Input::Later => {
                if let Some(process) = kernel.guest.process_mut(pid) {
                    process.state = match process.fds[0] {
                        Fd::Reader(pipe) => State::Reading(pipe),
                        _ => State::Ready,
                    };
                }
                self.input = Some(text);
                return None;
            }
            Input::End => {
                if let Err(error) = super::parse(&text) {
                    self.complain(pid, kernel, &error.of_busybox());
                    self.status = 2;
                }
                return None;
            }
        }
        self.prompted = false;
        match super::parse(&text) {
            Ok(tree) => {
                self.input = Some(String::new());
                self.run_tree(tree);
            }
            // A command whose end is missing goes on in the next line.
            Err(SyntaxError::Open(_)) if text.len() < MAX_COMMAND => self.input = Some(text),
            Err(error) => {
                self.complain(pid, kernel, &error.of_busybox());
                self.status = 2;
                self.input = in_terminal.then(String::new);
            }
        }
        None
    }
    /// Returns the prompt, in the style of busybox, dash or bash.
    fn prompt(&self, pid: u32, kernel: &Kernel) -> String {
        let cwd = kernel.guest.process(pid).map(|p| p.cwd.clone()).unwrap_or_default();
        let facts = &kernel.guest.facts;
        let mark = if facts.uid == 0 { '#' } else { '$' };
        match (self.name.as_str(), kernel.guest.image.base) {
            ("bash", _) => format!("{}@{}:{cwd}{mark} ", if facts.uid == 0 { "root" } else { "I have no name!" }, facts.hostname),
            ("sh" | "dash", Base::Debian) => format!("{mark} "),
            _ => format!("{cwd} {mark} "),
        }
    }
}
