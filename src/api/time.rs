//! Points in time in the API, and how they are written. The clock itself belongs to `sim`.

use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::{Add, Sub};

/// A span of time in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(pub i64);

impl Span {
    /// Creates a span from seconds.
    pub const fn secs(s: i64) -> Self {
        Span(s * 1_000_000)
    }
    /// Creates a span from milliseconds.
    pub const fn millis(ms: i64) -> Self {
        Span(ms * 1_000)
    }
    /// Creates a span from microseconds.
    pub const fn micros(us: i64) -> Self {
        Span(us)
    }
    /// Returns the span in whole seconds, rounded down.
    pub const fn as_secs(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0 + other.0)
    }
}

/// A point in time: microseconds since 1970. Most API fields keep whole seconds only: see [`Time::whole_second`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub i64);

impl Add<Span> for Time {
    type Output = Time;
    fn add(self, span: Span) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl Sub for Time {
    type Output = Span;
    fn sub(self, other: Time) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
}

impl Time {
    /// Returns the time cut to the whole second, as `metav1.Time` is encoded.
    pub fn whole_second(self) -> Time {
        Time(self.0.div_euclid(1_000_000) * 1_000_000)
    }
    /// Creates a time from the seconds since 1970.
    pub const fn from_unix(seconds: i64) -> Time {
        Time(seconds.saturating_mul(1_000_000))
    }
    /// Returns the seconds since 1970.
    pub fn unix(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }
    /// Formats the time as `2026-11-16T01:52:12Z`.
    pub fn rfc3339(self) -> String {
        let (y, mo, d, h, mi, s) = self.civil();
        format!("{y:04}-{mo:02}-{d:02}T{h:02}:{mi:02}:{s:02}Z")
    }
    /// Formats the time as `2026-11-16T01:52:12.530217Z`, as `metav1.MicroTime` is encoded.
    pub fn rfc3339_micro(self) -> String {
        let (y, mo, d, h, mi, s) = self.civil();
        format!("{y:04}-{mo:02}-{d:02}T{h:02}:{mi:02}:{s:02}.{:06}Z", self.0.rem_euclid(1_000_000))
    }
    /// Formats the time as `Mon, 16 Nov 2026 01:52:12 +0000`, as in `kubectl describe`.
    pub fn rfc1123(self) -> String {
        const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
        const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let (y, mo, d, h, mi, s) = self.civil();
        let day = DAYS[self.unix().div_euclid(86_400).rem_euclid(7) as usize];
        format!("{day}, {d:02} {} {y:04} {h:02}:{mi:02}:{s:02} +0000", MONTHS[(mo - 1) as usize])
    }
    /// Returns year, month, day, hour, minute and second in UTC.
    pub fn civil(self) -> (i64, u32, u32, u32, u32, u32) {
        let secs = self.unix();
        let (days, rest) = (secs.div_euclid(86_400), secs.rem_euclid(86_400) as u32);
        // Converts days to the civil date, counting eras of 400 years from 1 March of year 0.
        let z = days + 719_468;
        let era = z.div_euclid(146_097);
        let doe = z.rem_euclid(146_097);
        let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
        let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
        let mp = (5 * doy + 2) / 153;
        let day = (doy - (153 * mp + 2) / 5 + 1) as u32;
        let month = if mp < 10 { mp + 3 } else { mp - 9 } as u32;
        let year = yoe + era * 400 + i64::from(month <= 2);
        (year, month, day, rest / 3600, rest / 60 % 60, rest % 60)
    }
    /// Parses an RFC 3339 text with `Z` or a numeric offset.
    pub fn parse(text: &str) -> Option<Time> {
        let num = |from: usize, to: usize| -> Option<i64> {
            let part = text.get(from..to)?;
            part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse().ok())?
        };
        let is = |at: usize, c: u8| text.as_bytes().get(at) == Some(&c);
        if !(is(4, b'-') && is(7, b'-') && (is(10, b'T') || is(10, b't')) && is(13, b':') && is(16, b':')) {
            return None;
        }
        let (y, mo, d, h, mi, s) = (num(0, 4)?, num(5, 7)?, num(8, 10)?, num(11, 13)?, num(14, 16)?, num(17, 19)?);
        if !(1..=12).contains(&mo) || !(1..=31).contains(&d) || h > 23 || mi > 59 || s > 59 {
            return None;
        }
        let mut rest = text.get(19..)?;
        let mut micros = 0;
        if let Some(fraction) = rest.strip_prefix('.') {
            let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
            if digits == 0 {
                return None;
            }
            let six: String = fraction.chars().take(digits).chain("000000".chars()).take(6).collect();
            micros = six.parse::<i64>().ok()?;
            rest = &fraction[digits..];
        }
        let offset = match rest.as_bytes() {
            [b'Z' | b'z'] => 0,
            [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
                let (oh, om) = (rest.get(1..3)?.parse::<i64>().ok()?, rest.get(4..6)?.parse::<i64>().ok()?);
                (oh * 3600 + om * 60) * if *sign == b'-' { -1 } else { 1 }
            }
            _ => return None,
        };
        let (yy, mm) = if mo <= 2 { (y - 1, mo + 9) } else { (y, mo - 3) };
        let era = yy.div_euclid(400);
        let yoe = yy.rem_euclid(400);
        let doe = yoe * 365 + yoe / 4 - yoe / 100 + (153 * mm + 2) / 5 + d - 1;
        let days = era * 146_097 + doe - 719_468;
        Some(Time((days * 86_400 + h * 3600 + mi * 60 + s - offset) * 1_000_000 + micros))
    }
}

impl Serialize for Time {
    /// Serializes the time in whole seconds, as `metav1.Time` is.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.rfc3339())
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Time::parse(&text).ok_or_else(|| D::Error::invalid_value(Unexpected::Str(&text), &"an RFC 3339 time"))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.rfc3339())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back_is_the_same_time() {
        for text in ["1970-01-01T00:00:00Z", "2026-11-16T01:52:12Z", "2000-02-29T23:59:59Z", "1969-12-31T23:59:59Z"] {
            assert_eq!(Time::parse(text).map(Time::rfc3339).as_deref(), Some(text));
        }
        assert_eq!(Time::parse("2026-11-16T03:52:12+02:00"), Time::parse("2026-11-16T01:52:12Z"));
        assert_eq!(Time::parse("2026-11-16T01:52:12.530217Z").map(|t| t.0 % 1_000_000), Some(530_217));
        assert_eq!(Time::parse("2026-11-16T01:52:12Z").map(Time::rfc1123).as_deref(), Some("Mon, 16 Nov 2026 01:52:12 +0000"));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in
            ["", "today", "2026-13-01T00:00:00Z", "2026-11-16", "2026-11-16T01:52:12", "2026-11-16T01:52:12.Z", "é026-11-16T01:52:12Z"]
        {
            assert_eq!(Time::parse(text), None, "{text}");
        }
    }
}
