//! Links between processes and the API server: latency, slowness, partition. Events of one watch never overtake one another.

use super::cluster::Cluster;
use super::step::{Call, Entry, Process, Step, Timer};
use super::trace::Note;
use crate::api::fnv;
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::random::Rng;
use crate::api::request::{Answer, Request, Response, Subresource, Verb};
use crate::api::status::{Reason, Status};
use crate::api::time::{Span, Time};
use crate::api::watch::WatchType;
use crate::store::{Change, Filter, Watch, WatchId};
use std::sync::Arc;

/// The link between a process and the API server.
#[derive(Clone, Copy, Debug, Default)]
pub struct Link {
    /// Set if no message gets through.
    pub down: bool,
    /// The additional time that each message takes, by a fault.
    pub extra: Span,
    /// The earliest arrival of the next watch event, which keeps events in order when the link becomes faster.
    not_before: Time,
}

/// The time after which a client stops waiting for an answer.
const TIMEOUT: Span = Span::secs(10);
/// The minimum time that a reflector waits before it tries again.
const REFLECTOR_BACKOFF: Span = Span::millis(800);

/// The time after which the API server recreates its own Service `kubernetes`, if somebody deleted it.
const OWN_SERVICE: Span = Span::secs(10);

fn is_own_service(object: &Object) -> bool {
    object.kind() == Kind::SERVICE && object.meta.name == "kubernetes" && object.meta.namespace == "default"
}

impl Process {
    fn code(self) -> u64 {
        match self {
            Process::ApiServer => 0,
            Process::Manager(n) => 1 << 40 | u64::from(n),
            Process::Scheduler => 2 << 40,
            Process::Kubelet(n) => 3 << 40 | u64::from(n),
            Process::Person(n) => 4 << 40 | n,
        }
    }
    fn from_code(code: u64) -> Process {
        let n = code & 0xff_ffff_ffff;
        match code >> 40 {
            1 => Process::Manager(n as u32),
            2 => Process::Scheduler,
            3 => Process::Kubelet(n as u32),
            4 => Process::Person(n),
            _ => Process::ApiServer,
        }
    }
}

