//! What a process asks of the network. The kubelet asks in its name and brings the answer back; the process waits meanwhile.

use crate::api::time::{Span, Time};
use arcstr::ArcStr;
use std::fmt;

/// A request of a process.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Asks the cluster's DNS for a name.
    Resolve {
        /// The name.
        name: String,
    },
    /// Opens a TCP connection.
    Connect {
        /// A name or an address.
        host: String,
        /// The port.
        port: u16,
        /// The seconds after which it gives up, 0 for the program's own default.
        timeout: i64,
    },
    /// Sends an HTTP request.
    Http {
        /// `GET`, `POST` …
        method: String,
        /// A name or an address.
        host: String,
        /// The port.
        port: u16,
        /// The path, with its query.
        path: String,
        /// The seconds after which it gives up, 0 for the program's own default.
        timeout: i64,
    },
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The addresses of a name, and the full name that was found.
    Addresses(String, Vec<String>),
    /// The connection is open.
    Connected,
    /// An HTTP response: the address that answered, status and body.
    Http(String, u16, String),
    /// There is no such name.
    NoName,
    /// Nobody listens there: the address.
    Refused(String),
    /// Nobody answered in time: the address.
    Timeout(String),
    /// The playground has no network for this request; the text says why.
    Absent(String),
}

/// The pod in whose name something is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// The pod's namespace.
    pub namespace: ArcStr,
    /// The pod's name.
    pub pod: ArcStr,
    /// The node.
    pub node: ArcStr,
    /// The pod's address.
    pub address: u32,
}

/// The network of a cluster: names, Services and the containers that listen.
pub trait Network: fmt::Debug {
    /// Answers a request, and tells how long the answer takes.
    fn ask(&self, from: &Source, request: &Request, now: Time) -> (Span, Answer);
}

/// A network that reaches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nowhere;

impl Network for Nowhere {
    fn ask(&self, _: &Source, _: &Request, _: Time) -> (Span, Answer) {
        (Span::millis(1), Answer::Absent("requests between pods are not simulated here".to_owned()))
    }
}
