//! Programs that a person runs: pure functions of the answers so far, like controllers.

use crate::api::kind::Kinds;
use crate::api::request::{Request, Response};
use crate::api::time::{Span, Time};
use crate::api::watch::WatchEvent;
use crate::apiserver::ApiServer;
use crate::network::{NetAnswer, NetRequest, NetResult};
use arcstr::ArcStr;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A program that a person runs (kubectl, a shell line, or a request by hand). It is a pure function of the answers so far: it is run again from
/// its start with every new answer, and its first question without an answer is asked next.
pub trait Program: Send + Sync {
    /// Runs it. `now` is the time of the last answer.
    fn run(&self, start: &Start, now: Time, replies: &[Reply]) -> Progress;
    /// Returns what the person typed or clicked.
    fn title(&self) -> String;
    /// Returns the program itself, if a person gave it and it can be recorded to be run again.
    fn source(&self) -> Option<&dyn Any> {
        None
    }
}

// Prints the title alone: a derived `Debug` would also format requests and objects, which nobody reads and which makes the download larger.
impl fmt::Debug for dyn Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title())
    }
}

/// The data that a program gets when it is started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Start {
    /// The time of the start.
    pub at: Time,
    /// The kinds that the API server serves, as a client discovers them.
    pub kinds: Kinds,
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The time at which it arrived.
    pub at: Time,
    /// The content.
    pub body: ReplyBody,
}

/// The content of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyBody {
    /// The API server's answer to a request, or its refusal of a watch.
    Response(Arc<Response>),
    /// The events of a watch since the last answer.
    Events(Arc<Vec<WatchEvent>>),
    /// New text of logs, each with the index of its request, and whether all logs are complete.
    Text(Arc<Vec<(usize, String)>>, bool),
    /// New output of a session in a container, and its exit code once it has ended.
    Session(Arc<Vec<(Stream, String)>>, Option<i32>),
    /// The end of a request over the network.
    Network(Arc<NetAnswer>),
    /// The number of a program that was started.
    Number(u64),
    /// The number of requests that were answered, of several that were sent at once.
    Answered(u32),
    /// No content: time has passed.
    Nothing,
}

/// The thing that a program waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum Wait {
    /// An answer from the API server.
    Request {
        /// The request.
        request: Request,
        /// Its purpose, in words.
        why: &'static str,
    },
    /// The next events of a watch, or nothing when time is up. Asking again with the same request continues the same watch.
    Watch {
        /// The watch: [`Verb::Watch`], from the revision in its options on.
        request: Request,
        /// The time at which to stop waiting.
        until: Option<Time>,
    },
    /// The next text of containers' logs. Asking again with the same requests continues the same streams.
    Follow(Arc<Vec<Request>>),
    /// The next output of a program in a container. Asking again with the same request continues the same session.
    Session(Arc<Request>),
    /// The passing of time.
    Sleep(Span),
    /// The answer to a request over the cluster's network.
    Network(Arc<NetRequest>),
    /// The start of a program beside this one.
    Spawn(Job),
    /// The end of a program that was started beside another, by its number.
    Kill(u64),
    /// Nothing: it forwards ports of the person's machine to pods until it is interrupted.
    Forward(Arc<Vec<Forward>>),
    /// The sending of several such requests at once. Their answers are not waited for.
    Load(Arc<NetRequest>, u32),
}

/// A program that is to run beside another.
#[derive(Clone, Debug)]
pub struct Job(pub Arc<dyn Program>);

impl PartialEq for Job {
    fn eq(&self, other: &Job) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A port of the person's machine that leads to a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forward {
    /// The port on the person's machine.
    pub local: u16,
    /// The pod's namespace.
    pub namespace: ArcStr,
    /// The pod's name; `""` for the API server.
    pub pod: ArcStr,
    /// The pod's port.
    pub remote: u16,
}

/// The state that a program has reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// The text that it has written so far.
    pub output: Output,
    /// Its effects outside the cluster so far.
    pub effects: Vec<Effect>,
    /// The next thing to do.
    pub next: Next,
}

impl Progress {
    /// Appends its output to earlier output, which it clears first if one of its effects is `ClearScreen`.
    pub(super) fn add_to(&self, output: &mut Output) {
        if self.effects.contains(&Effect::ClearScreen) {
            output.clear();
        }
        output.append(&self.output);
    }
}

/// The next thing that a program does.
#[derive(Clone, Debug)]
pub enum Next {
    /// It waits for the answer to a question.
    Wait(Wait),
    /// Another program takes its place: the output is kept and all answers are forgotten. So a program that never ends stays small.
    Replace(Arc<dyn Program>),
    /// It has ended, with this exit code.
    Exit(i32),
}

impl PartialEq for Next {
    fn eq(&self, other: &Next) -> bool {
        match (self, other) {
            (Next::Wait(a), Next::Wait(b)) => a == b,
            (Next::Replace(a), Next::Replace(b)) => Arc::ptr_eq(a, b),
            (Next::Exit(a), Next::Exit(b)) => a == b,
            _ => false,
        }
    }
}

/// The stream that a program writes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// The text that a program has written, in order, since it last cleared the screen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    pieces: Vec<(Stream, String)>,
    cleared: bool,
}

