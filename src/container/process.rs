//! One process of a container: what it runs, what it waits for, where its output goes. Counterpart: `task_struct`.
//!
//! A process is plain data. It can be copied and goes on where it was.

use super::programs::Native;
use super::server::Server;
use super::sh::Shell;
use crate::api::time::Time;
use arcstr::ArcStr;
use std::sync::Arc;

/// SIGHUP.
pub const HUP: u8 = 1;
/// SIGINT.
pub const INT: u8 = 2;
/// SIGKILL.
pub const KILL: u8 = 9;
/// SIGPIPE.
pub const PIPE: u8 = 13;
/// SIGTERM.
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

/// Returns a signal's number by its name, with or without `SIG`, or by its number.
pub fn signal_number(name: &str) -> Option<u8> {
    if let Ok(number) = name.parse::<u8>() {
        return (number < 65).then_some(number);
    }
    let upper = name.to_ascii_uppercase();
    let short = upper.strip_prefix("SIG").unwrap_or(&upper);
    SIGNALS.iter().find(|(name, _)| *name == short).map(|(_, number)| *number)
}

/// Returns a signal's name without `SIG`.
pub fn signal_name(number: u8) -> &'static str {
    SIGNALS.iter().find(|(_, n)| *n == number).map_or("RTMIN", |(name, _)| name)
}

/// A process.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its process id.
    pub pid: u32,
    /// The process that started it.
    pub parent: u32,
    /// Its command line.
    pub argv: Arc<[String]>,
    /// Standard input, output and error.
    pub fds: [Fd; 3],
    /// The environment.
    pub env: Arc<Vec<(ArcStr, ArcStr)>>,
    /// The working directory.
    pub cwd: ArcStr,
    /// The event that it waits for.
    pub state: State,
    /// The shell, program or server that it runs.
    pub work: Work,
    /// The bytes of memory that it uses.
    pub memory: u64,
    /// Signals that have not been handled, as bits.
    pub signals: u64,
    /// Children that have ended and were not waited for: number and exit code.
    pub ended: Vec<(u32, i32)>,
    /// The exec session that it belongs to, 0 for the container's own processes.
    pub session: u32,
}

/// The event that a process waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It waits for nothing and can run.
    Ready,
    /// It sleeps until this time.
    Sleeping(Time),
    /// It waits for input from this pipe.
    Reading(u32),
    /// It waits until this pipe has room.
    Writing(u32),
    /// It waits for the end of a child.
    Children,
    /// It waits for an answer from the network.
    Network,
    /// It waits for a signal.
    Signal,
}

/// The shell, program or server that a process runs.
#[derive(Clone, Debug)]
pub enum Work {
    /// A shell, which runs a script.
    Shell(Box<Shell>),
    /// A program.
    Program(Box<Native>),
    /// A server, which serves requests until a signal ends it.
    Server(Arc<Server>),
}

/// Standard output or standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// An open file, by its use.
#[derive(Clone, Debug)]
pub enum Fd {
    /// `/dev/null`, or closed.
    Null,
    /// The container's log.
    Log(Stream),
    /// The output of a session, by its number.
    Session(u32, Stream),
    /// A file that is written.
    File(ArcStr),
    /// A text that is read, and the offset of its unread part.
    Input(ArcStr, usize),
    /// The reading end of a pipe.
    Reader(u32),
    /// The writing end of a pipe.
    Writer(u32),
}

impl Process {
    /// Returns the value of an environment variable.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.env.iter().rfind(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
    /// Returns the last part of the command's path.
    pub fn name(&self) -> &str {
        self.argv.first().map_or("", |word| word.rsplit('/').next().unwrap_or(word))
    }
}
