//! Delays that double: between restarts of a container that keeps ending, and between tries to pull an image. Counterpart:
//! `client-go/util/flowcontrol.Backoff`.

use crate::api::time::{Span, Time};

/// The delay after the first failure, in seconds.
pub const FIRST_SECONDS: i64 = 10;
/// The longest delay that doubling reaches, in seconds.
pub const LONGEST_SECONDS: i64 = 300;

/// The current delay of a container that keeps ending, or of an image that cannot be pulled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The delay that must pass between a failure and the next try.
    pub delay: Span,
    /// The time at which the delay was last raised.
    pub raised: Time,
}

impl Backoff {
    /// Returns whether the delay was raised too long ago to count for a failure at `event`.
    fn expired(&self, event: Time) -> bool {
        event - self.raised > Span::secs(2 * LONGEST_SECONDS)
    }
    /// Returns the back-off after one more failure, at `event`.
    pub fn next(entry: Option<Backoff>, event: Time, now: Time) -> Backoff {
        let delay = match entry {
            Some(old) if !old.expired(event) => Span((old.delay.0 * 2).min(Span::secs(LONGEST_SECONDS).0)),
            _ => Span::secs(FIRST_SECONDS),
        };
        Backoff { delay, raised: now }
    }
    /// Returns the part of the delay after a failure at `event` that is left; `None` if it is over.
    pub fn remaining(entry: Option<Backoff>, event: Time, now: Time) -> Option<Span> {
        let entry = entry.filter(|e| !e.expired(event))?;
        let left = entry.delay.0 - (now - event).0;
        (left > 0).then_some(Span(left))
    }
}

/// Formats a delay as Go prints it: `10s`, `1m20s`, `5m0s`.
pub fn go_seconds(span: Span) -> String {
    let s = span.as_secs();
    if s < 60 { format!("{s}s") } else { format!("{}m{}s", s / 60, s % 60) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_five_minutes_and_are_forgotten_after_ten() {
        let (mut entry, mut now, mut seen) = (None, Time(0), Vec::new());
        for _ in 0..7 {
            let next = Backoff::next(entry, now, now);
            seen.push(go_seconds(next.delay));
            now = now + next.delay;
            entry = Some(next);
        }
        assert_eq!(seen, ["10s", "20s", "40s", "1m20s", "2m40s", "5m0s", "5m0s"]);
        let much_later = now + Span::secs(601);
        assert_eq!(Backoff::remaining(entry, much_later, much_later), None);
        assert_eq!(Backoff::next(entry, much_later, much_later).delay, Span::secs(10));
    }
}