impl Output {
    /// Adds text.
    pub fn write(&mut self, stream: Stream, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.pieces.last_mut() {
            Some((last, so_far)) if *last == stream => so_far.push_str(text),
            _ => self.pieces.push((stream, text.to_owned())),
        }
    }
    /// Adds to the standard output.
    pub fn out(&mut self, text: &str) {
        self.write(Stream::Out, text);
    }
    /// Adds to the standard error.
    pub fn err(&mut self, text: &str) {
        self.write(Stream::Err, text);
    }
    pub(super) fn clear(&mut self) {
        self.pieces.clear();
        self.cleared = true;
    }
    /// True if the screen has been cleared.
    pub fn is_cleared(&self) -> bool {
        self.cleared
    }
    /// Appends another output.
    pub fn append(&mut self, other: &Output) {
        other.pieces.iter().for_each(|(stream, text)| self.write(*stream, text));
    }
    /// The pieces of text, in the order in which they were written.
    pub fn pieces(&self) -> &[(Stream, String)] {
        &self.pieces
    }
    /// Returns the standard output.
    pub fn stdout(&self) -> String {
        self.only(Stream::Out)
    }
    /// Returns the standard error.
    pub fn stderr(&self) -> String {
        self.only(Stream::Err)
    }
    fn only(&self, wanted: Stream) -> String {
        self.pieces.iter().filter(|(stream, _)| *stream == wanted).map(|(_, text)| text.as_str()).collect()
    }
    pub(super) fn len(&self) -> usize {
        self.pieces.iter().map(|(_, text)| text.len()).sum()
    }
    /// Drops the oldest text so that at most about `most` bytes remain.
    pub(super) fn trim(&mut self, most: usize) {
        let mut over = self.len().saturating_sub(most);
        while over > 0 && !self.pieces.is_empty() {
            let text = &mut self.pieces[0].1;
            if text.len() <= over {
                over -= text.len();
                self.pieces.remove(0);
                continue;
            }
            let cut = text.bytes().enumerate().position(|(i, b)| i >= over && b == b'\n').map_or(text.len(), |i| i + 1);
            text.drain(..cut);
            return;
        }
    }
}

/// An effect of a program outside the cluster.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Changes the current namespace.
    Namespace(ArcStr),
    /// Writes a file.
    Write {
        /// The file's path.
        path: String,
        /// The whole new content of the file.
        text: String,
    },
    /// Opens an object in the person's editor.
    Edit(Box<Draft>),
    /// Sets a variable of the shell, or removes it.
    Variable {
        /// The variable's name.
        name: String,
        /// The variable's new value; `None` removes the variable.
        value: Option<String>,
    },
    /// Clears the screen; a program does this before it writes anything.
    ClearScreen,
}

/// An object that is opened in the person's editor.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// Its kind.
    pub kind: crate::api::kind::Kind,
    /// Its namespace.
    pub namespace: ArcStr,
    /// Its name.
    pub name: ArcStr,
    /// Its YAML as the program read it.
    pub original: String,
}

/// A single request of a person.
#[derive(Clone, Debug)]
pub struct Once(pub Request);

impl Program for Once {
    fn run(&self, _start: &Start, _now: Time, replies: &[Reply]) -> Progress {
        let next = match replies.first().map(|r| &r.body) {
            None => Next::Wait(Wait::Request { request: self.0.clone(), why: "to do what was asked" }),
            Some(ReplyBody::Response(response)) => Next::Exit(i32::from(response.result.is_err())),
            Some(_) => Next::Exit(1),
        };
        Progress { output: Output::default(), effects: Vec::new(), next }
    }
    fn title(&self) -> String {
        format!("{} {}", self.0.method(), self.0.path())
    }
}

/// The time that a program may wait in [`run_alone`].
const PATIENCE: Span = Span::secs(60);

/// Runs a program against an API server on its own, where only the program changes anything. Returns the output and the exit code, or `None` for the
/// code if the program would wait for longer than a minute.
pub fn run_alone(program: Arc<dyn Program>, server: &mut ApiServer, now: &mut Time) -> (Output, Option<i32>) {
    let start = |at: Time, server: &ApiServer| Start { at, kinds: server.kinds.clone() };
    let (mut program, mut started, patience) = (program, start(*now, server), *now + PATIENCE);
    let (mut written, mut replies) = (Output::default(), Vec::new());
    loop {
        let progress = program.run(&started, *now, &replies);
        *now = *now + Span::millis(1);
        let told = match progress.next {
            Next::Exit(code) => {
                written.append(&progress.output);
                return (written, Some(code));
            }
            Next::Replace(next) if *now < patience => {
                written.append(&progress.output);
                (program, started, replies) = (next, start(*now, server), Vec::new());
                continue;
            }
            Next::Wait(Wait::Request { request, .. }) if *now < patience => {
                ReplyBody::Response(Arc::new(server.handle(&request, *now).response))
            }
            Next::Wait(Wait::Watch { until: Some(until), .. }) if until < patience => {
                *now = until;
                ReplyBody::Nothing
            }
            Next::Wait(Wait::Follow(_)) => ReplyBody::Text(Arc::default(), true),
            Next::Wait(Wait::Spawn(_) | Wait::Kill(_) | Wait::Load(..)) if *now < patience => ReplyBody::Nothing,
            Next::Wait(Wait::Network(_)) => {
                let answer = NetAnswer { result: NetResult::NoSuchHost, hops: Vec::new(), took: Span(0) };
                ReplyBody::Network(Arc::new(answer))
            }
            Next::Wait(Wait::Sleep(span)) if *now + span < patience => {
                *now = *now + span;
                ReplyBody::Nothing
            }
            _ => {
                written.append(&progress.output);
                return (written, None);
            }
        };
        replies.push(Reply { at: *now, body: told });
    }
}
