//! How a decision came about, told afterwards. Counterpart: none; real Kubernetes only logs it.
//!
//! Simplified: a nomination that the decision used up is not put back.

use super::{Decision, Explanation, Scheduler};
use crate::api::object::Object;
use crate::api::time::Time;

impl Scheduler {
    /// What a decision just made was made from. What is kept for speed stays behind, so that the scheduler can go on changing it in place.
    pub fn basis(&self) -> Scheduler {
        Scheduler {
            snapshot: self.snapshot.clone(),
            around: self.around.clone(),
            nominations: self.nominations.clone(),
            start: self.start,
            ..Scheduler::default()
        }
    }
    /// Tells how a pod fared on each node, from what was left right after the decision about it.
    pub fn explain_made(&self, object: &Object, made: &Decision) -> Explanation {
        let mut before = self.basis();
        let nodes = before.snapshot.node_count().max(1);
        before.start = (before.start % nodes + nodes - made.looked_at as usize % nodes) % nodes;
        before.explain_again(object)
    }
    /// Tells how a pod would fare if it had to be placed anew.
    pub fn explain_anew(&self, object: &Object) -> Explanation {
        self.basis().explain_again(object)
    }
    fn explain_again(&mut self, object: &Object) -> Explanation {
        self.snapshot.remove_pod(object.meta.uid);
        self.explain(object)
    }
    /// The pod that would be taken next.
    pub fn next_pod(&self, now: Time) -> Option<std::sync::Arc<Object>> {
        self.queue.clone().pop(now)
    }
}
