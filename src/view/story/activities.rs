//! The activities of a story: every write, refusal and pass since its beginning, sorted by meaning. Writes of a status that bring no news are left out.

use super::beginning::Beginning;
use super::phrases::singular;
use crate::api::kind::Kind;
use crate::api::kind::pod::{ContainerState, ContainerStatus};
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::{Payload, Request, Subresource, Verb};
use crate::api::sorted::SortedMap;
use crate::api::time::{Span, Time};
use crate::api::watch::WatchType;
use crate::controller::{Difference, Figure};
use crate::kubelet;
use crate::sim::{Process, Record, Step, Timer};
use crate::view::kinds;
use crate::view::monologue;
use crate::view::notes::writes::{MadeBy, Origin, Refused, Wrote};
use crate::view::object::who;
use crate::view::run::Run;
use crate::view::selection::Subject;
use crate::view::why;

/// The greatest number of newest writes that are searched for activities.
const LOOKED_THROUGH: usize = 2_000;

/// One activity of a person or a component, such as a pod that a kubelet started.
#[derive(Clone, Debug, PartialEq)]
pub struct Activity {
    /// The virtual time of the activity.
    pub at: Time,
    /// The sort order among activities of the same time, derived from revisions.
    pub order: u64,
    /// The person or component that acted.
    pub who: Who,
    /// The sort of activity, such as a pod that became ready.
    pub act: Act,
    /// The object that the activity is about; `None` if it has no name yet.
    pub object: Option<Subject>,
    /// The node of the kubelet that acted, or else the node of the pod that the activity is about; empty if there is none.
    pub node: String,
    /// The store's revision that the activity made; 0 if it made none.
    pub revision: u64,
    /// The pass that the activity belongs to: the index of its controller, and the number of the pass.
    pub pass: Option<(usize, u64)>,
}

/// The person or component that acted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// The person at the page.
    You,
    /// The API server, by a change that it made by itself.
    ApiServer,
    /// A controller by its index in the registry, or the scheduler when it decides about a pod.
    Controller(usize),
    /// A controller manager, by a request that belongs to none of its controllers' passes.
    Manager,
    /// The scheduler, by a request that is no decision about a pod.
    Scheduler,
    /// A kubelet; [`Activity::node`] names its node.
    Kubelet,
}

/// The sort of an activity. Activities of the same sort, by the same actor, about objects of the same kind make one sentence.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// A controller's pass found this difference between desired and actual.
    Saw(Difference),
    /// An object was created.
    Created,
    /// An object was marked for deletion, with this grace period in seconds.
    Marked(i64),
    /// An object was removed from the store.
    Removed,
    /// The wanted replicas of an object were changed, from one number to another.
    Scaled(i32, i32),
    /// An object was changed in another way than by its replicas or its status.
    Changed,
    /// The status of a workload was written.
    Status,
    /// A pod was bound to a node.
    Bound,
    /// The scheduler found no node for a pod, for the reason in this message.
    Unschedulable(String),
    /// A kubelet began to stop the containers of a pod.
    Stopping,
    /// A kubelet started a container of a pod.
    Started,
    /// A kubelet started a container of a pod again.
    Restarted,
    /// A pod became ready.
    Ready,
    /// A pod is no longer ready.
    Unready,
    /// A container ended, with this exit code; the text is ` by itself` if nobody and nothing made it end.
    Ended(i32, &'static str),
    /// A kubelet could not pull an image: the image, and the reason in one word.
    NoImage(String, String),
    /// A probe failed, with this message of the kubelet.
    Unhealthy(String),
    /// A controller manager marked a node as not ready, after its checks had found no new heartbeat for this long, and this long after the last one was sent;
    /// `None` if that is not known.
    NodeLost(Option<(String, Span)>),
    /// A node became ready again.
    NodeReady,
    /// A node got taints.
    Tainted,
    /// Taints of a node were removed.
    Untainted,
    /// The API server refused a write: the verb and the object, the HTTP code, and the message.
    Refused(String, u16, String),
}

