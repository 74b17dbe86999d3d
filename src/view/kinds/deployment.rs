//! The presentation of Deployments on the page: the numbers of wanted, ready and updated pods, and a menu to scale them and control their rollouts.

use super::{ANY, KindView, Said, Workload, of_all, of_wanted, of_workload};
use crate::api::kind::Kind;
use crate::api::kind::condition::Condition;
use crate::api::object::Object;
use crate::view::cluster::Health;
use crate::view::menus::Menu;
use std::sync::Arc;

pub const VIEW: KindView = KindView {
    kind: Some(Kind::DEPLOYMENT),
    standing,
    state: |o| o.deployment().map_or((None, String::new()), |d| of_all(d.status.available_replicas, d.spec.replicas, "available")),
    observed: |o| o.deployment().map_or_else(String::new, |d| format!("replicas {}", d.spec.replicas)),
    menu: |menu, object| {
        menu.scale(object);
        rollout(menu, object);
        menu.delete(object);
    },
    workload: Some(&Workload {
        controller: Some("deployment-controller"),
        said: |o| {
            let d = o.deployment()?;
            let s = &d.status;
            let drifts =
                s.ready_replicas != d.spec.replicas || s.updated_replicas != d.spec.replicas || s.observed_generation != o.meta.generation;
            Some(Said { desired: d.spec.replicas.into(), drifts })
        },
        is_settled,
        paused: |o| {
            let text =
                "The rollout is paused: the controller scales, but a changed template waits until somebody runs kubectl rollout resume.";
            o.deployment().filter(|d| d.spec.paused).map(|_| text.to_owned())
        },
        conditions: |o| o.deployment().map_or(&[] as &[Condition], |d| &d.status.conditions),
        ..Workload::ANY
    }),
    ..ANY
};

fn standing(object: &Object) -> (Health, String) {
    let Some(deployment) = object.deployment() else { return (Health::Good, String::new()) };
    let s = &deployment.status;
    let mut numbers = of_wanted(s.ready_replicas, deployment.spec.replicas);
    if s.updated_replicas < s.replicas {
        numbers.push_str(&format!(", {} of {} updated", s.updated_replicas, s.replicas));
    }
    let settled = s.ready_replicas >= deployment.spec.replicas && s.updated_replicas == s.replicas;
    (of_workload(settled, &s.conditions), numbers)
}

fn is_settled(object: &Object) -> bool {
    object.deployment().is_some_and(|d| {
        let s = &d.status;
        s.observed_generation == object.meta.generation
            && s.updated_replicas == d.spec.replicas
            && s.available_replicas == d.spec.replicas
            && s.replicas == d.spec.replicas
    })
}

fn rollout(menu: &mut Menu, object: &Arc<Object>) {
    let Some(deployment) = object.deployment() else { return };
    let (target, namespace) = (format!("{}/{}", object.kind().row().singular, object.meta.name), object.meta.namespace.as_str());
    let mut rollout = |label: &str, what: &str, why_not| {
        menu.kubectl(label, &["rollout", what, &target, "-n", namespace], false, why_not);
    };
    let paused = if deployment.spec.paused { "it is paused" } else { "" };
    rollout("Restart its pods (rollout restart)", "restart", paused);
    match deployment.spec.paused {
        true => rollout("Resume its rollout", "resume", ""),
        false => rollout("Pause its rollout", "pause", ""),
    }
    rollout("Undo its last rollout", "undo", paused);
}
