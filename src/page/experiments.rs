//! Three things to try, which help offers as buttons: each really does what it says, to the run on the screen.

use super::{Pace, Page, Pane};
use crate::sim::Fault;
use crate::view::cluster::Health;
use crate::view::notes::census::Truth;
use arcstr::ArcStr;

/// Something to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Experiment {
    /// Deletes a pod that is ready.
    DeletePod,
    /// Cuts the power of a node.
    CrashNode,
    /// Changes the number of replicas in the manifest, and applies it.
    ChangeReplicas,
}

/// An experiment as it would be made now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// The experiment.
    pub experiment: Experiment,
    /// Its button.
    pub label: String,
    /// Its effect on this run, or the reason why it cannot be made now.
    pub words: String,
    /// Whether it can be made now.
    pub is_possible: bool,
}

/// The node that is crashed where it is there.
const USUAL_NODE: &str = "node-2";
/// From this number of replicas on the change makes them fewer.
const MANY: u32 = 8;

impl Page {
    /// The experiments as they would be made now.
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
    /// Makes an experiment, and lets time pass so that something comes of it.
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
    /// The namespace and the name of the first pod that is ready, one that has an owner before others.
    fn pod_to_delete(&self) -> Option<(ArcStr, String)> {
        let nodes = || self.run.notes().census.all_node_pods();
        let ready = || nodes().flat_map(|(_, node)| node.pods.values()).filter(|pod| pod.health == Health::Good);
        let pod = ready().find(|pod| !pod.object.meta.owners().is_empty()).or_else(|| ready().next())?;
        Some((pod.object.meta.namespace.clone(), pod.object.meta.name.to_string()))
    }
    /// The name of a node that is up.
    fn node_to_crash(&self) -> Option<ArcStr> {
        let up =
            || self.run.notes().census.all_node_pods().map(|(_, node)| node).filter(|node| node.truth == Truth::Up && node.node.is_some());
        up().find(|node| node.name == USUAL_NODE).or_else(|| up().next()).map(|node| node.name.clone())
    }
    /// The manifest with another number of replicas: the number before, the number after, and the text.
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
