//! What a component wants done: it never acts itself, the simulator carries its messages.

use crate::api::request::Request;
use crate::api::time::Time;

/// Requests to send and times to be woken at. `C` names a request so that its answer finds its way, `T` a timer.
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
    /// Not before this time: the client's rate limit may hold it back.
    pub at: Time,
    /// What the answer will be handed in under.
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
    /// Asks to be woken.
    pub fn wake(&mut self, at: Time, timer: T) {
        self.wakes.push((at, timer));
    }
}
