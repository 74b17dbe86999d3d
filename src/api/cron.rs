//! Cron schedules. Counterpart: `robfig/cron` v3, `ParseStandard` and `SpecSchedule.Next`.

use super::time::{Span, Time};
use super::zone::Zone;

/// A parsed cron schedule.
#[derive(Clone, Debug)]
pub enum Schedule {
    /// Starts whenever all fields match, as in `30 2 * * *`.
    Fields(Box<Fields>),
    /// Starts a fixed time after the last start, as in `@every 1h30m`.
    Every(Span),
}

/// The five fields of a schedule as bit sets, in which bit N is set if N matches, and the time zone that they refer to.
#[derive(Clone, Debug)]
pub struct Fields {
    minute: u64,
    hour: u64,
    day_of_month: u64,
    month: u64,
    day_of_week: u64,
    zone: Zone,
}

/// The bit that marks a field written as `*` or `?`.
const STAR: u64 = 1 << 63;
const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: &[&str] = &["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
/// The number of years after which the search for the next match is given up.
const HORIZON_YEARS: i64 = 5;

struct Bounds {
    min: u64,
    max: u64,
    names: &'static [&'static str],
}

const MINUTES: Bounds = Bounds { min: 0, max: 59, names: &[] };
const HOURS: Bounds = Bounds { min: 0, max: 23, names: &[] };
const DAYS_OF_MONTH: Bounds = Bounds { min: 1, max: 31, names: &[] };
const MONTH_BOUNDS: Bounds = Bounds { min: 1, max: 12, names: MONTHS };
const WEEK_BOUNDS: Bounds = Bounds { min: 0, max: 6, names: DAYS };

impl Schedule {
    /// Parses a schedule of five fields or a descriptor such as `@hourly`, optionally after `TZ=ZONE` and a space. The error is in robfig's words.
    pub fn parse(text: &str) -> Result<Schedule, String> {
        if text.is_empty() {
            return Err("empty spec string".to_owned());
        }
        let (mut zone, mut rest) = (Zone::UTC, text);
        if text.starts_with("TZ=") || text.starts_with("CRON_TZ=") {
            let (Some(space), Some(equals)) = (text.find(' '), text.find('=')) else {
                return Err("invalid schedule format: runtime error: slice bounds out of range [:-1]".to_owned());
            };
            let name = &text[equals + 1..space];
            zone = Zone::load(name).map_err(|why| format!("provided bad location {name}: {why}"))?;
            rest = text[space..].trim();
        }
        if rest.starts_with('@') {
            return descriptor(rest, zone);
        }
        let words: Vec<&str> = rest.split_whitespace().collect();
        let [minute, hour, day_of_month, month, day_of_week] = words.as_slice() else {
            return Err(format!("expected exactly 5 fields, found {}: [{}]", words.len(), words.join(" ")));
        };
        Ok(Schedule::Fields(Box::new(Fields {
            minute: field(minute, &MINUTES)?,
            hour: field(hour, &HOURS)?,
            day_of_month: field(day_of_month, &DAYS_OF_MONTH)?,
            month: field(month, &MONTH_BOUNDS)?,
            day_of_week: field(day_of_week, &WEEK_BOUNDS)?,
            zone,
        })))
    }
    /// Returns the first time of the schedule after `after`; `None` if there is none within five years.
    pub fn next(&self, after: Time) -> Option<Time> {
        match self {
            Schedule::Every(span) => Some((after + *span).whole_second()),
            Schedule::Fields(fields) => fields.next(after),
        }
    }
}

fn descriptor(text: &str, zone: Zone) -> Result<Schedule, String> {
    let all = |bounds: &Bounds| bits(bounds.min, bounds.max, 1) | STAR;
    let base =
        Fields { minute: 1, hour: 1, day_of_month: all(&DAYS_OF_MONTH), month: all(&MONTH_BOUNDS), day_of_week: all(&WEEK_BOUNDS), zone };
    let fields = match text {
        "@yearly" | "@annually" => Fields { day_of_month: 1 << 1, month: 1 << 1, ..base },
        "@monthly" => Fields { day_of_month: 1 << 1, ..base },
        "@weekly" => Fields { day_of_week: 1, ..base },
        "@daily" | "@midnight" => base,
        "@hourly" => Fields { hour: all(&HOURS), ..base },
        _ => {
            let Some(duration) = text.strip_prefix("@every ") else { return Err(format!("unrecognized descriptor: {text}")) };
            let span = go_duration(duration).map_err(|why| format!("failed to parse duration {text}: {why}"))?;
            return Ok(Schedule::Every(Span::secs(span.as_secs().max(1))));
        }
    };
    Ok(Schedule::Fields(Box::new(fields)))
}

