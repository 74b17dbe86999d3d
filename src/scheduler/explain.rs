//! Explains scheduling decisions to people: the verdict and the scores of each node. Counterpart: none; real Kubernetes only logs them.
//!
//! Explanations are computed on demand, by the same functions as decisions. Simplification: a nomination that the decision used up is not put back.

use super::assessment::Assessment;
use super::class::PodClass;
use super::framework::{Handle, Verdict, scoring_plugins};
use super::schedule_one::{reserved_nodes, search};
use super::topology::Topology;
use super::{Decision, Scheduler};
use crate::api::meta::Uid;
use crate::api::object::Object;
use crate::api::time::Time;
use arcstr::ArcStr;
use std::sync::Arc;

/// The verdicts and scores of the nodes for one pod.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// One report for each node that the search tried, in the order of the search.
    pub nodes: Vec<NodeReport>,
    /// The number of nodes in the cluster.
    pub total: usize,
}

/// The verdict and the scores of one node for one pod.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeReport {
    /// The name of the node.
    pub node: ArcStr,
    /// The verdict on the node, including the plugin that refused it.
    pub verdict: Verdict,
    /// The reasons of the verdict, in kube-scheduler's words; empty if the node fits.
    pub reasons: Vec<ArcStr>,
    /// The normalized scores (0 to 100) in the order of [`scoring_plugins`]; `None` if the node does not fit.
    pub scores: Option<Vec<i64>>,
    /// The weighted sum of the scores; 0 if the node does not fit.
    pub score: i64,
}

impl Scheduler {
    /// Explains how a pod would be scheduled now. If called right before [`Scheduler::schedule_one`], explains that decision.
    pub fn explain(&self, object: &Object) -> Explanation {
        let Some(pod) = object.pod() else { return Explanation::default() };
        let known = self.snapshot.classes.find(&object.meta, pod).cloned();
        let class = known.unwrap_or_else(|| Arc::new(PodClass::of(0, &object.meta, pod)));
        self.explain_class(&class, object.meta.uid)
    }
    /// Explains how a pod of this class would be scheduled now. Makes the assessment from scratch instead of taking it from the cache.
    fn explain_class(&self, class: &Arc<PodClass>, uid: Uid) -> Explanation {
        let mut topology = Topology::of(&self.snapshot);
        let nodes = topology.order.len();
        let mut handle = Handle { snapshot: &self.snapshot, topology: &mut topology, listers: &self.listers };
        let mut assessment = Assessment::new(class, &mut handle);
        let reserved = reserved_nodes(class, uid, &self.nominations, &handle);
        let found = search(&mut assessment, &mut handle, self.start, reserved);
        let scores = assessment.scores(&found.feasible, &handle);
        let mut explanation = Explanation { nodes: Vec::new(), total: nodes };
        if let Some(refusal) = &assessment.pre_filter_refusal {
            let name = |position| handle.node(position).and_then(|i| i.facts.as_ref()).map(|f| f.name.clone()).unwrap_or_default();
            let refused = |position| NodeReport {
                node: name(position),
                verdict: assessment.excluded(),
                reasons: vec![refusal.clone()],
                scores: None,
                score: 0,
            };
            explanation.nodes = (0..nodes).map(refused).collect();
            return explanation;
        }
        for i in 0..nodes.min(found.looked_at) {
            let position = match &assessment.named {
                Some(named) => named[(self.start + i) % named.len()] as usize,
                None => (self.start + i) % nodes,
            };
            let verdict = found.verdict(&assessment, position);
            let node = handle.node(position).and_then(|i| i.facts.as_ref()).map(|f| f.name.clone()).unwrap_or_default();
            let scores = found.feasible.iter().position(|p| *p as usize == position).and_then(|i| scores.get(i)).cloned();
            let score = scores.iter().flatten().zip(scoring_plugins()).map(|(score, enabled)| score * enabled.weight).sum();
            explanation.nodes.push(NodeReport { node, verdict, reasons: verdict.reasons(&class.spec), scores, score });
        }
        explanation
    }
    /// Returns a copy of the state that [`Scheduler::explain_decision`] needs, without the cache, so that this scheduler can go on changing its own in place.
    pub fn basis(&self) -> Scheduler {
        Scheduler {
            snapshot: self.snapshot.clone(),
            listers: self.listers.clone(),
            nominations: self.nominations.clone(),
            start: self.start,
            ..Scheduler::default()
        }
    }
    /// Explains a decision about a pod. `self` is the [`Scheduler::basis`] taken right after the decision.
    pub fn explain_decision(&self, object: &Object, decision: &Decision) -> Explanation {
        let mut before = self.basis();
        let nodes = before.snapshot.node_count().max(1);
        before.start = (before.start % nodes + nodes - decision.looked_at as usize % nodes) % nodes;
        before.explain_without(object)
    }
    /// Explains how a pod would be scheduled now if it were not on a node already.
    pub fn explain_anew(&self, object: &Object) -> Explanation {
        self.basis().explain_without(object)
    }
    fn explain_without(&mut self, object: &Object) -> Explanation {
        self.snapshot.remove_pod(object.meta.uid);
        self.explain(object)
    }
    /// Returns the pod that [`Scheduler::pop`] would return, without removing it from the queue.
    pub fn next_pod(&self, now: Time) -> Option<Arc<Object>> {
        self.queue.clone().pop(now)
    }
}
