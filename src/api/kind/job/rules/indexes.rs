//! Checks of lists of completion indexes such as `0-3,7`. Counterparts: `validateIndexesFormat` and related functions in `pkg/apis/batch/validation`.

/// Returns the number of indexes in a list such as `0-3,7`, or the reason why the list is invalid.
pub fn count(text: &str, completions: i64) -> Result<i64, String> {
    let (mut last, mut total): (Option<i64>, i64) = (None, 0);
    for part in text.split(',').filter(|_| !text.is_empty()) {
        let (first, end) = interval(part, completions)?;
        if let Some(previous) = last.filter(|previous| *previous >= first) {
            return Err(format!("non-increasing order, previous: {previous}, current: {first}"));
        }
        total += end - first + 1;
        last = Some(end);
    }
    Ok(total)
}

/// Parses a part of a list of indexes, such as `3` or `3-5`. Counterpart: `parseIndexInterval`.
fn interval(text: &str, completions: i64) -> Result<(i64, i64), String> {
    let limits: Vec<&str> = text.split('-').collect();
    if limits.len() > 2 {
        return Err(format!(
            "the fragment {text:?} violates the requirement that an index interval can have at most two parts separated by '-'"
        ));
    }
    let number = |text: &str| {
        let index: i64 = text.parse().map_err(|_| format!("cannot convert string to integer for index: {text:?}"))?;
        if index >= completions { Err(format!("too large index: {text:?}")) } else { Ok(index) }
    };
    let first = number(limits[0])?;
    let Some(second) = limits.get(1) else { return Ok((first, first)) };
    let last = number(second)?;
    if first >= last {
        return Err(format!("non-increasing order, previous: {first}, current: {last}"));
    }
    Ok((first, last))
}

/// Returns the first index that is in both lists. Intervals that cannot be parsed are skipped.
pub fn overlap(completed: &str, failed: &str, completions: i64) -> Option<i64> {
    let all = |text: &str| -> Vec<(i64, i64)> { text.split(',').filter_map(|part| interval(part, completions).ok()).collect() };
    let (completed, failed) = (all(completed), all(failed));
    let (mut c, mut f) = (0, 0);
    while let (Some(a), Some(b)) = (completed.get(c), failed.get(f)) {
        if a.0 <= b.1 && b.0 <= a.1 {
            return Some(a.0.max(b.0));
        }
        if a.0 <= b.0 { c += 1 } else { f += 1 }
    }
    None
}
