//! The formats of strings in the schemas of custom resources. Counterparts: `supportedVersionedFormats`, `kube-openapi/pkg/validation/strfmt`.
//!
//! Left out: credit cards, ISBNs, social security numbers, object ids, MAC addresses, durations and `rgbcolor`, of which any text is valid.

use crate::api::{base64, names};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns true if a text has a format. Dashes in the format's name do not count, and any text has a format that the server does not know.
pub fn is_valid(format: &str, text: &str) -> bool {
    match format.replace('-', "").as_str() {
        "byte" => base64::check(text).is_ok(),
        "cidr" => {
            let length = |ip: IpAddr| if ip.is_ipv4() { 32 } else { 128 };
            let parsed = text.split_once('/').and_then(|(ip, bits)| Some((ip.parse::<IpAddr>().ok()?, bits.parse::<u8>().ok()?)));
            parsed.is_some_and(|(ip, bits)| bits <= length(ip))
        }
        "date" => is_date(text),
        "datetime" => text.split_once(['T', 't']).is_some_and(|(date, time)| is_date(date) && is_time(time)),
        "email" => text.split_once('@').is_some_and(|(user, host)| !user.is_empty() && !host.is_empty() && !host.contains(['@', ' '])),
        "hexcolor" => {
            let digits = text.strip_prefix('#').unwrap_or(text);
            matches!(digits.len(), 3 | 6) && digits.bytes().all(|b| b.is_ascii_hexdigit())
        }
        "hostname" | "k8slongname" => names::dns_subdomain(&text.to_ascii_lowercase()).is_empty() && (format == "hostname" || lower(text)),
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "k8sshortname" => names::dns_label(text).is_empty(),
        "uri" => {
            let scheme = |s: &str| s.starts_with(|c: char| c.is_ascii_alphabetic()) && s.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
            !text.contains(' ') && (text.starts_with('/') || text.split_once(':').is_some_and(|(s, _)| scheme(s)))
        }
        "uuid" => is_uuid(text, |_| true),
        "uuid3" => is_uuid(text, |digits| digits[12] == b'3'),
        "uuid4" => is_uuid(text, |digits| digits[12] == b'4' && matches!(digits[16], b'8' | b'9' | b'a' | b'b' | b'A' | b'B')),
        "uuid5" => is_uuid(text, |digits| digits[12] == b'5' && matches!(digits[16], b'8' | b'9' | b'a' | b'b' | b'A' | b'B')),
        _ => true,
    }
}

fn lower(text: &str) -> bool {
    !text.bytes().any(|b| b.is_ascii_uppercase())
}

fn number(text: &str, digits: usize) -> Option<u32> {
    text.parse().ok().filter(|_| text.len() == digits && text.bytes().all(|b| b.is_ascii_digit()))
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else { return false };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// Checks a time of day with its zone, such as `10:20:30.5Z` or `10:20:30+02:00`.
fn is_time(text: &str) -> bool {
    let zone = text.find(['Z', 'z', '+', '-']).unwrap_or(text.len());
    let (clock, zone) = text.split_at(zone);
    let (clock, part) = clock.split_once('.').unwrap_or((clock, "0"));
    let parts: Vec<Option<u32>> = clock.split(':').map(|part| number(part, 2)).collect();
    let [Some(hour), Some(minute), Some(second)] = parts.as_slice() else { return false };
    let shifted = || zone.len() == 6 && zone[1..].split(':').all(|part| number(part, 2).is_some());
    *hour < 24 && *minute < 60 && *second < 60 && number(part, part.len()).is_some() && (matches!(zone, "Z" | "z") || shifted())
}

fn is_uuid(text: &str, test: fn(&[u8]) -> bool) -> bool {
    let places = [8, 13, 18, 23];
    let dashed = text.len() == 36 && text.bytes().enumerate().all(|(i, b)| (b == b'-') == places.contains(&i));
    let digits: Vec<u8> = text.bytes().filter(|b| *b != b'-').collect();
    (dashed || text.len() == 32) && digits.len() == 32 && digits.iter().all(u8::is_ascii_hexdigit) && test(&digits)
}
