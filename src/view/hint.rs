//! One sentence about what to try next.

use super::convergence::{Sought, Standing, is_called_ready, silent, when_stuck};
use super::notes::census::{NodePods, Truth};
use super::object::who;
use super::run::Run;

/// Returns a sentence about what to try or watch next, given the commands so far, the state of the cluster, and the known reason for a gap.
pub fn hint(run: &Run, standing: &Standing, sought: &Sought) -> String {
    use crate::sim::{Command, Fault};
    // At a moment in the past, only the commands given before it count.
    let given = || run.session.commands().iter().filter(|given| given.after < run.cluster().steps);
    let did = |what: fn(&Command) -> bool| given().any(|given| what(&given.command));
    let deleted = did(|c| matches!(c, Command::Run(p) if p.title().starts_with("kubectl delete")));
    let crashed = did(|c| matches!(c, Command::Fault(Fault::CrashNode { .. } | Fault::Partition { .. })));
    let scaled = did(|c| matches!(c, Command::Run(p) if p.title().starts_with("kubectl scale")));
    let refused = did(|c| matches!(c, Command::Fault(Fault::FailCalls { .. })));
    let applied = given().filter(|given| matches!(&given.command, Command::Run(p) if p.title().starts_with("kubectl apply"))).count();
    let (desired, ready) = (run.notes().balance.desired, run.notes().balance.ready);
    // If the cluster is stuck for another reason, that reason is the hint. A silent node is the hint only if it is the reason itself, or if nothing is stuck.
    let silent = silent(run).filter(|node| match standing {
        Standing::Stuck(stuck) => stuck.short.starts_with(node.name.as_str()),
        _ => true,
    });
    match (silent, standing) {
        (None, Standing::Stuck(stuck)) => when_stuck(stuck, run.now()),
        _ if run.cluster().failures().left() > 0 => to_fail(run),
        (Some(node_pods), _) => about(node_pods, run),
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
        _ if run.is_person_asking() => "What you asked for is on its way: it arrives as time goes on.".to_owned(),
        _ if deleted && !crashed && run.notes().balance.rest().is_none() => "Watch what the loop makes of the deletion.".to_owned(),
        _ if !deleted => "Delete a pod and watch the ReplicaSet replace it.".to_owned(),
        _ if !crashed => "Crash a node and see how long nobody notices.".to_owned(),
        _ if !scaled && applied < 2 => "Change replicas in the manifest and apply it.".to_owned(),
        _ if !refused => "Let the API server refuse a call: its menu in the loop offers it. See who tries again.".to_owned(),
        _ => "Open another example, or change this one: the loop does the rest.".to_owned(),
    }
}

/// Returns a sentence about the API calls that faults are still to fail, with advice on how to see a component try again: if a call of the person's own fails,
/// nobody does.
fn to_fail(run: &Run) -> String {
    let cluster = run.cluster();
    let mut said = Vec::new();
    let mut is_any = false;
    for (left, whose, after_write) in cluster.calls_to_fail() {
        let calls = if *left == 1 { "next API call".to_owned() } else { format!("next {left} API calls") };
        let whose = match whose {
            Some(process) => format!(" of the {}", who::process(*process, cluster).replacen("kubelet ", "kubelet of ", 1)),
            None => ", whoever makes them (leases aside),".to_owned(),
        };
        is_any |= whose.starts_with(",");
        let end = if *after_write { "carried out, but the answer gets lost" } else { "refused" };
        let is = if *left == 1 { "is" } else { "are" };
        said.push(format!("The {calls}{whose} {is} {end}"));
    }
    let balance = &run.notes().balance;
    let advice = match is_any {
        _ if balance.ready < balance.desired => "See who tries again.",
        true => "Nobody tries yours again: kill a pod's containers, and see who tries what again.",
        false => "Other calls pass: delete a pod and see who tries again.",
    };
    format!("{}. {advice}", said.join(". "))
}

fn about(node_pods: &NodePods, run: &Run) -> String {
    let watched = run.cluster().managers.iter().any(|m| m.alive && m.leads);
    let (before, after) = match (is_called_ready(node_pods), watched) {
        (true, true) => (" is silent (", "). Nothing else shows it yet: wait until it is called NotReady."),
        (true, false) => (" is silent (", "), and no controller manager leads that could notice."),
        (false, true) if node_pods.pods.is_empty() => (" is called NotReady (", "). No pod was on it, so nothing has to be replaced."),
        (false, true) if node_pods.pods.values().all(|pod| pod.object.meta.is_deleting()) => {
            let balance = &run.notes().balance;
            let replaced = if balance.ready < balance.desired {
                "their replacements are not all ready yet"
            } else {
                "the wanted ones are ready again"
            };
            let advice = match node_pods.truth {
                Truth::CutOff => "Heal its link",
                Truth::Frozen => "Thaw it",
                _ => "Restart it",
            };
            return format!(
                "{} is called NotReady ({}). Its pods have been given up, and {replaced}. {advice} to get it back.",
                node_pods.name,
                node_pods.truth.words()
            );
        }
        (false, true) => (" is called NotReady (", "). Let time pass until its pods are given up and replaced, or bring it back."),
        (false, false) => (" is called NotReady (", "), but no controller manager leads that could replace its pods."),
    };
    format!("{}{before}{}{after}", node_pods.name, node_pods.truth.words())
}
