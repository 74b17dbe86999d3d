//! Programs that a person runs: pure functions of the answers so far, as controllers are.

use crate::api::kind::Kinds;
use crate::api::request::{Request, Response};
use crate::api::time::{Span, Time};
use crate::api::watch::WatchEvent;
use crate::apiserver::ApiServer;
use arcstr::ArcStr;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A program that a person runs (kubectl, a shell line, or a request by hand). It is a pure function of the answers so far: it is run again from
/// its start with every new answer, and its first question without an answer is asked next.
pub trait Program: Send + Sync {
    /// Runs it. `now` is the time of the last answer.
    fn run(&self, start: &Start, now: Time, replies: &[Reply]) -> Progress;
    /// What the person typed or clicked.
    fn title(&self) -> String;
    /// The program itself, where it is what a person gave and can be written down to be run again.
    fn source(&self) -> Option<&dyn Any> {
        None
    }
}

// By its title: programs hold requests and objects, whose own words nobody reads, yet they would all be part of what people download.
impl fmt::Debug for dyn Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title())
    }
}

/// What a program is given when it is started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Start {
    /// When.
    pub at: Time,
    /// The kinds that the API server serves, as a client discovers them.
    pub kinds: Kinds,
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// When it came.
    pub at: Time,
    /// What it says.
    pub told: Told,
}

/// What an answer says.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// The API server's answer to a request, or its refusal of a watch.
    Response(Arc<Response>),
    /// What a watch has brought since the last answer.
    Events(Arc<Vec<WatchEvent>>),
    /// What logs have brought: of which request, and the text; and whether all of them are over.
    Text(Arc<Vec<(usize, String)>>, bool),
    /// Time has passed.
    Nothing,
}

/// What a program wants next.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// An answer from the API server.
    Request {
        /// The request.
        request: Request,
        /// What it is made for, in words.
        why: &'static str,
    },
    /// The next changes on a watch, or nothing when time is up. Asked again with the same request, the same watch goes on.
    Watch {
        /// The watch: [`Verb::Watch`], from the revision in its options on.
        request: Request,
        /// When to stop waiting.
        until: Option<Time>,
    },
    /// The next text of containers' logs. Asked again with the same requests, the same streams go on.
    Follow(Arc<Vec<Request>>),
    /// Time to pass.
    Sleep(Span),
}

/// How far a program is.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// What it has written so far.
    pub output: Output,
    /// What it has done so far outside the cluster.
    pub effects: Vec<Effect>,
    /// What comes next.
    pub next: Next,
}

impl Progress {
    /// Adds what it has written to what was written before; the screen is cleared first if it says so.
    pub(super) fn add_to(&self, output: &mut Output) {
        if self.effects.contains(&Effect::ClearScreen) {
            output.clear();
        }
        output.append(&self.output);
    }
}

/// What comes next in a program.
#[derive(Clone, Debug)]
pub enum Next {
    /// It waits for the answer to a question.
    Ask(Question),
    /// Another program takes its place, with what was written kept and all answers forgotten: how a program that goes on for ever stays small.
    Become(Arc<dyn Program>),
    /// It has ended, with this exit code.
    Exit(i32),
}

impl PartialEq for Next {
    fn eq(&self, other: &Next) -> bool {
        match (self, other) {
            (Next::Ask(a), Next::Ask(b)) => a == b,
            (Next::Become(a), Next::Become(b)) => Arc::ptr_eq(a, b),
            (Next::Exit(a), Next::Exit(b)) => a == b,
            _ => false,
        }
    }
}

/// Where a program writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// What it has to say.
    Out,
    /// What it complains about.
    Err,
}

/// What a program has written, in order, since it last cleared the screen.
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
    /// Adds to the complaints.
    pub fn err(&mut self, text: &str) {
        self.write(Stream::Err, text);
    }
    pub(super) fn clear(&mut self) {
        self.pieces.clear();
        self.cleared = true;
    }
    /// Whether the screen has been cleared.
    pub fn is_cleared(&self) -> bool {
        self.cleared
    }
    /// Adds all of another.
    pub fn append(&mut self, other: &Output) {
        other.pieces.iter().for_each(|(stream, text)| self.write(*stream, text));
    }
    /// Text by text, in the order in which it was written.
    pub fn pieces(&self) -> &[(Stream, String)] {
        &self.pieces
    }
    /// The standard output.
    pub fn stdout(&self) -> String {
        self.only(Stream::Out)
    }
    /// The complaints.
    pub fn stderr(&self) -> String {
        self.only(Stream::Err)
    }
    fn only(&self, wanted: Stream) -> String {
        self.pieces.iter().filter(|(stream, _)| *stream == wanted).map(|(_, text)| text.as_str()).collect()
    }
    pub(super) fn len(&self) -> usize {
        self.pieces.iter().map(|(_, text)| text.len()).sum()
    }
    /// Lets go of the oldest text beyond so many bytes.
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

/// What a program does outside the cluster.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// The current namespace is another.
    Namespace(ArcStr),
    /// A file is written.
    Write {
        /// Its name.
        path: String,
        /// All of its text.
        text: String,
    },
    /// An object is to be edited by the person.
    Edit(Box<Draft>),
    /// A variable of the shell is set, or taken away.
    Variable {
        /// Its name.
        name: String,
        /// Its value.
        value: Option<String>,
    },
    /// The screen is cleared; a program does this before it writes anything.
    ClearScreen,
}

/// An object handed to the person's editor.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The kind's number and the object's place.
    pub kind: crate::api::kind::Kind,
    /// Its namespace.
    pub namespace: ArcStr,
    /// Its name.
    pub name: ArcStr,
    /// Its YAML as it was read.
    pub original: String,
}

/// A person's single request.
#[derive(Clone, Debug)]
pub struct Once(pub Request);

impl Program for Once {
    fn run(&self, _start: &Start, _now: Time, replies: &[Reply]) -> Progress {
        let next = match replies.first().map(|r| &r.told) {
            None => Next::Ask(Question::Request { request: self.0.clone(), why: "to do what was asked" }),
            Some(Told::Response(response)) => Next::Exit(i32::from(response.result.is_err())),
            Some(_) => Next::Exit(1),
        };
        Progress { output: Output::default(), effects: Vec::new(), next }
    }
    fn title(&self) -> String {
        format!("{} {}", self.0.method(), self.0.path())
    }
}

/// How long a program that is alone with an API server may wait.
const PATIENCE: Span = Span::secs(60);

/// Runs a program against an API server that stands alone, where nothing changes but by the program itself. Gives what it wrote and its exit code,
/// or none if it would wait for longer than a minute.
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
            Next::Become(next) if *now < patience => {
                written.append(&progress.output);
                (program, started, replies) = (next, start(*now, server), Vec::new());
                continue;
            }
            Next::Ask(Question::Request { request, .. }) if *now < patience => {
                Told::Response(Arc::new(server.handle(&request, *now).response))
            }
            Next::Ask(Question::Watch { until: Some(until), .. }) if until < patience => {
                *now = until;
                Told::Nothing
            }
            Next::Ask(Question::Follow(_)) => Told::Text(Arc::default(), true),
            Next::Ask(Question::Sleep(span)) if *now + span < patience => {
                *now = *now + span;
                Told::Nothing
            }
            _ => {
                written.append(&progress.output);
                return (written, None);
            }
        };
        replies.push(Reply { at: *now, told });
    }
}
