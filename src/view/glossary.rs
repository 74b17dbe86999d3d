//! The words of the page, each explained in a sentence or two. Terms in the panes, help and the palette read this one list.
//!
//! **To add a word**: an entry in [`GLOSSARY`]. A heading that uses the word stands in a `<Term>` (`src/ui/widgets/term.rs`).

use crate::api::order::Order;

/// A word and its explanation.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    /// The word.
    pub term: &'static str,
    /// Other words for the same thing.
    pub aliases: &'static [&'static str],
    /// The explanation.
    pub sentence: &'static str,
}

const fn entry(term: &'static str, aliases: &'static [&'static str], sentence: &'static str) -> Entry {
    Entry { term, aliases, sentence }
}

/// The longest explanation, in characters: it has to be read at the pointer.
pub const LONGEST: usize = 240;

/// All words, by the alphabet.
pub const GLOSSARY: &[Entry] = &[
    entry(
        "act",
        &[],
        "The third phase of a pass: the controller sends requests to the API server, such as “create a pod”. It changes nothing by itself.",
    ),
    entry(
        "actual",
        &["actual state"],
        "The things that are there now: nodes, pods and their state. Controllers change it until it matches the desired state.",
    ),
    entry("alert", &["firing"], "A rule that fires when a workload has been in drift for longer than a chosen time."),
    entry(
        "API server",
        &["kube-apiserver"],
        "The only door to the cluster's data. It checks every request, writes what it accepts to etcd, and tells everyone who watches.",
    ),
    entry(
        "auto",
        &["auto speed"],
        "The speed that follows a reader: time stands still after each phase that found a difference, and skips ahead where nothing happens.",
    ),
    entry(
        "back-off",
        &["backoff", "retry delay"],
        "A wait before something that failed is tried again. It grows with every failure in a row.",
    ),
    entry("bind", &["binding"], "The scheduler's request that puts a pod on a node. The kubelet of that node then starts the pod."),
    entry(
        "breakpoint",
        &["break before"],
        "A place before a phase of a controller at which the run stops by itself, so that you can look around and go on.",
    ),
    entry(
        "cache",
        &["informer", "reflector"],
        "A controller's own copy of the objects it watches. It reads only this copy, which may be a moment behind the store.",
    ),
    entry(
        "claim",
        &["PersistentVolumeClaim", "PVC"],
        "A request for storage in a namespace. It is bound to one volume that is large enough, and pods use the volume through it.",
    ),
    entry(
        "condition",
        &["conditions"],
        "A statement in an object's status that is True, False or Unknown, such as Ready, with the reason for it.",
    ),
    entry(
        "controller",
        &["control loop"],
        "A program that repeats one loop: observe, diff, act. Each controller looks after one kind of thing, such as ReplicaSets.",
    ),
    entry(
        "controller manager",
        &["kube-controller-manager"],
        "The process in which the controllers run. With several of them only the leader works, the others wait.",
    ),
    entry(
        "converged",
        &["convergence", "at rest"],
        "Desired and actual agree and nothing is on its way that would change that. Heartbeats go on.",
    ),
    entry(
        "crash loop",
        &["CrashLoopBackOff"],
        "A container that ends again and again. The kubelet restarts it, each time after a longer back-off.",
    ),
    entry(
        "DaemonSet",
        &["daemon sets"],
        "An object that wants one pod on every node, or on every node of some kind. New nodes get theirs, and the scheduler binds each by the node's name.",
    ),
    entry(
        "Deployment",
        &["rollout"],
        "An object that replaces pods a few at a time when its template changes. It works through ReplicaSets, one for each version.",
    ),
    entry(
        "desired",
        &["desired state", "spec"],
        "The state you ask for: the manifest, as the API server stored it. Its spec says how many pods there should be.",
    ),
    entry("diff", &["difference"], "The second phase of a pass: the controller compares desired with observed and decides what to do."),
    entry("drift", &["drifting", "gap"], "A difference between desired and actual. It lasts until the controllers have closed it."),
    entry(
        "event",
        &["Event object"],
        "A note that a component writes about an object, such as “Created pod”. Kubernetes keeps Events as objects for people to read.",
    ),
    entry(
        "expectation",
        &["expectations"],
        "A controller's memory of writes that its cache has not shown yet, so that it does not create the same pod twice.",
    ),
    entry(
        "fault",
        &["break something"],
        "Something you break on purpose: a process, a machine, a link or an image. Each can be mended again.",
    ),
    entry(
        "finalizer",
        &["finalizers"],
        "A mark on an object that keeps it from being deleted until its owner has cleaned up and taken the mark off.",
    ),
    entry(
        "fork",
        &["branch"],
        "A run that went another way because you did something in its past. The steps that came later are replaced.",
    ),
    entry(
        "generation",
        &["observedGeneration"],
        "Counts the changes of an object's spec. Observed generation is the last one that its controller has worked through.",
    ),
    entry(
        "heartbeat",
        &["Lease renewal"],
        "A kubelet's regular sign of life, written to its Lease. A node that sends none for a while is called NotReady.",
    ),
    entry(
        "kubectl",
        &["terminal"],
        "The command line of Kubernetes. Here it runs in the tab Terminal and talks to this page's API server.",
    ),
    entry(
        "kubelet",
        &["node agent"],
        "The program on each node that starts and stops the containers of the pods bound to it, and reports their state.",
    ),
    entry(
        "leader",
        &["lease", "leader election"],
        "The one process among equals that may work. It holds a Lease and must renew it, or another one takes over.",
    ),
    entry("manifest", &["YAML"], "The text in which you say what you want. Applying it sends it to the API server."),
    entry("namespace", &["namespaces"], "A room for names: objects of one kind need different names only within the same namespace."),
    entry("node", &["nodes", "machine"], "A machine that runs pods. Its kubelet speaks for it."),
    entry(
        "observe",
        &["observed"],
        "The first phase of a pass: the controller reads the objects it needs from its cache, without asking the API server.",
    ),
    entry(
        "owner",
        &["owner reference", "owners"],
        "The object for which another one was made: a ReplicaSet owns its pods. When the owner goes, what it owns is deleted too.",
    ),
    entry("pass", &["reconcile", "reconciliation"], "One turn of a controller's loop for one object: observe, diff, act."),
    entry("phase", &["phases"], "A part of a pass: observe, diff or act. The loop's code runs them in this order."),
    entry(
        "pod",
        &["pods"],
        "The smallest thing that Kubernetes runs: one or more containers together on one node. Pods are replaced, not repaired.",
    ),
    entry(
        "preemption",
        &["preempt", "nominated node"],
        "The scheduler deletes pods of lower priority to make room for one that fits nowhere. It waits at the nominated node until they have ended.",
    ),
    entry(
        "priority",
        &["priority class", "PriorityClass"],
        "A pod's rank, which its priority class gives. Pods of higher priority are scheduled first, and others may have to give way to them.",
    ),
    entry(
        "probe",
        &["readiness probe", "liveness probe"],
        "A check that the kubelet makes of a container again and again, to learn if it is ready for requests or still alive.",
    ),
    entry(
        "queue",
        &["work queue", "workqueue"],
        "The names of objects that wait for a controller's next pass. A name stands in it once, however often the object changed.",
    ),
    entry("replicas", &["number of replicas"], "The number of equal pods that a ReplicaSet or Deployment should have."),
    entry(
        "ReplicaSet",
        &["replica set"],
        "An object that keeps a number of equal pods. Its controller creates or deletes pods until the number is right.",
    ),
    entry("request", &["API request"], "A question or a write to the API server. Every change in a cluster is one, whoever makes it."),
    entry(
        "resourceVersion",
        &["resource version"],
        "The revision of an object's last change, as a text. A write that carries an old one is refused, so nobody overwrites what they have not seen.",
    ),
    entry(
        "resync",
        &["periodic resync"],
        "Looking at everything again after some time, even if nothing changed. It repairs what a lost message has missed.",
    ),
    entry(
        "revision",
        &["store revision"],
        "The number of a change in the store. It counts up by one with every write, whatever the object.",
    ),
    entry(
        "scheduler",
        &["kube-scheduler"],
        "The program that chooses a node for each new pod: nodes that do not fit are ruled out, the others get scores.",
    ),
    entry("Service", &["services"], "A name and an address for a set of pods. Requests to it reach the pods that are ready."),
    entry(
        "StatefulSet",
        &["stateful sets"],
        "An object that wants pods with lasting names, from 0 up. They come one after the other, go in the reverse order, and keep their storage.",
    ),
    entry(
        "status",
        &["reported state"],
        "The part of an object that says what is so, as its controller or kubelet last reported it. People write the spec instead.",
    ),
    entry("store", &["etcd"], "The cluster's only memory: etcd holds every object, and each write makes a new revision."),
    entry(
        "stuck",
        &["cannot converge"],
        "Desired and actual differ, and nothing that is on its way will change that. Someone has to change the manifest or mend a fault.",
    ),
    entry(
        "taint",
        &["taints", "toleration"],
        "A mark on a node that keeps pods away. A pod with a matching toleration may still run there.",
    ),
    entry(
        "twin",
        &["twins"],
        "A second cluster beside this one with one thing changed. Both hear the same commands, so the difference is the cause.",
    ),
    entry("unscheduled", &["pending pod", "tray"], "A pod that no node has been chosen for yet."),
    entry("virtual time", &["the clock"], "The cluster's own time. It can run slower or faster than yours, stand still and go back."),
    entry(
        "watch",
        &["watches", "watch event"],
        "A long-lived request by which a client hears of every change in order, without asking again.",
    ),
];

/// The entry of a word, by its term or one of its aliases. Case does not count.
pub fn find(word: &str) -> Option<&'static Entry> {
    let is = |name: &&str| name.eq_ignore_ascii_case(word);
    GLOSSARY.iter().find(|entry| is(&entry.term)).or_else(|| GLOSSARY.iter().find(|entry| entry.aliases.iter().any(&is)))
}

/// The entries in which all words of a text occur; those whose names begin with the text come first.
pub fn matching(text: &str) -> Vec<&'static Entry> {
    let text = text.trim().to_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    let names = |entry: &Entry| std::iter::once(entry.term).chain(entry.aliases.iter().copied()).map(str::to_lowercase).collect::<Vec<_>>();
    let fits = |entry: &&Entry| {
        let all = format!("{} {}", names(entry).join(" "), entry.sentence.to_lowercase());
        words.iter().all(|word| all.contains(word))
    };
    let mut found: Vec<&Entry> = GLOSSARY.iter().filter(fits).collect();
    found.order_by_key(|entry| !names(entry).iter().any(|name| name.starts_with(&text)));
    found
}
