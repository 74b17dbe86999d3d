//! The `describe` and `rollout` commands of single kinds, one file each. A kind without an entry is described field by field and has no rollout.

mod configmap;
pub mod cronjob;
mod daemonset;
mod deployment;
mod endpointslice;
mod horizontalpodautoscaler;
pub mod ingress;
pub mod job;
mod limitrange;
mod namespace;
mod networkpolicy;
mod node;
mod persistentvolume;
mod persistentvolumeclaim;
mod pod;
pub mod poddisruptionbudget;
mod priorityclass;
mod replicaset;
mod replicationcontroller;
mod resourcequota;
mod revisions;
pub mod role;
mod secret;
mod service;
mod serviceaccount;
mod statefulset;
mod storageclass;

use super::describe::description::Description;
use super::flags::Args;
use super::{Cx, Run, describe};
use crate::api::kind::Kind;
use crate::api::object::Object;
use std::sync::Arc;

/// The kubectl commands whose implementation depends on the kind.
pub struct KindCommands {
    kind: Option<Kind>,
    /// Writes the description of an object for `kubectl describe`.
    pub describe: fn(&mut Cx, &Object, &mut Description) -> Run,
    /// The events that `kubectl describe` prints at the end of the description.
    pub events: DescribedEvents,
    /// The functions of `kubectl rollout`; `None` if the kind has no rollouts.
    pub rollout: Option<&'static Rollout>,
    /// Set if `kubectl expose` can create a Service for objects of the kind. Counterpart: `canBeExposed`.
    pub is_exposable: bool,
}

/// The events that `kubectl describe` prints at the end of a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DescribedEvents {
    /// `kubectl describe` prints no events for objects of the kind.
    Nothing,
    /// The events about the object, found by its uid.
    OfObject,
    /// Events about any object of this kind and name: events about nodes carry the node's name instead of its uid.
    OfName,
}

type RolloutFn = fn(&mut Cx, &Args, &Arc<Object>) -> Run;

/// The functions that carry out `kubectl rollout` for a kind.
pub struct Rollout {
    /// Carries out `rollout status`.
    pub status: RolloutFn,
    /// Carries out `rollout history`.
    pub history: RolloutFn,
    /// Carries out `rollout undo`.
    pub undo: RolloutFn,
    /// Carries out `rollout pause`.
    pub pause: RolloutFn,
    /// Carries out `rollout resume`.
    pub resume: RolloutFn,
    /// Carries out `rollout restart`.
    pub restart: RolloutFn,
}

/// The commands of a kind that has no entry in the table.
const ANY: KindCommands =
    KindCommands { kind: None, describe: describe::any, events: DescribedEvents::OfObject, rollout: None, is_exposable: false };

const fn described(kind: Kind, describe: fn(&mut Cx, &Object, &mut Description) -> Run) -> KindCommands {
    KindCommands { kind: Some(kind), describe, ..ANY }
}

static KINDS: &[KindCommands] = &[
    described(Kind::CONFIG_MAP, configmap::describe),
    KindCommands { rollout: Some(&daemonset::ROLLOUT), ..described(Kind::DAEMON_SET, daemonset::describe) },
    KindCommands { rollout: Some(&deployment::ROLLOUT), is_exposable: true, ..described(Kind::DEPLOYMENT, deployment::describe) },
    described(Kind::CRON_JOB, cronjob::describe),
    described(Kind::ENDPOINT_SLICE, endpointslice::describe),
    KindCommands { events: DescribedEvents::Nothing, ..described(Kind::LIMIT_RANGE, limitrange::describe) },
    KindCommands { events: DescribedEvents::Nothing, ..described(Kind::RESOURCE_QUOTA, resourcequota::describe) },
    described(Kind::HORIZONTAL_POD_AUTOSCALER, horizontalpodautoscaler::describe),
    described(Kind::INGRESS, ingress::ingress),
    described(Kind::INGRESS_CLASS, ingress::class),
    described(Kind::JOB, job::describe),
    KindCommands { events: DescribedEvents::Nothing, ..described(Kind::NAMESPACE, namespace::describe) },
    KindCommands { events: DescribedEvents::Nothing, ..described(Kind::NETWORK_POLICY, networkpolicy::describe) },
    KindCommands { events: DescribedEvents::OfName, ..described(Kind::NODE, node::describe) },
    described(Kind::PERSISTENT_VOLUME, persistentvolume::describe),
    described(Kind::PERSISTENT_VOLUME_CLAIM, persistentvolumeclaim::describe),
    KindCommands { is_exposable: true, ..described(Kind::POD, pod::describe) },
    KindCommands { is_exposable: true, ..described(Kind::REPLICA_SET, replicaset::describe) },
    KindCommands { is_exposable: true, ..described(Kind::REPLICATION_CONTROLLER, replicationcontroller::describe) },
    described(Kind::POD_DISRUPTION_BUDGET, poddisruptionbudget::describe),
    described(Kind::PRIORITY_CLASS, priorityclass::describe),
    KindCommands { events: DescribedEvents::Nothing, ..described(Kind::ROLE, role::role) },
    KindCommands { events: DescribedEvents::Nothing, ..described(Kind::CLUSTER_ROLE, role::role) },
    KindCommands { events: DescribedEvents::Nothing, ..described(Kind::ROLE_BINDING, role::binding) },
    KindCommands { events: DescribedEvents::Nothing, ..described(Kind::CLUSTER_ROLE_BINDING, role::binding) },
    KindCommands { events: DescribedEvents::Nothing, ..described(Kind::SECRET, secret::describe) },
    KindCommands { is_exposable: true, ..described(Kind::SERVICE, service::describe) },
    described(Kind::SERVICE_ACCOUNT, serviceaccount::describe),
    KindCommands { rollout: Some(&statefulset::ROLLOUT), ..described(Kind::STATEFUL_SET, statefulset::describe) },
    described(Kind::STORAGE_CLASS, storageclass::describe),
];

/// Returns the kubectl commands of a kind.
pub fn of(kind: Kind) -> &'static KindCommands {
    KINDS.iter().find(|k| k.kind == Some(kind)).unwrap_or(&ANY)
}
