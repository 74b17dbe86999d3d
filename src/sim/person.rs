//! People: what they ask for goes through the same door as everything else, one request at a time, each after the answer to the last.

use super::cluster::Cluster;
use super::step::{Call, Process, Timer};
use crate::api::request::{Request, Response};
use crate::api::time::{Span, Time};
use std::fmt::Debug;
use std::sync::Arc;

/// A program that a person runs (kubectl, or a request by hand). It is a pure function of the answers so far: it is run again from its start
/// with every new answer, and its first question without an answer is asked next.
pub trait Program: Debug + Send + Sync {
    /// Runs it. `started` is when the person started it, `now` is the time of the last answer.
    fn run(&self, started: Time, now: Time, replies: &[Reply]) -> Progress;
    /// What the person typed or clicked.
    fn title(&self) -> String;
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// When it came.
    pub at: Time,
    /// What the API server said; `None` after a sleep.
    pub response: Option<Arc<Response>>,
}

/// What a program wants next.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// An answer from the API server.
    Request(Request),
    /// Time to pass.
    Sleep(Span),
}

/// How far a program is.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// What it has written so far.
    pub stdout: String,
    /// What it has complained about so far.
    pub stderr: String,
    /// What it wants next, or its exit code.
    pub next: Result<Question, i32>,
}

/// A program that a person has started.
#[derive(Clone, Debug)]
pub struct Console {
    /// The program.
    pub program: Arc<dyn Program>,
    /// When it was started.
    pub started: Time,
    /// Answers so far.
    pub replies: Arc<Vec<Reply>>,
    /// How far it is.
    pub progress: Arc<Progress>,
    /// Requests it has made.
    pub requests: u32,
}

impl Console {
    /// Its exit code, once it has ended.
    pub fn exit(&self) -> Option<i32> {
        self.progress.next.as_ref().err().copied()
    }
}

/// A person's single request.
#[derive(Clone, Debug)]
pub struct Once(pub Request);

impl Program for Once {
    fn run(&self, _started: Time, _now: Time, replies: &[Reply]) -> Progress {
        let next = match replies.first() {
            None => Ok(Question::Request(self.0.clone())),
            Some(reply) => Err(i32::from(reply.response.as_ref().is_some_and(|r| r.result.is_err()))),
        };
        Progress { stdout: String::new(), stderr: String::new(), next }
    }
    fn title(&self) -> String {
        format!("{} {}", self.0.method(), self.0.path())
    }
}

/// How many ended programs are remembered.
const REMEMBERED: usize = 256;

impl Cluster {
    pub(super) fn start_program(&mut self, program: Arc<dyn Program>) {
        self.last_person += 1;
        let id = self.last_person;
        let progress = Arc::new(program.run(self.now, self.now, &[]));
        let console = Console { program, started: self.now, replies: Arc::default(), progress, requests: 0 };
        self.consoles.insert(id, console);
        while self.consoles.len() > REMEMBERED {
            let Some(oldest) = self.consoles.get_min().map(|(id, _)| *id) else { break };
            self.consoles.remove(&oldest);
        }
        self.ask_next(id);
    }
    fn ask_next(&mut self, id: u64) {
        let Some(console) = self.consoles.get_mut(&id) else { return };
        match console.progress.next.clone() {
            Ok(Question::Request(request)) => {
                console.requests += 1;
                self.send(Process::Person(id), self.now, Call::Person, request);
            }
            Ok(Question::Sleep(span)) => self.wake(Process::Person(id), self.now + span, Timer::Person),
            Err(_) => {}
        }
    }
    pub(super) fn person_reply(&mut self, id: u64, response: Option<Arc<Response>>) {
        let now = self.now;
        let Some(console) = self.consoles.get_mut(&id) else { return };
        Arc::make_mut(&mut console.replies).push(Reply { at: now, response });
        console.progress = Arc::new(console.program.run(console.started, now, &console.replies));
        self.ask_next(id);
    }
    /// A person's program by its number.
    pub fn console(&self, id: u64) -> Option<&Console> {
        self.consoles.get(&id)
    }
    /// The number of the program started last.
    pub fn last_console(&self) -> u64 {
        self.last_person
    }
}
