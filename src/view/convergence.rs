//! The state of a cluster: converged, drifting or stuck. A cluster at rest is converged only if desired and actual agree; otherwise something blocks it, and
//! the page says what, with the reasons that the view *why* gives.

use super::clock;
use super::loops::message;
use super::notes::census::NodePods;
use super::run::Run;
use super::why::stuck::{Stuck, stuck, stuck_pod};
use crate::api::time::{Span, Time};
use crate::kubelet;
use crate::sim::{Call, Cluster, Command, Process, Step, Timer};
use std::rc::Rc;
use std::sync::Arc;

/// The state of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// Desired and actual agree, and nothing is left to do.
    Converged,
    /// Desired and actual may differ, and something is under way.
    #[default]
    Drifting,
    /// Desired and actual differ, and nothing happens until something is mended or tried again.
    Stuck(Stuck),
}

/// The maximum number of workloads, and of pods, that are searched for the reason why the cluster is stuck.
const ASKED: usize = 20;
/// The maximum number of entries of the simulator's queue that are searched for the next retry.
const LOOKED_THROUGH: usize = 2_000;
/// The virtual time after which a reason is sought again although neither the store nor the gap has changed.
const ASKED_EVERY: Span = Span::millis(250);

/// The known reason why the desired state is not reached, and the state of the run in which it was sought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sought {
    /// The revision of the store, the pods wanted and ready, the commands so far, and the time in units of [`ASKED_EVERY`]: a reason may be a process that is
    /// down, and its words may count seconds.
    seen: (u64, i64, i64, usize, i64),
    reason: Option<Stuck>,
}

impl Sought {
    /// Seeks the reason; returns `last` if nothing has changed since that the reason depends on.
    pub fn seek(run: &Run, last: &Rc<Sought>) -> Rc<Sought> {
        let (cluster, balance) = (run.cluster(), &run.notes().balance);
        let given = run.session.commands().partition_point(|given| given.after < cluster.steps);
        let seen = (cluster.api.store.revision(), balance.desired, balance.ready, given, run.now().0 / ASKED_EVERY.0);
        // Near the next try, the words that count down to it are made anew every time.
        let is_over = last.reason.as_ref().and_then(|reason| reason.retry).is_some_and(|at| at <= cluster.now + ASKED_EVERY);
        if last.seen == seen && !is_over { last.clone() } else { Rc::new(Sought { seen, reason: known_reason(run) }) }
    }
    /// Returns the reason in few words, if one is known.
    pub fn brief(&self) -> Option<String> {
        self.reason.as_ref().map(Stuck::brief)
    }
    /// Returns the state of the cluster at the selected moment, in which the reason was sought.
    pub fn standing(&self, run: &Run) -> Standing {
        standing_for(run, || self.reason.clone())
    }
}

/// Returns the state of the cluster at the selected moment.
pub fn standing(run: &Run) -> Standing {
    standing_for(run, || known_reason(run))
}

fn standing_for(run: &Run, known_reason: impl FnOnce() -> Option<Stuck>) -> Standing {
    let balance = &run.notes().balance;
    // Routine work of a kubelet does not end convergence as long as nothing differs.
    if balance.converged || balance.agrees() && balance.rest().is_some() {
        return Standing::Converged;
    }
    if !balance.is_blocked() {
        return Standing::Drifting;
    }
    let mut found = known_reason().unwrap_or_else(|| unexplained(run));
    found.retry = found.retry.or_else(|| next_retry(run.cluster()));
    Standing::Stuck(found)
}

/// Returns the reason why the desired state is not reached, if one of the first objects that are not as wanted has one.
fn known_reason(run: &Run) -> Option<Stuck> {
    let balance = &run.notes().balance;
    let of_workloads = balance.unmet.iter().take(ASKED).find_map(|subject| stuck(run, subject));
    of_workloads.or_else(|| balance.unready.iter().take(ASKED).find_map(|subject| stuck_pod(run, subject)))
}

/// Returns a sentence about an object that is not as wanted, if no reason is known.
fn unexplained(run: &Run) -> Stuck {
    let balance = &run.notes().balance;
    let subject = balance.unmet.iter().chain(balance.unready.iter()).next();
    let what = subject.map_or_else(|| "something".to_owned(), |subject| subject.text());
    let words = format!("{what} is not as wanted: {}.", pods(run));
    Stuck { short: format!("{what} is not as wanted"), words, retry: None }
}

