//! Which nodes a pod may run on, and in which words a node is refused. Counterpart: the Filter plugins under `pkg/scheduler/framework/plugins`.
//!
//! Here are the plugins that look at one node only, in their default order. Those that look across nodes are in `spread` and `affinity`.
//! NodeName has nothing to do: pods that name a node never reach the scheduler. Volume plugins are left out.

use super::class::PodClass;
use super::snapshot::{NodeFacts, NodeInfo};
use crate::api::kind::pod::PodSpec;
use crate::order;
use crate::text::Str;

/// A plugin that can refuse a node or rate it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Plugin {
    /// Keeps pods off cordoned nodes.
    NodeUnschedulable,
    /// Keeps pods off nodes whose taints they do not tolerate.
    TaintToleration,
    /// Node selector and node affinity.
    NodeAffinity,
    /// Host ports.
    NodePorts,
    /// Requests against what is free; prefers emptier nodes.
    NodeResourcesFit,
    /// Spreads pods over domains.
    PodTopologySpread,
    /// Keeps pods near to or away from others.
    InterPodAffinity,
    /// Prefers nodes whose use of cpu and memory becomes more even.
    BalancedAllocation,
    /// Prefers nodes that have the images.
    ImageLocality,
}

impl Plugin {
    /// Its name in the scheduler's configuration.
    pub fn name(self) -> &'static str {
        match self {
            Plugin::NodeUnschedulable => "NodeUnschedulable",
            Plugin::TaintToleration => "TaintToleration",
            Plugin::NodeAffinity => "NodeAffinity",
            Plugin::NodePorts => "NodePorts",
            Plugin::NodeResourcesFit => "NodeResourcesFit",
            Plugin::PodTopologySpread => "PodTopologySpread",
            Plugin::InterPodAffinity => "InterPodAffinity",
            Plugin::BalancedAllocation => "NodeResourcesBalancedAllocation",
            Plugin::ImageLocality => "ImageLocality",
        }
    }
    /// Its bit in a set of plugins.
    pub fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// What is said about one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The pod may run there.
    #[default]
    Fits,
    /// The pod's node affinity names other nodes, so this one was not even looked at.
    NotNamed,
    /// Cordoned.
    Unschedulable,
    /// A taint is not tolerated.
    Tainted,
    /// Node selector or affinity do not match.
    Unmatched,
    /// A host port is taken.
    PortTaken,
    /// Too little of something is free.
    Short {
        /// What: see [`SHORT_OF`]; further bits are the pod's extended resources in order.
        of: u16,
        /// Whether even the empty node has too little.
        always: bool,
    },
    /// The node lacks the label of a spreading rule.
    SpreadLabelMissing,
    /// A spreading rule would be broken.
    Skewed,
    /// No pod is near that has to be.
    AffinityUnmet,
    /// A pod is near that must not be.
    AntiAffinity,
    /// A pod that is near does not want this one.
    Unwelcome,
}

/// The resources behind the first bits of a shortage.
pub const SHORT_OF: [&str; 4] = ["Too many pods", "Insufficient cpu", "Insufficient memory", "Insufficient ephemeral-storage"];

impl Verdict {
    /// Whether the pod may run there.
    pub fn fits(self) -> bool {
        self == Verdict::Fits
    }
    /// The plugin that refused the node.
    pub fn plugin(self) -> Option<Plugin> {
        Some(match self {
            Verdict::Fits => return None,
            Verdict::Unschedulable => Plugin::NodeUnschedulable,
            Verdict::Tainted => Plugin::TaintToleration,
            Verdict::NotNamed | Verdict::Unmatched => Plugin::NodeAffinity,
            Verdict::PortTaken => Plugin::NodePorts,
            Verdict::Short { .. } => Plugin::NodeResourcesFit,
            Verdict::SpreadLabelMissing | Verdict::Skewed => Plugin::PodTopologySpread,
            Verdict::AffinityUnmet | Verdict::AntiAffinity | Verdict::Unwelcome => Plugin::InterPodAffinity,
        })
    }
    /// Whether removing pods from the node could change the verdict.
    pub fn preemption_may_help(self) -> bool {
        matches!(
            self,
            Verdict::PortTaken | Verdict::Short { always: false, .. } | Verdict::Skewed | Verdict::AntiAffinity | Verdict::Unwelcome
        )
    }
    /// The reasons in the scheduler's words.
    pub fn reasons(self, spec: &PodSpec) -> Vec<Str> {
        let one = |text: &'static str| vec![Str::new(text)];
        match self {
            Verdict::Fits => Vec::new(),
            Verdict::NotNamed => one("node(s) didn't satisfy plugin(s) [NodeAffinity]"),
            Verdict::Unschedulable => one("node(s) were unschedulable"),
            Verdict::Tainted => one("node(s) had untolerated taint(s)"),
            Verdict::Unmatched => one("node(s) didn't match Pod's node affinity/selector"),
            Verdict::PortTaken => one("node(s) didn't have free ports for the requested pod ports"),
            Verdict::SpreadLabelMissing => one("node(s) didn't match pod topology spread constraints (missing required label)"),
            Verdict::Skewed => one("node(s) didn't match pod topology spread constraints"),
            Verdict::AffinityUnmet => one("node(s) didn't match pod affinity rules"),
            Verdict::AntiAffinity => one("node(s) didn't match pod anti-affinity rules"),
            Verdict::Unwelcome => one("node(s) didn't satisfy existing pods anti-affinity rules"),
            Verdict::Short { of, .. } => {
                let named = SHORT_OF.iter().map(|t| Str::new(t));
                let extended = spec.requests.other.iter().map(|(name, _)| Str::from(format!("Insufficient {name}")));
                named.chain(extended).enumerate().filter(|(i, _)| *i < 16 && of >> i & 1 == 1).map(|(_, t)| t).collect()
            }
        }
    }
}

