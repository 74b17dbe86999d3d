//! Sessions in a container: commands that are started from outside (`kubectl exec`, exec probes, hooks), and people who attach to it (`kubectl attach`).
//! Counterpart: `Exec` and `Attach` of the CRI.
//!
//! A session's processes run beside the container's own, on the same virtual clock. A session keeps its output until somebody takes it.

use super::guest::{Guest, Kernel, MARK, STOPPED};
use super::log::LOG_BYTES;
use super::process::{Fd, State, Stream};
use crate::api::time::{Span, Time};

/// A command to start in a container from outside.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// The command line to run.
    pub argv: Vec<String>,
    /// The text of the command's standard input; `None` for no input.
    pub input: Option<String>,
    /// Set if more input may follow.
    pub types: bool,
    /// Set if the command's input is a terminal.
    pub tty: bool,
    /// The deadline at which the command is killed; `None` for no deadline.
    pub until: Option<Time>,
}

/// A command that was started from outside, or a person who is attached to the container.
#[derive(Clone, Debug)]
pub struct Session {
    /// The number of the session's first process. An attached session has a number without a process.
    pub pid: u32,
    /// The exit code of the session, once it has ended.
    pub code: Option<i32>,
    /// Set if the session was ended by its deadline.
    pub late: bool,
    /// Set for `kubectl attach`: the session sees the output of the container itself.
    pub attached: bool,
    pub(super) until: Option<Time>,
    input: Option<u32>,
    started: Time,
    output: Vec<(Stream, String)>,
    bytes: usize,
}

/// The result of a session's command.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Called {
    /// The exit code; `None` if the command had not ended at its deadline.
    pub code: Option<i32>,
    /// The output of the command that nobody has taken yet, in order.
    pub output: Vec<(Stream, String)>,
    /// The time that the command took.
    pub took: Span,
}

impl Called {
    /// Returns the text that the command wrote to its standard output or error.
    pub fn text(&self, wanted: Stream) -> String {
        self.output.iter().filter(|(stream, _)| *stream == wanted).map(|(_, text)| text.as_str()).collect()
    }
}

/// The reason why a command could not be started in a container.
#[derive(Clone, Debug, PartialEq)]
pub enum NotOpened {
    /// The container has no such program.
    Missing,
    /// The program failed at once, with this exit code and message.
    Failed(i32, String),
}

impl Session {
    /// Adds to the output that nobody has taken yet. Returns `false` once the session has written too much.
    pub(super) fn take(&mut self, stream: Stream, text: &str) -> bool {
        if self.bytes > LOG_BYTES {
            return false;
        }
        self.bytes += text.len();
        match self.output.last_mut() {
            Some((last, so_far)) if *last == stream => so_far.push_str(text),
            _ => self.output.push((stream, text.to_owned())),
        }
        if self.bytes > LOG_BYTES {
            self.output.push((Stream::Err, format!("\n{MARK} the output is longer than {} kB and ends here\n", LOG_BYTES >> 10)));
        }
        true
    }
    /// Takes the output of the session since the last call.
    pub fn news(&mut self) -> Vec<(Stream, String)> {
        std::mem::take(&mut self.output)
    }
}

impl Guest {
    /// Removes a session that has ended, and returns its result.
    pub fn close(&mut self, pid: u32, now: Time) -> Option<Called> {
        let at = self.sessions.iter().position(|s| s.pid == pid)?;
        let session = self.sessions.remove(at);
        self.inputs.retain(|(input, _)| Some(*input) != session.input || session.attached);
        let code = session.code.filter(|_| !session.late);
        Some(Called { code, output: session.output, took: now - session.started })
    }
    /// Types text into the input of a session. A terminal echoes it.
    pub fn type_text(&mut self, pid: u32, text: &str) {
        let Some(session) = self.sessions.iter_mut().find(|s| s.pid == pid) else { return };
        let Some(pipe) = session.input else { return };
        if self.inputs.contains(&(pipe, true)) {
            session.take(Stream::Out, text);
        }
        if let Some((_, kept)) = self.pipes.iter_mut().find(|(id, _)| *id == pipe) {
            kept.push_str(text);
        }
    }
    /// Ends the input of a session, as Ctrl-D does.
    pub fn end_input(&mut self, pid: u32) {
        let Some(input) = self.sessions.iter().find(|s| s.pid == pid).and_then(|s| s.input) else { return };
        self.inputs.retain(|(known, _)| *known != input);
    }
    /// Returns whether the standard input of a process is a terminal.
    pub fn has_terminal(&self, pid: u32) -> bool {
        self.process(pid).is_some_and(|p| matches!(p.fds[0], Fd::Reader(pipe) if self.inputs.contains(&(pipe, true))))
    }
}

