//! A running container: its processes, pipes, files and log. Counterpart: the kernel below a container, and its shim.
//!
//! [`Kernel::run`] lets every process that can run do some steps, until all processes wait. Nothing happens while they wait, so a container that sleeps
//! costs nothing. Everything is bounded: steps, processes, pipes, log and files. A container that exceeds one ends with [`STOPPED`], and logs why.

pub use super::facts::Facts;
use super::facts::Shared;
use super::files::{Disk, Tree, absolute};
use super::images::Image;
pub use super::log::Log;
use super::process::{Fd, KILL, PIPE, Process, State, Stream, Work};
pub use super::session::{Called, NotOpened, Opening, Session};
use crate::api::time::{Span, Time};
use crate::network::NetRequest;
use arcstr::ArcStr;
use std::sync::Arc;

/// The exit code of a container that the simulator had to stop, and of programs that it cannot run.
pub const STOPPED: i32 = 125;
/// The beginning of a line that the simulator itself writes into a container's log.
pub const MARK: &str = "[loopscope]";

/// The maximum number of processes in a container.
pub const MAX_PROCESSES: usize = 64;
/// The number of steps that one process may do before the others get their turn.
const SLICE: usize = 200;
/// The number of steps that a container may do at one moment of virtual time.
const MAX_STEPS: usize = 10_000;
/// The number of moments in a row at which a container may use up `MAX_STEPS` without sleeping. Then it is stopped, after 41 seconds.
const MAX_BUSY: u32 = 31;
/// The number of moments in a row that use up `MAX_STEPS` after which commands from outside are stopped, and the pause doubles each time.
const BUSY: u32 = 20;
/// The first pauses before a container that used up `MAX_STEPS` runs again.
const BUSY_PAUSE: Span = Span::millis(10);
/// The number of bytes in a pipe from which its writer has to wait.
const PIPE_BYTES: usize = 64 << 10;

/// A running container.
#[derive(Clone, Debug)]
pub struct Guest {
    /// The image of the container.
    pub image: &'static Image,
    /// The container's own files. While its processes run, they are in [`Kernel::disk`] instead.
    pub root: Tree,
    /// The processes of the container, ordered by number.
    pub processes: Vec<Process>,
    /// The log of the container.
    pub log: Log,
    /// The facts about the container that programs ask for.
    pub facts: Arc<Facts>,
    /// The reason why the simulator or the kernel stopped the container, if one of them did.
    pub stopped: Option<Stopped>,
    /// The sessions in the container: commands that `kubectl exec`, probes and hooks started, and people who are attached by `kubectl attach`.
    pub sessions: Vec<Session>,
    /// Pipes that still accept input from outside, each with `true` if it is a terminal.
    pub(super) inputs: Vec<(u32, bool)>,
    /// The pipe that is the standard input of the container's first process, if it has one.
    pub stdin: Option<u32>,
    pub(super) pipes: Vec<(u32, String)>,
    next: u32,
    /// The number of times in a row that the processes used up their steps without sleeping.
    pub(super) busy: u32,
    /// The end of the pause of a container whose processes last used up their steps without sleeping.
    busy_until: Time,
}

/// The reason why a container was stopped from outside.
#[derive(Clone, Debug, PartialEq)]
pub enum Stopped {
    /// The container used more memory than its limit.
    OutOfMemory,
    /// The container exceeded a bound of the simulator; with the text for the log.
    Bound(ArcStr),
}

/// The result of running a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The container continues. It has to run again at this time; `None` if only an event from outside wakes it.
    Waits(Option<Time>),
    /// The first process of the container has ended, with this exit code.
    Ended(i32),
}

/// The result of reading from a process's standard input.
pub enum Input {
    /// Text from the input; the last part of the input may have no newline.
    Text(String),
    /// The end of the input.
    End,
    /// There is no input yet, but the writer is still open.
    Later,
}

