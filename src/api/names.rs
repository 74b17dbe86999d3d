//! Syntax checks for names, keys, ports and addresses, in the API server's words. Counterpart: `apimachinery/pkg/util/validation`.
//!
//! The API server uses regular expressions and quotes them in its messages; this file checks the same syntax by hand.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The messages about the problems of a text; empty if it is valid.
pub type Problems = Vec<String>;

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const SUBDOMAIN_UNDERSCORE: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";
const DNS_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const KEY: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const CONFIG_KEY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const PERCENT: &str = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
const HEADER: &str = "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
const ENV_NAME: &str = "a valid environment variable name must consist only of printable ASCII characters other than '='";
const EMPTY: &str = "must be non-empty";
/// The message for an invalid IP address.
pub const IP: &str = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const CIDR: &str = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

fn one(problem: bool, text: &str) -> Problems {
    if problem { vec![text.to_owned()] } else { Problems::new() }
}

fn too_long(max: usize) -> String {
    format!("must be no more than {max} characters")
}

fn lower(b: u8) -> bool {
    b.is_ascii_lowercase() || b.is_ascii_digit()
}

/// Returns true if a text consists of `edge` and `inner` bytes, and begins and ends with an `edge` byte.
fn shaped(text: &str, edge: fn(u8) -> bool, inner: fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    match (bytes.first(), bytes.last()) {
        (Some(first), Some(last)) => edge(*first) && edge(*last) && bytes.iter().all(|b| edge(*b) || inner(*b)),
        _ => false,
    }
}

fn is_label(text: &str) -> bool {
    shaped(text, lower, |b| b == b'-')
}

fn is_subdomain(text: &str) -> bool {
    text.split('.').all(is_label)
}

/// Checks a DNS label of RFC 1123: at most 63 of `a-z0-9-`. Counterpart: `IsDNS1123Label`.
pub fn dns_label(text: &str) -> Problems {
    let mut problems = Problems::new();
    if text.len() > 63 {
        problems.push(too_long(63));
    }
    if !is_label(text) {
        problems.push(if is_subdomain(text) { "must not contain dots" } else { LABEL }.to_owned());
    }
    problems
}

/// Checks a DNS label of RFC 1035: like [`dns_label`], but it begins with a letter. Counterpart: `IsDNS1035Label`.
pub fn dns_1035_label(text: &str) -> Problems {
    let mut problems = Problems::new();
    if text.len() > 63 {
        problems.push(too_long(63));
    }
    if !is_label(text) || !text.as_bytes().first().is_some_and(u8::is_ascii_lowercase) {
        problems.push(DNS_1035.to_owned());
    }
    problems
}

/// Checks a DNS subdomain: labels joined by dots, at most 253 characters. Counterpart: `IsDNS1123Subdomain`.
pub fn dns_subdomain(text: &str) -> Problems {
    let mut problems = Problems::new();
    if text.len() > 253 {
        problems.push(too_long(253));
    }
    if !is_subdomain(text) {
        problems.push(SUBDOMAIN.to_owned());
    }
    problems
}

/// Checks a DNS search path, which may have underscores. Counterpart: `IsDNS1123SubdomainWithUnderscore`.
pub fn dns_search(text: &str) -> Problems {
    let mut problems = Problems::new();
    if text.len() > 253 {
        problems.push(too_long(253));
    }
    if !text.split('.').all(|part| shaped(part.strip_prefix('_').unwrap_or(part), lower, |b| matches!(b, b'-' | b'_'))) {
        problems.push(SUBDOMAIN_UNDERSCORE.to_owned());
    }
    problems
}

fn is_key(text: &str) -> bool {
    shaped(text, |b| b.is_ascii_alphanumeric(), |b| matches!(b, b'-' | b'_' | b'.'))
}

/// Checks a label key or any other qualified name: `name` or `example.com/name`. Counterpart: `IsQualifiedName`.
pub fn qualified_name(text: &str) -> Problems {
    let mut problems = Problems::new();
    let parts: Vec<&str> = text.split('/').collect();
    let name = match parts.as_slice() {
        [name] => name,
        [prefix, name] => {
            if prefix.is_empty() {
                problems.push(format!("prefix part {EMPTY}"));
            } else {
                problems.extend(dns_subdomain(prefix).iter().map(|p| format!("prefix part {}", p.replace("253 characters", "253 bytes"))));
            }
            name
        }
        _ => return vec![format!("a valid label key {KEY} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')")],
    };
    if name.is_empty() {
        problems.push(format!("name part {EMPTY}"));
    } else if name.len() > 63 {
        problems.push("name part must be no more than 63 bytes".to_owned());
    }
    if !is_key(name) {
        problems.push(format!("name part {KEY}"));
    }
    problems
}

