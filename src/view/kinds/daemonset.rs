//! The presentation of DaemonSets on the page: the numbers of nodes with wanted, ready and updated pods, and a menu.

use super::{ANY, KindView, Said, Workload, of_all, of_workload};
use crate::api::kind::Kind;
use crate::api::kind::condition::Condition;
use crate::api::kind::daemonset::UpdateStrategyType;
use crate::api::object::Object;
use crate::view::cluster::Health;

pub const VIEW: KindView = KindView {
    kind: Some(Kind::DAEMON_SET),
    standing,
    state: |o| {
        o.daemon_set().map_or((None, String::new()), |set| of_all(set.status.number_ready, set.status.desired_number_scheduled, "ready"))
    },
    observed: |o| {
        let text = |s: &crate::api::kind::daemonset::DaemonSetStatus| {
            format!("pods on {} of {} nodes, ready {}", s.current_number_scheduled, s.desired_number_scheduled, s.number_ready)
        };
        o.daemon_set().map_or_else(String::new, |set| text(&set.status))
    },
    menu: |menu, object| {
        menu.rollout(object);
        menu.delete(object);
    },
    workload: Some(&Workload {
        controller: Some("daemonset-controller"),
        said: |o| {
            let set = o.daemon_set()?;
            Some(Said { desired: set.status.desired_number_scheduled.into(), drifts: !is_settled(o) })
        },
        is_settled,
        paused: |o| {
            let set = o.daemon_set()?;
            let old = set.status.current_number_scheduled - set.status.updated_number_scheduled;
            let waits = set.spec.update_strategy.type_ == UpdateStrategyType::OnDelete && old > 0;
            waits.then(|| {
                format!(
                    "{old} of its pods have an old template: with the strategy OnDelete each gets the new one when somebody deletes it."
                )
            })
        },
        conditions: |o| o.daemon_set().map_or(&[] as &[Condition], |set| &set.status.conditions),
        ..Workload::ANY
    }),
    ..ANY
};

fn standing(object: &Object) -> (Health, String) {
    let Some(set) = object.daemon_set() else { return (Health::Good, String::new()) };
    let s = &set.status;
    let mut numbers = format!("{} of {} nodes ready", s.number_ready, s.desired_number_scheduled);
    if s.updated_number_scheduled < s.current_number_scheduled {
        numbers.push_str(&format!(", {} of {} updated", s.updated_number_scheduled, s.current_number_scheduled));
    }
    if s.number_misscheduled > 0 {
        numbers.push_str(&format!(", {} where none should be", s.number_misscheduled));
    }
    (of_workload(is_settled(object), &s.conditions), numbers)
}

fn is_settled(object: &Object) -> bool {
    object.daemon_set().is_some_and(|set| {
        let (s, wanted) = (&set.status, set.status.desired_number_scheduled);
        let rolled = set.spec.update_strategy.type_ == UpdateStrategyType::OnDelete || s.updated_number_scheduled == wanted;
        s.observed_generation == object.meta.generation && s.number_ready == wanted && s.current_number_scheduled == wanted && rolled
    })
}
