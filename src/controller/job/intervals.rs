//! Sets of completion indexes as ordered intervals, written `0-3,7`. Counterpart: `orderedIntervals` in `pkg/controller/job/indexed_job_utils.go`.

use crate::api::order::Order;
use std::fmt;

/// A set of completion indexes, as intervals (first, last) in ascending order that neither overlap nor touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intervals(Vec<(i32, i32)>);

impl Intervals {
    /// Parses a status field such as `0-3,7`. Drops indexes from `completions` on, and parts that are no interval.
    pub fn parse(text: &str, completions: i32) -> Intervals {
        let mut all: Vec<(i32, i32)> = Vec::new();
        for part in text.split(',').filter(|_| !text.is_empty()) {
            let (first, last) = part.split_once('-').map_or((part, part), |(first, last)| (first, last));
            let Ok(first) = first.parse::<i32>() else { continue };
            if first >= completions {
                break;
            }
            let Ok(last) = last.parse::<i32>() else { continue };
            let last = last.min(completions - 1);
            match all.last_mut() {
                Some(previous) if previous.1 == first - 1 => previous.1 = last,
                _ => all.push((first, last)),
            }
        }
        Intervals(all)
    }
    /// Returns the set with further indexes added, which must be in ascending order.
    pub fn with(&self, indexes: impl IntoIterator<Item = i32>) -> Intervals {
        self.merge(&Intervals(indexes.into_iter().map(|i| (i, i)).collect()))
    }
    /// Returns the union of two sets.
    pub fn merge(&self, other: &Intervals) -> Intervals {
        let mut all: Vec<(i32, i32)> = self.0.iter().chain(&other.0).copied().collect();
        all.order();
        let mut merged: Vec<(i32, i32)> = Vec::new();
        for (first, last) in all {
            match merged.last_mut() {
                Some(previous) if first <= previous.1 + 1 => previous.1 = previous.1.max(last),
                _ => merged.push((first, last)),
            }
        }
        Intervals(merged)
    }
    /// Returns the number of indexes in the set.
    pub fn total(&self) -> i32 {
        self.0.iter().map(|(first, last)| last - first + 1).sum()
    }
    /// Returns true if the set has no indexes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// Returns true if an index is in the set.
    pub fn has(&self, index: i32) -> bool {
        self.0.iter().any(|(first, last)| (*first..=*last).contains(&index))
    }
    /// Returns the number of indexes that two sets share.
    pub fn shared(&self, other: &Intervals) -> i32 {
        let overlap = |a: &(i32, i32), b: &(i32, i32)| (a.1.min(b.1) - a.0.max(b.0) + 1).max(0);
        self.0.iter().flat_map(|a| other.0.iter().map(move |b| overlap(a, b))).sum()
    }
    /// Returns the first `count` indexes below `completions` that are not in the set.
    pub fn first_missing(&self, count: usize, completions: i32) -> Vec<i32> {
        let mut found = Vec::new();
        let mut candidate = 0;
        for (first, last) in self.0.iter().copied().chain([(completions, completions)]) {
            while candidate < first.min(completions) && found.len() < count {
                found.push(candidate);
                candidate += 1;
            }
            candidate = candidate.max(last + 1);
        }
        found
    }
}

impl fmt::Display for Intervals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (first, last)) in self.0.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            match last - first {
                0 => write!(f, "{comma}{first}")?,
                1 => write!(f, "{comma}{first},{last}")?,
                _ => write!(f, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_are_kept_and_written_as_intervals() {
        let set = Intervals::parse("0,2,3,5-7", 10).with([1, 9]);
        assert_eq!(set.to_string(), "0-3,5-7,9");
        assert_eq!((set.total(), set.has(4), set.has(7)), (8, false, true));
        assert_eq!(set.first_missing(5, 10), [4, 8]);
        assert_eq!(Intervals::parse("1-5", 3).to_string(), "1,2");
        assert_eq!(set.shared(&Intervals::parse("3-5", 10)), 2);
    }
}
