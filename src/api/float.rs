//! Parses and formats floats as Go does, where the standard library differs.

/// Parses a decimal number such as `-1.5e-3`. Rejects words such as `inf` and `NaN`, which Rust's own parser accepts.
pub fn parse(text: &str) -> Option<f64> {
    let is_decimal = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    text.parse().ok().filter(|_| is_decimal)
}

/// Splits a finite float into its shortest decimal mantissa, such as `-1.5`, and the power of ten.
pub fn scientific(f: f64) -> (String, i32) {
    let text = format!("{f:e}");
    match text.split_once('e') {
        Some((digits, power)) => (digits.to_owned(), power.parse().unwrap_or(0)),
        None => (text, 0),
    }
}

/// Formats a float as Go's `%v` and `%g` do: with an exponent from a million on and below 0.0001.
pub fn general(f: f64) -> String {
    let (digits, power) = scientific(f);
    if (-4..6).contains(&power) {
        return f.to_string();
    }
    let sign = if power < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", power.abs())
}

#[cfg(test)]
mod tests {
    use super::{general, parse, scientific};

    #[test]
    fn only_decimal_numbers_are_read() {
        for (text, number) in [("-1.5e-3", -0.0015), ("+1", 1.0), (".5", 0.5), ("1.", 1.0), ("1E+2", 100.0), ("1e400", f64::INFINITY)] {
            assert_eq!(parse(text), Some(number), "{text}");
        }
        for text in ["", "-", ".", "e5", "1e", "1e+", "1x", "0x1", "inf", "NaN", "infinity", "1.2.3", "--1", "1e5x"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_written_as_go_writes_them() {
        assert_eq!([0.0, 0.1, 123456.5, 1e6, 1.5e21, 1e-5].map(general), ["0", "0.1", "123456.5", "1e+06", "1.5e+21", "1e-05"]);
        assert_eq!(scientific(-0.00125), ("-1.25".to_owned(), -3));
    }
}