/// Returns the activities since the beginning of a story, oldest first, and the time before which writes were too many to be told.
pub fn activities(run: &Run, began: &Beginning) -> (Vec<Activity>, Option<Time>) {
    let writes = &run.notes().writes;
    let mut all = Vec::new();
    let mut seen: SortedMap<(usize, u64), Activity> = SortedMap::new();
    let since = |w: &&Wrote| w.step > began.after && w.at >= began.at;
    let mut told = writes.newest().take_while(since);
    let mut earliest = run.now();
    for wrote in told.by_ref().take(LOOKED_THROUGH) {
        earliest = wrote.at;
        of_write(run, wrote, &mut all);
        let saw = wrote.made_by.as_ref().and_then(|made| saw(run, (wrote.at, wrote.revision * 4), made, began.at));
        seen.extend(saw.and_then(|saw| Some((saw.pass?, saw))));
    }
    for refused in writes.refused().take_while(|r| r.at >= began.at) {
        all.push(of_refusal(refused));
        // A pass all of whose requests were refused has made no write, but what it saw led to the refusal.
        let saw = refused.made_by.as_ref().and_then(|made| saw(run, (refused.at, 0), made, began.at));
        if let Some((pass, saw)) = saw.and_then(|saw| Some((saw.pass?, saw))) {
            seen.or_insert_with(pass, || saw);
        }
    }
    all.extend(seen.into_values());
    all.order_by_key(|activity| (activity.at, activity.order));
    let untold = told.next().map(|_| earliest);
    (all, untold)
}

/// Returns the difference that a pass had found when it asked for something that was done or refused at a time, and its sort order. Only passes over workloads
/// count, because their numbers mean something to every reader.
fn saw(run: &Run, (asked, order): (Time, u64), made: &MadeBy, earliest: Time) -> Option<Activity> {
    let own = kinds::of(made.over.0).workload?.controller;
    if own.is_some_and(|own| own != who::controller(made, run.cluster())) {
        return None;
    }
    let found = made.found.first()?;
    let at = run.notes().passes.pass(made.pass).map_or(asked, |pass| pass.at);
    Some(Activity {
        at: at.clamp(earliest, asked),
        order,
        who: Who::Controller(made.controller),
        act: Act::Saw(found.clone()),
        object: Some(Subject { kind: made.over.0, key: made.over.1.clone() }),
        node: String::new(),
        revision: 0,
        pass: Some((made.controller, made.pass)),
    })
}

fn of_refusal(refused: &Refused) -> Activity {
    let request = &refused.request;
    let object = super::commands::subject(request);
    let asked = match &object {
        Some(_) => asked_for(request),
        None => format!("{} a {}", asked_for(request), singular(request.kind)),
    };
    Activity {
        at: refused.at,
        order: u64::MAX,
        who: author(refused.by, refused.made_by.as_ref()),
        act: Act::Refused(asked, refused.code, refused.message.clone()),
        object,
        node: String::new(),
        revision: 0,
        pass: refused.made_by.as_ref().map(|made| (made.controller, made.pass)),
    }
}

/// Returns the words for a request that precede the object's name in a sentence: `delete`, `write the status of`.
pub fn asked_for(request: &Request) -> String {
    match (&request.payload, request.subresource) {
        (Payload::Binding(node), _) => format!("bind to {node}"),
        (_, Subresource::Status) => "write the status of".to_owned(),
        _ => who::asked(request),
    }
}

fn author(by: Process, made: Option<&MadeBy>) -> Who {
    match (made, by) {
        (Some(made), _) => Who::Controller(made.controller),
        (_, Process::Person(_)) => Who::You,
        (_, Process::ApiServer) => Who::ApiServer,
        (_, Process::Manager(_)) => Who::Manager,
        (_, Process::Scheduler) => Who::Scheduler,
        (_, Process::Kubelet(_)) => Who::Kubelet,
    }
}

