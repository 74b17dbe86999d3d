//! Plays a random script on a cluster.

use super::script::{Move, Script, ask, commands, cordon};
use loopscope::api::kind::Kind;
use loopscope::sim::{Cluster, Command, Fault, Given, ProcessName, Record};

/// A run of a script, with a record of what was done in it.
pub struct Play {
    /// The cluster.
    pub cluster: Cluster,
    /// The moves that were made, in words.
    pub done: Vec<String>,
    /// The same moves as commands with their times.
    pub given: Vec<Given>,
}

impl Play {
    /// Creates the cluster of a script; no move has been made yet.
    pub fn new(script: &Script) -> Play {
        Play { cluster: Cluster::new(script.config.clone()), done: Vec::new(), given: Vec::new() }
    }
    /// Plays the script until its end, or until `look`, which is called after every step, returns
    /// false.
    pub fn play(&mut self, script: &Script, look: &mut dyn FnMut(&Cluster, &Record) -> bool) {
        let start = self.cluster.now;
        for (at, step) in &script.moves {
            let until = start + *at;
            while self.cluster.queue.next_at().is_some_and(|next| next <= until) {
                let Some(record) = self.cluster.step() else { break };
                if !look(&self.cluster, &record) {
                    return;
                }
            }
            self.cluster.run_until(until, 1);
            let all = commands(&self.cluster, step);
            self.give(all);
        }
    }
    /// Ends every fault of the cluster.
    pub fn mend(&mut self) {
        let all = mend_all(&self.cluster);
        self.give(all);
    }
    fn give(&mut self, all: Vec<(Command, String)>) {
        for (command, text) in all {
            self.done.push(format!("{} step {}: {text}", self.cluster.now.rfc3339_micro(), self.cluster.steps));
            self.given.push(Given { after: self.cluster.steps, at: self.cluster.now, command: command.clone() });
            self.cluster.command(command);
        }
    }
}

/// Returns the commands that end every fault of a cluster, each with its description.
fn mend_all(cluster: &Cluster) -> Vec<(Command, String)> {
    let mut all = vec![Fault::Registry { up: true }];
    let mut processes = vec![ProcessName::Scheduler];
    processes.extend((0..cluster.managers.len()).map(|n| ProcessName::ControllerManager(n as u32)));
    for node in cluster.nodes.iter() {
        let node = node.name.to_string();
        processes.push(ProcessName::Kubelet(node.clone()));
        all.extend([Fault::RestartNode { node: node.clone() }, Fault::ThawNode { node }]);
    }
    for process in processes {
        all.push(Fault::Heal { process: process.clone() });
        all.push(Fault::SlowLink { process: process.clone(), extra_ms: 0 });
        all.push(Fault::RestartProcess { process });
    }
    let mut done: Vec<_> = all.into_iter().map(|f| (Command::Fault(f.clone()), format!("{f:?}"))).collect();
    done.extend(commands(cluster, &Move::Probe(None)));
    let cordoned = cluster.api.store.range(Kind::NODE, "", None).filter(|o| o.node().is_some_and(|n| n.spec.unschedulable));
    done.extend(cordoned.map(|o| ask(cordon(&o.meta.name, false))));
    done
}