/// Parses a duration such as `1h30m`. Counterpart: Go's `time.ParseDuration`.
fn go_duration(text: &str) -> Result<Span, String> {
    let invalid = || format!("time: invalid duration {text:?}");
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Ok(Span(0));
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total: i64 = 0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, tail) = rest.split_at(digits);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && fraction.is_empty() {
            return Err(invalid());
        }
        let end = tail.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(tail.len());
        let (unit, next) = tail.split_at(end);
        let micros: i64 = match unit {
            "" => return Err(format!("time: missing unit in duration {text:?}")),
            "ns" => 0,
            "us" | "µs" | "μs" => 1,
            "ms" => 1_000,
            "s" => 1_000_000,
            "m" => 60_000_000,
            "h" => 3_600_000_000,
            _ => return Err(format!("time: unknown unit {unit:?} in duration {text:?}")),
        };
        let whole: i64 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| invalid())? };
        total = whole.checked_mul(micros).and_then(|n| total.checked_add(n)).ok_or_else(invalid)?;
        let mut place = micros;
        for digit in fraction.bytes() {
            place /= 10;
            total += i64::from(digit - b'0') * place;
        }
        rest = next;
    }
    Ok(Span(if negative { -total } else { total }))
}

fn bits(min: u64, max: u64, step: u64) -> u64 {
    (min..=max).step_by(step.max(1) as usize).fold(0, |set, i| set | 1 << i)
}

/// Parses one field of a schedule, which is a list of ranges separated by commas, into a bit set.
fn field(text: &str, bounds: &Bounds) -> Result<u64, String> {
    let mut set = 0;
    for part in text.split(',').filter(|part| !part.is_empty()) {
        set |= range(part, bounds)?;
    }
    Ok(set)
}

/// Parses `*`, `N` or `N-M`, each optionally followed by `/STEP`, into a bit set. Counterpart: `getRange`.
fn range(text: &str, bounds: &Bounds) -> Result<u64, String> {
    let parts: Vec<&str> = text.split('/').collect();
    let limits: Vec<&str> = parts[0].split('-').collect();
    let (mut star, start, mut end);
    if matches!(limits[0], "*" | "?") {
        (start, end, star) = (bounds.min, bounds.max, STAR);
    } else {
        start = number_or_name(limits[0], bounds.names)?;
        (end, star) = match limits.as_slice() {
            [_] => (start, 0),
            [_, last] => (number_or_name(last, bounds.names)?, 0),
            _ => return Err(format!("too many hyphens: {text}")),
        };
    }
    let step = match parts.as_slice() {
        [_] => 1,
        [_, step] => {
            let step = number(step)?;
            // `N/STEP` means from N to the end.
            if limits.len() == 1 {
                end = bounds.max;
            }
            if step > 1 {
                star = 0;
            }
            step
        }
        _ => return Err(format!("too many slashes: {text}")),
    };
    if start < bounds.min {
        return Err(format!("beginning of range ({start}) below minimum ({}): {text}", bounds.min));
    }
    if end > bounds.max {
        return Err(format!("end of range ({end}) above maximum ({}): {text}", bounds.max));
    }
    if start > end {
        return Err(format!("beginning of range ({start}) beyond end of range ({end}): {text}"));
    }
    if step == 0 {
        return Err(format!("step of range should be a positive number: {text}"));
    }
    Ok(bits(start, end, step) | star)
}

fn number_or_name(text: &str, names: &[&str]) -> Result<u64, String> {
    let lower = text.to_ascii_lowercase();
    // Months count from one, days of the week from zero.
    let first = u64::from(names.len() == MONTHS.len());
    match names.iter().position(|name| *name == lower) {
        Some(place) => Ok(place as u64 + first),
        None => number(text),
    }
}

fn number(text: &str) -> Result<u64, String> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let well_formed = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let why = if well_formed { "value out of range" } else { "invalid syntax" };
    let parsed: i64 = text
        .parse()
        .ok()
        .filter(|_| well_formed)
        .ok_or_else(|| format!("failed to parse int from {text}: strconv.Atoi: parsing {text:?}: {why}"))?;
    u64::try_from(parsed).map_err(|_| format!("negative number ({parsed}) not allowed: {text}"))
}

const MINUTE: i64 = 60;
const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;

