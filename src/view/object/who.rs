//! The author and the verb of a change, in a few words.

use crate::api::object::Object;
use crate::api::request::{PatchType, Payload, Request, Subresource, Verb};
use crate::api::watch::WatchType;
use crate::sim::{Cluster, Process};
use crate::view::notes::writes::{MadeBy, Wrote};

/// Returns the author of a change: `kubectl apply`, `node-controller`, `kubelet node-1`.
pub fn writer(wrote: &Wrote, cluster: &Cluster) -> String {
    match (&wrote.made_by, wrote.object.event()) {
        (Some(made), _) => controller(made, cluster),
        // An event recorder puts its name into the event.
        (None, Some(event)) if matches!(wrote.by, Process::Manager(_)) => event.component().to_string(),
        _ => process(wrote.by, cluster),
    }
}

/// Returns the name of the controller that asked for a change, or `scheduler`.
pub fn controller(made: &MadeBy, cluster: &Cluster) -> String {
    cluster.controllers.get(made.controller).map_or("scheduler", |rules| rules.name()).to_owned()
}

/// Returns the name by which people call a process; for a person, the first two words of the command.
pub fn process(process: Process, cluster: &Cluster) -> String {
    match process {
        Process::ApiServer => "API server".to_owned(),
        Process::Manager(_) => "controller manager".to_owned(),
        Process::Scheduler => "scheduler".to_owned(),
        Process::Kubelet(n) => match cluster.nodes.get(n as usize) {
            Some(node) => format!("kubelet {}", node.name),
            None => "kubelet".to_owned(),
        },
        Process::Person(id) => {
            let title = cluster.console(id).map(|console| console.program.title()).unwrap_or_default();
            let words: Vec<&str> = title.split_whitespace().take(2).collect();
            if words.is_empty() { "you".to_owned() } else { words.join(" ") }
        }
    }
}

/// Returns the name of the component that renews a lease, by the namespace and name of the lease.
pub fn holder(lease: &Object) -> String {
    if lease.meta.namespace == "kube-node-lease" { format!("kubelet {}", lease.meta.name) } else { lease.meta.name.to_string() }
}

/// Returns the verb of a change: `create`, `patch status`, `bind`.
pub fn verb(wrote: &Wrote) -> String {
    let Some(request) = &wrote.request else {
        return match (wrote.type_, wrote.object.kind()) {
            (WatchType::Deleted, kind) if kind.row().expires.is_some() => "expire".to_owned(),
            (WatchType::Deleted, _) => "remove".to_owned(),
            _ => "write".to_owned(),
        };
    };
    asked(request)
}

/// Returns the verb of a request in words, with its subresource: `create`, `patch status`, `bind`.
pub fn asked(request: &Request) -> String {
    let word = match (request.verb, &request.payload) {
        (_, Payload::Patch(PatchType::Apply, _)) => "apply",
        (Verb::Get | Verb::List | Verb::Watch, _) => "read",
        (Verb::Create, _) => "create",
        (Verb::Update, _) => "update",
        (Verb::Patch, _) => "patch",
        (Verb::Delete | Verb::DeleteCollection, _) => "delete",
    };
    match request.subresource {
        Subresource::None => word.to_owned(),
        Subresource::Binding => "bind".to_owned(),
        Subresource::Eviction => "evict".to_owned(),
        part => format!("{word} {}", part.text()),
    }
}