/// A container while its processes run, with its files, the time, and the network requests that they make.
pub struct Kernel<'a> {
    /// The container whose processes run.
    pub guest: &'a mut Guest,
    /// The files that the container sees.
    pub disk: &'a mut Disk,
    /// The current virtual time.
    pub now: Time,
    /// The network requests that processes made, each with the number of its process.
    pub requests: Vec<(u32, NetRequest)>,
    /// The processes of the pod's other containers, if the containers share their processes.
    pub shared: Option<Shared>,
}

impl Guest {
    /// Creates a container without processes.
    pub fn new(image: &'static Image, root: Tree, facts: Facts) -> Guest {
        Guest {
            image,
            root,
            processes: Vec::new(),
            log: Log::default(),
            facts: Arc::new(facts),
            stopped: None,
            sessions: Vec::new(),
            inputs: Vec::new(),
            stdin: None,
            pipes: Vec::new(),
            next: 1,
            busy: 0,
            busy_until: Time::default(),
        }
    }
    /// Returns the process with this number.
    pub fn process(&self, pid: u32) -> Option<&Process> {
        self.processes.iter().find(|p| p.pid == pid)
    }
    /// Returns the process with this number, mutably.
    pub fn process_mut(&mut self, pid: u32) -> Option<&mut Process> {
        self.processes.iter_mut().find(|p| p.pid == pid)
    }
    /// Returns whether a process listens on a port.
    pub fn listens(&self, port: u16) -> bool {
        self.processes.iter().any(|p| matches!(&p.work, Work::Server(server) if server.ports.contains(&port)))
    }
    pub(super) fn take_number(&mut self) -> u32 {
        let number = self.next;
        self.next = self.next.wrapping_add(1).max(2);
        number
    }
    /// Ends all processes and sessions. Attached sessions end with the container's exit code, commands as if they were killed.
    pub fn end_all(&mut self, code: i32) {
        self.processes.clear();
        self.pipes.clear();
        self.inputs.clear();
        for session in self.sessions.iter_mut() {
            session.code.get_or_insert(if session.attached { code } else { 128 + i32::from(KILL) });
        }
    }
}

