//! Checks times as Go's `time.Parse` does, with its error messages. Counterpart: `metav1.Time` and `metav1.MicroTime`.

/// Checks an RFC 3339 time; `micro` requires six digits after the second. The error is in Go's words.
pub(super) fn check(text: &str, micro: bool) -> Result<(), String> {
    let layout = if micro { "2006-01-02T15:04:05.000000Z07:00" } else { "2006-01-02T15:04:05Z07:00" };
    let mut rest = text;
    let fail = |rest: &str, part: &str| Err(format!("parsing time {text:?} as {layout:?}: cannot parse {rest:?} as {part:?}"));
    let mut numbers = [0u32; 6];
    let parts = [("2006", "-"), ("01", "-"), ("02", "T"), ("15", ":"), ("04", ":"), ("05", "")];
    for (slot, (part, separator)) in numbers.iter_mut().zip(parts) {
        let digits = rest.get(..part.len()).filter(|d| d.bytes().all(|b| b.is_ascii_digit()));
        let Some(number) = digits.and_then(|d| d.parse().ok()) else {
            return fail(rest, part);
        };
        *slot = number;
        rest = &rest[part.len()..];
        match rest.strip_prefix(separator) {
            Some(after) => rest = after,
            None => return fail(rest, separator),
        }
    }
    let fraction = rest.strip_prefix('.').map(|r| r.len() - r.trim_start_matches(|c: char| c.is_ascii_digit()).len());
    match fraction {
        Some(6) if micro => rest = &rest[7..],
        _ if micro => return fail(rest, ".000000"),
        Some(n) if n > 0 => rest = &rest[n + 1..],
        _ => {}
    }
    rest = match zone(rest) {
        Some(after) => after,
        None => return fail(rest, "Z07:00"),
    };
    if let Some(part) = out_of_range(&numbers) {
        return Err(format!("parsing time {text:?}: {part} out of range"));
    }
    if !rest.is_empty() {
        return Err(format!("parsing time {text:?}: extra text: {rest:?}"));
    }
    Ok(())
}

fn zone(text: &str) -> Option<&str> {
    if let Some(after) = text.strip_prefix('Z') {
        return Some(after);
    }
    let bytes = text.as_bytes().get(..6)?;
    let digits = [1, 2, 4, 5].iter().all(|&i| bytes[i].is_ascii_digit());
    (matches!(bytes[0], b'+' | b'-') && bytes[3] == b':' && digits).then(|| &text[6..])
}

fn out_of_range(numbers: &[u32; 6]) -> Option<&'static str> {
    let [year, month, day, hour, minute, second] = *numbers;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let checks = [
        (month == 0 || month > 12, "month"),
        (day == 0 || day > days, "day"),
        (hour > 23, "hour"),
        (minute > 59, "minute"),
        (second > 59, "second"),
    ];
    checks.into_iter().find(|(wrong, _)| *wrong).map(|(_, part)| part)
}
