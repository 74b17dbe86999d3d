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
    /// Runs the program from its start, with the answers so far. `now` is the time of the last answer.
    fn run(&self, start: &Start, now: Time, replies: &[Reply]) -> Progress;
    /// Returns the line that the person typed, or a title for what was clicked.
    fn title(&self) -> String;
    /// Returns the program as the value that a share link records, if a person gave it and it can be run again from there.
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
    /// The time at which the program is started.
    pub at: Time,
    /// The kinds that the API server serves, as a client discovers them.
    pub kinds: Kinds,
}

/// The answer to a question of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The time at which the answer arrived.
    pub at: Time,
    /// The content of the answer.
    pub body: ReplyBody,
}

/// The content of an answer to a program.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyBody {
    /// The API server's answer to a request, or its refusal of a watch.
    Response(Arc<Response>),
    /// The events of a watch since the last answer.
    Events(Arc<Vec<WatchEvent>>),
    /// New text of followed logs, each with the index of its request, and whether all of the logs are complete.
    Text(Arc<Vec<(usize, String)>>, bool),
    /// New output of a session in a container, and its exit code once it has ended.
    Session(Arc<Vec<(Stream, String)>>, Option<i32>),
    /// The result of a request over the cluster's network.
    Network(Arc<NetAnswer>),
    /// The number of the program that was started by [`Wait::Spawn`].
    Number(u64),
    /// The number of requests that succeeded, of those that [`Wait::Load`] sent.
    Answered(u32),
    /// No content: the time that the program waited for has passed, or the action is done.
    Nothing,
}

/// A question of a program, or something else that it waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum Wait {
    /// An answer from the API server.
    Request {
        /// The request to the API server.
        request: Request,
        /// The purpose of the request, in words.
        why: &'static str,
    },
    /// The next events of a watch, or nothing once the time `until` has come. Asking again with the same request continues the same watch.
    Watch {
        /// The watch request (`Verb::Watch`), which begins at the revision in its options.
        request: Request,
        /// The time at which the program stops waiting; `None` for never.
        until: Option<Time>,
    },
    /// The next text of containers' logs. Asking again with the same requests continues the same streams.
    Follow(Arc<Vec<Request>>),
    /// The next output of a program in a container. Asking again with the same request continues the same session.
    Session(Arc<Request>),
    /// The passing of this much time.
    Sleep(Span),
    /// The answer to a request over the cluster's network.
    Network(Arc<NetRequest>),
    /// The start of another program beside this one. The answer is its number.
    Spawn(Job),
    /// The interruption of another program, by its number.
    Kill(u64),
    /// Nothing: the program forwards these ports of the person's machine to pods until it is interrupted.
    Forward(Arc<Vec<Forward>>),
    /// The sending of this many copies of a network request at once, without waiting for their answers.
    Load(Arc<NetRequest>, u32),
}

/// A program that a person's program starts beside itself.
#[derive(Clone, Debug)]
pub struct Job(pub Arc<dyn Program>);

impl PartialEq for Job {
    fn eq(&self, other: &Job) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A port of the person's machine that is forwarded to a pod, as by `kubectl port-forward`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forward {
    /// The port on the person's machine.
    pub local: u16,
    /// The pod's namespace.
    pub namespace: ArcStr,
    /// The pod's name; empty for the API server, as by `kubectl proxy`.
    pub pod: ArcStr,
    /// The port of the pod to which connections are forwarded.
    pub remote: u16,
}

/// The state that a program has reached with the answers so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// The text that the program has written so far.
    pub output: Output,
    /// The effects of the program outside the cluster so far.
    pub effects: Vec<Effect>,
    /// The next thing that the program does.
    pub next: Next,
}

impl Progress {
    /// Appends this program's output to earlier output, which is cleared first if one of the effects is `ClearScreen`.
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
    /// The program waits for the answer to a question.
    Wait(Wait),
    /// Another program takes the place of this one: the output is kept and all answers are dropped. So a program that never ends stays small.
    Replace(Arc<dyn Program>),
    /// The program has ended, with this exit code.
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
    /// Appends text to a stream.
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
    /// True if the program has cleared the screen.
    pub fn is_cleared(&self) -> bool {
        self.cleared
    }
    /// Appends all text of another output.
    pub fn append(&mut self, other: &Output) {
        other.pieces.iter().for_each(|(stream, text)| self.write(*stream, text));
    }
    /// Returns the pieces of text with their streams, in the order in which they were written.
    pub fn pieces(&self) -> &[(Stream, String)] {
        &self.pieces
    }
    /// Returns the text that was written to the standard output.
    pub fn stdout(&self) -> String {
        self.only(Stream::Out)
    }
    /// Returns the text that was written to the standard error.
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
    /// Changes the current namespace of the person's terminal.
    Namespace(ArcStr),
    /// Writes a file on the person's machine.
    Write {
        /// The file's path.
        path: String,
        /// The whole new content of the file.
        text: String,
    },
    /// Opens an object in the person's editor, as `kubectl edit` does.
    Edit(Box<Draft>),
    /// Sets or removes a variable of the person's shell.
    Variable {
        /// The variable's name.
        name: String,
        /// The variable's new value; `None` removes the variable.
        value: Option<String>,
    },
    /// Clears the screen before the program writes anything.
    ClearScreen,
}

/// An object that is opened in the person's editor.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The object's kind.
    pub kind: crate::api::kind::Kind,
    /// The object's namespace; empty if its kind has none.
    pub namespace: ArcStr,
    /// The object's name.
    pub name: ArcStr,
    /// The object as YAML, as the program read it.
    pub original: String,
}

/// A program that sends a single request.
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

/// The virtual time that a program may take in [`run_alone`].
const PATIENCE: Span = Span::secs(60);

/// Runs a program against an API server without a cluster, so that nothing changes but by the program. Returns the output and the exit code, or `None` for
/// the code if the program would take longer than a minute.
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
