//! Spreading over domains. Counterpart: `plugins/podtopologyspread`.

use super::class::PodClass;
use super::filter::{node_affinity, tolerates_all};
use super::snapshot::NodeFacts;
use crate::api::kind::pod::SpreadConstraint;
use crate::api::meta::StrMap;
use crate::api::selector::Selector;
use crate::map;
use crate::text::Str;

/// One spreading rule, ready to be applied.
#[derive(Debug)]
pub struct SpreadRule {
    /// Node label that makes the domains.
    pub key: Str,
    /// Allowed difference.
    pub max_skew: i64,
    /// With fewer domains than this, the smallest count is taken to be 0.
    pub min_domains: usize,
    /// 1 if the pod counts itself, else 0.
    pub self_match: i64,
    selectors: Vec<Selector>,
    honor_affinity: bool,
    honor_taints: bool,
}

/// The rules of a class: those that must hold, those that should.
pub fn rules(class: &PodClass, defaults: &[Selector]) -> (Vec<SpreadRule>, Vec<SpreadRule>) {
    let own = &class.spec.spread;
    if own.is_empty() {
        return (Vec::new(), system_defaults(defaults));
    }
    let pick = |hard: bool| own.iter().filter(|c| c.hard == hard).map(|c| SpreadRule::of(c, &class.labels)).collect();
    (pick(true), pick(false))
}

fn system_defaults(selectors: &[Selector]) -> Vec<SpreadRule> {
    if selectors.is_empty() {
        return Vec::new();
    }
    let rule = |key: &'static str, max_skew| SpreadRule {
        key: Str::new(key),
        max_skew,
        min_domains: 1,
        self_match: 1,
        selectors: selectors.to_vec(),
        honor_affinity: true,
        honor_taints: false,
    };
    vec![rule(super::topology::HOSTNAME, 3), rule("topology.kubernetes.io/zone", 5)]
}

impl SpreadRule {
    fn of(c: &SpreadConstraint, labels: &StrMap) -> SpreadRule {
        let mut selectors = vec![c.selector.clone().unwrap_or_else(Selector::nothing)];
        let by_key = |k: &Str| labels.get(k).map(|v| Selector::from_labels(&map! { k.clone() => v }));
        selectors.extend(c.match_label_keys.iter().filter_map(by_key));
        let self_match = selectors.iter().all(|s| s.matches(labels.entries())).into();
        SpreadRule {
            key: c.topology_key.clone(),
            max_skew: c.max_skew.into(),
            min_domains: c.min_domains.unwrap_or(1).max(0) as usize,
            self_match,
            selectors,
            honor_affinity: c.honor_affinity,
            honor_taints: c.honor_taints,
        }
    }
    /// Whether pods with these labels count. A selector that asks for nothing counts nothing, as in real Kubernetes.
    pub fn counts(&self, labels: &StrMap) -> bool {
        !self.selectors.iter().all(Selector::is_empty) && self.selectors.iter().all(|s| s.matches(labels.entries()))
    }
    /// Whether a node's pods count.
    pub fn includes(&self, class: &PodClass, facts: &NodeFacts) -> bool {
        (!self.honor_affinity || node_affinity(&class.spec, facts)) && (!self.honor_taints || tolerates_all(&class.spec, facts))
    }
}
