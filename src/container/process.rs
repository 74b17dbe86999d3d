//! One process of a container: what it runs, what it waits for, and where its output goes. Counterpart: `task_struct`.
//!
//! A process is plain data: a copy of it continues where the original was.

use super::guest::Guest;
use super::programs::Native;
use super::server::Server;
use super::sh::Shell;
use crate::api::time::Time;
use arcstr::ArcStr;
use std::sync::Arc;

/// The number of SIGHUP.
pub const HUP: u8 = 1;
/// The number of SIGINT.
pub const INT: u8 = 2;
/// The number of SIGKILL.
pub const KILL: u8 = 9;
/// The number of SIGPIPE.
pub const PIPE: u8 = 13;
/// The number of SIGTERM.
pub const TERM: u8 = 15;

const SIGNALS: &[(&str, u8)] = &[
    ("EXIT", 0),
    ("HUP", HUP),
    ("INT", INT),
    ("QUIT", 3),
    ("ABRT", 6),
    ("KILL", KILL),
    ("USR1", 10),
    ("SEGV", 11),
    ("USR2", 12),
    ("PIPE", PIPE),
    ("ALRM", 14),
    ("TERM", TERM),
    ("CHLD", 17),
    ("CONT", 18),
    ("STOP", 19),
    ("WINCH", 28),
];

/// Returns the number of a signal, given by its name, with or without `SIG`, or by its number.
pub fn signal_number(name: &str) -> Option<u8> {
    if let Ok(number) = name.parse::<u8>() {
        return (number < 65).then_some(number);
    }
    let upper = name.to_ascii_uppercase();
    let short = upper.strip_prefix("SIG").unwrap_or(&upper);
    SIGNALS.iter().find(|(name, _)| *name == short).map(|(_, number)| *number)
}

/// Returns the name of a signal, without `SIG`.
pub fn signal_name(number: u8) -> &'static str {
    SIGNALS.iter().find(|(_, n)| *n == number).map_or("RTMIN", |(name, _)| name)
}

/// A process of a container.
#[derive(Clone, Debug)]
pub struct Process {
    /// The process id.
    pub pid: u32,
    /// The pid of the process that started this one.
    pub parent: u32,
    /// The command line of the process.
    pub argv: Arc<[String]>,
    /// The standard input, output and error of the process.
    pub fds: [Fd; 3],
    /// The environment variables of the process.
    pub env: Arc<Vec<(ArcStr, ArcStr)>>,
    /// The working directory of the process.
    pub cwd: ArcStr,
    /// The event that the process waits for, if any.
    pub state: State,
    /// The shell, program or server that the process runs.
    pub work: Work,
    /// The bytes of memory that the process uses.
    pub memory: u64,
    /// The cpu that the process uses, in thousandths of a core.
    pub cpu_milli: u32,
    /// The signals that have not been handled yet, as bits.
    pub signals: u64,
    /// The children that have ended and were not waited for: the pid and exit code of each.
    pub ended: Vec<(u32, i32)>,
    /// The number of the session that the process belongs to; 0 for the container's own processes.
    pub session: u32,
}

/// The event that a process waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The process waits for nothing and can run.
    Ready,
    /// The process sleeps until this time.
    Sleeping(Time),
    /// The process waits for input from the pipe with this number.
    Reading(u32),
    /// The process waits until the pipe with this number has room.
    Writing(u32),
    /// The process waits for the end of a child.
    Children,
    /// The process waits for an answer from the network.
    Network,
    /// The process waits for a signal.
    Signal,
}

/// The shell, program or server that a process runs.
#[derive(Clone, Debug)]
pub enum Work {
    /// A shell, which runs a script.
    Shell(Box<Shell>),
    /// A program that is built into the simulator.
    Program(Box<Native>),
    /// A server, which serves requests until a signal ends it.
    Server(Arc<Server>),
}

/// One of the two output streams of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// The target of a file descriptor.
#[derive(Clone, Debug)]
pub enum Fd {
    /// `/dev/null`, or a closed descriptor.
    Null,
    /// The container's log.
    Log(Stream),
    /// The output of the session with this number.
    Session(u32, Stream),
    /// The file at this path, for writing.
    File(ArcStr),
    /// A text for reading, and the offset of its unread part.
    Input(ArcStr, usize),
    /// The reading end of the pipe with this number.
    Reader(u32),
    /// The writing end of the pipe with this number.
    Writer(u32),
}

impl Process {
    /// Returns the value of an environment variable.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.env.iter().rfind(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
    /// Returns the name of the program: the last part of the path in the command line.
    pub fn name(&self) -> &str {
        self.argv.first().map_or("", |word| word.rsplit('/').next().unwrap_or(word))
    }
}

impl Guest {
    /// Returns the cpu that all processes use, in thousandths of a core. Those that never wait use a whole core each.
    pub fn cpu_milli(&self) -> i64 {
        let spinning = self.processes.iter().filter(|p| self.busy > 0 && p.state == State::Ready).count();
        let spinning = spinning.min(self.facts.cpus as usize) as i64 * 1_000;
        self.processes.iter().map(|p| i64::from(p.cpu_milli)).sum::<i64>() + spinning
    }
    /// Returns the bytes of memory that all processes use.
    pub fn memory(&self) -> u64 {
        self.processes.iter().map(|p| p.memory).sum()
    }
    /// Sends a signal to a process. Returns `false` if there is no such process.
    pub fn signal(&mut self, pid: u32, signal: u8) -> bool {
        let Some(process) = self.process_mut(pid) else { return false };
        process.signals |= 1u64 << signal.min(63);
        true
    }
}