impl Fields {
    /// Returns the first match after `after`. From the largest field to the smallest, raises a field that does not match, and sets all smaller ones to their
    /// minimum.
    fn next(&self, after: Time) -> Option<Time> {
        let zone = &self.zone;
        let mut time = after.whole_second() + Span::secs(1);
        let last_year = zone.local(time).civil().0 + HORIZON_YEARS;
        let local = |time: Time| zone.local(time).civil();
        let has = |set: u64, value: u32| set & (1 << value) != 0;
        'search: loop {
            let (year, month, ..) = local(time);
            if year > last_year {
                return None;
            }
            if !has(self.month, month) {
                let (year, month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
                time = zone.from_local(midnight(year, month, 1));
                continue 'search;
            }
            let (year, month, day, hour, minute, _) = local(time);
            let start_of_day = midnight(year, month, day);
            if !self.matches_day(start_of_day, day) {
                time = zone.from_local(start_of_day + Span::secs(DAY));
                // A change of the clocks can move the beginning of a day away from midnight.
                let hour = i64::from(local(time).3);
                if hour > 12 {
                    time = time + Span::secs((24 - hour) * HOUR);
                } else if hour > 0 {
                    time = Time(time.0 - Span::secs(hour * HOUR).0);
                }
                continue 'search;
            }
            if !has(self.hour, hour) {
                let start = zone.from_local(start_of_day + Span::secs(i64::from(hour) * HOUR));
                time = start + Span::secs(HOUR);
                continue 'search;
            }
            if !has(self.minute, minute) {
                time = Time::from_unix(time.unix().div_euclid(MINUTE) * MINUTE + MINUTE);
                continue 'search;
            }
            // Seconds are always 0 in a schedule of five fields.
            let seconds = time.unix().rem_euclid(MINUTE);
            if seconds != 0 {
                time = time + Span::secs(MINUTE - seconds);
                continue 'search;
            }
            return Some(time);
        }
    }
    /// Returns true if a day matches: both day fields where one of them is `*`, either of them where both are restricted.
    fn matches_day(&self, start: Time, day: u32) -> bool {
        let week_day = (start.unix().div_euclid(DAY) + 4).rem_euclid(7);
        let by_month = self.day_of_month & (1 << day) != 0;
        let by_week = self.day_of_week & (1 << week_day) != 0;
        if (self.day_of_month | self.day_of_week) & STAR != 0 { by_month && by_week } else { by_month || by_week }
    }
}

/// Returns the UTC midnight at which a day begins.
fn midnight(year: i64, month: u32, day: u32) -> Time {
    // Converts the civil date to days, counting eras of 400 years from 1 March of year 0.
    let shifted = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (shifted.div_euclid(400), shifted.rem_euclid(400));
    let from_march = i64::from(if month > 2 { month - 3 } else { month + 9 });
    let day_of_year = (153 * from_march + 2) / 5 + i64::from(day) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Time::from_unix((era * 146_097 + day_of_era - 719_468) * DAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(schedule: &str, after: &str) -> String {
        let next = Schedule::parse(schedule).unwrap().next(Time::parse(after).unwrap());
        next.map_or_else(|| "never".to_owned(), Time::rfc3339)
    }

    #[test]
    fn the_next_time_is_found_field_by_field() {
        for (schedule, after, expected) in [
            ("* * * * *", "2026-11-16T01:56:38Z", "2026-11-16T01:57:00Z"),
            ("*/15 * * * *", "2026-11-16T01:45:00Z", "2026-11-16T02:00:00Z"),
            ("20-35/15 * * * *", "2026-11-16T01:21:00Z", "2026-11-16T01:35:00Z"),
            ("5/20 9-17 * * mon-fri", "2026-11-14T12:00:00Z", "2026-11-16T09:05:00Z"),
            ("0 0 29 Feb ?", "2026-11-16T00:00:00Z", "2028-02-29T00:00:00Z"),
            ("0 0 1,15 * Sun", "2026-11-16T00:00:00Z", "2026-11-22T00:00:00Z"),
            ("0 0 1,15 * *", "2026-11-16T00:00:00Z", "2026-12-01T00:00:00Z"),
            ("@weekly", "2026-11-16T00:00:00Z", "2026-11-22T00:00:00Z"),
            ("@yearly", "2026-11-16T00:00:00Z", "2027-01-01T00:00:00Z"),
            ("@every 1h30m", "2026-11-16T00:00:10Z", "2026-11-16T01:30:10Z"),
            ("0 0 30 2 *", "2026-11-16T00:00:00Z", "never"),
            // Clocks go forward at 02:00 and back at 03:00.
            ("TZ=Europe/Berlin 30 2 * * *", "2026-03-28T12:00:00Z", "2026-03-30T00:30:00Z"),
            ("TZ=Europe/Berlin 0 9 * * *", "2026-10-24T12:00:00Z", "2026-10-25T08:00:00Z"),
        ] {
            assert_eq!(next(schedule, after), expected, "{schedule} after {after}");
        }
    }

    #[test]
    fn mistakes_are_told_in_robfigs_words() {
        for (schedule, words) in [
            ("every minute", "expected exactly 5 fields, found 2: [every minute]"),
            ("60 * * * *", "end of range (60) above maximum (59): 60"),
            ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
            ("5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"),
            ("*/0 * * * *", "step of range should be a positive number: */0"),
            ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
            ("1/2/3 * * * *", "too many slashes: 1/2/3"),
            ("x * * * *", "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax"),
            ("* * * * 7", "end of range (7) above maximum (6): 7"),
            ("@never", "unrecognized descriptor: @never"),
            ("@every x", "failed to parse duration @every x: time: invalid duration \"x\""),
            ("TZ=Nowhere * * * * *", "provided bad location Nowhere: unknown time zone Nowhere"),
        ] {
            assert_eq!(Schedule::parse(schedule).unwrap_err(), words, "{schedule}");
        }
    }
}
