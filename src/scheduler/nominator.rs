//! The pods for which preemption is making room, each with the node that it is nominated for. Counterpart: `backend/queue/nominator.go`.

use super::class::PodClass;
use crate::api::meta::Uid;
use crate::persistent::OrdMap;
use arcstr::ArcStr;
use std::sync::Arc;

/// A pod's nomination for a node on which preemption is making room.
#[derive(Clone, Debug)]
pub struct Nomination {
    /// The name of the node that the pod is nominated for.
    pub node: ArcStr,
    /// The class of the nominated pod.
    pub class: Arc<PodClass>,
}

/// All nominated pods.
#[derive(Clone, Debug, Default)]
pub struct Nominations {
    by_pod: OrdMap<Uid, Nomination>,
}

impl Nominations {
    /// Returns whether no pod is nominated.
    pub fn is_empty(&self) -> bool {
        self.by_pod.is_empty()
    }
    /// Returns the nomination of a pod, if it has one.
    pub fn get(&self, uid: Uid) -> Option<&Nomination> {
        self.by_pod.get(&uid)
    }
    /// Returns all nominations, in the order of the pods' uids.
    pub fn iter(&self) -> impl Iterator<Item = (Uid, &Nomination)> {
        self.by_pod.iter().map(|(uid, nomination)| (*uid, nomination))
    }
    /// Ends the nomination of a pod. Returns `false` if it had none.
    pub fn remove(&mut self, uid: Uid) -> bool {
        self.by_pod.remove(&uid).is_some()
    }
    /// Adds a nomination found in a pod's status (after a restart), unless the pod has one already.
    pub fn restore(&mut self, uid: Uid, nomination: impl FnOnce() -> Nomination) {
        if !self.by_pod.contains_key(&uid) {
            self.by_pod.insert(uid, nomination());
        }
    }
    /// Nominates a pod for a node. Pods of lower priority that were nominated for the same node lose it; returns their uids.
    pub fn nominate(&mut self, uid: Uid, node: &ArcStr, class: &Arc<PodClass>) -> Vec<Uid> {
        let loses = |n: &Nomination| n.node == *node && n.class.spec.priority < class.spec.priority;
        let losers: Vec<Uid> = self.by_pod.iter().filter(|(_, n)| loses(n)).map(|(uid, _)| *uid).collect();
        for loser in &losers {
            self.by_pod.remove(loser);
        }
        self.by_pod.insert(uid, Nomination { node: node.clone(), class: class.clone() });
        losers
    }
}
