//! Three experiments that the help dialog offers as buttons: each really changes the run on the screen.

use super::{Pace, Page, Pane};
use crate::sim::Fault;
use crate::view::cluster::Health;
use crate::view::notes::census::Truth;
use arcstr::ArcStr;

/// An experiment that the help dialog offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Experiment {
    /// Deletes a pod that is ready.
    DeletePod,
    /// Cuts the power of a node.
    CrashNode,
    /// Changes the number of replicas in the manifest, and applies it.
    ChangeReplicas,
}

/// An experiment as the help dialog offers it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// The experiment that is offered.
    pub experiment: Experiment,
    /// The label of the experiment's button.
    pub label: String,
    /// The experiment's effect on this run, or the reason why it is impossible now.
    pub words: String,
    /// Set if the experiment is possible now.
    pub is_possible: bool,
}

/// The node that the experiment crashes if it is up; otherwise another is crashed.
const USUAL_NODE: &str = "node-2";
/// The number of replicas from which on the experiment lowers the number instead of raising it.
const MANY: u32 = 8;

impl Page {
    /// Returns the experiments, as they would be carried out now.
    pub(super) fn experiments(&self) -> Vec<Offered> {
        let offered = |experiment, label: String, words: Result<String, &str>| {
            let is_possible = words.is_ok();
            Offered { experiment, label, words: words.unwrap_or_else(str::to_owned), is_possible }
        };
        let pod = self.pod_to_delete().map(|(_, name)| format!("{name} goes. Who notices?"));
        let node = self.node_to_crash();
        let crash = node.as_deref().unwrap_or("a node");
        let replicas = self.changed_replicas().map(|(from, to, _)| format!("{from} become {to} in the manifest, which is applied."));
        vec![
            offered(Experiment::DeletePod, "Delete a pod".to_owned(), pod.ok_or("No pod is ready now.")),
            offered(
                Experiment::CrashNode,
                format!("Crash {crash}"),
                node.as_deref().map(|_| "Its power is cut. See how long nobody notices.".to_owned()).ok_or("No node is up now."),
            ),
            offered(Experiment::ChangeReplicas, "Change replicas".to_owned(), replicas.ok_or("The manifest has no line with replicas.")),
        ]
    }
    /// Carries out an experiment, and lets time pass so that the run reacts.
    pub(super) fn try_out(&mut self, experiment: Experiment) {
        self.close_overlay();
        match experiment {
            Experiment::DeletePod => {
                let Some((namespace, name)) = self.pod_to_delete() else { return };
                self.run.delete_pod(&namespace, &name);
            }
            Experiment::CrashNode => {
                let Some(node) = self.node_to_crash() else { return };
                self.run.fault(Fault::CrashNode { node: node.to_string() });
            }
            Experiment::ChangeReplicas => {
                let Some((_, _, text)) = self.changed_replicas() else { return };
                self.text = text.into();
                self.apply_manifest();
            }
        }
        self.pane = Pane::Actual;
        if self.pace == Pace::Paused {
            self.run.go_on();
            self.pace = Pace::Playing;
        }
    }
    /// Returns namespace and name of the first ready pod; a pod with an owner comes before others.
    fn pod_to_delete(&self) -> Option<(ArcStr, String)> {
        let nodes = || self.run.notes().census.all_node_pods();
        let ready = || nodes().flat_map(|(_, node)| node.pods.values()).filter(|pod| pod.health == Health::Good);
        let pod = ready().find(|pod| !pod.object.meta.owners().is_empty()).or_else(|| ready().next())?;
        Some((pod.object.meta.namespace.clone(), pod.object.meta.name.to_string()))
    }
    /// Returns the name of a node that is up, if there is one.
    fn node_to_crash(&self) -> Option<ArcStr> {
        let up =
            || self.run.notes().census.all_node_pods().map(|(_, node)| node).filter(|node| node.truth == Truth::Up && node.node.is_some());
        up().find(|node| node.name == USUAL_NODE).or_else(|| up().next()).map(|node| node.name.clone())
    }
    /// Returns the old number of replicas in the manifest, a new one, and the manifest with the new one; `None` if no line has a number of replicas.
    fn changed_replicas(&self) -> Option<(u32, u32, String)> {
        const FIELD: &str = "replicas:";
        let at = self.text.lines().position(|line| line.trim_start().starts_with(FIELD))?;
        let line = self.text.lines().nth(at)?;
        let (before, after) = line.split_once(FIELD)?;
        let digits: String = after.trim_start().chars().take_while(char::is_ascii_digit).collect();
        let from: u32 = digits.parse().ok()?;
        let to = if from >= MANY { from / 2 } else { from + 2 };
        let changed = format!("{before}{FIELD}{}", after.replacen(&digits, &to.to_string(), 1));
        let lines = self.text.lines().enumerate().map(|(i, line)| if i == at { changed.as_str() } else { line });
        let mut text = lines.collect::<Vec<_>>().join("\n");
        if self.text.ends_with('\n') {
            text.push('\n');
        }
        Some((from, to, text))
    }
}