impl Kernel<'_> {
    /// Creates an input for processes: a pipe that contains `text`, into which somebody may type more if `types` is set.
    pub fn make_input(&mut self, text: &str, types: bool, tty: bool) -> u32 {
        let pipe = self.pipe();
        self.feed(pipe, text);
        if types {
            self.guest.inputs.push((pipe, tty));
        }
        pipe
    }
    /// Starts a command in the container. Returns the number of its session.
    pub fn open(&mut self, opening: Opening) -> Result<u32, NotOpened> {
        let env = self.guest.facts.env.clone();
        let work = match super::programs::resolve(self, 0, &opening.argv, &env) {
            Ok(work) => work,
            Err((127 | 126, _)) => return Err(NotOpened::Missing),
            Err((code, message)) => return Err(NotOpened::Failed(code, format!("sh: {message}\n"))),
        };
        let input = match (&opening.input, opening.types) {
            (None, false) => None,
            (text, types) => Some(self.make_input(text.as_deref().unwrap_or(""), types, opening.tty)),
        };
        let Some(pid) = self.spawn(0, opening.argv.into(), [Fd::Null, Fd::Null, Fd::Null], work) else {
            return Err(NotOpened::Failed(126, "can't fork: Resource temporarily unavailable\n".to_owned()));
        };
        if let Some(process) = self.guest.process_mut(pid) {
            process.session = pid;
            process.fds = [input.map_or(Fd::Null, Fd::Reader), Fd::Session(pid, Stream::Out), Fd::Session(pid, Stream::Err)];
        }
        let session = Session {
            pid,
            code: None,
            late: false,
            attached: false,
            until: opening.until,
            input,
            started: self.now,
            output: Vec::new(),
            bytes: 0,
        };
        self.guest.sessions.push(session);
        self.begin(pid);
        Ok(pid)
    }
    /// Attaches a person to the container, who may type if the container has an input. Returns the number of the session. The person sees what the
    /// container writes from now on, and with `from_start` what it has written before.
    pub fn attach(&mut self, from_start: bool) -> u32 {
        let pid = self.guest.take_number();
        let before = if from_start { vec![(Stream::Out, self.guest.log.so_far())] } else { Vec::new() };
        let session = Session {
            pid,
            code: None,
            late: false,
            attached: true,
            until: None,
            input: self.guest.stdin,
            started: self.now,
            output: before,
            bytes: 0,
        };
        self.guest.sessions.push(session);
        pid
    }
    /// Ends the sessions that have reached their deadlines.
    pub(super) fn end_late_sessions(&mut self) {
        let now = self.now;
        for session in self.guest.sessions.iter_mut().filter(|s| s.code.is_none() && s.until.is_some_and(|until| until <= now)) {
            (session.code, session.late) = (Some(137), true);
            let pid = session.pid;
            self.guest.processes.retain(|p| p.session != pid);
        }
    }
    /// Ends the sessions whose processes never wait, if only sessions are busy. Returns `false` if a process of the container itself is busy, or none is.
    pub(super) fn stop_busy_sessions(&mut self) -> bool {
        let busy: Vec<u32> = self.guest.processes.iter().filter(|p| p.state == State::Ready).map(|p| p.session).collect();
        if busy.is_empty() || busy.contains(&0) {
            return false;
        }
        for session in self.guest.sessions.iter_mut().filter(|s| busy.contains(&s.pid)) {
            session.take(Stream::Err, &format!("{MARK} this command never waits and was stopped (exit code {STOPPED})\n"));
            session.code.get_or_insert(STOPPED);
        }
        self.guest.processes.retain(|p| !busy.contains(&p.session));
        true
    }
}
