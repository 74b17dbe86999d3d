//! The requests and wake-ups that a component (controller, scheduler, kubelet) asks for. Components perform no I/O; the simulator delivers their messages.

use crate::api::request::Request;
use crate::api::time::Time;

/// Requests to send and wake-ups to plan. `C` identifies a request, so that its answer can be handled, and `T` a wake-up.
#[derive(Debug)]
pub struct Outbox<C, T> {
    /// The requests to send, in the order in which the component asked for them.
    pub sends: Vec<Send<C>>,
    /// The wake-ups to plan: at this time, with the `T` that identifies the wake-up.
    pub wakes: Vec<(Time, T)>,
}

/// A request that a component wants to send.
#[derive(Clone, Debug, PartialEq)]
pub struct Send<C> {
    /// The time at which to send the request; the client's rate limit may have put it off.
    pub at: Time,
    /// Identifies the request when its answer arrives.
    pub call: C,
    /// The request to send to the API server.
    pub request: Request,
}

impl<C, T> Default for Outbox<C, T> {
    fn default() -> Self {
        Outbox { sends: Vec::new(), wakes: Vec::new() }
    }
}

impl<C, T> Outbox<C, T> {
    /// Asks for a request to be sent at a time; `call` identifies the request when its answer arrives.
    pub fn send(&mut self, at: Time, call: C, request: Request) {
        self.sends.push(Send { at, call, request });
    }
    /// Asks for a wake-up at a time; `timer` identifies the wake-up when it comes.
    pub fn wake(&mut self, at: Time, timer: T) {
        self.wakes.push((at, timer));
    }
}
