//! The requests and wake-ups that a component asks for. Components perform no I/O; the simulator delivers their messages.

use crate::api::request::Request;
use crate::api::time::Time;

/// Requests to send and wake-ups to plan. `C` identifies a request, so that its answer can be handled, and `T` a wake-up.
#[derive(Debug)]
pub struct Outbox<C, T> {
    /// Requests.
    pub sends: Vec<Send<C>>,
    /// Wake-ups.
    pub wakes: Vec<(Time, T)>,
}

/// A request to send.
#[derive(Clone, Debug, PartialEq)]
pub struct Send<C> {
    /// The time to send it; the client's rate limit may have put it off.
    pub at: Time,
    /// Identifies the request when its answer arrives.
    pub call: C,
    /// The request.
    pub request: Request,
}

impl<C, T> Default for Outbox<C, T> {
    fn default() -> Self {
        Outbox { sends: Vec::new(), wakes: Vec::new() }
    }
}

impl<C, T> Outbox<C, T> {
    /// Sends a request at a time.
    pub fn send(&mut self, at: Time, call: C, request: Request) {
        self.sends.push(Send { at, call, request });
    }
    /// Plans a wake-up at a time.
    pub fn wake(&mut self, at: Time, timer: T) {
        self.wakes.push((at, timer));
    }
}
