//! Sessions: commands that run in containers for people, exec probes and hooks; and the network requests of processes. Counterparts:
//! `pkg/kubelet/cri/streaming`, `ExecSync`.
//!
//! The kubelet starts a session, lets the container's processes run as always, and reports the session's output and end to whoever asked for it. A request that
//! stays in the pod is answered here; any other goes to the simulator, which returns the answer.

use super::guests::Startup;
use super::worker::PodWorker;
use super::{Core, Cx, Kubelet};
use crate::api::kind::pod::ip_text;
use crate::api::meta::Uid;
use crate::api::time::{Span, Time};
use crate::container::guest::{Called, NotOpened, Opening};
use crate::container::process::{HUP, Stream};
use crate::network::{Hop, NetAnswer, NetRequest, NetResult, Origin, Protocol};
use std::sync::Arc;

/// The time that a network request within the pod takes.
const NEAR: Span = Span::micros(300);

/// The party that asked for a command to be run in a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A person outside the cluster, by the session's number.
    Outside(u64),
    /// A probe, by its index among the pod's probes.
    Probe(u8),
    /// The container's postStart hook.
    PostStart,
    /// The container's preStop hook, with the time at which the grace period ends.
    PreStop(Time),
}

/// New output or the end of a session that somebody outside has opened.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionNews {
    /// The number of the session, as given to [`Kubelet::exec`].
    pub session: u64,
    /// The output since the last news, in order.
    pub output: Vec<(Stream, String)>,
    /// The exit code of the session's command; `None` while it runs.
    pub code: Option<i32>,
}

/// A network request of a process that leaves its pod.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// The uid of the pod.
    pub pod: Uid,
    /// The index of the container, init containers first.
    pub container: u8,
    /// The number of the container's instance.
    pub number: u32,
    /// The pid of the process in the container.
    pub pid: u32,
    /// The request that the process has made.
    pub request: NetRequest,
}

impl Core {
    /// Starts a command in a running container. Returns `None` if the container does not run, and an error if the command cannot be started.
    pub(super) fn open_session(
        &mut self,
        w: &mut PodWorker,
        i: usize,
        opening: Opening,
        purpose: Purpose,
        cx: &mut Cx,
    ) -> Option<Result<(), NotOpened>> {
        let started = self.ensure_guest(w, i)?;
        let opened = self.with_guest(w, i, cx.now, |kernel| kernel.open(opening))?;
        Some(opened.map(|pid| self.begin_session(w, i, pid, purpose, started, cx)))
    }
    /// Creates the processes of a container that has none yet. Returns the time of the container's start, or `None` if it does not run.
    fn ensure_guest(&mut self, w: &mut PodWorker, i: usize) -> Option<Time> {
        let started = w.containers.get(i).filter(|c| c.is_running())?.started;
        if w.running(i).is_none() {
            let argv = match self.startup(w, i)? {
                Startup::Serves(_) => None,
                Startup::Runs(argv) => Some(argv),
            };
            self.make_guest(w, i, argv, started).ok()?;
        }
        Some(started)
    }
    fn begin_session(&mut self, w: &mut PodWorker, i: usize, pid: u32, purpose: Purpose, started: Time, cx: &mut Cx) {
        if let Some(running) = w.extra().running.iter_mut().find(|r| r.container as usize == i) {
            running.purposes.push((pid, purpose));
        }
        // The first steps of the container's own command come before those of the session.
        if cx.now >= started && purpose != Purpose::PostStart {
            self.run_guest(w, i, cx);
        } else {
            self.plan_guest(w, i, started.max(cx.now), started, cx);
        }
    }
    /// Returns whether the command of a probe is still running.
    pub(super) fn is_probing(&self, w: &PodWorker, i: usize, slot: usize) -> bool {
        w.running(i).is_some_and(|r| r.purposes.iter().any(|(_, purpose)| *purpose == Purpose::Probe(slot as u8)))
    }
    /// Reports the new output of a container's sessions, and the results of those that have ended, to whoever asked for them.
    pub(super) fn settle_sessions(&mut self, w: &mut PodWorker, i: usize, cx: &mut Cx) {
        let Some(running) = w.extra.as_mut().and_then(|e| e.running.iter_mut().find(|r| r.container as usize == i)) else { return };
        let mut ended: Vec<(Purpose, Called)> = Vec::new();
        let guest = &mut running.guest;
        running.purposes.retain(|(pid, purpose)| {
            let Some(session) = guest.sessions.iter_mut().find(|s| s.pid == *pid) else { return false };
            if session.code.is_none() {
                if let Purpose::Outside(number) = purpose {
                    let output = session.news();
                    if !output.is_empty() {
                        cx.told.push(SessionNews { session: *number, output, code: None });
                    }
                }
                return true;
            }
            ended.extend(guest.close(*pid, cx.now).map(|called| (*purpose, called)));
            false
        });
        for (purpose, called) in ended {
            match purpose {
                Purpose::Outside(session) => {
                    cx.told.push(SessionNews { session, output: called.output, code: Some(called.code.unwrap_or(137)) })
                }
                Purpose::Probe(slot) => self.probe_command_ended(w, slot as usize, &called, cx),
                Purpose::PostStart => self.post_start_ended(w, i, &called, cx),
                Purpose::PreStop(until) => self.pre_stop_ended(w, i, &called, until, cx),
            }
        }
    }
    /// Ends all processes and sessions of a container that has ended.
    pub(super) fn end_guest(&mut self, w: &mut PodWorker, i: usize, code: i32, cx: &mut Cx) {
        let Some(running) = w.extra.as_mut().and_then(|e| e.running.iter_mut().find(|r| r.container as usize == i)) else { return };
        running.guest.end_all(code);
        self.settle_sessions(w, i, cx);
    }
    /// Handles a network request of a process: answers it if it stays in the pod, else passes it on to the simulator.
    pub(super) fn send_request(&mut self, w: &mut PodWorker, i: usize, pid: u32, mut request: NetRequest, cx: &mut Cx) {
        let host = request.host.as_str();
        let own = matches!(host, "localhost" | "127.0.0.1" | "::1" | "0.0.0.0") || w.ip != 0 && host == ip_text(w.ip).as_str();
        let number = w.containers.get(i).map_or(0, |c| c.number);
        if own {
            let result = self.ask_own_pod(w, &request, cx.now);
            let address = if host == "localhost" { 0x7f00_0001 } else { crate::api::kind::pod::ip_parse(host) };
            let hops = vec![Hop::Resolved { tried: vec![host.to_owned()], addresses: vec![address], names: Vec::new() }];
            let answer = NetAnswer { result, hops, took: NEAR };
            return self.take_answer(w, i, number, pid, Arc::new(answer), cx);
        }
        let meta = &w.object.meta;
        let node = self.config.name.clone();
        request.from = Origin::Pod { namespace: meta.namespace.clone(), name: meta.name.clone(), node, ip: w.ip };
        cx.asks.push(Ask { pod: w.uid(), container: i as u8, number, pid, request });
    }
    /// Answers a request to the process's own pod, where any container may answer because all of them share one address.
    fn ask_own_pod(&mut self, w: &mut PodWorker, request: &NetRequest, now: Time) -> NetResult {
        if request.protocol == Protocol::Dns {
            return NetResult::Addresses(vec![0x7f00_0001]);
        }
        for i in 0..w.containers.len() {
            match self.request(w, i, request.port, Some(&request.path), now) {
                Some(_) if request.protocol == Protocol::Tcp => return NetResult::Connected,
                Some(Some((status, body))) => return NetResult::Http { status, body },
                Some(None) => return NetResult::Http { status: 502, body: String::new() },
                None => {}
            }
        }
        NetResult::Refused
    }
    fn take_answer(&mut self, w: &mut PodWorker, i: usize, number: u32, pid: u32, answer: Arc<NetAnswer>, cx: &mut Cx) {
        let Some(started) = w.containers.get(i).filter(|c| c.is_running() && c.number == number).map(|c| c.started) else { return };
        let at = cx.now + answer.took;
        self.with_guest(w, i, cx.now, |kernel| kernel.answer(pid, answer, at));
        self.plan_guest(w, i, at, started, cx);
    }
}

