//! Quantities such as `500m` and `1Gi`. Counterpart: `k8s.io/apimachinery/pkg/api/resource`.
//!
//! Simplification: values are 128-bit counts of nano units, so numbers beyond 1e28 are limited to that size.
//!
//! No crate is used, because only complete clients have Kubernetes' canonical form (`1000m` becomes `1`, `1024Mi` becomes `1Gi`) and its error messages.

use std::cmp::Ordering;
use std::fmt;

const NANO: i128 = 1_000_000_000;
/// The largest absolute value in nano units; it leaves room for rounding.
const LARGEST: i128 = 10i128.pow(37);
/// The largest absolute value of a quantity in binary format.
const LARGEST_BINARY: i128 = i64::MAX as i128 * NANO;
const FORMAT_WRONG: &str = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const SUFFIX_WRONG: &str = "unable to parse quantity's suffix";

/// An exact amount, and the format in which its author wrote it.
///
/// ```
/// use loopscope::api::quantity::Quantity;
///
/// let (cpu, memory) = (Quantity::parse("1500m")?, Quantity::parse("1.5Gi")?);
/// assert_eq!((cpu.milli_value(), memory.value()), (1500, 1_610_612_736));
/// assert_eq!(memory.to_string(), "1536Mi");
/// assert_eq!(Quantity::parse("0.5")?, Quantity::parse("500m")?);
/// assert!(Quantity::parse("1 GB").is_err());
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    nano: i128,
    format: Format,
}

/// The format in which a quantity is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Powers of 1024, such as `1Ki` and `2Gi`.
    BinarySi,
    /// Powers of 1000, such as `100m` and `2k`.
    DecimalSi,
    /// An exponent, such as `1e3`.
    DecimalExponent,
}

/// The parts of a quantity's text.
struct Parts<'a> {
    negative: bool,
    /// The digits before the point, without leading zeros.
    whole: &'a str,
    fraction: &'a str,
    base: u8,
    exponent: i32,
    format: Format,
}

impl Quantity {
    /// The quantity zero, in decimal format.
    pub const ZERO: Quantity = Quantity { nano: 0, format: Format::DecimalSi };

    /// Parses a quantity; the error is in Go's words.
    pub fn parse(text: &str) -> Result<Quantity, &'static str> {
        Ok(split(text)?.quantity())
    }
    /// Returns the text that the API stores for a quantity: as written if number and suffix are canonical, else the canonical form.
    pub fn normalize(text: &str) -> Result<String, &'static str> {
        Self::normalize_as(text, false)
    }
    /// Like [`Quantity::normalize`], for resource lists, whose defaulting rounds up to thousandths.
    pub fn normalize_resource(text: &str) -> Result<String, &'static str> {
        Self::normalize_as(text, true)
    }
    fn normalize_as(text: &str, round: bool) -> Result<String, &'static str> {
        let parts = split(text)?;
        let mut quantity = parts.quantity();
        if round && quantity.nano % 1_000_000 != 0 {
            quantity.nano = divide_up(quantity.nano, 1_000_000) * 1_000_000;
            return Ok(quantity.to_string());
        }
        if parts.is_kept() { Ok(text.to_string()) } else { Ok(quantity.to_string()) }
    }
    /// Creates a quantity from whole units.
    pub const fn from_units(units: i64, format: Format) -> Quantity {
        Quantity { nano: units as i128 * NANO, format }
    }
    /// Creates a quantity from thousandths.
    pub const fn from_milli(milli: i64, format: Format) -> Quantity {
        Quantity { nano: milli as i128 * (NANO / 1000), format }
    }
    /// Returns the exact value in billionths.
    pub const fn nano(&self) -> i128 {
        self.nano
    }
    /// Returns the format in which the quantity is written.
    pub const fn format(&self) -> Format {
        self.format
    }
    /// Returns the quantity in whole units, rounded away from zero.
    pub fn value(&self) -> i64 {
        clamp(divide_up(self.nano, NANO))
    }
    /// Returns the quantity in thousandths of a unit, rounded away from zero.
    pub fn milli_value(&self) -> i64 {
        clamp(divide_up(self.nano, 1_000_000))
    }
    /// Returns true if the quantity is zero.
    pub fn is_zero(&self) -> bool {
        self.nano == 0
    }
    /// Returns true if the quantity is a whole number of units that fits 64 bits.
    pub fn is_integer(&self) -> bool {
        self.nano % NANO == 0 && i64::try_from(self.nano / NANO).is_ok()
    }
    /// Returns the sum of two quantities, in the format of the first unless that is zero.
    pub fn add(&self, other: &Quantity) -> Quantity {
        let format = if self.nano == 0 { other.format } else { self.format };
        Quantity { nano: self.nano.saturating_add(other.nano), format }
    }
    /// Returns the difference of two quantities, in the format of the first unless that is zero.
    pub fn sub(&self, other: &Quantity) -> Quantity {
        let format = if self.nano == 0 { other.format } else { self.format };
        Quantity { nano: self.nano.saturating_sub(other.nano), format }
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.nano == other.nano
    }
}
impl Eq for Quantity {}
impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.nano.cmp(&other.nano)
    }
}

