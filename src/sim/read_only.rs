//! Answers programs that only read, from one moment of the cluster: no virtual time passes, and nothing changes.
//!
//! While the page is paused no message travels, so a request through the cluster would never be answered. A program that only reads is run against a copy
//! of the cluster instead, whose API server answers at once.

use super::cluster::Cluster;
use super::program::{Next, Program, ReplyBody, Wait};
use super::running_programs::Console;
use super::step::Process;
use crate::api::request::{Request, Response, Subresource, Verb};
use crate::api::status::{Reason, Status};
use std::sync::Arc;

/// The number of requests and replacements (`Next::Replace`) after which a program counts as endless.
const MOST_TURNS: usize = 2_000;

impl Cluster {
    /// Runs a program against this moment, and returns it with its output. `None` if the program writes, follows something or waits, so that it needs time
    /// to pass.
    pub fn answer_still(&self, program: Arc<dyn Program>) -> Option<Console> {
        let mut copy = self.clone();
        let now = self.now;
        let mut console = Console::begin(program, now, self.api.kinds.clone());
        for _ in 0..MOST_TURNS {
            match console.progress.next.clone() {
                Next::Exit(_) => {
                    console.ended = Some(now);
                    return Some(console);
                }
                Next::Replace(program) => console.become_next(program, now),
                Next::Wait(Wait::Request { request, why }) if request.only_reads() => {
                    console.call(now, why, &request);
                    let response = copy.read_at_once(&request)?;
                    console.answer_last_call(response.code());
                    console.reply(now, ReplyBody::Response(Arc::new(response)));
                }
                Next::Wait(_) => return None,
            }
        }
        None
    }
    /// Answers a person's request at once. `None` if a fault would make the answer get lost.
    fn read_at_once(&mut self, request: &Request) -> Option<Response> {
        let person = Process::Person(self.last_person + 1);
        if self.link(person).down {
            return None;
        }
        match self.armed.take_failure(person) {
            Some(true) => return None,
            Some(false) => {
                let status = Status::new(Reason::InternalError, "Internal error occurred: the call was made to fail");
                return Some(Response::refused(status));
            }
            None => {}
        }
        if let Some(response) = self.read_with_components(person, request) {
            return Some(response);
        }
        self.measure_for(request);
        Some(if Cluster::is_node_request(request) { self.handle_log(request) } else { self.api.handle(request, self.now).response })
    }
}

impl Request {
    /// Returns whether the request changes nothing: a read or a dry run, and no session in a container.
    fn only_reads(&self) -> bool {
        let is_dry_run = self.options.as_ref().is_some_and(|options| options.dry_run);
        (matches!(self.verb, Verb::Get | Verb::List) || is_dry_run) && self.subresource != Subresource::Exec
    }
}
