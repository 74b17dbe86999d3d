//! Time zones by their names in the IANA database. Counterpart: Go's `time.LoadLocation`.
//!
//! The file `static/content/zones.txt` has the rule that each zone has followed since its last change, as a POSIX TZ string. The file is read only when a zone is named.
//! Simplifications: the file has no changes before 2026, and not the changes of Morocco and Western Sahara around Ramadan, which follow no rule. Of the ways to
//! write the day of a change, only the one that the file uses is known: `M10.5.0`, the last Sunday of October.

use super::content;
use super::time::{Span, Time, days_since_1970};

/// Returns the table of zones. Each line has a rule, and the names of the zones that follow it.
fn zones() -> &'static str {
    content::text("zones.txt")
}

/// A time zone, by which UTC times become local ones.
#[derive(Clone, Debug)]
pub struct Zone {
    /// The seconds by which the zone is ahead of UTC.
    offset: i64,
    summer: Option<Summer>,
}

/// The part of each year in which the clocks of a zone have another offset.
#[derive(Clone, Debug)]
struct Summer {
    offset: i64,
    begin: Change,
    end: Change,
}

/// The local time of a change of the clocks.
#[derive(Clone, Debug)]
struct Change {
    month: i64,
    /// The number of the week in the month; the fifth is the last.
    week: i64,
    /// The day of the week from Sunday, which is 0.
    weekday: i64,
    /// The seconds after midnight; more than a day, or less than none, for another day.
    seconds: i64,
}

impl Zone {
    /// The time zone UTC.
    pub const UTC: Zone = Zone { offset: 0, summer: None };

    /// Returns the zone with a name; `""` is UTC. The error is in Go's words.
    pub fn load(name: &str) -> Result<Zone, String> {
        if matches!(name, "" | "UTC") {
            return Ok(Zone::UTC);
        }
        let unknown = || format!("unknown time zone {name}");
        if name.contains("..") || name.starts_with(['/', '\\']) {
            return Err("time: invalid location name".to_owned());
        }
        let rule = zones().lines().find_map(|line| {
            let mut words = line.split(' ');
            let rule = words.next()?;
            words.any(|word| word == name).then_some(rule)
        });
        rule.and_then(Zone::of_rule).ok_or_else(unknown)
    }
    /// Reads a POSIX TZ string such as `CET-1CEST,M3.5.0,M10.5.0/3`.
    fn of_rule(rule: &str) -> Option<Zone> {
        let mut parts = rule.split(',');
        let (offset, rest) = offset(parts.next()?)?;
        let offset = offset?;
        let summer = match parts.next() {
            Some(begin) => Some(Summer {
                offset: self::offset(rest)?.0.unwrap_or(offset + 3600),
                begin: Change::parse(begin)?,
                end: Change::parse(parts.next()?)?,
            }),
            None => None,
        };
        Some(Zone { offset, summer })
    }
    /// Returns the seconds by which the zone is ahead of UTC at `time`.
    pub fn offset_seconds(&self, time: Time) -> i64 {
        let Some(summer) = &self.summer else { return self.offset };
        let (year, ..) = (time + Span::secs(self.offset)).civil();
        let (begin, end) = (summer.begin.seconds_since_1970(year) - self.offset, summer.end.seconds_since_1970(year) - summer.offset);
        // South of the equator summer lasts over the turn of the year.
        let is_summer = if begin < end { (begin..end).contains(&time.unix()) } else { !(end..begin).contains(&time.unix()) };
        if is_summer { summer.offset } else { self.offset }
    }
    /// Converts a time to the zone's local time. In UTC, the result reads as the clocks of the zone do at that time.
    pub fn local(&self, time: Time) -> Time {
        time + Span::secs(self.offset_seconds(time))
    }
    /// Converts a local time, as returned by [`Zone::local`], back to a time. If a change of the clocks skips the local time, the offset around it
    /// decides, as in Go's `time.Date`.
    pub fn from_local(&self, local: Time) -> Time {
        let first = self.offset_seconds(local);
        let guess = Time(local.0 - Span::secs(first).0);
        let offset = self.offset_seconds(guess);
        Time(local.0 - Span::secs(offset).0)
    }
    /// Formats a time as `2026-11-16T02:52:12+01:00`, or with `Z` where the zone is not ahead of or behind UTC.
    pub fn rfc3339(&self, time: Time) -> String {
        let offset = self.offset_seconds(time);
        let text = self.local(time).rfc3339();
        if offset == 0 {
            return text;
        }
        let (sign, minutes) = (if offset < 0 { '-' } else { '+' }, offset.abs() / 60);
        format!("{}{sign}{:02}:{:02}", text.trim_end_matches('Z'), minutes / 60, minutes % 60)
    }
}