/// Checks the value of a label. Counterpart: `IsValidLabelValue`.
pub fn label_value(text: &str) -> Problems {
    let mut problems = one(text.len() > 63, "must be no more than 63 bytes");
    if !text.is_empty() && !is_key(text) {
        problems.push(LABEL_VALUE.to_owned());
    }
    problems
}

/// Checks a key of a ConfigMap or a Secret. Counterpart: `IsConfigMapKey`.
pub fn config_key(text: &str) -> Problems {
    let mut problems = Problems::new();
    if text.len() > 253 {
        problems.push(too_long(253));
    }
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.')) {
        problems.push(CONFIG_KEY.to_owned());
    }
    match text {
        "." => problems.push("must not be '.'".to_owned()),
        ".." => problems.push("must not be '..'".to_owned()),
        _ if text.starts_with("..") => problems.push("must not start with '..'".to_owned()),
        _ => {}
    }
    problems
}

/// Checks the name of a port. Counterpart: `IsValidPortName`.
pub fn port_name(text: &str) -> Problems {
    let checks = [
        (text.len() > 15, "must be no more than 15 characters"),
        (
            text.is_empty() || !text.bytes().all(|b| lower(b) || b == b'-'),
            "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
        ),
        (!text.bytes().any(|b| b.is_ascii_lowercase()), "must contain at least one letter (a-z)"),
        (text.contains("--"), "must not contain consecutive hyphens"),
        (text.starts_with('-') || text.ends_with('-'), "must not begin or end with a hyphen"),
    ];
    checks.iter().filter(|(wrong, _)| *wrong).map(|(_, text)| (*text).to_owned()).collect()
}

/// Checks the number of a port. Counterpart: `IsValidPortNum`.
pub fn port_number(port: i64) -> Problems {
    one(!(1..=65535).contains(&port), "must be between 1 and 65535, inclusive")
}

/// Checks a user or group id.
pub fn unix_id(id: i64) -> Problems {
    one(!(0..=i64::from(i32::MAX)).contains(&id), "must be between 0 and 2147483647, inclusive")
}

/// Checks a percentage such as `25%`. Counterpart: `IsValidPercent`.
pub fn percent(text: &str) -> Problems {
    let digits = text.strip_suffix('%').unwrap_or("");
    one(digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()), PERCENT)
}

/// Checks the name of an HTTP header. Counterpart: `IsHTTPHeaderName`.
pub fn header_name(text: &str) -> Problems {
    one(text.is_empty() || !text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'), HEADER)
}

/// Checks the name of an environment variable. Counterpart: `IsRelaxedEnvVarName`.
pub fn env_name(text: &str) -> Problems {
    one(text.is_empty() || !text.bytes().all(|b| (b' '..=b'~').contains(&b) && b != b'='), ENV_NAME)
}

/// Checks the name of an environment variable as kubectl does, which knows nothing of names with other characters. Counterpart: `IsEnvVarName`.
pub fn strict_env_name(text: &str) -> Problems {
    const STRICT: &str = "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')";
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"-._".contains(&b);
    one(text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit()) || !text.bytes().all(fits), STRICT)
}

/// Parses an IP address. The parts of an IPv4 address may have leading zeros, as in old Go. Counterpart: `ParseIPSloppy`.
pub fn parse_ip(text: &str) -> Option<IpAddr> {
    if text.contains(':') {
        return text.parse::<Ipv6Addr>().ok().map(IpAddr::V6);
    }
    let mut octets = [0u8; 4];
    let mut parts = text.split('.');
    for octet in &mut octets {
        let part = parts.next()?;
        if part.is_empty() || !part.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        *octet = part.parse::<u32>().ok()?.try_into().ok()?;
    }
    parts.next().is_none().then(|| IpAddr::V4(Ipv4Addr::from(octets)))
}