impl Kernel<'_> {
    /// Starts a process. Returns its number, or `None` if the container has too many processes.
    pub fn spawn(&mut self, parent: u32, argv: Arc<[String]>, fds: [Fd; 3], work: Work) -> Option<u32> {
        if self.guest.processes.len() >= MAX_PROCESSES {
            return None;
        }
        let pid = self.guest.take_number();
        let (env, cwd, session) = match self.guest.process(parent) {
            Some(parent) => (parent.env.clone(), parent.cwd.clone(), parent.session),
            None => (self.guest.facts.env.clone(), self.guest.facts.cwd.clone(), 0),
        };
        let process = Process {
            pid,
            parent,
            argv,
            fds,
            env,
            cwd,
            state: State::Ready,
            work,
            memory: 512 << 10,
            cpu_milli: 0,
            signals: 0,
            ended: Vec::new(),
            session,
        };
        self.guest.processes.push(process);
        Some(pid)
    }
    /// Creates a pipe and returns its number.
    pub fn pipe(&mut self) -> u32 {
        let id = self.guest.take_number();
        self.guest.pipes.push((id, String::new()));
        id
    }
    /// Removes and returns all text in a pipe.
    pub fn drain(&mut self, pipe: u32) -> String {
        self.guest.pipes.iter_mut().find(|(id, _)| *id == pipe).map(|(_, text)| std::mem::take(text)).unwrap_or_default()
    }
    /// Writes text into a pipe from outside the container.
    pub fn feed(&mut self, pipe: u32, text: &str) {
        if let Some((_, kept)) = self.guest.pipes.iter_mut().find(|(id, _)| *id == pipe) {
            kept.push_str(text);
        }
    }
    /// Removes a pipe.
    pub fn close_pipe(&mut self, pipe: u32) {
        self.guest.pipes.retain(|(id, _)| *id != pipe);
    }
    fn has_end(&self, pipe: u32, writer: bool) -> bool {
        if writer && self.guest.inputs.iter().any(|(input, _)| *input == pipe) {
            return true;
        }
        let is_end = |fd: &Fd| match fd {
            Fd::Writer(id) => writer && *id == pipe,
            Fd::Reader(id) => !writer && *id == pipe,
            _ => false,
        };
        self.guest
            .processes
            .iter()
            .any(|p| p.fds.iter().any(is_end) || matches!(&p.work, Work::Shell(shell) if shell.holds(&is_end, writer, pipe)))
    }
    /// Writes text to the standard output or error of a process.
    pub fn write(&mut self, pid: u32, stream: Stream, text: &str) {
        if text.is_empty() {
            return;
        }
        let fd = if stream == Stream::Out { 1 } else { 2 };
        let Some(to) = self.guest.process(pid).and_then(|p| p.fds.get(fd)).cloned() else { return };
        match to {
            Fd::Null | Fd::Input(..) | Fd::Reader(_) => {}
            Fd::Log(stream) => {
                self.guest.log.write(stream, text, self.now);
                for session in self.guest.sessions.iter_mut().filter(|s| s.attached) {
                    session.take(stream, text);
                }
            }
            Fd::Session(session, stream) => {
                let open = self.guest.sessions.iter_mut().find(|s| s.pid == session);
                if open.is_some_and(|s| !s.take(stream, text)) {
                    self.guest.signal(pid, PIPE);
                }
            }
            Fd::File(path) => {
                let _ = self.disk.write(&path, text, true);
            }
            Fd::Writer(pipe) => {
                if !self.has_end(pipe, false) {
                    self.guest.signal(pid, PIPE);
                    return;
                }
                let Some((_, kept)) = self.guest.pipes.iter_mut().find(|(id, _)| *id == pipe) else { return };
                kept.push_str(text);
                if kept.len() > PIPE_BYTES
                    && let Some(process) = self.guest.process_mut(pid)
                {
                    process.state = State::Writing(pipe);
                }
            }
        }
    }
    /// Reads from the standard input of a process: a line, or with `line` unset everything that is there.
    pub fn read(&mut self, pid: u32, line: bool) -> Input {
        let Some(process) = self.guest.process_mut(pid) else { return Input::End };
        match &mut process.fds[0] {
            Fd::Input(text, at) => {
                let rest = text.get(*at..).unwrap_or("");
                let len = if line { rest.find('\n').map_or(rest.len(), |n| n + 1) } else { rest.len() };
                let part = rest.get(..len).unwrap_or("").to_owned();
                *at += len;
                if part.is_empty() { Input::End } else { Input::Text(part) }
            }
            Fd::Reader(pipe) => {
                let pipe = *pipe;
                let open = self.has_end(pipe, true);
                let Some((_, text)) = self.guest.pipes.iter_mut().find(|(id, _)| *id == pipe) else { return Input::End };
                let end = if line { text.find('\n').map(|n| n + 1) } else { (!text.is_empty()).then_some(text.len()) };
                match end {
                    Some(end) => Input::Text(text.drain(..end).collect()),
                    None if open => Input::Later,
                    None if text.is_empty() => Input::End,
                    None => Input::Text(std::mem::take(text)),
                }
            }
            _ => Input::End,
        }
    }
    /// Opens a file for writing on behalf of a process.
    pub fn create(&mut self, pid: u32, path: &str, append: bool) -> Result<Fd, super::files::FileError> {
        let cwd = self.guest.process(pid).map(|p| p.cwd.clone()).unwrap_or_default();
        let path = absolute(&cwd, path);
        match path.as_str() {
            "/dev/null" | "/dev/zero" | "/dev/tty" => return Ok(Fd::Null),
            "/dev/stdout" | "/proc/self/fd/1" => return Ok(self.guest.process(pid).map_or(Fd::Null, |p| p.fds[1].clone())),
            "/dev/stderr" | "/proc/self/fd/2" => return Ok(self.guest.process(pid).map_or(Fd::Null, |p| p.fds[2].clone())),
            "/proc/1/fd/1" => return Ok(Fd::Log(Stream::Out)),
            "/proc/1/fd/2" => return Ok(Fd::Log(Stream::Err)),
            _ => {}
        }
        self.disk.write(&path, "", append)?;
        Ok(Fd::File(path.into()))
    }
    /// Ends a process with an exit code; the end of the first process ends the container.
    pub fn exit(&mut self, pid: u32, code: i32) {
        let Some(at) = self.guest.processes.iter().position(|p| p.pid == pid) else { return };
        let ended = self.guest.processes.remove(at);
        for child in self.guest.processes.iter_mut().filter(|p| p.parent == pid) {
            child.parent = 1;
        }
        if let Some(session) = self.guest.sessions.iter_mut().find(|s| s.pid == pid) {
            session.code.get_or_insert(code);
        }
        if let Some(parent) = self.guest.process_mut(ended.parent) {
            parent.ended.push((pid, code));
            if parent.ended.len() > MAX_PROCESSES {
                parent.ended.remove(0);
            }
            if parent.state == State::Children {
                parent.state = State::Ready;
            }
        }
        if pid == 1 {
            self.guest.log.flush(self.now);
            self.guest.end_all(code);
        }
    }
    /// Runs all processes that can run until they wait, or until they have used up their steps.
    pub fn run(&mut self) -> Outcome {
        let mut first_code = None;
        let mut steps = 0;
        self.end_late_sessions();
        loop {
            self.wake();
            let ready: Vec<u32> = self.guest.processes.iter().filter(|p| p.state == State::Ready).map(|p| p.pid).collect();
            if ready.is_empty() || first_code.is_some() {
                self.guest.busy = 0;
                break;
            }
            for pid in ready {
                for _ in 0..SLICE {
                    let Some(process) = self.guest.process(pid).filter(|p| p.state == State::Ready) else { break };
                    let is_first = process.pid == 1;
                    steps += 1;
                    if let Some(code) = self.step(pid) {
                        if is_first {
                            first_code = Some(code);
                        }
                        self.exit(pid, code);
                        break;
                    }
                }
            }
            if self.over_memory() {
                first_code = Some(137);
                self.stop(Stopped::OutOfMemory);
            }
            if steps > MAX_STEPS {
                // A run before the end of the pause, because of an event from outside, does not count.
                if self.now < self.guest.busy_until {
                    break;
                }
                self.guest.busy += 1;
                self.guest.busy_until = self.now + Span(BUSY_PAUSE.0 << self.guest.busy.saturating_sub(BUSY));
                if self.guest.busy > BUSY && self.stop_busy_sessions() {
                    self.guest.busy = 0;
                } else if self.guest.busy > MAX_BUSY {
                    let why = format!("ran {} steps without sleeping and was stopped", MAX_STEPS * MAX_BUSY as usize);
                    self.stop(Stopped::Bound(why.into()));
                    first_code = Some(STOPPED);
                }
                break;
            }
        }
        self.outcome(first_code)
    }
    fn outcome(&self, first_code: Option<i32>) -> Outcome {
        if let Some(code) = first_code {
            return Outcome::Ended(code);
        }
        if self.guest.processes.iter().any(|p| p.state == State::Ready) {
            return Outcome::Waits(Some(self.guest.busy_until));
        }
        let sleeping = self.guest.processes.iter().filter_map(|p| if let State::Sleeping(at) = p.state { Some(at) } else { None });
        let ends = self.guest.sessions.iter().filter(|s| s.code.is_none()).filter_map(|s| s.until);
        Outcome::Waits(sleeping.chain(ends).min())
    }
    /// Stops the whole container, and logs the reason if a bound was exceeded.
    pub fn stop(&mut self, why: Stopped) {
        if let Stopped::Bound(why) = &why {
            self.guest.log.line(&format!("{MARK} this container {why} (exit code {STOPPED})"), self.now);
        }
        self.guest.stopped = Some(why);
        self.exit(1, 128 + i32::from(KILL));
        self.guest.end_all(128 + i32::from(KILL));
    }
    fn over_memory(&self) -> bool {
        let limit = self.guest.facts.memory_limit;
        limit > 0 && self.guest.memory() > limit
    }
    /// Delivers pending signals, and makes those processes ready whose wait is over.
    fn wake(&mut self) {
        let pids: Vec<u32> = self.guest.processes.iter().map(|p| p.pid).collect();
        for pid in pids {
            let Some(process) = self.guest.process(pid) else { continue };
            if process.signals != 0 {
                self.deliver(pid);
            }
            let Some(process) = self.guest.process(pid) else { continue };
            let over = match process.state {
                State::Sleeping(at) => at <= self.now,
                State::Reading(pipe) => {
                    self.guest.pipes.iter().any(|(id, text)| *id == pipe && !text.is_empty()) || !self.has_end(pipe, true)
                }
                State::Writing(pipe) => {
                    !self.has_end(pipe, false) || self.guest.pipes.iter().all(|(id, text)| *id != pipe || text.len() <= PIPE_BYTES)
                }
                State::Children => !process.ended.is_empty(),
                State::Ready | State::Network | State::Signal => false,
            };
            if over && let Some(process) = self.guest.process_mut(pid) {
                process.state = State::Ready;
            }
        }
        let used: Vec<u32> = self.guest.pipes.iter().map(|(id, _)| *id).collect();
        for pipe in used {
            if !self.has_end(pipe, true) && !self.has_end(pipe, false) {
                self.close_pipe(pipe);
            }
        }
    }
    /// Handles the pending signals of a process, by its traps or by default actions. The first process has no default actions, as in a real container.
    fn deliver(&mut self, pid: u32) {
        let Some(process) = self.guest.process_mut(pid) else { return };
        let signals = std::mem::take(&mut process.signals);
        for signal in (1..64u8).filter(|n| signals >> n & 1 == 1) {
            let Some(process) = self.guest.process_mut(pid) else { return };
            if signal == KILL {
                if pid != 1 {
                    self.exit(pid, 128 + i32::from(KILL));
                }
                continue;
            }
            match &mut process.work {
                Work::Shell(shell) if shell.has_trap(signal) => {
                    if shell.catch(signal) {
                        process.state = State::Ready;
                    }
                }
                Work::Server(server) if server.ends_on(signal) => {
                    let code = server.exit_code;
                    process.work = super::programs::ends_with(code);
                    process.state = State::Ready;
                }
                _ if pid == 1 || matches!(signal, 17 | 18 | 28) => {}
                _ => self.exit(pid, 128 + i32::from(signal)),
            }
        }
    }
    /// Carries out one step of a process. Returns the exit code if the step ends the process.
    fn step(&mut self, pid: u32) -> Option<i32> {
        let process = self.guest.process_mut(pid)?;
        match &mut process.work {
            Work::Server(_) => {
                process.state = State::Signal;
                None
            }
            Work::Shell(shell) => {
                // The shell is moved out of the process while it works, so that it can use the kernel.
                let mut shell = std::mem::take(shell);
                let code = shell.step(pid, self);
                if let Some(process) = self.guest.process_mut(pid)
                    && let Work::Shell(place) = &mut process.work
                    && place.is_placeholder()
                {
                    *place = shell;
                }
                code
            }
            Work::Program(native) => {
                let native = std::mem::take(native);
                self.advance(pid, *native)
            }
        }
    }
}