impl Cluster {
    /// Returns the link between a process and the API server.
    pub fn link(&self, process: Process) -> Link {
        self.links.get(&process).copied().unwrap_or_default()
    }
    /// True if a process has a watch open on a kind.
    pub fn is_watching(&self, process: Process, kind: Kind) -> bool {
        self.open_watches.contains_key(&(process, kind))
    }
    fn request_latency(&mut self, process: Process, call: &Call) -> Span {
        let (latency, seed) = (&self.config.latency, self.config.seed);
        let spread = latency.jitter_us.max(0) as u64 + 1;
        let jitter = match call {
            // Each informer's list draws from a random stream of its own, so that an additional kind changes nothing about the other messages.
            Call::List(kind) => {
                let name = fnv::add(process.code(), kind.row().name.as_bytes());
                Rng::new(seed, name | 1 << 63).below(spread)
            }
            _ => self.network_rng.below(spread),
        };
        Span(latency.request_us.max(0) + jitter as i64) + self.link(process).extra
    }
    fn watch_latency(&self, process: Process) -> Span {
        // The random part is constant for each process, so that events keep their order.
        let latency = &self.config.latency;
        let share = process.code().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        Span(latency.watch_us.max(0) + (share % (latency.jitter_us.max(0) as u64 + 1)) as i64) + self.link(process).extra
    }
    /// Sends a request to the API server at the time `at`, or now if that has passed.
    pub(super) fn send(&mut self, from: Process, at: Time, call: Call, request: Request) {
        let latency = self.request_latency(from, &call);
        self.stats.requests += 1;
        let background = self.background;
        self.push(at.max(self.now) + latency, Process::ApiServer, Step::Arrive { from, call, request: Arc::new(request) }, background);
    }
    /// Handles a request that has reached the API server.
    pub(super) fn arrive(&mut self, from: Process, call: &Call, request: &Arc<Request>) -> Note {
        if self.link(from).down {
            self.time_out(from, call, request);
            return Note::Lost;
        }
        let failure = if self.armed.fail_calls.is_empty() || call.is_heartbeat() { None } else { self.armed.take_failure(from) };
        if let Some(after_write) = failure {
            self.armed.strike(super::Struck { at: self.now, from, request: request.clone(), after_write });
        }
        if failure == Some(false) {
            let status = Status::new(Reason::InternalError, "Internal error occurred: the call was made to fail");
            self.answer(from, call, request, Response::refused(status));
            return Note::Handled { code: 500, stage: crate::apiserver::Stage::Route, revision: self.api.store.revision(), writes: 0 };
        }
        if request.verb == Verb::Watch {
            return self.watch_asked(from, call, request);
        }
        if Cluster::is_node_request(request) {
            let response = match request.subresource {
                Subresource::Exec => self.begin_session(from, request),
                _ => self.handle_log(request),
            };
            let note = Note::Handled {
                code: response.code(),
                stage: crate::apiserver::Stage::Route,
                revision: self.api.store.revision(),
                writes: 0,
            };
            // A session that was opened answers by its output.
            if request.subresource != Subresource::Exec || response.result.is_err() {
                self.answer(from, call, request, response);
            }
            return note;
        }
        if let Some(response) = self.read_with_components(from, request).filter(|_| failure.is_none()) {
            let (code, revision) = (response.code(), self.api.store.revision());
            self.answer(from, call, request, response);
            return Note::Handled { code, stage: crate::apiserver::Stage::Route, revision, writes: 0 };
        }
        let known = self.api.kinds.clone();
        self.measure_for(request);
        let handled = self.api.handle(request, self.now);
        if self.api.kinds != known {
            self.learn_kinds(&known);
        }
        let writes = handled.changes.len() as u32;
        self.publish(&handled.changes);
        let note = Note::Handled { code: handled.response.code(), stage: handled.stage, revision: self.api.store.revision(), writes };
        match failure {
            Some(_) => self.time_out(from, call, request),
            // Event recorders ignore good answers, so none is sent.
            None if handled.response.result.is_ok() && call.is_event() => {}
            None => self.answer(from, call, request, handled.response),
        }
        note
    }
    /// Opens a watch for a person's program, and delivers the changes since the revision that the request names.
    fn watch_asked(&mut self, from: Process, call: &Call, request: &Arc<Request>) -> Note {
        let opened = self.api.watch(request);
        let response = opened.as_ref().map_or_else(|status| Response::refused(status.clone()), |_| Response::ok(Answer::Done));
        let note =
            Note::Handled { code: response.code(), stage: crate::apiserver::Stage::Route, revision: self.api.store.revision(), writes: 0 };
        self.answer(from, call, request, response);
        if let Ok((filter, missed)) = opened {
            self.begin_watch(from, request.kind, filter, &missed);
        }
        note
    }
    fn answer(&mut self, to: Process, call: &Call, request: &Arc<Request>, response: Response) {
        let at = self.now + self.request_latency(to, call);
        let background = self.background;
        let step = Step::Answer { to, call: call.clone(), request: request.clone(), response: Arc::new(response) };
        self.push(at, to, step, background);
    }
    /// Lets a request fail by a timeout of its client. The client itself gives up, so the state of its link does not matter.
    pub(super) fn time_out(&mut self, from: Process, call: &Call, request: &Arc<Request>) {
        let status = Status::new(Reason::Timeout, "net/http: request canceled (Client.Timeout exceeded while awaiting headers)")
            .with(|s| s.code = 0);
        let step = Step::Answer { to: from, call: call.clone(), request: request.clone(), response: Arc::new(Response::refused(status)) };
        let background = self.background;
        self.push(self.now + TIMEOUT, from, step, background);
    }
    /// Sends changes of the store to all their watchers.
    pub(super) fn publish(&mut self, changes: &[Change]) {
        for change in changes {
            self.stats.writes += 1;
            self.traffic.rules.changed(&change.object, change.type_ == WatchType::Deleted, self.now);
            if change.type_ == WatchType::Deleted && is_own_service(&change.object) {
                self.wake(Process::ApiServer, self.now + OWN_SERVICE, Timer::OwnService);
            }
            let heard: Vec<_> = self.watchers.interested(change).collect();
            for (watch, owner, type_) in heard {
                self.deliver(Process::from_code(owner), watch, type_, change);
            }
        }
    }
    fn deliver(&mut self, to: Process, watch: WatchId, type_: WatchType, change: &Change) {
        let link = self.link(to);
        let at = (self.now + self.watch_latency(to)).max(link.not_before);
        // Events for a person's program count as background work: they keep no component busy.
        let background = self.background && change.object.kind() != Kind::POD || matches!(to, Process::Person(_));
        self.push(at, to, Step::Deliver { to, watch, type_, revision: change.revision, object: change.object.clone() }, background);
    }
    /// Sends every watcher a bookmark, which says that the watcher has received everything up to now. So the watcher can resume from here even if its kind
    /// rarely changes.
    pub(super) fn send_bookmarks(&mut self) {
        let revision = self.api.store.revision();
        let open: Vec<_> = self.open_watches.iter().map(|((process, kind), watch)| (*process, *kind, *watch)).collect();
        for (to, kind, watch) in open {
            let at = (self.now + self.watch_latency(to)).max(self.link(to).not_before);
            self.push(at, to, Step::Bookmark { to, watch, kind, revision }, true);
        }
    }
    pub(super) fn bookmarked(&mut self, to: Process, watch: WatchId, kind: Kind, revision: u64) -> Note {
        if self.watchers.get(watch).is_none() {
            return Note::Lost;
        }
        match to {
            Process::Manager(n) => {
                let cache = self.managers[n as usize].caches.of_mut(kind);
                cache.revision = cache.revision.max(revision);
            }
            Process::Scheduler => self.scheduler.has_heard(kind, revision),
            Process::Kubelet(n) => self.kubelet_has_heard(n, kind, revision),
            _ => {}
        }
        Note::Plain
    }
    /// Sends the list request with which a reflector begins.
    pub(super) fn start_reflector(&mut self, process: Process, kind: Kind) {
        let mut request = Request::new(crate::api::request::Verb::List, kind, "", "");
        if let Process::Kubelet(n) = process {
            let (node, field) = (self.node_name(n), if kind == Kind::POD { "spec.nodeName" } else { "metadata.name" });
            request = request.with(|o| o.field_selector = format!("{field}={node}"));
        }
        self.send(process, self.now, Call::List(kind), request);
    }
    /// Asks the API server to open a watch for a reflector, from a revision on.
    pub(super) fn open_watch(&mut self, from: Process, kind: Kind, revision: u64) {
        let at = self.now + self.request_latency(from, &Call::List(kind));
        let background = self.background;
        self.push(at, Process::ApiServer, Step::Open { from, kind, revision }, background);
    }
    /// Opens a watch for a reflector and delivers the changes since the revision. Tells the reflector to list again if the store has dropped them.
    pub(super) fn opened(&mut self, from: Process, kind: Kind, revision: u64) -> Note {
        if self.link(from).down || !self.is_alive(from) {
            self.retry_reflector(from, kind);
            return Note::Lost;
        }
        let missed = self.api.store.changes_since(revision).map(|all| all.filter(|c| c.object.kind() == kind).cloned().collect::<Vec<_>>());
        let Ok(missed) = missed else {
            let at = self.now + self.request_latency(from, &Call::List(kind));
            self.push(at, from, Step::Expired { to: from, kind }, false);
            return Note::Plain;
        };
        let filter = match from {
            Process::Kubelet(n) => Filter::OnNode(self.node_name(n)),
            _ => Filter::All,
        };
        self.begin_watch(from, kind, filter, &missed);
        Note::Plain
    }
    fn begin_watch(&mut self, from: Process, kind: Kind, filter: Filter, missed: &[Change]) {
        self.close_watch(from, kind);
        let id = self.watchers.open(Watch { kind, filter: filter.clone(), owner: from.code() });
        self.open_watches.insert((from, kind), id);
        for change in missed {
            if let Some(type_) = filter.sees(change) {
                self.deliver(from, id, type_, change);
            }
        }
    }
    fn close_watch(&mut self, process: Process, kind: Kind) {
        if let Some(id) = self.open_watches.remove(&(process, kind)) {
            self.watchers.close(id);
        }
    }
    /// Closes all watches of a process.
    pub(super) fn close_watches(&mut self, process: Process) {
        let of_process = self.open_watches.range((process, Kind::FIRST)..).map(|(key, _)| *key).take_while(|key| key.0 == process);
        let open: Vec<Kind> = of_process.map(|key| key.1).collect();
        open.into_iter().for_each(|kind| self.close_watch(process, kind));
    }
    /// Sets a timer after which a reflector tries again.
    pub(super) fn retry_reflector(&mut self, process: Process, kind: Kind) {
        if matches!(process, Process::Manager(_) | Process::Scheduler | Process::Kubelet(_)) {
            let jitter = Span(self.network_rng.below(REFLECTOR_BACKOFF.0 as u64) as i64);
            self.wake(process, self.now + REFLECTOR_BACKOFF + jitter, Timer::Reflect(kind));
        }
    }
    /// Returns whether a watch event gets lost: the watch was closed meanwhile, or a fault drops the event, which also breaks the stream.
    pub(super) fn event_lost(&mut self, to: Process, watch: WatchId, kind: Kind) -> bool {
        // A process has at most one open watch per kind, and `close_watch` removes it from both tables, so an open number always belongs to this watch.
        if self.watchers.get(watch).is_none() {
            return true;
        }
        if !self.armed.drop_events.is_empty() && self.armed.take_drop(to) {
            self.close_watch(to, kind);
            self.retry_reflector(to, kind);
            return true;
        }
        false
    }
    pub(super) fn partition(&mut self, process: Process) {
        self.links.entry(process).or_default().down = true;
        self.close_watches(process);
    }
    pub(super) fn heal(&mut self, process: Process) {
        let link = self.links.entry(process).or_default();
        if std::mem::take(&mut link.down) {
            for kind in self.watched_kinds(process) {
                self.retry_reflector(process, kind);
            }
        }
    }
    pub(super) fn slow_link(&mut self, process: Process, extra: Span) {
        let not_before = self.now + self.watch_latency(process);
        let link = self.links.entry(process).or_default();
        link.not_before = link.not_before.max(not_before);
        link.extra = extra;
    }
    /// Adds a step to the queue, caused by the current one. The step is lost if `target` ends before the time `at`.
    pub(super) fn push(&mut self, at: Time, target: Process, step: Step, background: bool) {
        let incarnation = self.incarnation(target);
        let retries = !background && at - self.now >= RETRY_AFTER && is_retry(&step);
        self.queue.push(at, Entry { step: Arc::new(step), cause: self.steps, incarnation, background, retries });
    }
}

/// A timer of the types in `is_retry` that goes off later than this waits for nothing but another attempt.
const RETRY_AFTER: Span = Span::secs(2);

fn is_retry(step: &Step) -> bool {
    matches!(step, Step::Wake(_, Timer::Schedule | Timer::Kubelet(crate::kubelet::Timer::Sync(..) | crate::kubelet::Timer::Reconcile(_))))
}