/// Checks an IP address: no part has leading zeros, and it is no IPv4 address in IPv6 notation. Counterpart: `IsValidIPForLegacyField`, strict as by
/// default since 1.36.
pub fn ip(text: &str) -> Problems {
    match parse_ip(text) {
        None => vec![IP.to_owned()],
        Some(_) if text.parse::<IpAddr>().is_err() => vec!["must not have leading 0s".to_owned()],
        Some(address) => one(is_mapped(&address), "must not be an IPv4-mapped IPv6 address"),
    }
}

/// Checks an IP address that must also be in its canonical form. Counterpart: `IsValidIP`.
pub fn canonical_ip(text: &str) -> Problems {
    let problems = ip(text);
    match parse_ip(text).filter(|address| problems.is_empty() && address.to_string() != text) {
        Some(address) => vec![format!("must be in canonical form (\"{address}\")")],
        None => problems,
    }
}

fn is_mapped(address: &IpAddr) -> bool {
    matches!(address, IpAddr::V6(six) if six.to_ipv4_mapped().is_some())
}

/// Parses a range of IP addresses, in which leading zeros are allowed, into an address and the length of its prefix. Counterpart: `ParseCIDRSloppy`.
pub fn parse_cidr(text: &str) -> Option<(IpAddr, u8)> {
    let (address, length) = text.split_once('/')?;
    let digits = !length.is_empty() && length.bytes().all(|b| b.is_ascii_digit());
    let (address, length) = (parse_ip(address)?, length.parse::<u8>().ok().filter(|_| digits)?);
    (length <= if address.is_ipv4() { 32 } else { 128 }).then_some((address, length))
}

/// Checks a range of IP addresses: no leading zeros, and no bits beyond the prefix. Counterpart: `IsValidCIDRForLegacyField`, strict as by default since 1.36.
pub fn cidr(text: &str) -> Problems {
    let Some((address, length)) = parse_cidr(text) else { return vec![CIDR.to_owned()] };
    let (written, digits) = text.split_once('/').unwrap_or((text, ""));
    if written.parse::<IpAddr>().is_err() || (digits.len() > 1 && digits.starts_with('0')) {
        return vec!["must not have leading 0s in IP or prefix length".to_owned()];
    }
    if is_mapped(&address) {
        return vec!["must not have an IPv4-mapped IPv6 address".to_owned()];
    }
    let beyond = match address {
        IpAddr::V4(four) => u128::from(u32::from(four).checked_shl(u32::from(length)).unwrap_or(0)),
        IpAddr::V6(six) => u128::from(six).checked_shl(u32::from(length)).unwrap_or(0),
    };
    one(beyond != 0, "must not have bits set beyond the prefix length")
}

/// Rejects addresses that endpoints and external IPs may not have, such as the loopback address.
pub fn special_ip(text: &str) -> Problems {
    let Some(address) = parse_ip(text) else { return vec!["must be a valid IP address".to_owned()] };
    let (link_local, link_local_multicast) = match address {
        IpAddr::V4(v4) => (v4.is_link_local(), matches!(v4.octets(), [224, 0, 0, _])),
        IpAddr::V6(v6) => (v6.segments()[0] & 0xffc0 == 0xfe80, v6.segments()[0] & 0xff0f == 0xff02),
    };
    let mut problems = Problems::new();
    if address.is_unspecified() {
        problems.push(format!("may not be unspecified ({text})"));
    }
    for (wrong, what) in [
        (address.is_loopback(), "loopback range (127.0.0.0/8, ::1/128)"),
        (link_local, "link-local range (169.254.0.0/16, fe80::/10)"),
        (link_local_multicast, "link-local multicast range (224.0.0.0/24, ff02::/10)"),
    ] {
        if wrong {
            problems.push(format!("may not be in the {what}"));
        }
    }
    problems
}

/// Returns the warning about an IP address that can be parsed but is not in the recommended form. Counterpart: `GetWarningsForIP`.
pub fn ip_warning(text: &str) -> Option<String> {
    let address = parse_ip(text)?;
    let plain = if let IpAddr::V6(six) = address { six.to_ipv4_mapped().map_or(address, IpAddr::V4) } else { address };
    if text.parse::<IpAddr>().is_err() || is_mapped(&address) {
        return Some(format!("non-standard IP address {text:?} is invalid: use \"{plain}\""));
    }
    (address.is_ipv6() && address.to_string() != text)
        .then(|| format!("IPv6 address {text:?} should be in RFC 5952 canonical format (\"{address}\")"))
}

