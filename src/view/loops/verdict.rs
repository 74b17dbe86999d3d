//! The scheduler's verdict on each node for a pod: the filter plugin that refused the node, with its message, or the score of each plugin. The verdict is made
//! on demand, by the scheduler's own functions, from the snapshot of its decision.

use crate::api::kind::Kind;
use crate::api::meta::Key;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::scheduler::{Explanation, NodeReport, Outcome, scoring_plugins};
use crate::view::clock::count;
use crate::view::notes::passes::{Noted, scheduler_index};
use crate::view::run::Run;
use arcstr::ArcStr;
use std::rc::Rc;
use std::sync::Arc;

/// The scheduler's verdict on each node, for one pod.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdicts {
    /// The name of the pod that is scheduled.
    pub pod: String,
    /// A sentence about the decision, or one that says that no decision is known and this is the verdict for now.
    pub words: String,
    /// The nodes on which the pod fits: the chosen one first, then by score.
    pub fits: Vec<NodeScore>,
    /// The number of nodes on which the pod fits that are not in `fits`.
    pub more: usize,
    /// The reasons for which nodes were refused; the reason that applies to the most nodes comes first.
    pub refused: Vec<Refused>,
    /// The number of the pass and 0, or the pod's uid and the current second; a verdict with an equal pair is still valid.
    made_for: (u64, u64),
}

/// A node on which the pod fits.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeScore {
    /// The name of the node.
    pub node: String,
    /// The weighted sum of the scores of the node.
    pub total: i64,
    /// The scores that the plugins gave the node, in the order of [`plugins`].
    pub scores: Vec<i64>,
    /// Set for the node that the scheduler chose.
    pub chosen: bool,
}

/// A reason for which nodes were refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// The filter plugin that refused the nodes.
    pub plugin: &'static str,
    /// The plugin's message, in the scheduler's words.
    pub reason: String,
    /// The names of the first nodes that were refused for this reason, at most `NODES_SHOWN`.
    pub nodes: Vec<String>,
    /// The number of nodes that were refused for this reason.
    pub count: usize,
}

/// The greatest number of nodes in a list.
const NODES_SHOWN: usize = 12;

/// Returns the names and weights of the scoring plugins, in the order of [`NodeScore::scores`].
pub fn plugins() -> impl Iterator<Item = (&'static str, i64)> {
    scoring_plugins().map(|enabled| (enabled.plugin.name, enabled.weight))
}

/// Returns the verdicts of the last decision about the pod `named`, or of the decision `pass` if `named` is empty. `last` is returned again while it is valid.
pub fn verdicts(run: &Run, pass: Option<&Noted>, named: &str, last: Option<&Rc<Verdicts>>) -> Option<Rc<Verdicts>> {
    let cluster = run.cluster();
    let pod = find(run, named);
    let pass = match &pod {
        Some(pod) => run.notes().passes.of(scheduler_index()).rev().find(|p| p.key.key == pod.key()),
        None if named.is_empty() => pass,
        None => return None,
    };
    // Without a decision the verdict is for the present; making it once a second is enough.
    let made_for = match (pass, &pod) {
        (Some(pass), _) => (pass.number, 0),
        (None, Some(pod)) => (pod.meta.uid.0, cluster.now.0 as u64 / 1_000_000 + 1),
        (None, None) => return None,
    };
    if let Some(last) = last.filter(|l| l.made_for == made_for) {
        return Some(last.clone());
    }
    let mut made = match (pass, &pod) {
        (Some(pass), _) => decided(pass)?,
        (None, Some(pod)) => {
            let explained = cluster.scheduler.scheduler.explain_anew(pod);
            let mut made = sorted(&explained, pod.pod().map_or("", |p| p.node.as_str()));
            made.words = "No decision about it is remembered: this is how it would fare now.".to_owned();
            made.pod = pod.meta.name.to_string();
            made
        }
        (None, None) => return None,
    };
    made.made_for = made_for;
    Some(Rc::new(made))
}

/// Finds a pod by `name` (in the namespace default) or `namespace/name`.
fn find(run: &Run, named: &str) -> Option<Arc<Object>> {
    let named = named.trim();
    let (namespace, name) = named.split_once('/').unwrap_or(("default", named));
    run.cluster().api.store.get(Kind::POD, &Key::new(namespace, name)).cloned()
}

fn decided(pass: &Noted) -> Option<Verdicts> {
    let (decision, basis, pod) = (pass.decision.as_ref()?, pass.basis.as_ref()?, pass.seen.primary.as_ref()?);
    let chosen: &str = match &decision.outcome {
        Outcome::Placed { node, .. } => node,
        Outcome::Unschedulable { .. } | Outcome::Nominated { .. } => "",
    };
    let mut made = sorted(&basis.explain_decision(pod, decision), chosen);
    made.pod = pod.meta.name.to_string();
    let fit = count(decision.feasible as usize, "fits", "fit");
    made.words = format!("Looked at {} of {}; {fit}.", decision.looked_at, count(decision.nodes as usize, "node", "nodes"));
    Some(made)
}

fn sorted(explained: &Explanation, chosen: &str) -> Verdicts {
    let mut fits: Vec<(i64, usize, &NodeReport)> = Vec::new();
    let mut refused: Vec<Refused> = Vec::new();
    for (i, report) in explained.nodes.iter().enumerate() {
        if report.verdict.fits() {
            fits.push((-report.score, i, report));
        }
        for reason in &report.reasons {
            refuse(&mut refused, report, reason);
        }
    }
    let more = fits.len().saturating_sub(NODES_SHOWN);
    fits.order_by_key(|(score, i, report)| (report.node != chosen, *score, *i));
    refused.order_by_key(|r| usize::MAX - r.count);
    let score = |(_, _, report): &(i64, usize, &NodeReport)| NodeScore {
        node: report.node.to_string(),
        total: report.score,
        scores: report.scores.clone().unwrap_or_default(),
        chosen: report.node == chosen,
    };
    Verdicts { fits: fits.iter().take(NODES_SHOWN).map(score).collect(), more, refused, ..Verdicts::default() }
}

fn refuse(refused: &mut Vec<Refused>, report: &NodeReport, reason: &ArcStr) {
    let plugin = report.verdict.plugin().map_or("", |p| p.name);
    let i = refused.iter().position(|r| r.plugin == plugin && *reason == r.reason.as_str()).unwrap_or_else(|| {
        refused.push(Refused { plugin, reason: reason.to_string(), nodes: Vec::new(), count: 0 });
        refused.len() - 1
    });
    if let Some(line) = refused.get_mut(i) {
        line.count += 1;
        if line.nodes.len() < NODES_SHOWN {
            line.nodes.push(report.node.to_string());
        }
    }
}