impl fmt::Display for Quantity {
    /// Writes the quantity in its canonical form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mantissa, exponent, format) = self.canonical();
        let suffix = match (format, exponent) {
            (_, 0) => "",
            (Format::BinarySi, n) => ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"][(n.clamp(1, 6) - 1) as usize],
            (Format::DecimalSi, n) => ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"][(n / 3 + 3).clamp(0, 9) as usize],
            (Format::DecimalExponent, n) => return write!(f, "{mantissa}e{n}"),
        };
        write!(f, "{mantissa}{suffix}")
    }
}

impl Quantity {
    /// Returns the mantissa and the exponent (of 1024 in binary format, of 10 otherwise) of the canonical form, and the format that it uses.
    fn canonical(&self) -> (i128, i32, Format) {
        let small = self.nano.abs() < 1024 * NANO;
        if self.format == Format::BinarySi && !small && self.nano % NANO == 0 {
            let (mut mantissa, mut exponent) = (self.nano / NANO, 0);
            while exponent < 6 && mantissa % 1024 == 0 {
                mantissa /= 1024;
                exponent += 1;
            }
            return (mantissa, exponent, Format::BinarySi);
        }
        let format = if self.format == Format::BinarySi { Format::DecimalSi } else { self.format };
        if self.nano == 0 {
            return (0, 0, format);
        }
        let highest = if format == Format::DecimalSi { 18 } else { i32::MAX };
        let (mut mantissa, mut exponent) = (self.nano, -9);
        while exponent < highest && mantissa % 1000 == 0 {
            mantissa /= 1000;
            exponent += 3;
        }
        (mantissa, exponent, format)
    }
}

impl Parts<'_> {
    fn quantity(&self) -> Quantity {
        let mut nano: i128 = 0;
        for digit in self.whole.bytes().chain(self.fraction.bytes()) {
            nano = nano.saturating_mul(10).saturating_add((digit - b'0').into());
        }
        let mut places = 9 - self.fraction.len() as i64;
        if self.base == 10 {
            places += i64::from(self.exponent);
        } else {
            nano = nano.saturating_mul(1 << self.exponent);
        }
        // As in Go, a number that is not zero never rounds to zero.
        while places < 0 && nano > 1 {
            let step = places.unsigned_abs().min(18) as u32;
            nano = divide_up(nano, 10i128.pow(step));
            places += i64::from(step);
        }
        while places > 0 && nano != 0 && nano < LARGEST {
            nano = nano.saturating_mul(10);
            places -= 1;
        }
        let nano = nano.min(if self.base == 2 { LARGEST_BINARY } else { LARGEST });
        Quantity { nano: if self.negative { -nano } else { nano }, format: self.format }
    }

    /// Returns true if the API keeps the text as it was written. Go's quick parser decides this by a few signs of the canonical form, so `+1`, `01` and `1.125`
    /// stay, but `0.125` becomes `125m`. Counterpart: `ParseQuantity`.
    fn is_kept(&self) -> bool {
        let (whole, places) = (self.whole.len() as i32, self.fraction.len() as i32);
        if self.base == 2 {
            let short = self.fraction.is_empty() && whole + self.exponent * 3 / 10 < 15;
            return short && self.whole.parse::<u64>().is_ok_and(|number| number % 8 != 0);
        }
        let (scale, text) = (self.exponent.saturating_sub(places), format!("{}{}", self.whole, self.fraction));
        whole + places <= 18 && scale >= -9 && scale % 3 == 0 && !text.ends_with("000") && !text.starts_with('0')
    }
}