impl Change {
    /// Parses a change such as `M10.5.0/3`. Without a time, it is at two o'clock.
    fn parse(text: &str) -> Option<Change> {
        let (day, time) = text.strip_prefix('M')?.split_once('/').unwrap_or((text.strip_prefix('M')?, "2"));
        let mut numbers = day.split('.').map_while(|number| number.parse().ok());
        Some(Change { month: numbers.next()?, week: numbers.next()?, weekday: numbers.next()?, seconds: seconds(time)? })
    }
    /// Returns the local time of the change in a year, as if it were UTC.
    fn seconds_since_1970(&self, year: i64) -> i64 {
        let first = days_since_1970(year, self.month, 1);
        // 1 January 1970 was a Thursday.
        let mut day = first + (self.weekday - first - 4).rem_euclid(7) + 7 * (self.week - 1);
        if day >= days_since_1970(year, self.month + 1, 1) {
            day -= 7;
        }
        day * 86_400 + self.seconds
    }
}

/// Reads the abbreviation of a zone and, if there is one, its offset. Returns the offset in seconds ahead of UTC, and the rest of the text.
fn offset(text: &str) -> Option<(Option<i64>, &str)> {
    let name = match text.strip_prefix('<') {
        Some(quoted) => quoted.find('>')? + 2,
        None => text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len()),
    };
    let text = &text[name..];
    let (offset, rest) = text.split_at(text.find(|c: char| c == '<' || c.is_ascii_alphabetic()).unwrap_or(text.len()));
    // POSIX counts the hours that a zone is behind.
    Some((if offset.is_empty() { None } else { Some(-seconds(offset)?) }, rest))
}

/// Parses hours and minutes such as `-3:30`.
fn seconds(text: &str) -> Option<i64> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (hours, minutes) = unsigned.split_once(':').unwrap_or((unsigned, "0"));
    let seconds = hours.parse::<i64>().ok()? * 3600 + minutes.parse::<i64>().ok()? * 60;
    Some(if text.starts_with('-') { -seconds } else { seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_zone_knows_summer_from_winter() {
        let berlin = Zone::load("Europe/Berlin").unwrap();
        let (winter, summer) = (Time::parse("2026-01-15T12:00:00Z").unwrap(), Time::parse("2026-07-15T12:00:00Z").unwrap());
        assert_eq!(berlin.rfc3339(winter), "2026-01-15T13:00:00+01:00");
        assert_eq!(berlin.rfc3339(summer), "2026-07-15T14:00:00+02:00");
        assert_eq!(berlin.from_local(berlin.local(summer)), summer);
        assert_eq!(Zone::load("Europe/Atlantis").unwrap_err(), "unknown time zone Europe/Atlantis");
    }

    #[test]
    fn the_clocks_of_each_zone_change_when_its_rule_says() {
        for (name, text, local) in [
            ("Europe/Dublin", "2026-03-29T00:59:59Z", "2026-03-29T00:59:59Z"),
            ("Europe/Dublin", "2026-03-29T01:00:00Z", "2026-03-29T02:00:00+01:00"),
            ("Europe/Dublin", "2026-12-31T23:59:59Z", "2026-12-31T23:59:59Z"),
            ("Australia/Sydney", "2026-01-01T00:00:00Z", "2026-01-01T11:00:00+11:00"),
            ("Australia/Sydney", "2026-04-04T15:59:59Z", "2026-04-05T02:59:59+11:00"),
            ("Australia/Sydney", "2026-04-04T16:00:00Z", "2026-04-05T02:00:00+10:00"),
            ("Australia/Sydney", "2026-12-31T20:00:00Z", "2027-01-01T07:00:00+11:00"),
            ("America/New_York", "2028-03-12T07:00:00Z", "2028-03-12T03:00:00-04:00"),
            ("America/New_York", "2028-11-05T06:00:00Z", "2028-11-05T01:00:00-05:00"),
            ("Australia/Lord_Howe", "2026-07-01T00:00:00Z", "2026-07-01T10:30:00+10:30"),
            ("Pacific/Marquesas", "2026-07-01T00:00:00Z", "2026-06-30T14:30:00-09:30"),
            ("Asia/Jerusalem", "2026-03-26T23:59:59Z", "2026-03-27T01:59:59+02:00"),
            ("Asia/Jerusalem", "2026-03-27T00:00:00Z", "2026-03-27T03:00:00+03:00"),
        ] {
            assert_eq!(Zone::load(name).unwrap().rfc3339(Time::parse(text).unwrap()), local, "{name} {text}");
        }
    }

    #[test]
    fn every_zone_of_the_table_can_be_computed_with() {
        for name in zones().lines().flat_map(|line| line.split(' ').skip(1)) {
            assert!(Zone::load(name).is_ok(), "{name}");
        }
    }
}
