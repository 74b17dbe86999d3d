//! Parses and formats floats as Go does, where the standard library differs.

use std::num::IntErrorKind;

/// Parses a decimal number such as `-1.5e-3` to the nearest float. Rejects words such as `inf` and `NaN`, which Rust's own parser accepts; that one also
/// brings a table of 10 kB.
pub fn parse(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, power) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let power = match power.parse::<i32>() {
        Ok(power) => power,
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => i32::MAX,
        Err(error) if *error.kind() == IntErrorKind::NegOverflow => i32::MIN,
        Err(_) => return None,
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).map(|b| b.wrapping_sub(b'0')).collect();
    if digits.is_empty() || digits.iter().any(|digit| *digit > 9) {
        return None;
    }
    let zeros = digits.iter().take_while(|digit| **digit == 0).count();
    digits.drain(..zeros);
    let point = (whole.len() as i32 - zeros as i32).saturating_add(power);
    let number = Decimal { digits, point }.nearest();
    Some(if text.starts_with('-') { -number } else { number })
}

/// A decimal number that is not negative: `0.` and the digits, times ten to the power of `point`.
struct Decimal {
    digits: Vec<u8>,
    point: i32,
}

impl Decimal {
    /// A float and the middle between two of them have at most 767 digits. Of those that follow it counts only that there are some.
    const LONGEST: usize = 800;

    /// Returns the nearest float, and of two that are equally near the even one.
    fn nearest(mut self) -> f64 {
        if self.digits.is_empty() || self.point < -330 {
            return 0.0;
        }
        if self.point > 310 {
            return f64::INFINITY;
        }
        if self.digits.len() > Self::LONGEST {
            self.digits.truncate(Self::LONGEST);
            self.digits.push(1);
        }
        let mut power: i32 = 0;
        while self.whole() >= 1 << f64::MANTISSA_DIGITS {
            self.halve();
            power += 1;
        }
        while self.whole() < 1 << (f64::MANTISSA_DIGITS - 1) && power > -1074 {
            self.double();
            power -= 1;
        }
        let mantissa = self.whole();
        let fraction = usize::try_from(self.point).ok().and_then(|point| self.digits.get(point..)).unwrap_or_default();
        let is_up = match fraction {
            [5] => mantissa % 2 == 1,
            [first, ..] => *first >= 5,
            [] => false,
        };
        // The first bit of the mantissa, which a float does not store, is the one that is missing in its exponent.
        let bits = ((power + 1074) as u64) << (f64::MANTISSA_DIGITS - 1);
        f64::from_bits((bits + mantissa + u64::from(is_up)).min(f64::INFINITY.to_bits()))
    }

    /// Returns the whole part, or the largest number if there are too many digits for one.
    fn whole(&self) -> u64 {
        if self.point > 18 {
            return u64::MAX;
        }
        (0..self.point.max(0) as usize).fold(0, |whole, at| whole * 10 + u64::from(self.digits.get(at).copied().unwrap_or(0)))
    }

    fn double(&mut self) {
        let mut carry = 0;
        for digit in self.digits.iter_mut().rev() {
            let twice = *digit * 2 + carry;
            (*digit, carry) = (twice % 10, twice / 10);
        }
        if carry > 0 {
            self.digits.insert(0, carry);
            self.point += 1;
        }
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
    }

    fn halve(&mut self) {
        let mut rest = 0;
        for digit in &mut self.digits {
            let number = rest * 10 + *digit;
            (*digit, rest) = (number / 2, number % 2);
        }
        if rest > 0 {
            self.digits.push(5);
        }
        if self.digits[0] == 0 {
            self.digits.remove(0);
            self.point -= 1;
        }
    }
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
    fn the_nearest_float_is_read() {
        let mut texts: Vec<String> = [
            "0.1",
            "3.14159265358979323846",
            "9007199254740993",
            "9007199254740992.5",
            "9007199254740993.00000000000000000001",
            "1.7976931348623157e308",
            "1.7976931348623159e308",
            "2.2250738585072011e-308",
            "5e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "1e-400",
            "-0",
            "0e999999999999",
            "1e999999999999",
            "1e-999999999999",
            "123456789012345678901234567890",
            "0.000000000000000000000000000123",
        ]
        .map(str::to_owned)
        .to_vec();
        texts.push(format!("0.{}1e1000", "0".repeat(1000)));
        texts.push(format!("1{}.5e-1000", "0".repeat(1000)));
        texts.push(format!("9007199254740993.{}1", "0".repeat(1000)));
        let mut bits: u64 = 1;
        for _ in 0..2_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let number = f64::from_bits(bits);
            texts.extend(number.is_finite().then(|| format!("{number:e}")));
            texts.push(format!("{}.{:09}e{}", bits >> 20, bits % 1_000_000_007, bits as i8));
        }
        for text in texts {
            assert_eq!(parse(&text).map(f64::to_bits), text.parse().ok().map(f64::to_bits), "{text}");
        }
    }

    #[test]
    fn numbers_are_written_as_go_writes_them() {
        assert_eq!([0.0, 0.1, 123456.5, 1e6, 1.5e21, 1e-5].map(general), ["0", "0.1", "123456.5", "1e+06", "1.5e+21", "1e-05"]);
        assert_eq!(scientific(-0.00125), ("-1.25".to_owned(), -3));
    }
}