fn split(text: &str) -> Result<Parts<'_>, &'static str> {
    if text.is_empty() {
        return Err(FORMAT_WRONG);
    }
    let negative = text.starts_with('-');
    let rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    let rest = rest.trim_start_matches('0');
    let (whole, rest) = digits(rest);
    let (fraction, suffix) = match rest.strip_prefix('.') {
        Some(rest) => digits(rest),
        None => ("", rest),
    };
    let tail = suffix.trim_start_matches(['e', 'E', 'i', 'n', 'u', 'm', 'k', 'K', 'M', 'G', 'T', 'P']);
    let tail = tail.strip_prefix(['-', '+']).unwrap_or(tail);
    if !digits(tail).1.is_empty() {
        return Err(FORMAT_WRONG);
    }
    let (base, exponent, format) = interpret(suffix).ok_or(SUFFIX_WRONG)?;
    let whole = if whole.is_empty() { "0" } else { whole };
    Ok(Parts { negative, whole, fraction, base, exponent, format })
}

fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

fn interpret(suffix: &str) -> Option<(u8, i32, Format)> {
    let decimal = |exponent| Some((10, exponent, Format::DecimalSi));
    let binary = |exponent| Some((2, exponent, Format::BinarySi));
    match suffix {
        "n" => decimal(-9),
        "u" => decimal(-6),
        "m" => decimal(-3),
        "" => decimal(0),
        "k" => decimal(3),
        "M" => decimal(6),
        "G" => decimal(9),
        "T" => decimal(12),
        "P" => decimal(15),
        "E" => decimal(18),
        "Ki" => binary(10),
        "Mi" => binary(20),
        "Gi" => binary(30),
        "Ti" => binary(40),
        "Pi" => binary(50),
        "Ei" => binary(60),
        _ => {
            let exponent = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
            Some((10, exponent, Format::DecimalExponent))
        }
    }
}

/// Divides, rounding away from zero.
fn divide_up(n: i128, by: i128) -> i128 {
    n / by + (n % by).signum()
}

fn clamp(n: i128) -> i64 {
    n.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_exact_and_rounds_up_only_when_asked() {
        let q = |s| Quantity::parse(s).unwrap();
        assert_eq!(q("0.1").add(&q("200m")).to_string(), "300m");
        assert_eq!(q("1Gi").sub(&q("512Mi")).to_string(), "512Mi");
        assert_eq!(Quantity::ZERO.add(&q("1Gi")).to_string(), "1Gi");
        assert_eq!(q("1500m").value(), 2);
        assert_eq!(q("1n").milli_value(), 1);
        assert_eq!(q("-1500m").value(), -2);
        assert!(q("1Gi") > q("1G"));
        assert_eq!(q("1000m"), q("1"));
        assert_eq!(q("1e-30").to_string(), "1e-9");
        assert_eq!(q("10e99999").milli_value(), i64::MAX);
    }

    #[test]
    fn words_for_what_is_no_quantity() {
        assert_eq!(Quantity::parse("1K"), Err(SUFFIX_WRONG));
        for text in ["", "abc", "1.2.3", "1 Gi", "128MB", "1gi"] {
            assert_eq!(Quantity::parse(text), Err(FORMAT_WRONG), "{text}");
        }
    }
}