/// Returns the warnings about a range of addresses that can be parsed but is not in the recommended form. Counterpart: `GetWarningsForCIDR`.
pub fn cidr_warnings(text: &str) -> Vec<String> {
    let Some((address, length)) = parse_cidr(text) else { return Vec::new() };
    let (written, digits) = text.split_once('/').unwrap_or((text, ""));
    let network = match address {
        IpAddr::V4(four) => IpAddr::V4((u32::from(four) & u32::MAX.checked_shl(32 - u32::from(length)).unwrap_or(0)).into()),
        IpAddr::V6(six) => IpAddr::V6((u128::from(six) & u128::MAX.checked_shl(128 - u32::from(length)).unwrap_or(0)).into()),
    };
    let mut warnings = Vec::new();
    if network != address {
        let whole = if address.is_ipv4() { 32 } else { 128 };
        warnings
            .push(format!("CIDR value {text:?} is ambiguous in this context (should be \"{network}/{length}\" or \"{address}/{whole}\"?)"));
    }
    if written.parse::<IpAddr>().is_err() || (digits.len() > 1 && digits.starts_with('0')) || is_mapped(&address) {
        warnings.push(format!("non-standard CIDR value {text:?} is invalid: use \"{network}/{length}\""));
    }
    if warnings.is_empty() && address.is_ipv6() && format!("{address}/{length}") != text {
        warnings.push(format!("IPv6 CIDR value {text:?} should be in RFC 5952 canonical format (\"{address}/{length}\")"));
    }
    warnings
}

/// Returns true if the first range contains the second and is larger.
pub fn is_strict_subset((outer, length): (IpAddr, u8), (inner, inner_length): (IpAddr, u8)) -> bool {
    let top = |address: IpAddr| match address {
        IpAddr::V4(four) => u128::from(u32::from(four)) << 96,
        IpAddr::V6(six) => u128::from(six),
    };
    let mask = u128::MAX.checked_shl(128 - u32::from(length)).unwrap_or(0);
    outer.is_ipv4() == inner.is_ipv4() && length < inner_length && top(outer) & mask == top(inner) & mask
}

/// Checks a name that becomes a segment of a URL path; `prefix` tells that more characters will follow.
pub fn path_segment(text: &str, prefix: bool) -> Problems {
    if !prefix && matches!(text, "." | "..") {
        return vec![format!("may not be '{text}'")];
    }
    ['/', '%'].iter().filter(|c| text.contains(**c)).map(|c| format!("may not contain '{c}'")).collect()
}

/// Replaces the end of a `generateName` so that it can be checked as a name, although it ends with a dash. Counterpart: `maskTrailingDash`.
pub fn mask_trailing_dash(text: &str) -> String {
    match text.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => format!("{}a", &rest[..rest.len() - rest.chars().last().map_or(0, char::len_utf8)]),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_judged_as_the_server_judges_them() {
        assert!(dns_label("a-b").is_empty());
        assert_eq!(dns_label("a.b"), ["must not contain dots"]);
        assert_eq!(dns_label("A"), [LABEL]);
        assert!(dns_subdomain("a.b-c").is_empty());
        assert_eq!(dns_subdomain("a..b"), [SUBDOMAIN]);
        assert_eq!(qualified_name("/x"), [format!("prefix part {EMPTY}")]);
        assert!(qualified_name("example.com/My.Name").is_empty());
        assert!(label_value("").is_empty());
        assert_eq!(port_name("80"), ["must contain at least one letter (a-z)"]);
        assert!(percent("25%").is_empty() && !percent("%").is_empty());
        assert_eq!(ip("010.0.0.1"), ["must not have leading 0s"]);
        assert_eq!(ip("::ffff:1.2.3.4"), ["must not be an IPv4-mapped IPv6 address"]);
        assert_eq!(ip("1.2.3"), [IP]);
        assert_eq!(canonical_ip("2001:DB8::1"), ["must be in canonical form (\"2001:db8::1\")"]);
        assert!(cidr("10.0.0.0/8").is_empty() && cidr("::/0").is_empty() && !cidr("10.0.0.0/33").is_empty());
        assert_eq!(cidr("10.0.0.1/8"), ["must not have bits set beyond the prefix length"]);
        assert_eq!(cidr("10.0.0.0/08"), ["must not have leading 0s in IP or prefix length"]);
        assert_eq!(mask_trailing_dash("demo-"), "dema");
    }
}