fn of_write(run: &Run, wrote: &Wrote, all: &mut Vec<Activity>) {
    let object = &*wrote.object;
    let is_deletion = wrote.request.as_deref().is_some_and(|r| matches!(r.verb, Verb::Delete | Verb::DeleteCollection));
    let shortens = is_deletion && wrote.type_ == WatchType::Modified && !wrote.begins_deletion();
    // A story leaves out the objects that every namespace gets at setup, and deletions that only shorten the grace period.
    let of_namespace = wrote.made_by.as_ref().is_some_and(|made| made.over.0 == Kind::NAMESPACE);
    let is_setup = of_namespace && matches!(wrote.origin, Origin::Beginning | Origin::Clock(_));
    if is_setup || shortens {
        return;
    }
    let node = match wrote.by {
        Process::Kubelet(n) => run.cluster().nodes.get(n as usize).map(|node| node.name.to_string()).unwrap_or_default(),
        _ => object.pod().map(|pod| pod.node.to_string()).unwrap_or_default(),
    };
    let activity = |act: Act| Activity {
        at: wrote.at,
        order: wrote.revision * 4 + 1,
        who: author(wrote.by, wrote.made_by.as_ref()),
        act,
        object: Some(Subject { kind: object.kind(), key: object.key() }),
        node: node.clone(),
        revision: wrote.revision,
        pass: wrote.made_by.as_ref().map(|made| (made.controller, made.pass)),
    };
    if object.kind().row().is_event_or_lease {
        let told = of_event(wrote).map(|(act, subject)| Activity { object: Some(subject), ..activity(act) });
        all.extend(told);
        return;
    }
    let binding = matches!(wrote.request.as_deref().map(|r| &r.payload), Some(Payload::Binding(_)));
    let (old, status) = (wrote.old.as_deref(), wrote.request.as_deref().is_some_and(|r| r.subresource == Subresource::Status));
    match (wrote.type_, old) {
        (WatchType::Added, _) => all.push(activity(Act::Created)),
        (WatchType::Deleted, _) => all.push(activity(Act::Removed)),
        _ if wrote.begins_deletion() => all.push(activity(Act::Marked(object.meta.deletion.map_or(0, |d| d.grace_seconds)))),
        _ if binding => all.push(activity(Act::Bound)),
        (_, Some(old)) if object.pod().is_some() && status => {
            all.extend(of_pod(old, object, ends_by_itself(run, wrote.origin)).into_iter().map(activity));
        }
        (_, Some(old)) if object.node().is_some() => all.extend(of_node(run, wrote, old, status).into_iter().map(activity)),
        _ if status => all.extend(kinds::of(object.kind()).workload.map(|_| activity(Act::Status))),
        (_, Some(old)) => all.push(activity(scaled(old, object).unwrap_or(Act::Changed))),
        _ => all.push(activity(Act::Changed)),
    }
}

fn scaled(old: &Object, new: &Object) -> Option<Act> {
    let read = new.kind().row().scale?.read;
    let (from, to) = (read(old).wanted, read(new).wanted);
    (from != to).then_some(Act::Scaled(from, to))
}

/// Returns the activity of a kubelet on a pod's containers, told by an event that the kubelet wrote. A repeated event is a write of its own, which raises
/// the count of the first event.
fn of_event(wrote: &Wrote) -> Option<(Act, Subject)> {
    let event = wrote.object.event().filter(|_| matches!(wrote.by, Process::Kubelet(_)))?;
    let is_again = wrote.type_ != WatchType::Added;
    let act = match event.reason.as_str() {
        "Killing" => Act::Stopping,
        "Started" if is_again => Act::Restarted,
        "Started" => Act::Started,
        "Unhealthy" => Act::Unhealthy(event.message.trim().to_owned()),
        _ => return None,
    };
    let about = &event.involved_object;
    Some((act, Subject::new(Kind::POD, &about.namespace, &about.name)))
}

/// Returns ` by itself` if neither a fault nor a probe nor another timer of the kubelet is the cause of a change.
fn ends_by_itself(run: &Run, origin: Origin) -> &'static str {
    let is_exit = |record: &Record| matches!(&*record.step, Step::Wake(_, Timer::Kubelet(kubelet::Timer::Exit { .. })));
    match origin {
        Origin::Fault(_) | Origin::Forgotten => "",
        Origin::Clock(step) if !run.session.trail().get(step).is_some_and(is_exit) => "",
        _ => " by itself",
    }
}

