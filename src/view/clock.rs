//! Times, spans and counts as the page writes them.

use crate::api::time::Span;

/// Formats the time since the run began as a clock: `1:43.280`, `1:01:43.280` from an hour on.
pub fn clock(elapsed: Span) -> String {
    let ms = elapsed.0.max(0) / 1000;
    let (s, m, h) = (ms / 1000, ms / 60_000, ms / 3_600_000);
    let hours = if h == 0 { format!("{m}") } else { format!("{h}:{:02}", m % 60) };
    format!("{hours}:{:02}.{:03}", s % 60, ms % 1000)
}

/// Formats a time since the run began without leading zeros: `1:43.28`, `3.1 s`.
pub fn moment(elapsed: Span) -> String {
    let ms = elapsed.0.max(0) / 1000;
    if ms < 60_000 {
        return format!("{}.{} s", ms / 1000, ms % 1000 / 100);
    }
    let (s, m, h) = (ms / 1000, ms / 60_000, ms / 3_600_000);
    if h == 0 { format!("{m}:{:02}", s % 60) } else { format!("{h}:{:02}:{:02}", m % 60, s % 60) }
}

/// Formats a time since the run began in whole seconds, which is the precision of most API times: `0:03`, `1:02:05`.
pub fn second(elapsed: Span) -> String {
    whole_seconds(&clock(elapsed))
}

/// Formats a span with its unit: `3 ms`, `2.4 s`, `1:05 min`.
pub fn span(span: Span) -> String {
    let us = span.0.max(0);
    match us {
        0 => "0 ms".to_owned(),
        1..1_000 => "under 1 ms".to_owned(),
        1_000..1_000_000 => format!("{} ms", us / 1000),
        1_000_000..60_000_000 => format!("{}.{} s", us / 1_000_000, us % 1_000_000 / 100_000),
        60_000_000..3_600_000_000 => format!("{}:{:02} min", us / 60_000_000, us / 1_000_000 % 60),
        3_600_000_000..86_400_000_000 => format!("{}:{:02} h", us / 3_600_000_000, us / 60_000_000 % 60),
        _ => format!("{} {} h", count((us / 86_400_000_000) as usize, "day", "days"), us / 3_600_000_000 % 24),
    }
}

/// Formats a number of things, with the singular or the plural: `1 pod`, `1,500 pods`.
pub fn count(n: usize, singular: &str, plural: &str) -> String {
    format!("{} {}", thousands(n), if n == 1 { singular } else { plural })
}

/// Formats a number with commas between thousands.
pub fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.char_indices() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Cuts the fraction of a second from a text that the functions above have made: `1:43`, `2 s`.
pub fn whole_seconds(text: &str) -> String {
    if text.ends_with(" ms") {
        return "under 1 s".to_owned();
    }
    match text.split_once('.') {
        Some((whole, rest)) => format!("{whole}{}", rest.trim_start_matches(|c: char| c.is_ascii_digit())),
        None => text.to_owned(),
    }
}

/// Formats a number of times: `once`, `twice`, `3 times`.
pub fn times(n: usize) -> String {
    match n {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_the_page_shows_them() {
        assert_eq!(clock(Span(14_000)), "0:00.014");
        assert_eq!(clock(Span(103_280_000)), "1:43.280");
        assert_eq!(clock(Span(3_703_280_000)), "1:01:43.280");
        assert_eq!(moment(Span(3_140_000)), "3.1 s");
        assert_eq!(moment(Span(103_280_000)), "1:43");
        assert_eq!(moment(Span::secs(3_725)), "1:02:05");
        assert_eq!(clock(Span::secs(3_725)), "1:02:05.000");
        assert_eq!(second(Span(2_495_300)), "0:02");
        assert_eq!(second(Span::secs(3_725)), "1:02:05");
        for (us, text) in [(0, "0 ms"), (400, "under 1 ms"), (3_900, "3 ms"), (2_450_000, "2.4 s"), (65_000_000, "1:05 min")] {
            assert_eq!(span(Span(us)), text);
        }
        for (minutes, text) in [(59, "59:00 min"), (60, "1:00 h"), (1_439, "23:59 h"), (1_440, "1 day 0 h"), (1_474 * 2, "2 days 1 h")] {
            assert_eq!(span(Span::secs(minutes * 60)), text);
        }
        for (n, text) in [(0, "0 pods"), (1, "1 pod"), (2, "2 pods"), (150_000, "150,000 pods")] {
            assert_eq!(count(n, "pod", "pods"), text);
        }
    }

    #[test]
    fn whole_seconds_have_no_fraction() {
        for (span_us, text) in [(0, "under 1 s"), (3_900, "under 1 s"), (2_450_000, "2 s"), (65_000_000, "1:05 min")] {
            assert_eq!(whole_seconds(&span(Span(span_us))), text);
        }
        assert_eq!(whole_seconds(&clock(Span(103_280_000))), "1:43");
    }
}
