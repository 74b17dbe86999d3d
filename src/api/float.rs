//! Reading decimal fractions. The standard library's reader comes with ten kilobytes of powers that do not compress; here they are multiplied out.
//!
//! Where it simplifies: digits after the nineteenth only count for their place, and a number within 2^-110 of the middle between two floats may become
//! either of them. Both take texts that no one writes.

/// The float nearest to a decimal number such as `-1.5e-3`. Words such as `inf` are none.
pub fn parse(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (number, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i32>().ok().or_else(|| far(exponent))?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let (mut digits, mut ten) = (0u64, exponent.clamp(-100_000, 100_000));
    for (place, digit) in whole.bytes().map(|b| (1, b)).chain(fraction.bytes().map(|b| (0, b))) {
        if !digit.is_ascii_digit() {
            return None;
        }
        if digits < u64::MAX / 10 - 1 {
            digits = digits * 10 + u64::from(digit - b'0');
            ten += place - 1;
        } else {
            ten += place;
        }
    }
    let value = scaled(digits, ten);
    Some(if text.starts_with('-') { -value } else { value })
}

/// An exponent too long for its type.
fn far(exponent: &str) -> Option<i32> {
    let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let all = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    all.then(|| if exponent.starts_with('-') { i32::MIN } else { i32::MAX })
}

/// `digits` times ten to the power of `ten`, in 128 bits whose last one says that something below it was lost.
fn scaled(digits: u64, ten: i32) -> f64 {
    if digits == 0 || ten < -400 {
        return 0.0;
    }
    if ten > 400 {
        return f64::INFINITY;
    }
    let (mut x, mut two) = (u128::from(digits), 0i32);
    for _ in 0..ten {
        // Room for a factor of ten.
        if x.leading_zeros() < 4 {
            x = x >> 4 | u128::from(x & 15 != 0);
            two += 4;
        }
        x *= 10;
    }
    for _ in ten..0 {
        let shift = x.leading_zeros();
        x <<= shift;
        two -= shift as i32;
        x = (x / 10) | u128::from(!x.is_multiple_of(10));
    }
    // In two steps, for the power alone may be out of range.
    let half = two / 2;
    x as f64 * power_of_two(half) * power_of_two(two - half)
}

fn power_of_two(power: i32) -> f64 {
    f64::from_bits(((power + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn numbers_are_read_as_the_standard_library_reads_them() {
        let fixed = [
            "0",
            "-0",
            "1",
            "+1",
            "1.",
            ".5",
            "-1.5e-3",
            "1e21",
            "1E+2",
            "0.1",
            "0.30000000000000004",
            "9007199254740993",
            "1e400",
            "1e-400",
        ];
        let odd =
            ["123456789012345678901234567890", "0.000000000000000000000000012345678901234567890123", "1e99999999999", "1e-99999999999"];
        let huge = ["1.7976931348623157e308", "2.2250738585072014e-308", "179769313486231570000000000000000000000e270"];
        for text in fixed.into_iter().chain(odd).chain(huge) {
            assert_eq!(parse(text), text.parse().ok(), "{text}");
        }
        let mut state = 1u64;
        for _ in 0..200_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let text = format!("{}e{}", state >> (state % 50), (state >> 20) as i32 % 300);
            assert_eq!(parse(&text), text.parse().ok(), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", "-", ".", "e5", "1e", "1e+", "1x", "0x1", "inf", "NaN", "1.2.3", "--1", "1e5x"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
