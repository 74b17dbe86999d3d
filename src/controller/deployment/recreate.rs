//! Strategy Recreate: all old pods end before the first new one starts. Counterpart: `pkg/controller/deployment/recreate.go`.

use super::{Pass, active, all};
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::controller::Outcome;
use crate::controller::halt::Halt;
use std::sync::Arc;

impl Pass<'_, '_, '_> {
    /// Scales the old ReplicaSets to zero, waits for their pods to end, then creates or scales the new one.
    pub(super) fn recreate(&mut self) -> Result<Outcome, Halt> {
        let (mut new, mut old) = self.find_sets(false)?;
        let standing = active(&old);
        for set in &standing {
            self.resize(set, 0)?;
        }
        if !standing.is_empty() || self.old_pods_run(new.as_ref(), &old) {
            return self.sync_rollout_status(&all(&old, new.as_ref()), new.as_deref());
        }
        if new.is_none() {
            (new, old) = self.find_sets(true)?;
        }
        let Some(new) = new else { return Ok(Outcome::Done) };
        self.resize(&new, self.deployment.spec.replicas)?;
        if self.is_complete(&self.deployment.status) {
            self.clean_up(&old)?;
        }
        self.sync_rollout_status(&all(&old, Some(&new)), Some(&new))
    }
    /// Returns true while an old pod has not ended; a pod that is being deleted still counts. Counterpart: `oldPodsRunning`.
    fn old_pods_run(&mut self, new: Option<&Arc<Object>>, old: &[Arc<Object>]) -> bool {
        let counted: i32 = old.iter().filter_map(|s| s.replica_set()).map(|s| s.status.replicas).sum();
        let is_old = |pod: &Object| pod.meta.controller().is_some_and(|o| new.is_none_or(|n| n.meta.uid != o.uid));
        let runs = |pod: &Object| pod.pod().is_some_and(|p| !p.status.phase.is_terminal());
        let selected = |pod: &Object| self.deployment.spec.selector.matches(&pod.meta.labels);
        let running = counted > 0 || self.seen.related(Kind::POD).any(|p| is_old(p) && runs(p) && selected(p));
        if running {
            self.turn.differ("running pods of old templates", 0, counted);
        }
        running
    }
}
