//! The meaning of a plain YAML scalar. Counterpart: `resolve.go` of goyaml v2, which follows the rules of YAML 1.1 as Kubernetes reads it.

use crate::api::float;
use crate::api::value::Value;
use arcstr::ArcStr;

/// The type and value that goyaml gives a plain scalar.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Plain {
    Null,
    Bool(bool),
    Int(i64),
    /// A number with a fraction or exponent, or an integer of more than 64 bits.
    Float(f64),
    /// A date or time: a string when read, but in quotes when written.
    Timestamp,
    Text,
}

/// Returns the type and value that goyaml gives a plain scalar.
pub(super) fn resolve(text: &str) -> Plain {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Plain::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            return Plain::Bool(true);
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return Plain::Bool(false);
        }
        ".nan" | ".NaN" | ".NAN" => return Plain::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
            return Plain::Float(f64::INFINITY);
        }
        "-.inf" | "-.Inf" | "-.INF" => return Plain::Float(f64::NEG_INFINITY),
        _ => {}
    }
    match text.bytes().next() {
        Some(b'.') if is_float(text) => float::parse(text).map_or(Plain::Text, Plain::Float),
        Some(b'0'..=b'9' | b'+' | b'-') => number(text),
        _ => Plain::Text,
    }
}

/// Returns the value of a plain scalar in an API object. A float that JSON would print without a fraction becomes an integer.
pub(super) fn value_of(text: &str) -> Value {
    match resolve(text) {
        Plain::Null => Value::Null,
        Plain::Bool(b) => Value::Bool(b),
        Plain::Int(i) => Value::Int(i),
        Plain::Float(f) if f.is_finite() && f.abs() < 9e18 && f == (f as i64) as f64 => Value::Int(f as i64),
        Plain::Float(f) => Value::Float(f),
        Plain::Timestamp | Plain::Text => Value::Str(ArcStr::from(text)),
    }
}

fn number(text: &str) -> Plain {
    if is_timestamp(text) {
        return Plain::Timestamp;
    }
    let plain = text.replace('_', "");
    if let Some(i) = integer(&plain) {
        return match i64::try_from(i) {
            Ok(i) => Plain::Int(i),
            Err(_) => Plain::Float(i as f64),
        };
    }
    if is_float(&plain)
        && let Some(f) = float::parse(&plain)
        && f.is_finite()
    {
        return Plain::Float(f);
    }
    Plain::Text
}

/// Parses an integer with Go's base prefixes: `0x`, `0o` or a leading `0`, `0b`.
fn integer(text: &str) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = digits.get(..2).map(str::to_ascii_lowercase);
    let (digits, radix) = match lower.as_deref() {
        Some("0x") => (&digits[2..], 16),
        Some("0o") => (&digits[2..], 8),
        Some("0b") => (&digits[2..], 2),
        Some(_) if digits.starts_with('0') => (&digits[1..], 8),
        _ => (digits, 10),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    let n = sign * i128::from_str_radix(digits, radix).ok()?;
    (i64::MIN.into()..=u64::MAX.into()).contains(&n).then_some(n)
}

/// Returns true if the text matches `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`.
fn is_float(text: &str) -> bool {
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((m, e)) => (m, Some(e.strip_prefix(['-', '+']).unwrap_or(e))),
        None => (text, None),
    };
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    digits(whole) && digits(fraction) && (!whole.is_empty() || !fraction.is_empty()) && exponent.is_none_or(|e| !e.is_empty() && digits(e))
}

/// Returns true if Go's time parser accepts the text as a date or a date with time.
fn is_timestamp(text: &str) -> bool {
    let Some((year, rest)) = text.split_once('-') else {
        return false;
    };
    if year.len() != 4 || !year.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    let Some((month, rest)) = rest.split_once('-') else {
        return false;
    };
    let day_end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (day, rest) = rest.split_at(day_end);
    if !in_range(month, 1, 12) || !in_range(day, 1, 31) {
        return false;
    }
    let mut chars = rest.chars();
    match chars.next() {
        None => true,
        Some('T' | 't') => clock(chars.as_str()).is_some_and(is_zone),
        Some(' ') => clock(chars.as_str().trim_start_matches(' ')).is_some_and(str::is_empty),
        Some(_) => false,
    }
}

fn in_range(text: &str, low: u32, high: u32) -> bool {
    matches!(text.len(), 1 | 2) && text.parse().is_ok_and(|n| (low..=high).contains(&n))
}

/// Parses a time of day such as `15:4:5.999` at the beginning of a text, and returns the rest.
fn clock(text: &str) -> Option<&str> {
    let (hour, rest) = text.split_once(':')?;
    let (minute, rest) = rest.split_once(':')?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (second, rest) = rest.split_at(end);
    if !in_range(hour, 0, 23) || !in_range(minute, 0, 59) || !in_range(second, 0, 59) {
        return None;
    }
    match rest.strip_prefix('.') {
        Some(fraction) => {
            let zone = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            (zone.len() < fraction.len()).then_some(zone)
        }
        None => Some(rest),
    }
}

fn is_zone(text: &str) -> bool {
    text == "Z"
        || text.strip_prefix(['+', '-']).is_some_and(|rest| {
            rest.split_once(':').is_some_and(|(h, m)| h.len() == 2 && m.len() == 2 && in_range(h, 0, 24) && in_range(m, 0, 60))
        })
}

/// Returns true if the text matches `[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?`: a number to base 60 in YAML 1.1, which goyaml reads as a string and
/// writes in quotes.
pub(super) fn is_base60(text: &str) -> bool {
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (text, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = text.split(':');
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    let first = parts.next().unwrap_or("");
    let rest: Vec<&str> = parts.collect();
    first.starts_with(|c: char| c.is_ascii_digit())
        && digits(first)
        && digits(fraction)
        && !rest.is_empty()
        && rest.iter().all(|p| in_range(p, 0, 59))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_mean_what_yaml_1_1_says() {
        for (text, value) in [
            ("yes", Value::Bool(true)),
            ("N", Value::Bool(false)),
            ("~", Value::Null),
            ("0777", Value::Int(511)),
            ("0o17", Value::Int(15)),
            ("0x1F", Value::Int(31)),
            ("-0b11", Value::Int(-3)),
            ("1_000", Value::Int(1000)),
            ("08", Value::Int(8)),
            ("3.0", Value::Int(3)),
            ("1e3", Value::Int(1000)),
            ("+1", Value::Int(1)),
            (".5", Value::Float(0.5)),
            ("1.5", Value::Float(1.5)),
            ("2024-01-01", Value::from("2024-01-01")),
            ("10:30", Value::from("10:30")),
            ("1.2.3", Value::from("1.2.3")),
            ("-", Value::from("-")),
            ("500m", Value::from("500m")),
            ("1e", Value::from("1e")),
        ] {
            assert_eq!(value_of(text), value, "{text}");
        }
    }

    #[test]
    fn dates_are_told_from_other_text() {
        for (text, is) in [
            ("2024-01-01T00:00:00Z", true),
            ("2024-1-1 1:2:3.5", true),
            ("2024-01-01T00:00:00+02:00", true),
            ("2024-01-01T00:00:00", false),
            ("2024-13-01", false),
            ("2024-01-01x", false),
        ] {
            assert_eq!(resolve(text) == Plain::Timestamp, is, "{text}");
        }
        assert!(is_base60("10:30") && is_base60("1:2:3.5") && !is_base60("10:61") && !is_base60("a:1"));
    }
}
