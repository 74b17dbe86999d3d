//! Sessions of people in containers: `kubectl exec` and `attach`. Counterpart: the streams between kubectl, the API server and a kubelet.
//!
//! A program opens a session by a request like any other. From then on the session's output reaches the program at once, and what the person types reaches
//! the container at once.

use super::cluster::Cluster;
use super::program::{Next, ReplyBody, Stream, Wait};
use super::running_programs::Console;
use super::step::{Call, Process};
use crate::api::request::{Payload, Request};
use crate::container::process;
use crate::kubelet::SessionNews;
use std::sync::Arc;

/// The HTTP status code with which the API server opens a session.
const SWITCHING_PROTOCOLS: u16 = 101;

/// A session in a container that a person's program has opened.
#[derive(Clone, Debug)]
pub(super) struct OpenSession {
    number: u64,
    node: u32,
    /// Output of the session that the program has not received yet.
    output: Vec<(Stream, String)>,
    code: Option<i32>,
}

impl Console {
    /// True if lines that the person types go to a container: the program waits for an open session that accepts input.
    pub fn takes_input(&self) -> bool {
        let types = |request: &Request| matches!(&request.payload, Payload::Exec(options) if options.types);
        matches!(&self.progress.next, Next::Wait(Wait::Session(request)) if types(request)) && self.session.is_some()
    }
}

impl Cluster {
    /// Opens the session that a program asks for, or hands it the session's new output. Returns whether the program can continue at once.
    pub(super) fn session_on(&mut self, id: u64, request: &Arc<Request>) -> bool {
        let now = self.now;
        let Some(console) = self.consoles.get_mut(&id) else { return false };
        let same = matches!(console.open.as_deref(), Some(Wait::Session(open)) if open == request);
        if !same {
            console.call(now, "to run a program in the container", request);
            console.open = Some(Arc::new(Wait::Session(request.clone())));
            self.leave_session(id);
            self.send(Process::Person(id), now, Call::Person, (**request).clone());
            return false;
        }
        let Some(session) = console.session.as_mut().filter(|s| s.code.is_some() || !s.output.is_empty()) else { return false };
        let session = Arc::make_mut(session);
        let (output, code) = (std::mem::take(&mut session.output), session.code);
        if code.is_some() {
            (console.session, console.open) = (None, None);
        }
        console.reply(now, ReplyBody::Session(Arc::new(output), code));
        true
    }
    /// Connects a new session with the program that asked for it. Returns `false` if that program no longer waits for a session.
    pub(super) fn expect_session(&mut self, from: Process, number: u64, node: u32) -> bool {
        let Process::Person(id) = from else { return false };
        let Some(console) = self.consoles.get_mut(&id).filter(|c| matches!(c.progress.next, Next::Wait(Wait::Session(_)))) else {
            return false;
        };
        console.answer_last_call(SWITCHING_PROTOCOLS);
        console.session = Some(Arc::new(OpenSession { number, node, output: Vec::new(), code: None }));
        true
    }
    /// Passes new output of a session, and its exit code if it has ended, to its program.
    pub(super) fn session_told(&mut self, news: SessionNews) {
        let found = self.consoles.iter().find(|(_, c)| c.session.as_ref().is_some_and(|s| s.number == news.session));
        let Some(id) = found.map(|(id, _)| *id) else { return };
        let Some(session) = self.consoles.get_mut(&id).and_then(|c| c.session.as_mut()) else { return };
        let session = Arc::make_mut(session);
        session.output.extend(news.output.into_iter().map(|(stream, text)| match stream {
            process::Stream::Out => (Stream::Out, text),
            process::Stream::Err => (Stream::Err, text),
        }));
        session.code = session.code.or(news.code);
        self.ask_next(id);
    }
    /// Types a line into the session of a program; `None` ends the input.
    pub(super) fn type_into(&mut self, id: u64, text: Option<&str>) {
        let Some(session) = self.consoles.get(&id).filter(|c| c.takes_input()).and_then(|c| c.session.clone()) else { return };
        let line = text.map(|text| format!("{text}\n"));
        self.on_kubelet(session.node, |k, cx| k.type_into(session.number, line.as_deref(), cx));
    }
    /// Closes the session of a program that has ended or no longer reads from it.
    pub(super) fn leave_session(&mut self, id: u64) {
        let Some(session) = self.consoles.get_mut(&id).and_then(|c| c.session.take()) else { return };
        if session.code.is_none() {
            self.on_kubelet(session.node, |k, cx| k.hang_up(session.number, cx));
        }
    }
    /// Ends the sessions that pass through the kubelet of a node, because that has ended.
    pub(super) fn break_sessions(&mut self, node: u32) {
        let broken: Vec<u64> = self
            .consoles
            .values()
            .filter_map(|c| c.session.as_ref().filter(|s| s.node == node && s.code.is_none()).map(|s| s.number))
            .collect();
        for session in broken {
            let text = "error: error reading from error stream: next reader: websocket: close 1006 (abnormal closure): unexpected EOF\n";
            self.session_told(SessionNews { session, output: vec![(process::Stream::Err, text.to_owned())], code: Some(1) });
        }
    }
}
