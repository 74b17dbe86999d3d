//! A token bucket in integer arithmetic. Counterpart: `golang.org/x/time/rate` as client-go uses it.

use crate::api::time::{Span, Time};

/// Limits a client to a number of requests a second, after a burst. A reservation beyond the limit is for a later time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenBucket {
    /// The microseconds until a used token is available again; 0 means no limit.
    interval: i64,
    burst: i64,
    /// The time at which the bucket will be full if nothing more is taken.
    full_at: Time,
}

impl TokenBucket {
    /// Returns a full bucket. `per_second` of 0 means no limit.
    pub fn new(per_second: i64, burst: i64) -> TokenBucket {
        TokenBucket { interval: if per_second > 0 { 1_000_000 / per_second } else { 0 }, burst: burst.max(1), full_at: Time(i64::MIN) }
    }
    /// Takes a token and returns the time from which it may be used.
    pub fn reserve(&mut self, now: Time) -> Time {
        if self.interval == 0 {
            return now;
        }
        self.full_at = self.full_at.max(now) + Span(self.interval);
        let usable = Time(self.full_at.0 - self.interval * self.burst);
        usable.max(now)
    }
    /// Takes a token if one is available now. Returns `false` if not.
    pub fn try_take(&mut self, now: Time) -> bool {
        let mut trial = *self;
        let allowed = trial.reserve(now) <= now;
        if allowed {
            *self = trial;
        }
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_at_once_and_later_requests_wait() {
        let mut bucket = TokenBucket::new(20, 30);
        let now = Time(1_000_000);
        assert!((0..30).all(|_| bucket.reserve(now) == now));
        assert_eq!(bucket.reserve(now), now + Span::millis(50));
        assert_eq!(bucket.reserve(now), now + Span::millis(100));
        let later = now + Span::secs(60);
        assert_eq!(bucket.reserve(later), later);
        assert!(!{ (0..40).fold(true, |_, _| bucket.try_take(later)) });
    }
}
