//! Strategy RollingUpdate: scales one step up or down per pass. Counterpart: `pkg/controller/deployment/rolling.go`.

use super::scale::{max_surge, max_unavailable};
use super::{Pass, active, all, available, size, total};
use crate::api::kind::deployment::Strategy;
use crate::api::object::Object;
use crate::controller::Outcome;
use crate::controller::halt::Halt;
use std::sync::Arc;

impl Pass<'_, '_, '_> {
    /// Scales the new ReplicaSet up if `maxSurge` allows it, else the old ones down if enough pods are available. Counterpart: `rolloutRolling`.
    pub(super) fn roll(&mut self) -> Result<Outcome, Halt> {
        let (new, old) = self.find_sets(true)?;
        let Some(new) = new else { return Ok(Outcome::Done) };
        let sets = all(&old, Some(&new));
        if !self.scale_new(&sets, &new)? && !self.scale_old(&sets, active(&old), &new)? && self.is_complete(&self.deployment.status) {
            self.clean_up(&old)?;
        }
        self.sync_rollout_status(&sets, Some(&new))
    }
    /// Returns the number of replicas that the new ReplicaSet, which has `own` now, may be scaled to. Counterpart: `NewRSNewReplicas`.
    pub(super) fn new_size(&self, sets: &[Arc<Object>], own: i32) -> i32 {
        let wanted = self.deployment.spec.replicas;
        if self.deployment.spec.strategy == Strategy::Recreate {
            return wanted;
        }
        let room = wanted.saturating_add(max_surge(&self.deployment)) - total(sets, size);
        if room <= 0 { own } else { own + room.min(wanted - own) }
    }
    fn scale_new(&mut self, sets: &[Arc<Object>], new: &Arc<Object>) -> Result<bool, Halt> {
        let (own, wanted) = (size(new), self.deployment.spec.replicas);
        let count = match own.cmp(&wanted) {
            std::cmp::Ordering::Equal => return Ok(false),
            std::cmp::Ordering::Greater => wanted,
            std::cmp::Ordering::Less => self.new_size(sets, own),
        };
        self.turn.differ("pods of the new template", wanted, own);
        self.resize(new, count)?;
        Ok(count != own)
    }
    fn scale_old(&mut self, sets: &[Arc<Object>], old: Vec<Arc<Object>>, new: &Arc<Object>) -> Result<bool, Halt> {
        let standing = total(&old, size);
        if standing == 0 {
            return Ok(false);
        }
        self.turn.differ("pods of old templates", 0, standing);
        let least = self.deployment.spec.replicas - max_unavailable(&self.deployment);
        let budget = total(sets, size) - least - (size(new) - available(new));
        if budget <= 0 {
            return Ok(false);
        }
        match self.shrink(old, new, budget, least) {
            // As upstream, a refused write does not fail the pass: the next change brings another one.
            Err(Halt::Failed(_)) => Ok(false),
            other => other,
        }
    }
    fn shrink(&mut self, mut old: Vec<Arc<Object>>, new: &Arc<Object>, budget: i32, least: i32) -> Result<bool, Halt> {
        let cleaned = self.drop_unhealthy(&mut old, budget)?;
        let spare = total(&old, available) + available(new) - least;
        let mut dropped = 0;
        for set in &old {
            if dropped >= spare {
                break;
            }
            let count = size(set).min(spare - dropped);
            self.resize(set, size(set) - count)?;
            dropped += count;
        }
        Ok(cleaned + dropped > 0)
    }
    /// Scales old ReplicaSets down by their unavailable pods, at most `budget`, because removing these costs no availability. Returns how many were removed.
    /// Counterpart: `cleanupUnhealthyReplicas`.
    fn drop_unhealthy(&mut self, old: &mut [Arc<Object>], budget: i32) -> Result<i32, Halt> {
        let mut dropped = 0;
        for set in old {
            let unhealthy = size(set) - available(set);
            if dropped >= budget {
                break;
            }
            if size(set) == 0 || unhealthy == 0 {
                continue;
            }
            let count = unhealthy.min(budget - dropped);
            if count < 0 {
                return Err(Halt::failed(format!(
                    "when cleaning up unhealthy replicas, got invalid request to scale down {}",
                    set.meta.name
                )));
            }
            *set = self.resize(set, size(set) - count)?;
            dropped += count;
        }
        Ok(dropped)
    }
}
