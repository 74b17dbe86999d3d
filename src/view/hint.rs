//! One sentence that says what to try next.

use super::desk::Desk;
use super::notes::census::Crew;

/// The next thing worth seeing, by what has been done so far and how things stand.
pub fn hint(desk: &Desk) -> String {
    use crate::sim::{Command, Fault};
    let did = |what: fn(&Command) -> bool| desk.session.commands().iter().any(|given| what(&given.command));
    let deleted = did(|c| matches!(c, Command::Run(p) if p.title().starts_with("kubectl delete")));
    let crashed = did(|c| matches!(c, Command::Fault(Fault::CrashNode { .. } | Fault::Partition { .. })));
    let (desired, ready) = (desk.notes().balance.desired, desk.notes().balance.ready);
    match silent(desk) {
        Some(crew) => about(crew, desk),
        None if desired == 0 && desk.is_converged() => "Apply the manifest and watch its pods appear.".to_owned(),
        None if desired == 0 => "The manifest is on its way to the API server.".to_owned(),
        None if ready < desired => format!("{desired} pods are wanted, {ready} are ready: watch the loop close the gap."),
        None if !deleted => "Delete a pod and watch the ReplicaSet replace it.".to_owned(),
        None if !crashed => "Crash a node and see how long nobody notices.".to_owned(),
        None => "Change replicas in the manifest and apply it.".to_owned(),
    }
}

/// A node that is not heard of: one that was found out first.
fn silent(desk: &Desk) -> Option<&Crew> {
    let census = &desk.notes().census;
    let found_out = census.silent().find(|crew| !is_called_ready(crew));
    found_out.or_else(|| census.silent().next()).map(|crew| &**crew)
}

fn is_called_ready(crew: &Crew) -> bool {
    crew.node.as_ref().and_then(|o| o.node()).is_some_and(|node| node.is_ready())
}

fn about(crew: &Crew, desk: &Desk) -> String {
    let watched = desk.cluster().managers.iter().any(|m| m.alive && m.leads);
    let (before, after) = match (is_called_ready(crew), watched) {
        (true, true) => (" is silent (", "), and nothing else tells: turn the speed up and wait until it is called NotReady."),
        (true, false) => (" is silent (", "), and no controller manager leads that could notice."),
        (false, true) => (" was found out (", "). Let time pass until its pods are given up and replaced, or bring it back."),
        (false, false) => (" was found out (", "), but no controller manager leads that could replace its pods."),
    };
    [crew.name.as_str(), before, crew.truth.words(), after].concat()
}