impl Kubelet {
    /// Hands the answer to a network request to the process that made it.
    pub fn network_answered(&mut self, ask: &Ask, answer: Arc<NetAnswer>, cx: &mut Cx) {
        self.on_pod(ask.pod, |core, w| core.take_answer(w, ask.container as usize, ask.number, ask.pid, answer, cx));
    }
    /// Types text into a session; `None` ends the session's input.
    pub fn type_into(&mut self, session: u64, text: Option<&str>, cx: &mut Cx) {
        self.on_session(session, cx, |guest, pid| match text {
            Some(text) => guest.type_text(pid, text),
            None => guest.end_input(pid),
        });
    }
    /// Hangs up a session: it ends, but its processes go on unless they have a terminal.
    pub fn hang_up(&mut self, session: u64, cx: &mut Cx) {
        self.on_session(session, cx, |guest, pid| {
            if guest.has_terminal(pid) {
                let members: Vec<u32> = guest.processes.iter().filter(|p| p.session == pid).map(|p| p.pid).collect();
                for member in members {
                    guest.signal(member, HUP);
                }
            }
            if let Some(session) = guest.sessions.iter_mut().find(|s| s.pid == pid) {
                session.code.get_or_insert(128 + i32::from(HUP));
            }
        });
    }
    fn on_session(&mut self, session: u64, cx: &mut Cx, act: impl FnOnce(&mut crate::container::guest::Guest, u32)) {
        let wanted = Purpose::Outside(session);
        let found = self.pods.iter().find_map(|(uid, w)| {
            let running = w.extra.as_ref()?.running.iter().find(|r| r.purposes.iter().any(|(_, purpose)| *purpose == wanted))?;
            let pid = running.purposes.iter().find(|(_, purpose)| *purpose == wanted)?.0;
            Some((*uid, running.container as usize, pid))
        });
        let Some((uid, i, pid)) = found else { return };
        self.on_pod(uid, |core, w| {
            if core.with_guest(w, i, cx.now, |kernel| act(kernel.guest, pid)).is_some() {
                core.run_guest(w, i, cx);
            }
        });
    }
    /// Attaches a session to the output of a container, if the container runs.
    pub(super) fn attach(&mut self, pod: Uid, i: usize, session: u64, from_start: bool, cx: &mut Cx) {
        self.on_pod(pod, |core, w| {
            let Some(started) = core.ensure_guest(w, i) else { return };
            let Some(pid) = core.with_guest(w, i, cx.now, |kernel| kernel.attach(from_start)) else { return };
            core.begin_session(w, i, pid, Purpose::Outside(session), started, cx);
        });
    }
}