/// Returns the numbers of ready and wanted pods: `2 of 3 ready`. Pods without a workload are counted apart.
pub fn pods(run: &Run) -> String {
    let balance = &run.notes().balance;
    let alone = balance.unready.len();
    match (balance.desired, alone) {
        (0, 1) => "1 pod is not ready".to_owned(),
        (0, n) if n > 0 => format!("{} are not ready", clock::count(n, "pod", "pods")),
        (desired, 0) if balance.ready > desired => format!("{} ready, {} wanted", number(balance.ready), number(desired)),
        (desired, 0) => format!("{} of {} ready", number(balance.ready), number(desired)),
        (desired, n) => format!("{} of {} ready, {} alone not", number(balance.ready), number(desired), clock::count(n, "pod", "pods")),
    }
}

/// Returns the state of the cluster in a sentence that gives its grounds: the numbers of pods, and whether anything is on its way.
pub fn outcome(run: &Run) -> String {
    let balance = &run.notes().balance;
    let pods = if balance.desired == 0 && balance.unready.is_empty() { "no pods are wanted".to_owned() } else { pods(run) };
    if balance.converged || balance.agrees() && balance.rest().is_some() {
        let though = open(run).map(|(_, _, long)| format!(", though {long}")).unwrap_or_default();
        return format!("{pods}, nothing on its way: converged{though}.");
    }
    let how = if balance.is_blocked() { "nothing on its way that would change it" } else { "something still on its way" };
    format!("{pods}, {how}.")
}

/// Returns the words of the badge beside the state's name, and a sentence for whoever points at it. They name what is under way if the numbers of pods agree,
/// and what is open if the cluster has converged all the same, such as a node that is silent; for a converged cluster without that they are empty.
pub fn gap(run: &Run, standing: &Standing) -> (String, String) {
    let balance = &run.notes().balance;
    let open = open(run);
    match standing {
        Standing::Stuck(why) => (why.short.clone(), format!("{}. {} ", pods(run), why.words)),
        Standing::Converged => open.map_or_else(Default::default, |(_, short, long)| {
            (format!("though {short}"), format!("Desired and actual agree as far as the API server knows, though {long}. "))
        }),
        Standing::Drifting if balance.ready != balance.desired || !balance.unready.is_empty() => (pods(run), String::new()),
        Standing::Drifting => {
            let behind = || balance.unmet.iter().next().map(|subject| format!("the status of {} is behind", subject.text()));
            // A node that was given up before keeps nothing from converging.
            let is_cause = |(found_out, ..): &(bool, String, String)| !found_out;
            let (short, long) = match open.filter(is_cause) {
                Some((_, short, long)) => (short, format!("{long}. ")),
                None => (behind().unwrap_or_else(|| "something is under way".to_owned()), String::new()),
            };
            (if balance.desired == 0 { short } else { format!("{}, {short}", pods(run)) }, long)
        }
    }
}

/// Returns what is open although the numbers of pods agree, in a few words and in full: nodes that are silent, and pods that are ending. The first value is
/// true if nobody has anything to do about it: a node that was called NotReady before, and whose pods have been given up.
fn open(run: &Run) -> Option<(bool, String, String)> {
    let census = &run.notes().census;
    let silent = silent(run).map(|node| match census.silent().count() {
        1 => format!("{} is silent", node.name),
        n => format!("{n} nodes are silent"),
    });
    let ending = census.counts().ending;
    let held = census.silent().map(|node| node.counts.ending).sum::<usize>().min(ending);
    let are = |n: usize| if n == 1 { "is" } else { "are" };
    let pods = |n: usize| clock::count(n, "pod", "pods");
    let free = if silent.is_some() { ending - held } else { ending };
    let held = (held > 0).then(|| format!("{} cannot end until it is back", pods(held))).filter(|_| silent.is_some());
    let ends = (free > 0).then(|| format!("{} {} ending", pods(free), are(free)));
    let is_given_up = |node: &Arc<NodePods>| !is_called_ready(node) && node.pods.values().all(|pod| pod.object.meta.is_deleting());
    let (given_up, is_over) = (census.silent().all(is_given_up), ends.is_none());
    // What is still going on comes first.
    let parts: Vec<String> = if given_up { [ends, silent, held] } else { [silent, held, ends] }.into_iter().flatten().collect();
    Some((given_up && is_over, parts.first()?.clone(), parts.join(" and ")))
}

/// Returns a node that sends no heartbeats; one that is already marked as not ready comes first. Before the first fault, such a node has only not started yet.
pub fn silent(run: &Run) -> Option<&NodePods> {
    let census = &run.notes().census;
    let steps = run.cluster().steps;
    let mut given = run.session.commands().iter().take_while(|given| given.after < steps);
    census.silent().next()?;
    given.find(|given| matches!(given.command, Command::Fault(_)))?;
    let found_out = census.silent().find(|node_pods| !is_called_ready(node_pods));
    found_out.or_else(|| census.silent().next()).map(|node_pods| &**node_pods)
}

