//! A rehearsal: runs kubectl against a copy of the API server, in no virtual time and without any record in the run.
//!
//! The copy costs a few pointers. No controller runs in it, so a command must not wait for anything.

use crate::api::kind::{Kind, Kinds};
use crate::api::meta::Key;
use crate::api::object::Object;
use crate::api::request::Request;
use crate::api::status::{Reason, Status};
use crate::api::time::Time;
use crate::apiserver::ApiServer;
use crate::kubectl::CommandLine;
use crate::sim::{Cluster, Next, Program, Reply, ReplyBody, Start, Wait};
use arcstr::ArcStr;
use std::sync::Arc;

/// The namespace in which a person's manifests are applied.
const NAMESPACE: &str = "default";
/// The number of requests after which a command is stopped; no command needs as many.
const MOST_REQUESTS: usize = 200;

/// A copy of the API server on which commands are tried out.
pub struct Rehearsal {
    api: ApiServer,
    now: Time,
}

/// The result of a kubectl command that was tried out.
#[derive(Clone, Debug, Default)]
pub struct Tried {
    /// The command's standard error.
    pub stderr: String,
    /// The command's exit code; `None` if it waits for something.
    pub exit: Option<i32>,
    /// The API server's refusals, except those because an object does not exist yet.
    pub refusals: Vec<Status>,
}

impl Rehearsal {
    /// Copies a cluster's API server.
    pub fn of(cluster: &Cluster) -> Rehearsal {
        Rehearsal { api: cluster.api.clone(), now: cluster.now }
    }
    /// Returns the kinds that the copied API server serves.
    pub fn kinds(&self) -> &Kinds {
        &self.api.kinds
    }
    /// Returns an object of the copied API server. An empty namespace stands for `default`.
    pub fn find(&self, kind: Kind, namespace: &str, name: &str) -> Option<&Arc<Object>> {
        let namespace = match (kind.row().namespaced, namespace) {
            (false, _) => "",
            (true, "") => NAMESPACE,
            (true, given) => given,
        };
        self.api.store.get(kind, &Key::new(namespace, name))
    }
    /// Runs kubectl on the copied API server, with a manifest as its standard input.
    pub fn kubectl(&mut self, words: &[&str], manifest: &str) -> Tried {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        let line = CommandLine { words, stdin: manifest.to_owned(), namespace: ArcStr::from(NAMESPACE), files: Vec::new(), editor: false };
        let (mut replies, mut refusals) = (Vec::new(), Vec::new());
        for _ in 0..MOST_REQUESTS {
            let progress = line.run(&Start { at: self.now, kinds: self.api.kinds.clone() }, self.now, &replies);
            let stderr = progress.output.stderr();
            match progress.next {
                Next::Wait(Wait::Request { request, .. }) => replies.push(self.ask(&request, &mut refusals)),
                Next::Wait(Wait::Sleep(_)) => replies.push(Reply { at: self.now, body: ReplyBody::Nothing }),
                Next::Exit(code) => return Tried { stderr, exit: Some(code), refusals },
                _ => return Tried { stderr, exit: None, refusals },
            }
        }
        Tried { refusals, ..Tried::default() }
    }
    fn ask(&mut self, request: &Request, refusals: &mut Vec<Status>) -> Reply {
        let response = self.api.handle(request, self.now).response;
        if let Err(status) = &response.result
            && (status.reason != Reason::NotFound || request.name.is_empty())
        {
            refusals.push(status.clone());
        }
        Reply { at: self.now, body: ReplyBody::Response(Arc::new(response)) }
    }
}
