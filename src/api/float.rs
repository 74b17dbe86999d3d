//! Reading and writing decimal fractions. The standard library's reader comes with ten kilobytes of powers that do not compress, and its writer with
//! two ways of doing everything; here powers are multiplied out, digit by digit.
//!
//! Where it simplifies: in reading, digits after the nineteenth only count for their place, and a number within 2^-110 of the middle between two floats may become
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

/// The shortest text that is read as this float, without an exponent.
pub fn plain(f: f64) -> String {
    if !f.is_finite() {
        return beyond(f);
    }
    let (digits, point) = shortest(f);
    let places = (digits.len() as i32 - point).max(0) as usize;
    text(f, digits, point, places)
}

/// The shortest text that is read as this float as a number from one to ten, and the power of ten that it is multiplied with.
pub fn scientific(f: f64) -> (String, i32) {
    if !f.is_finite() {
        return (beyond(f), 0);
    }
    let (digits, point) = shortest(f);
    let places = digits.len() - 1;
    (text(f, digits, 1, places), point - 1)
}

/// A float as Go's `%v` and `%g` print it: with an exponent from a million on.
pub fn general(f: f64) -> String {
    let (digits, power) = scientific(f);
    if (-4..6).contains(&power) {
        return plain(f);
    }
    let sign = if power < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", power.abs())
}

/// A float with so many digits after the point.
pub fn fixed(f: f64, places: usize) -> String {
    if !f.is_finite() {
        return beyond(f);
    }
    let (digits, point) = exact(f);
    match usize::try_from(point + places as i32) {
        Ok(keep) => {
            let (digits, carried) = rounded(&digits, keep);
            text(f, digits, point + i32::from(carried), places)
        }
        Err(_) => text(f, Vec::new(), -(places as i32), places),
    }
}

/// What is no number.
fn beyond(f: f64) -> String {
    match f.is_nan() {
        true => "NaN".to_owned(),
        false => format!("{}inf", minus(f)),
    }
}

fn minus(f: f64) -> &'static str {
    if f.is_sign_negative() { "-" } else { "" }
}

/// Digits with their sign and point.
fn text(f: f64, digits: Vec<u8>, point: i32, places: usize) -> String {
    let digit = |at: i32| usize::try_from(at).ok().and_then(|at| digits.get(at)).map_or('0', |d| char::from(b'0' + d));
    let mut out = minus(f).to_owned();
    out.extend((point.min(1) - 1..point).skip_while(|at| point > 0 && *at < 0).map(digit));
    if places > 0 {
        out.push('.');
        out.extend((point..point + places as i32).map(digit));
    }
    out
}

/// The fewest digits that are read as this float, and how many of them are before the point.
fn shortest(f: f64) -> (Vec<u8>, i32) {
    let (digits, point) = exact(f);
    for keep in 1..17 {
        let (mut digits, carried) = rounded(&digits, keep);
        let point = point + i32::from(carried);
        let number = digits.iter().fold(0, |number, d| number * 10 + u64::from(*d));
        let is_read_as_f = |number: u64| scaled(number, point - digits.len() as i32) == f.abs();
        // Below a power of two floats are closer than above it, so that only the farther neighbour may do.
        let found = [number, number + 1].into_iter().find(|n| is_read_as_f(*n));
        if let Some(number) = found {
            let len = digits.len();
            digits = number.to_string().bytes().map(|b| b - b'0').collect();
            let point = point + (digits.len() - len) as i32;
            while digits.len() > 1 && digits.last() == Some(&0) {
                digits.pop();
            }
            return (digits, point);
        }
    }
    let (digits, carried) = rounded(&digits, 17);
    (digits, point + i32::from(carried))
}

/// The first digits, rounded by the others, a half to the even one. Whether a carry has added one in front is said.
fn rounded(digits: &[u8], keep: usize) -> (Vec<u8>, bool) {
    let Some((head, [next, rest @ ..])) = digits.split_at_checked(keep) else { return (digits.to_vec(), false) };
    let mut head = head.to_vec();
    let odd = head.last().is_some_and(|d| d % 2 == 1);
    if *next < 5 || *next == 5 && !odd && rest.iter().all(|d| *d == 0) {
        return (head, false);
    }
    for digit in head.iter_mut().rev() {
        if *digit < 9 {
            *digit += 1;
            return (head, false);
        }
        *digit = 0;
    }
    head.insert(0, 1);
    (head, true)
}

/// All digits of a float, and how many of them are before the point.
fn exact(f: f64) -> (Vec<u8>, i32) {
    let (fraction, exponent) = (f.to_bits() & ((1 << 52) - 1), (f.to_bits() >> 52) as i32 & 0x7ff);
    let (number, two) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    if number == 0 {
        return (vec![0], 1);
    }
    let mut digits: Vec<u8> = number.to_string().bytes().map(|b| b - b'0').collect();
    let mut point = digits.len() as i32;
    for _ in 0..two {
        let mut carry = 0;
        for digit in digits.iter_mut().rev() {
            let twice = *digit * 2 + carry;
            (*digit, carry) = (twice % 10, twice / 10);
        }
        if carry > 0 {
            digits.insert(0, carry);
            point += 1;
        }
    }
    for _ in two..0 {
        let mut rest = 0;
        for digit in &mut digits {
            let whole = rest * 10 + *digit;
            (*digit, rest) = (whole / 2, whole % 2);
        }
        if rest > 0 {
            digits.push(5);
        }
        if digits.first() == Some(&0) {
            digits.remove(0);
            point -= 1;
        }
    }
    (digits, point)
}

#[cfg(test)]
mod tests {
    use super::{exact, fixed, parse, plain, scientific};

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

    #[test]
    fn numbers_are_written_as_the_standard_library_writes_them() {
        let mut numbers =
            vec![0.0, -0.0, 0.5, 1.5, 2.5, 0.1, 1e21, 1e-7, 123456.789, 9.5, 99.95, 0.05, 5e-324, f64::MAX, f64::MIN_POSITIVE, 1e22, 1e23];
        numbers.extend((-60..60).map(|p| 2f64.powi(p)));
        let mut state = 1u64;
        for i in 0..2000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            numbers.push((state >> 40) as f64 / f64::from(1u32 << (i % 31)));
            // With an exponent that is not extreme, or the digits are many.
            numbers.push(f64::from_bits(state & !(0x7ff << 52) | ((923 + state % 200) << 52)));
        }
        for f in numbers {
            // Where two texts are equally short and equally near, Go takes the even one.
            let (digits, power) = scientific(f);
            for (own, other) in [(plain(f), format!("{f}")), (format!("{digits}e{power}"), format!("{f:e}"))] {
                assert_eq!((own.len(), own.parse()), (other.len(), Ok(f)), "{own} {other}");
            }
            for places in [0, 1, 2, 6, 20] {
                assert_eq!(fixed(f, places), format!("{f:.places$}"), "{f:?} {:?}", exact(f));
            }
        }
        assert_eq!([plain(f64::INFINITY), plain(f64::NEG_INFINITY), fixed(f64::NAN, 2)], ["inf", "-inf", "NaN"]);
    }
}