/// Returns whether a node is ready as far as the API server knows.
pub fn is_called_ready(node_pods: &NodePods) -> bool {
    node_pods.node.as_ref().and_then(|o| o.node()).is_some_and(|node| node.is_ready())
}

fn number(n: i64) -> String {
    clock::thousands(n.max(0) as usize)
}

/// Returns the next time at which something that failed is tried again.
fn next_retry(cluster: &Cluster) -> Option<Time> {
    let mut entries = cluster.queue.iter().take(LOOKED_THROUGH);
    entries.find(|(_, entry)| entry.retries).map(|(at, _)| at).into_iter().chain(cluster.long_retries()).min()
}

/// Returns a sentence for a cluster in which nothing is left to do, and the moment at which it goes on by itself.
pub fn at_rest(run: &Run) -> (String, Option<Time>) {
    let cluster = run.cluster();
    match standing(run) {
        Standing::Stuck(stuck) => (when_stuck(&stuck, cluster.now), stuck.retry),
        _ => {
            let (timer, at) = next_timer(cluster);
            (format!("Nothing is left to do.{timer}"), at)
        }
    }
}

/// Returns a sentence about why a stuck cluster does nothing, and when it will go on.
pub fn when_stuck(stuck: &Stuck, now: Time) -> String {
    let words = stuck.brief();
    let again =
        stuck.retry.filter(|_| !words.contains("tries again")).map(|at| format!(" It is tried again in {}.", clock::span(at - now)));
    format!("Stuck: {words}{}", again.unwrap_or_default())
}

/// Returns a sentence about the next timer, with a space before it, and the time at which it is due.
fn next_timer(cluster: &Cluster) -> (String, Option<Time>) {
    match cluster.queue.iter().next() {
        Some((at, entry)) => (format!(" The next timer: {} in {}.", due(&entry.step, cluster), clock::span(at - cluster.now)), Some(at)),
        None => (String::new(), None),
    }
}

/// Describes a step in the simulator's queue in a few words: `node lease of node-2`.
fn due(step: &Step, cluster: &Cluster) -> String {
    let (process, timer) = match step {
        Step::Wake(process, timer) => (*process, timer),
        Step::Arrive { from, call: Call::Lease, .. } => return format!("leader election of {}", message::process_name(*from, cluster)),
        Step::Answer { to, call: Call::Lease, .. } => return format!("leader election of {}", message::process_name(*to, cluster)),
        other => return message::text(other),
    };
    let name = message::process_name(process, cluster);
    let pod = |uid: &crate::api::Uid| {
        let Process::Kubelet(n) = process else { return name.clone() };
        let worker = cluster.nodes.get(n as usize).and_then(|p| p.kubelet.worker_view(*uid));
        worker.map_or_else(|| name.clone(), |w| w.object.meta.name.to_string())
    };
    match timer {
        Timer::Kubelet(kubelet::Timer::Heartbeat) => match process {
            Process::Kubelet(n) => format!("node lease of {}", cluster.nodes.get(n as usize).map_or("", |p| p.name.as_str())),
            _ => format!("heartbeat of {name}"),
        },
        Timer::Kubelet(kubelet::Timer::Probe { pod: uid, .. }) => format!("a probe of {}", pod(uid)),
        Timer::Kubelet(kubelet::Timer::Sync(uid, _)) => format!("the next try of {}", pod(uid)),
        Timer::Kubelet(kubelet::Timer::Reconcile(uid)) => format!("a look at the status of {}", pod(uid)),
        Timer::Kubelet(_) => format!("a timer of {name}"),
        Timer::Elect => format!("leader election of {name}"),
        Timer::MonitorNodes => "the look at all node leases".to_owned(),
        Timer::Schedule => "the scheduler's next look at waiting pods".to_owned(),
        Timer::Resync => "the resync of the caches".to_owned(),
        Timer::SweepPods => "the sweep for pods whose node is gone".to_owned(),
        Timer::Queue(_) => format!("a delayed key of {name}"),
        Timer::Compact => "the compaction of etcd".to_owned(),
        Timer::ExpireEvents => "the expiry of old events".to_owned(),
        Timer::Bookmarks => "the bookmarks of the watches".to_owned(),
        Timer::OwnService => "the API server's look at its own service".to_owned(),
        Timer::Person(_) => "a program of yours".to_owned(),
        Timer::Reflect(kind) => format!("the watch on {} of {name}", kind.row().plural),
        Timer::Observe(_) | Timer::Diff(_) | Timer::Start => format!("a timer of {name}"),
    }
}
