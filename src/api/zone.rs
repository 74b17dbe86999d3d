//! Time zones by their names in the IANA database. Counterpart: Go's `time.LoadLocation`.
//!
//! The file `static/content/zones.txt` has the rule that each zone has followed since its last change, as a POSIX TZ string; `jiff` computes with it. The
//! file is read only when a zone is named. Simplifications: the file has no changes before 2026, and not the changes of Morocco and Western Sahara around
//! Ramadan, which follow no rule.

use super::content;
use super::time::{Span, Time};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Returns the table of zones. Each line has a rule, and the names of the zones that follow it.
fn zones() -> &'static str {
    content::text("zones.txt")
}

/// A time zone, by which UTC times become local ones.
#[derive(Clone, Debug)]
pub struct Zone(Option<TimeZone>);

impl Zone {
    /// The time zone UTC.
    pub const UTC: Zone = Zone(None);

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
        TimeZone::posix(rule.ok_or_else(unknown)?).map(|zone| Zone(Some(zone))).map_err(|_| unknown())
    }
    /// Returns the seconds by which the zone is ahead of UTC at `time`.
    pub fn offset_seconds(&self, time: Time) -> i64 {
        let Some(zone) = &self.0 else { return 0 };
        Timestamp::from_second(time.unix()).map_or(0, |at| i64::from(zone.to_offset(at).seconds()))
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
    fn every_zone_of_the_table_can_be_computed_with() {
        for name in zones().lines().flat_map(|line| line.split(' ').skip(1)) {
            assert!(Zone::load(name).is_ok(), "{name}");
        }
    }
}
