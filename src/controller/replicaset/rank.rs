//! Ranks pods for deletion when there are too many. Counterpart: `ActivePodsWithRanks` in `pkg/controller/controller_utils.go`.

use crate::api::kind::pod::{Phase, Pod};
use crate::api::object::Object;
use crate::api::time::Time;
use crate::controller::available::ready_since;
use crate::persistent::OrdMap;
use arcstr::ArcStr;
use std::cmp::Ordering;
use std::sync::Arc;

/// The annotation that makes the controller delete a pod earlier (low cost) or later (high cost).
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// Returns the first `count` pods in order of deletion. `related` are the active pods of all ReplicaSets with the same owner: nodes with many of them lose pods
/// first.
pub fn first_to_go<'a>(pods: &[&'a Arc<Object>], related: &[&Arc<Object>], count: usize, now: Time) -> Vec<&'a Arc<Object>> {
    if count >= pods.len() {
        return pods.to_vec();
    }
    let mut on_node: OrdMap<ArcStr, u32> = OrdMap::new();
    for pod in related.iter().filter_map(|o| o.pod()) {
        *on_node.entry(pod.node.clone()).or_default() += 1;
    }
    let mut ranked: Vec<Ranked> = pods.iter().filter_map(|o| Ranked::new(o, &on_node)).collect();
    merge_sort(&mut ranked, &|a, b| a.compare(b, now));
    ranked.into_iter().take(count).map(|r| r.object).collect()
}

/// The properties of a pod that decide the order of deletion, read once per pod.
#[derive(Clone)]
struct Ranked<'a> {
    object: &'a Arc<Object>,
    assigned: bool,
    phase: u8,
    ready: Option<Time>,
    cost: i32,
    neighbours: u32,
    restarts: u32,
    sidecar_restarts: u32,
    uid: String,
}

impl<'a> Ranked<'a> {
    fn new(object: &'a Arc<Object>, on_node: &OrdMap<ArcStr, u32>) -> Option<Ranked<'a>> {
        let pod = object.pod()?;
        let (restarts, sidecar_restarts) = restarts(pod);
        Some(Ranked {
            object,
            assigned: !pod.node.is_empty(),
            phase: match pod.status.phase {
                Phase::Pending => 0,
                Phase::Unknown => 1,
                _ => 2,
            },
            ready: ready_since(pod),
            cost: object.meta.annotations.get(DELETION_COST).and_then(|c| c.parse().ok()).unwrap_or(0),
            neighbours: on_node.get(pod.node.as_str()).copied().unwrap_or(0),
            restarts,
            sidecar_restarts,
            uid: object.meta.uid.text(),
        })
    }
    /// Compares two pods; the lesser one is deleted first.
    fn compare(&self, other: &Ranked, now: Time) -> Ordering {
        self.assigned
            .cmp(&other.assigned)
            .then_with(|| self.phase.cmp(&other.phase))
            .then_with(|| self.ready.is_some().cmp(&other.ready.is_some()))
            .then_with(|| self.cost.cmp(&other.cost))
            .then_with(|| other.neighbours.cmp(&self.neighbours))
            .then_with(|| match (self.ready, other.ready) {
                (Some(a), Some(b)) => by_age(a, b, (&self.uid, &other.uid), now),
                _ => Ordering::Equal,
            })
            .then_with(|| other.restarts.cmp(&self.restarts))
            .then_with(|| other.sidecar_restarts.cmp(&self.sidecar_restarts))
            .then_with(|| by_age(self.object.meta.created, other.object.meta.created, (&self.uid, &other.uid), now))
    }
}

fn restarts(pod: &Pod) -> (u32, u32) {
    let most = |list: &[crate::api::kind::pod::ContainerStatus]| list.iter().map(|c| c.restart_count).max().unwrap_or(0);
    let sidecar = |name: &str| pod.spec.init_containers.iter().any(|c| c.sidecar && c.name == name);
    let sidecars = pod.status.init_container_statuses.iter().filter(|c| sidecar(&c.name)).map(|c| c.restart_count).max().unwrap_or(0);
    (most(&pod.status.container_statuses), sidecars)
}

/// Puts the younger pod first, but compares ages only by their power of two in nanoseconds: among pods of about the same age the uid decides, which is as good
/// as random and keeps a ReplicaSet from always losing its newest pods.
fn by_age(a: Time, b: Time, uids: (&str, &str), now: Time) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    power(a, now).cmp(&power(b, now)).then_with(|| uids.0.cmp(uids.1))
}

fn power(since: Time, now: Time) -> i32 {
    let nanoseconds = i128::from((now - since).0) * 1000;
    if nanoseconds > 0 { nanoseconds.ilog2() as i32 } else { -1 }
}

/// Sorts stably by merging. The order of [`Ranked::compare`] is not transitive (equal times fall through to other rules, different ones of one power to the
/// uid), and the standard sort may panic on such an order.
fn merge_sort<T: Clone>(items: &mut Vec<T>, compare: &dyn Fn(&T, &T) -> Ordering) {
    let mut width = 1;
    while width < items.len() {
        let mut merged = Vec::with_capacity(items.len());
        for pair in items.chunks(width * 2) {
            let (mut left, mut right) = pair.split_at(width.min(pair.len()));
            while let (Some((l, rest_l)), Some((r, rest_r))) = (left.split_first(), right.split_first()) {
                if compare(r, l) == Ordering::Less {
                    merged.push(r.clone());
                    right = rest_r;
                } else {
                    merged.push(l.clone());
                    left = rest_l;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        *items = merged;
        width *= 2;
    }
}