/// Returns the activities that the difference between two versions of a pod's status shows; `how` says how a container has ended.
fn of_pod(old: &Object, new: &Object, how: &'static str) -> Vec<Act> {
    let (Some(before), Some(pod)) = (old.pod(), new.pod()) else { return Vec::new() };
    let mut acts = Vec::new();
    let is_going = new.meta.is_deleting();
    for status in pod.status.init_container_statuses.iter().chain(&pod.status.container_statuses) {
        let statuses = before.status.init_container_statuses.iter().chain(&before.status.container_statuses);
        let old = statuses.into_iter().find(|c| c.name == status.name);
        acts.extend(ended(old, status, how).filter(|_| !is_going));
        acts.extend(no_image(old, status));
    }
    match (before.status.is_ready(), pod.status.is_ready()) {
        (false, true) => acts.push(Act::Ready),
        (true, false) if !is_going && acts.is_empty() => acts.push(Act::Unready),
        _ => {}
    }
    let unschedulable = |pod: &crate::api::kind::pod::Pod| {
        let found = pod.status.conditions.iter().find(|c| c.reason() == "Unschedulable");
        found.map(|c| c.message().to_string())
    };
    let message = unschedulable(pod).filter(|message| unschedulable(before).as_ref() != Some(message));
    acts.extend(message.map(Act::Unschedulable));
    acts
}

/// Returns [`Act::Ended`] with the exit code if a container has ended between its old and its new status.
fn ended(old: Option<&ContainerStatus>, new: &ContainerStatus, how: &'static str) -> Option<Act> {
    let code = |state: &ContainerState| if let ContainerState::Terminated(end) = state { Some(end.exit_code) } else { None };
    let last = |c: &ContainerStatus| code(&c.state).or_else(|| c.last_state.as_deref().and_then(code));
    let runs = |c: &ContainerStatus| matches!(c.state, ContainerState::Running { .. });
    let has_ended = code(&new.state).is_some() && old.is_none_or(|c| code(&c.state).is_none());
    // A container can end and start again within one status update.
    let was_replaced = old.is_some_and(|c| runs(c) && c.restart_count < new.restart_count);
    last(new).filter(|_| has_ended || was_replaced).map(|code| Act::Ended(code, how))
}

/// Returns [`Act::NoImage`] if the image of a container could not be pulled and its old status did not say so yet.
fn no_image(old: Option<&ContainerStatus>, new: &ContainerStatus) -> Option<Act> {
    let reason = |c: &ContainerStatus| match &c.state {
        ContainerState::Waiting { reason, .. } if reason.contains("Image") && reason != "ContainerCreating" => Some(reason.to_string()),
        _ => None,
    };
    let now = reason(new).filter(|now| old.and_then(reason).as_ref() != Some(now))?;
    Some(Act::NoImage(new.image.to_string(), now))
}

/// Returns the activity that the difference between two versions of a node shows, if there is one.
fn of_node(run: &Run, wrote: &Wrote, old: &Object, status: bool) -> Option<Act> {
    let (before, node) = (old.node()?, wrote.object.node()?);
    match (before.is_ready(), node.is_ready()) {
        (true, false) if matches!(wrote.by, Process::Manager(_)) => {
            let made = wrote.made_by.as_ref();
            let found = made.and_then(|made| made.found.first()).map(|found| monologue::text(&found.actual));
            let pass = made.and_then(|made| run.notes().passes.pass(made.pass)).map_or(wrote.at, |pass| pass.at);
            let last = why::last_heartbeat(run, &wrote.object.meta.name, wrote.at);
            return Some(Act::NodeLost(found.zip(last.map(|last| pass - last))));
        }
        (false, true) => return Some(Act::NodeReady),
        _ => {}
    }
    if status {
        return None;
    }
    match node.spec.taints.len().cmp(&before.spec.taints.len()) {
        std::cmp::Ordering::Greater => Some(Act::Tainted),
        std::cmp::Ordering::Less => Some(Act::Untainted),
        std::cmp::Ordering::Equal => None,
    }
}

/// Returns the desired or actual figure of a difference as a number; `None` if it is a text.
pub fn as_number(figure: &Figure) -> Option<i64> {
    match figure {
        Figure::Int(n) => Some(*n),
        Figure::Text(_) => None,
    }
}
