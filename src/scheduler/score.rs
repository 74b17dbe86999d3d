//! How good a node is. Counterpart: the Score plugins under `pkg/scheduler/framework/plugins`.
//!
//! Here are the scores that need one node only, and the ways in which raw scores are brought to 0..100. All is integer arithmetic as in Go, or
//! floats with + - * / alone, so that every machine agrees.

use super::class::PodClass;
use super::snapshot::{NodeFacts, NodeInfo};
use crate::text::Str;

/// The rating plugins in the order of [`Scores`], each with its weight.
pub const WEIGHTS: [(super::filter::Plugin, i64); 7] = {
    use super::filter::Plugin::*;
    [
        (TaintToleration, 3),
        (NodeAffinity, 2),
        (NodeResourcesFit, 1),
        (PodTopologySpread, 2),
        (InterPodAffinity, 2),
        (BalancedAllocation, 1),
        (ImageLocality, 1),
    ]
};

/// One score (0 to 100) per plugin of [`WEIGHTS`].
pub type Scores = [i64; 7];

/// The weighted sum.
pub fn total(scores: &Scores) -> i64 {
    scores.iter().zip(WEIGHTS).map(|(s, (_, w))| s * w).sum()
}

/// The scores that need no other node: fit, balance, images.
pub fn local_scores(class: &PodClass, info: &NodeInfo, node_count: usize) -> [i64; 3] {
    let Some(facts) = info.facts.as_deref() else { return [0; 3] };
    [least_allocated(class, facts, info), balanced(class, facts, info), images(class, facts, info, node_count)]
}

fn least_allocated(class: &PodClass, facts: &NodeFacts, info: &NodeInfo) -> i64 {
    let (mut sum, mut weights) = (0, 0);
    let parts =
        [(facts.allocatable.cpu_milli, info.nonzero.0 + class.nonzero.0), (facts.allocatable.memory, info.nonzero.1 + class.nonzero.1)];
    for (total, used) in parts.into_iter().filter(|(total, _)| *total > 0) {
        sum += if used > total { 0 } else { wide_ratio(total - used, total) };
        weights += 1;
    }
    if weights == 0 { 0 } else { sum / weights }
}

/// `part * 100 / whole` without overflow for any amount of bytes.
fn wide_ratio(part: i64, whole: i64) -> i64 {
    part.checked_mul(100).map_or_else(|| (i128::from(part) * 100 / i128::from(whole)) as i64, |hundredfold| hundredfold / whole)
}

/// Rates the change that the pod makes to the balance, not the balance: 75 is no change.
fn balanced(class: &PodClass, facts: &NodeFacts, info: &NodeInfo) -> i64 {
    let (wanted, total, used) = (&class.spec.requests, &facts.allocatable, &info.requested);
    if wanted.cpu_milli == 0 && wanted.memory == 0 {
        return 0;
    }
    let evenness = |cpu: i64, memory: i64| -> i64 {
        let share = |used: i64, total: i64| (used as f64 / total as f64).min(1.0);
        if total.cpu_milli == 0 || total.memory == 0 {
            return 100;
        }
        let apart = share(cpu, total.cpu_milli) - share(memory, total.memory);
        let deviation = (if apart < 0.0 { -apart } else { apart }) / 2.0;
        ((1.0 - deviation) * 100.0) as i64
    };
    let with = evenness(used.cpu_milli + wanted.cpu_milli, used.memory + wanted.memory);
    let without = evenness(used.cpu_milli, used.memory);
    50 + (50 + with - without) / 2
}

fn images(class: &PodClass, facts: &NodeFacts, info: &NodeInfo, node_count: usize) -> i64 {
    if facts.images.is_empty() {
        return 0;
    }
    const MIB: i64 = 1 << 20;
    let present = |image: &Str| {
        let i = facts.images.binary_search_by(|(n, _)| n.cmp(image)).ok()?;
        let nodes = info.image_nodes.get(i).copied().unwrap_or(1);
        Some((facts.images[i].1 as f64 * (f64::from(nodes) / node_count.max(1) as f64)) as i64)
    };
    let sum: i64 = class.images.iter().filter_map(present).sum();
    let (low, high) = (23 * MIB, 1000 * MIB * class.images.len() as i64);
    100 * (sum.clamp(low, high.max(low)) - low) / (high - low).max(1)
}

/// Sum of the weights of preferred node terms that match.
pub fn preferred_weight(class: &PodClass, facts: &NodeFacts) -> i64 {
    let terms = class.spec.affinity.iter().flat_map(|a| &a.node_preferred);
    terms.filter(|(_, t)| t.matches(&facts.name, |k| facts.labels.get(k).cloned())).map(|(w, _)| i64::from(*w)).sum()
}

/// Brings raw scores to 0..100 by their maximum, turned round if the smallest is best.
pub fn by_maximum(raw: i64, max: i64, reverse: bool) -> i64 {
    let score = if max == 0 { 0 } else { raw * 100 / max };
    if reverse { 100 - score } else { score }
}

/// Brings raw spreading scores, where less is better, to 0..100.
pub fn by_scarcity(raw: i64, min: i64, max: i64) -> i64 {
    if max == 0 { 100 } else { 100 * (max + min - raw) / max }
}

/// Brings raw affinity scores to 0..100 by their range.
pub fn by_range(raw: i64, min: i64, max: i64) -> i64 {
    if max > min { (100.0 * ((raw - min) as f64 / (max - min) as f64)) as i64 } else { 0 }
}

/// The natural logarithm of a whole number, by a series that only adds, multiplies and divides: the platform's `ln` may differ between machines.
pub fn ln(n: u64) -> f64 {
    const LN_2: f64 = std::f64::consts::LN_2;
    if n == 0 {
        return 0.0;
    }
    let doublings = 63 - n.leading_zeros();
    let x = n as f64 / (1u64 << doublings) as f64;
    let z = (x - 1.0) / (x + 1.0);
    let (square, mut power, mut sum) = (z * z, z, 0.0);
    for k in 0..20 {
        sum += power / f64::from(2 * k + 1);
        power *= square;
    }
    f64::from(doublings) * LN_2 + 2.0 * sum
}

/// Rounds half away from zero, as Go's `math.Round` does, for numbers that are not negative.
pub fn round(x: f64) -> i64 {
    (x + 0.5) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_the_known_one() {
        for (n, known) in [
            (1, 0.0),
            (3, 1.0986122886681098),
            (11, 2.3978952727983707),
            (97, 4.574710978503383),
            (1000, 6.907755278982137),
            (5002, 8.517593111437565),
        ] {
            assert!((ln(n) - known).abs() < 1e-13, "{n}");
        }
    }
}
