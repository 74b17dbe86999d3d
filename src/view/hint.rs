//! One sentence about what to try next.

use super::clock::count;
use super::notes::census::NodePods;
use super::run::Run;
use super::standing::{Sought, Standing, when_stuck};

/// Returns a sentence about what to try or watch next, given the commands so far, the state of the cluster, and the known reason for a gap.
pub fn hint(run: &Run, standing: &Standing, sought: &Sought) -> String {
    use crate::sim::{Command, Fault};
    // In the past, what was done later is still to come.
    let given = || run.session.commands().iter().filter(|given| given.after < run.cluster().steps);
    let did = |what: fn(&Command) -> bool| given().any(|given| what(&given.command));
    let deleted = did(|c| matches!(c, Command::Run(p) if p.title().starts_with("kubectl delete")));
    let crashed = did(|c| matches!(c, Command::Fault(Fault::CrashNode { .. } | Fault::Partition { .. })));
    let (desired, ready) = (run.notes().balance.desired, run.notes().balance.ready);
    // Before the first fault, a node without heartbeats has only not started yet.
    let broke = did(|c| matches!(c, Command::Fault(_)));
    let armed = run.cluster().failures().left() as usize;
    match (silent(run).filter(|_| broke), standing) {
        _ if armed > 0 => {
            format!("{} to fail: change something and see who tries again.", count(armed, "API call is still", "API calls are still"))
        }
        (Some(node_pods), _) => about(node_pods, run),
        (None, Standing::Stuck(stuck)) => when_stuck(stuck, run.now()),
        _ if desired == 0 && run.is_converged() => "Apply the manifest and watch its pods appear.".to_owned(),
        _ if desired == 0 => "The manifest is on its way to the API server.".to_owned(),
        _ if ready < desired => {
            let wanted = if desired == 1 { "1 pod is wanted".to_owned() } else { format!("{desired} pods are wanted") };
            let are = if ready == 1 { "is" } else { "are" };
            match sought.brief() {
                Some(reason) => format!("{wanted}, {ready} {are} ready. {reason}"),
                None => format!("{wanted}, {ready} {are} ready: watch the loop close the gap."),
            }
        }
        _ if !deleted => "Delete a pod and watch the ReplicaSet replace it.".to_owned(),
        _ if !crashed => "Crash a node and see how long nobody notices.".to_owned(),
        _ => "Change replicas in the manifest and apply it.".to_owned(),
    }
}

/// Returns a node that sends no heartbeats; one that is already marked as not ready comes first.
fn silent(run: &Run) -> Option<&NodePods> {
    let census = &run.notes().census;
    let found_out = census.silent().find(|node_pods| !is_called_ready(node_pods));
    found_out.or_else(|| census.silent().next()).map(|node_pods| &**node_pods)
}

fn is_called_ready(node_pods: &NodePods) -> bool {
    node_pods.node.as_ref().and_then(|o| o.node()).is_some_and(|node| node.is_ready())
}

fn about(node_pods: &NodePods, run: &Run) -> String {
    let watched = run.cluster().managers.iter().any(|m| m.alive && m.leads);
    let (before, after) = match (is_called_ready(node_pods), watched) {
        (true, true) => (" is silent (", "), and nothing else tells: wait until it is called NotReady."),
        (true, false) => (" is silent (", "), and no controller manager leads that could notice."),
        (false, true) if node_pods.pods.values().all(|pod| pod.object.meta.is_deleting()) => {
            (" is called NotReady (", "), and its pods have been given up. Restart it, or look at who replaced them.")
        }
        (false, true) => (" is called NotReady (", "). Let time pass until its pods are given up and replaced, or bring it back."),
        (false, false) => (" is called NotReady (", "), but no controller manager leads that could replace its pods."),
    };
    format!("{}{before}{}{after}", node_pods.name, node_pods.truth.words())
}
