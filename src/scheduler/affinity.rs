//! Pods that want others near or far. Counterpart: `plugins/interpodaffinity`.

use super::class::PodClass;
use super::surroundings::Surroundings;
use crate::text::Str;

/// What a tally of pods is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A spreading rule that must hold, by its number.
    HardSpread(u16),
    /// A spreading rule that should hold, by its number.
    SoftSpread(u16),
    /// Pods that have to be near.
    Near,
    /// Pods that must not be near.
    Far,
    /// Pods that do not want this one near.
    Unwelcome,
    /// Weights of pods that had better be near, or (negative) far.
    Leaning,
}

/// What one pod of another class adds to the tallies of this one: role, label key, amount.
pub type Pull = (Role, Str, i64);

/// The weight that an existing pod's required affinity has for the score.
const HARD_WEIGHT: i64 = 1;

/// What pods of `other`, already placed, mean for a pod of `class`.
pub fn pulls(class: &PodClass, other: &PodClass, around: &Surroundings) -> Vec<Pull> {
    let mut all = Vec::new();
    if let Some(mine) = &class.spec.affinity {
        let labels = around.namespace_labels(&other.namespace);
        let names = |term| other.is_named_by(term, class, &labels);
        if !mine.pod_required.is_empty() && mine.pod_required.iter().all(names) {
            all.extend(mine.pod_required.iter().map(|t| (Role::Near, t.topology_key.clone(), 1)));
        }
        all.extend(mine.anti_required.iter().filter(|t| names(t)).map(|t| (Role::Far, t.topology_key.clone(), 1)));
        let lean = |sign: i64| move |(w, t): &(i32, _)| (sign * i64::from(*w), topology_key(t));
        let near = mine.pod_preferred.iter().filter(|(_, t)| names(t)).map(lean(1));
        let far = mine.anti_preferred.iter().filter(|(_, t)| names(t)).map(lean(-1));
        all.extend(near.chain(far).map(|(w, key)| (Role::Leaning, key, w)));
    }
    if let Some(theirs) = &other.spec.affinity {
        let labels = around.namespace_labels(&class.namespace);
        let names = |term| class.is_named_by(term, other, &labels);
        all.extend(theirs.anti_required.iter().filter(|t| names(t)).map(|t| (Role::Unwelcome, t.topology_key.clone(), 1)));
        all.extend(theirs.pod_required.iter().filter(|t| names(t)).map(|t| (Role::Leaning, t.topology_key.clone(), HARD_WEIGHT)));
        let lean = |sign: i64| move |(w, t): &(i32, _)| (sign * i64::from(*w), topology_key(t));
        let near = theirs.pod_preferred.iter().filter(|(_, t)| names(t)).map(lean(1));
        let far = theirs.anti_preferred.iter().filter(|(_, t)| names(t)).map(lean(-1));
        all.extend(near.chain(far).map(|(w, key)| (Role::Leaning, key, w)));
    }
    all
}

fn topology_key(term: &crate::api::kind::pod::PodTerm) -> Str {
    term.topology_key.clone()
}

/// Whether the class meets its own required affinity, so that its first pod may go anywhere.
pub fn meets_itself(class: &PodClass, around: &Surroundings) -> bool {
    let labels = around.namespace_labels(&class.namespace);
    class.spec.affinity.as_ref().is_some_and(|a| a.pod_required.iter().all(|t| class.is_named_by(t, class, &labels)))
}
