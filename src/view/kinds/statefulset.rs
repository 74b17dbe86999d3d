//! The presentation of StatefulSets on the page: the numbers of wanted, ready and updated pods, and a menu.

use super::{ANY, KindView, Said, Workload, of_all, of_wanted, of_workload};
use crate::api::kind::Kind;
use crate::api::kind::condition::Condition;
use crate::api::kind::statefulset::{StatefulSet, UpdateStrategyType};
use crate::api::object::Object;
use crate::view::cluster::Health;

pub const VIEW: KindView = KindView {
    kind: Some(Kind::STATEFUL_SET),
    standing,
    state: |o| o.stateful_set().map_or((None, String::new()), |set| of_all(set.status.ready_replicas, set.spec.replicas, "ready")),
    observed: |o| {
        o.stateful_set().map_or_else(String::new, |set| format!("replicas {}, ready {}", set.spec.replicas, set.status.ready_replicas))
    },
    menu: |menu, object| {
        menu.scale(object);
        menu.rollout(object);
        menu.delete(object);
    },
    workload: Some(&Workload {
        controller: Some("statefulset-controller"),
        said: |o| {
            let set = o.stateful_set()?;
            Some(Said { desired: set.spec.replicas.into(), drifts: !is_settled(o) })
        },
        is_settled,
        paused: |o| {
            let set = o.stateful_set()?;
            let old = set.status.replicas - set.status.updated_replicas;
            let waits = set.spec.update_strategy.type_ == UpdateStrategyType::OnDelete && old > 0;
            waits.then(|| {
                format!(
                    "{old} of its pods have an old template: with the strategy OnDelete each gets the new one when somebody deletes it."
                )
            })
        },
        conditions: |o| o.stateful_set().map_or(&[] as &[Condition], |set| &set.status.conditions),
        ..Workload::ANY
    }),
    ..ANY
};

/// Returns the number of pods that a rolling update leaves at the old template because of its partition.
fn held_back(set: &StatefulSet) -> i32 {
    (set.spec.partition().min(i64::from(set.spec.replicas))) as i32
}

fn standing(object: &Object) -> (Health, String) {
    let Some(set) = object.stateful_set() else { return (Health::Good, String::new()) };
    let s = &set.status;
    let mut numbers = of_wanted(s.ready_replicas, set.spec.replicas);
    if s.updated_replicas < s.replicas {
        numbers.push_str(&format!(", {} of {} updated", s.updated_replicas, s.replicas));
    }
    (of_workload(is_settled(object), &s.conditions), numbers)
}

fn is_settled(object: &Object) -> bool {
    object.stateful_set().is_some_and(|set| {
        let (s, wanted) = (&set.status, set.spec.replicas);
        let rolled = set.spec.update_strategy.type_ == UpdateStrategyType::OnDelete || s.updated_replicas >= wanted - held_back(set);
        s.observed_generation == object.meta.generation && s.replicas == wanted && s.ready_replicas == wanted && rolled
    })
}
