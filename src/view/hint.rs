//! One sentence that says what to try next.

use super::cluster::NodeCard;
use super::desk::Desk;
use super::frame::ClusterView;

/// The next thing worth seeing, by what has been done so far and how things stand.
pub fn hint(desk: &Desk, cluster: &ClusterView) -> String {
    use crate::sim::{Command, Fault};
    let did = |what: fn(&Command) -> bool| desk.session.commands().iter().any(|given| what(&given.command));
    let deleted = did(|c| matches!(c, Command::Run(p) if p.title().starts_with("kubectl delete")));
    let crashed = did(|c| matches!(c, Command::Fault(Fault::CrashNode { .. } | Fault::Partition { .. })));
    let (desired, ready) = (desk.notes().balance.desired, desk.notes().balance.ready);
    let down: Vec<&NodeCard> = cluster.nodes.iter().filter(|n| !n.powered || !n.linked).collect();
    match down.iter().find(|n| n.status.starts_with("NotReady")).or(down.first()) {
        Some(node) if node.status.starts_with("NotReady") => {
            format!("{} was found out. Let time pass until its pods are given up and replaced, or bring it back.", node.name)
        }
        Some(node) => format!("{} is silent, and nothing else tells: turn the speed up and wait until it is called NotReady.", node.name),
        None if desired == 0 && desk.is_converged() => "Apply the manifest and watch its pods appear.".to_owned(),
        None if desired == 0 => "The manifest is on its way to the API server.".to_owned(),
        None if ready < desired => format!("{desired} pods are wanted, {ready} are ready: watch the loop close the gap."),
        None if !deleted => "Delete a pod and watch the ReplicaSet replace it.".to_owned(),
        None if !crashed => "Crash a node and see how long nobody notices.".to_owned(),
        None => "Change replicas in the manifest and apply it.".to_owned(),
    }
}
