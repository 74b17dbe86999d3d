//! Durations as `kubectl` shows them, and other short texts that its columns share. Counterpart: `apimachinery/pkg/util/duration`.

use super::meta::StrMap;
use super::time::{Span, Time};

/// Formats a duration in few characters: `42s`, `3m5s`, `27m`, `2d4h`. The longer the duration, the coarser the text. Counterpart: `HumanDuration`.
pub fn human_duration(span: Span) -> String {
    // Rounds towards zero as Go does, and `-1` still counts as now, so a time less than two seconds in the future is shown as `0s`.
    let seconds = span.0 / 1_000_000;
    if seconds < -1 {
        return "<invalid>".to_owned();
    }
    if seconds < 0 {
        return "0s".to_owned();
    }
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let two = |a: i64, unit: char, b: i64, small: char| if b == 0 { format!("{a}{unit}") } else { format!("{a}{unit}{b}{small}") };
    match () {
        () if seconds < 120 => format!("{seconds}s"),
        () if minutes < 10 => two(minutes, 'm', seconds % 60, 's'),
        () if minutes < 180 => format!("{minutes}m"),
        () if hours < 8 => two(hours, 'h', minutes % 60, 'm'),
        () if hours < 48 => format!("{hours}h"),
        () if hours < 192 => two(days, 'd', hours % 24, 'h'),
        () if days < 730 => format!("{days}d"),
        () if days < 2920 => two(days / 365, 'y', days % 365, 'd'),
        () => format!("{}y", days / 365),
    }
}

/// Formats the time that has passed since `then`; `<unknown>` for the zero time.
pub fn since(then: Time, now: Time) -> String {
    if then == Time(0) { "<unknown>".to_owned() } else { human_duration(now - then) }
}

/// Returns the text, or `<none>` if it is empty.
pub fn or_none(text: &str) -> &str {
    if text.is_empty() { "<none>" } else { text }
}

/// Formats labels as `a=1,b=2`, or as `<none>` if there are none.
pub fn labels(labels: &StrMap) -> String {
    let all: Vec<String> = labels.entries().iter().map(|(k, v)| format!("{k}={v}")).collect();
    or_none(&all.join(",")).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_get_coarser_with_length() {
        for (seconds, text) in [
            (-5, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (125, "2m5s"),
            (599, "9m59s"),
            (600, "10m"),
            (10_799, "179m"),
            (10_800, "3h"),
            (11_000, "3h3m"),
            (28_800, "8h"),
            (172_799, "47h"),
            (172_800, "2d"),
            (180_000, "2d2h"),
            (691_200, "8d"),
            (63_072_000, "2y"),
            (63_160_000, "2y1d"),
            (300_000_000, "9y"),
        ] {
            assert_eq!(human_duration(Span::secs(seconds)), text, "{seconds}");
        }
    }
}