/// The first refusal of the plugins that look at the node alone.
pub fn local_verdict(class: &PodClass, info: &NodeInfo) -> Verdict {
    let Some(facts) = info.facts.as_deref() else { return Verdict::NotNamed };
    let spec = &*class.spec;
    if facts.unschedulable && !tolerates(spec, "node.kubernetes.io/unschedulable", "", "NoSchedule") {
        Verdict::Unschedulable
    } else if !tolerates_all(spec, facts) {
        Verdict::Tainted
    } else if !node_affinity(spec, facts) {
        Verdict::Unmatched
    } else if !spec.host_ports.is_empty() && ports_clash(spec, info) {
        Verdict::PortTaken
    } else {
        resources_fit(spec, facts, info)
    }
}

fn tolerates(spec: &PodSpec, key: &str, value: &str, effect: &str) -> bool {
    spec.tolerations.iter().any(|t| t.tolerates(key, value, effect))
}

/// Whether all taints that keep pods away are tolerated.
pub fn tolerates_all(spec: &PodSpec, facts: &NodeFacts) -> bool {
    facts
        .taints
        .iter()
        .filter(|t| t.effect == "NoSchedule" || t.effect == "NoExecute")
        .all(|t| tolerates(spec, &t.key, &t.value, &t.effect))
}

/// How many taints say that the node had better be avoided.
pub fn untolerated_preferences(spec: &PodSpec, facts: &NodeFacts) -> u16 {
    facts.taints.iter().filter(|t| t.effect == "PreferNoSchedule" && !tolerates(spec, &t.key, &t.value, &t.effect)).count() as u16
}

/// Whether node selector and required node affinity match.
pub fn node_affinity(spec: &PodSpec, facts: &NodeFacts) -> bool {
    spec.node_selector.entries().iter().all(|(k, v)| facts.labels.get(k) == Some(v))
        && spec
            .affinity
            .as_ref()
            .and_then(|a| a.node_required.as_ref())
            .is_none_or(|terms| terms.iter().any(|t| t.matches(&facts.name, |k| facts.labels.get(k).cloned())))
}

/// The only nodes that come into question, where required affinity names them by `metadata.name`. Empty means that its terms contradict each other.
pub fn named_nodes(spec: &PodSpec) -> Option<Vec<Str>> {
    let terms = spec.affinity.as_ref()?.node_required.as_ref().filter(|t| !t.is_empty())?;
    let mut names = Vec::new();
    for term in terms {
        let mut lists = term.fields.iter().filter(|r| r.key == "metadata.name" && r.operator == "In").map(|r| &r.values);
        let mut of_term = lists.next()?.clone();
        lists.for_each(|list| of_term.retain(|n| list.contains(n)));
        names.extend(of_term);
    }
    order::sort(&mut names);
    names.dedup();
    Some(names)
}

/// Whether a port asked for is in use; the address 0.0.0.0 clashes with every other.
fn ports_clash(spec: &PodSpec, info: &NodeInfo) -> bool {
    let any = |ip: &str| ip.is_empty() || ip == "0.0.0.0";
    let clash = |(ip, protocol, port): &(Str, Str, i32)| {
        info.ports().any(|(i, pr, p)| p == port && pr == protocol && (any(i) || any(ip) || i == ip))
    };
    spec.host_ports.iter().any(clash)
}

fn resources_fit(spec: &PodSpec, facts: &NodeFacts, info: &NodeInfo) -> Verdict {
    let (mut of, mut always) = (0u16, false);
    let mut check = |bit: usize, wanted: i64, total: i64, used: i64| {
        if wanted > 0 && wanted > total - used {
            of |= 1u16.checked_shl(bit as u32).unwrap_or(1 << 15);
            always |= wanted > total;
        }
    };
    let (wanted, total, used) = (&spec.requests, &facts.allocatable, &info.requested);
    check(1, wanted.cpu_milli, total.cpu_milli, used.cpu_milli);
    check(2, wanted.memory, total.memory, used.memory);
    check(3, wanted.ephemeral, total.ephemeral, used.ephemeral);
    let amount = |list: &[(Str, i64)], name: &Str| list.binary_search_by(|(n, _)| n.cmp(name)).map_or(0, |i| list[i].1);
    for (i, (name, n)) in wanted.other.iter().enumerate() {
        check(4 + i, *n, amount(&total.other, name), amount(&used.other, name));
    }
    if info.pods.len() as i64 + 1 > facts.allocatable_pods {
        of |= 1;
    }
    if of == 0 { Verdict::Fits } else { Verdict::Short { of, always } }
}
