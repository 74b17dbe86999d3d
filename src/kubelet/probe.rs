//! Probes and their results. Counterpart: `pkg/kubelet/prober`.
//!
//! HTTP and TCP probes check whether the container listens on the port, and what it answers. Exec probes run their command in the container.
//! Simplifications: a probe over the network takes no time; a gRPC probe only checks whether the port is open.

use super::container_event::ContainerEvent;
use super::runtime::Program;
use super::sessions::Purpose;
use super::worker::{PodWorker, Stage, bit};
use super::{Core, Cx, Timer};
use crate::api::kind::pod::{Check, Container, Probe, RestartPolicy, ip_text};
use crate::api::time::{Span, Time};
use crate::api::value::Value;
use crate::container::guest::{Called, NotOpened, Opening};
use crate::container::process::Stream;
use arcstr::ArcStr;

/// The type of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeKind {
    /// Tests whether the container has started; no other probe of the container runs before that.
    Startup,
    /// Tests whether the container must be restarted.
    Liveness,
    /// Tests whether the container may receive requests.
    Readiness,
}

/// The state of one probe of one container.
#[derive(Clone, Copy, Debug)]
pub struct ProbeWorker {
    /// The index of the container in the pod, init containers first.
    pub container: u8,
    /// The type of the probe.
    pub kind: ProbeKind,
    /// The probe's result, by its thresholds; `None` for a startup probe that has no result yet.
    pub passed: Option<bool>,
    /// Set after a failure until the container is restarted; the probe is not run meanwhile.
    pub on_hold: bool,
    /// The answer of the last run: `true` if it succeeded.
    last: bool,
    /// The number of equal answers in a row.
    run: i32,
    /// The sequence number of the planned wake-up; wake-ups with other numbers are outdated.
    seq: u32,
    /// The time at which the probe runs next.
    pub next: Time,
}

impl ProbeWorker {
    fn reset(&mut self) {
        self.passed = match self.kind {
            ProbeKind::Startup => None,
            ProbeKind::Liveness => Some(true),
            ProbeKind::Readiness => Some(false),
        };
        (self.on_hold, self.run) = (false, 0);
    }
    /// Returns whether another answer like the last one would change nothing.
    fn is_steady(&self) -> bool {
        let started = self.kind == ProbeKind::Startup && self.passed == Some(true);
        started || (self.run > 0 && self.passed == Some(self.last))
    }
    fn spec(self, container: &Container) -> Option<&Probe> {
        match self.kind {
            ProbeKind::Startup => container.startup.as_ref(),
            ProbeKind::Liveness => container.liveness.as_ref(),
            ProbeKind::Readiness => container.readiness.as_ref(),
        }
    }
}

impl PodWorker {
    fn probe(&self, i: usize, kind: ProbeKind) -> Option<&ProbeWorker> {
        self.extra.as_ref()?.probes.iter().find(|p| p.container as usize == i && p.kind == kind)
    }
    /// Returns whether a container has no startup probe or has passed it.
    pub fn startup_passed(&self, i: usize) -> bool {
        self.container(i).is_none_or(|c| c.startup.is_none()) || self.probe(i, ProbeKind::Startup).is_some_and(|p| p.passed == Some(true))
    }
    /// Returns whether a container has no readiness probe or passes it.
    pub fn readiness_passed(&self, i: usize) -> bool {
        self.container(i).is_none_or(|c| c.readiness.is_none())
            || self.probe(i, ProbeKind::Readiness).is_some_and(|p| p.passed == Some(true))
    }
    /// Returns the containers that must be restarted, because a probe failed or their spec was changed: bit i stands for container i.
    pub fn unhealthy(&self) -> u64 {
        let Some(extra) = &self.extra else { return 0 };
        let failed = extra.probes.iter().filter(|p| p.kind != ProbeKind::Readiness && p.passed == Some(false));
        failed.fold(extra.changed, |mask, p| mask | bit(p.container as usize))
    }
}

impl Core {
    /// Starts all probes when the pod's sandbox is ready; their periods count from now.
    pub(super) fn begin_probes(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        let old = w.extra.as_mut().map(|e| std::mem::take(&mut e.probes)).unwrap_or_default();
        let mut probes = Vec::new();
        let kinds = [ProbeKind::Startup, ProbeKind::Liveness, ProbeKind::Readiness];
        for i in 0..w.containers.len() {
            for kind in kinds {
                let seq = old.iter().map(|p| p.seq).max().unwrap_or(0) + 1;
                let mut probe =
                    ProbeWorker { container: i as u8, kind, passed: None, on_hold: false, last: false, run: 0, seq, next: cx.now };
                probe.reset();
                let Some(spec) = w.container(i).and_then(|c| probe.spec(c)) else { continue };
                probe.next = cx.now + Span::secs(spec.period);
                cx.out.wake(probe.next, Timer::Probe { pod: w.uid(), slot: probes.len() as u8, seq, steady: false });
                probes.push(probe);
            }
        }
        if !probes.is_empty() {
            w.extra().probes = probes;
        }
    }
    /// Restores the probe results of containers that still run, after a restart of the kubelet's process.
    pub(super) fn restore_probes(&mut self, w: &mut PodWorker, ready: &[bool], up: &[bool]) {
        for probe in w.extra.iter_mut().flat_map(|e| &mut e.probes) {
            let i = probe.container as usize;
            match probe.kind {
                ProbeKind::Startup if up.get(i) == Some(&true) => probe.passed = Some(true),
                ProbeKind::Readiness => probe.passed = ready.get(i).copied(),
                _ => {}
            }
        }
    }
    /// Returns the results of a container's startup, liveness and readiness probes; `None` without a probe or a result.
    pub(super) fn probe_results(&self, w: &PodWorker, i: usize) -> [Option<bool>; 3] {
        [ProbeKind::Startup, ProbeKind::Liveness, ProbeKind::Readiness].map(|kind| w.probe(i, kind).and_then(|p| p.passed))
    }
    /// Resets the probes of a container that has just been started.
    pub(super) fn probes_of_new_container(&mut self, w: &mut PodWorker, i: usize) {
        for probe in w.extra.iter_mut().flat_map(|e| &mut e.probes).filter(|p| p.container as usize == i) {
            probe.reset();
        }
    }
    /// Runs the probes at once that wait for their first success, as the real kubelet does at each sync.
    pub(super) fn trigger_probes(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        let due: Vec<usize> =
            w.extra.iter().flat_map(|e| e.probes.iter().enumerate()).filter(|(_, p)| waits(w, p)).map(|(s, _)| s).collect();
        for slot in due {
            let (pod, at) = (w.uid(), cx.now + Core::jitter(3, 8, cx));
            let Some(probe) = w.extra().probes.get_mut(slot) else { continue };
            probe.seq = probe.seq.wrapping_add(1);
            probe.next = at;
            cx.out.wake(at, Timer::Probe { pod, slot: slot as u8, seq: probe.seq, steady: false });
        }
    }
    /// Returns whether a container that was just started waits for its first successful probe; the next relist then runs the probe again.
    pub(super) fn awaits_probes(&self, w: &PodWorker, now: Time) -> bool {
        let young = |p: &ProbeWorker| w.containers.get(p.container as usize).is_some_and(|c| now - c.started < Span::millis(100));
        w.extra.iter().flat_map(|e| &e.probes).any(|p| waits(w, p) && young(p))
    }
    /// Runs a probe that is due and plans its next run.
    pub(super) fn probe_due(&mut self, w: &mut PodWorker, slot: usize, seq: u32, cx: &mut Cx) {
        let Some(probe) = w.extra.as_ref().and_then(|e| e.probes.get(slot)).copied().filter(|p| p.seq == seq) else { return };
        let i = probe.container as usize;
        let Some(spec) = w.container(i).and_then(|c| probe.spec(c)).cloned() else { return };
        if w.gone || (w.stage != Stage::Syncing && probe.kind != ProbeKind::Readiness) {
            return;
        }
        let changed = self.run_probe(w, slot, probe, &spec, cx);
        let running = w.containers.get(i).is_some_and(|c| c.is_running());
        let Some(probe) = w.extra.as_mut().and_then(|e| e.probes.get_mut(slot)) else { return };
        if probe.seq == seq {
            probe.next = cx.now + Span::secs(spec.period);
            let steady = !running || probe.is_steady();
            cx.out.wake(probe.next, Timer::Probe { pod: w.uid(), slot: slot as u8, seq, steady });
        }
        if changed {
            self.probe_changed(w, cx);
        }
    }
    fn probe_changed(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        if w.stage == Stage::Syncing {
            self.wake(w, cx.now + Span::millis(2), cx);
        } else if w.stage == Stage::Terminating
            && let Some((status, _)) = self.generate(w, false, cx.now)
        {
            self.set_status(w, status, cx);
        }
    }
    /// Runs a probe if its container is running and old enough. Returns `true` if the probe's result has changed.
    fn run_probe(&mut self, w: &mut PodWorker, slot: usize, probe: ProbeWorker, spec: &Probe, cx: &mut Cx) -> bool {
        let i = probe.container as usize;
        let Some(instance) = w.containers.get(i).filter(|c| c.is_running()) else { return false };
        let age = cx.now - instance.started;
        let idle = match probe.kind {
            ProbeKind::Startup => probe.passed == Some(true),
            _ => !w.startup_passed(i),
        };
        if idle || probe.on_hold || age < Span::secs(spec.initial_delay) {
            return false;
        }
        if w.stage != Stage::Syncing && matches!(spec.check, Check::Exec(_)) {
            // No program can be started in a container that is being stopped.
            let message = "Readiness probe errored and resulted in unknown state: rpc error: code = Canceled desc = context canceled";
            self.record_about(w, i, ContainerEvent::warning("Unhealthy", message).after(1), cx);
            return false;
        }
        if self.is_probing(w, i, slot) {
            return false;
        }
        self.check(w, i, slot, spec, cx).is_some_and(|answer| self.probe_answered(w, slot, probe, spec, answer, cx))
    }
    /// Handles the end of an exec probe's command.
    pub(super) fn probe_command_ended(&mut self, w: &mut PodWorker, slot: usize, called: &Called, cx: &mut Cx) {
        let Some(probe) = w.extra.as_ref().and_then(|e| e.probes.get(slot)).copied() else { return };
        let i = probe.container as usize;
        let Some(spec) = w.container(i).and_then(|c| probe.spec(c)).cloned() else { return };
        if w.gone || !w.containers.get(i).is_some_and(|c| c.is_running()) {
            return;
        }
        let answer = match called.code {
            Some(0) => Ok(()),
            Some(_) => Err(called.text(Stream::Out) + &called.text(Stream::Err)),
            None => {
                let Check::Exec(command) = &spec.check else { return };
                let words: Vec<&str> = command.iter().map(ArcStr::as_str).collect();
                Err(format!("command \"{}\" timed out", words.join(" ")))
            }
        };
        if self.probe_answered(w, slot, probe, &spec, answer, cx) {
            self.probe_changed(w, cx);
        }
    }
    /// Handles the answer of one run of a probe. Returns `true` if the probe's result has changed.
    fn probe_answered(
        &mut self,
        w: &mut PodWorker,
        slot: usize,
        mut probe: ProbeWorker,
        spec: &Probe,
        answer: Result<(), String>,
        cx: &mut Cx,
    ) -> bool {
        let i = probe.container as usize;
        if let Err(output) = &answer {
            let kind = match probe.kind {
                ProbeKind::Startup => "Startup",
                ProbeKind::Liveness => "Liveness",
                ProbeKind::Readiness => "Readiness",
            };
            self.record_about(w, i, ContainerEvent::warning("Unhealthy", format!("{kind} probe failed: {output}")).after(1), cx);
        }
        let good = answer.is_ok();
        probe.run = if probe.run > 0 && probe.last == good { probe.run.saturating_add(1) } else { 1 };
        probe.last = good;
        let threshold = if good { spec.success_threshold } else { spec.failure_threshold };
        let changed = probe.run >= threshold && probe.passed != Some(good);
        if changed {
            probe.passed = Some(good);
            // A container that will be restarted is not probed any more.
            probe.on_hold = !good && probe.kind != ProbeKind::Readiness;
        }
        if let Some(kept) = w.extra().probes.get_mut(slot) {
            *kept = probe;
        }
        changed
    }
    /// Returns the event message about a container that is stopped in order to be restarted, and its grace period in seconds.
    pub(super) fn kill_reason(&self, w: &PodWorker, i: usize) -> (Option<ArcStr>, i64) {
        let grace = w.spec().map_or(30, |s| s.grace_seconds);
        let Some(container) = w.container(i) else { return (None, grace) };
        let failed = w.extra.iter().flat_map(|e| &e.probes).find(|p| p.container as usize == i && p.on_hold);
        if let Some(message) = w.resize_restart(i) {
            return (Some(message), grace);
        }
        let Some(probe) = failed else {
            return (Some(format!("Container {} definition changed, will be restarted", container.name).into()), grace);
        };
        let kind = if probe.kind == ProbeKind::Startup { "startup" } else { "liveness" };
        let restarts = container.restart_policy.or(w.spec().map(|s| s.restart_policy)) != Some(RestartPolicy::Never);
        let (first, end) = match i < w.init_count() {
            true => ("Init container", ""),
            false => ("Container", if restarts { ", will be restarted" } else { "" }),
        };
        let message = format!("{first} {} failed {kind} probe{end}", container.name);
        (Some(message.into()), probe.spec(container).and_then(|p| p.grace_seconds).unwrap_or(grace))
    }
}

/// Returns whether a probe waits for its first success: a startup probe, or a readiness probe that is not passed.
fn waits(w: &PodWorker, probe: &ProbeWorker) -> bool {
    let i = probe.container as usize;
    let running = w.containers.get(i).is_some_and(|c| c.is_running());
    match probe.kind {
        ProbeKind::Startup => running && probe.passed.is_none(),
        ProbeKind::Readiness => running && w.startup_passed(i) && probe.passed != Some(true),
        ProbeKind::Liveness => false,
    }
}

impl Core {
    /// Performs the check of a probe. An error holds the check's output. `None` if the check is a command that was started; its answer comes to
    /// [`Core::probe_command_ended`].
    fn check(&mut self, w: &mut PodWorker, i: usize, slot: usize, spec: &Probe, cx: &mut Cx) -> Option<Result<(), String>> {
        let (path, port) = match &spec.check {
            Check::Exec(command) => return self.check_command(w, i, slot, command, Span::secs(spec.timeout), cx),
            Check::Http { path, port, .. } => (Some(path.as_str()), port),
            Check::Tcp { port } | Check::Grpc { port } => (None, port),
        };
        let number = self.port_number(w, i, Some(&Value::Str(port.clone())));
        let host = format!("{}:{number}", ip_text(w.ip));
        let answer =
            if self.config.runtime.recorded { recorded_answer(w, i, number, path) } else { self.request(w, i, number, path, cx.now) };
        let url = |path: &str| format!("http://{host}/{}", path.trim_start_matches('/'));
        Some(match (path, answer) {
            (None, Some(_)) => Ok(()),
            (Some(_), Some(Some((status, _)))) if (200..400).contains(&status) => Ok(()),
            (Some(_), Some(Some((status, _)))) => Err(format!("HTTP probe failed with statuscode: {status}")),
            (Some(path), Some(None)) => {
                Err(format!("Get \"{}\": net/http: HTTP/1.x transport connection broken: malformed HTTP response", url(path)))
            }
            (Some(path), None) => Err(format!("Get \"{}\": dial tcp {host}: connect: connection refused", url(path))),
            (None, None) => Err(format!("dial tcp {host}: connect: connection refused")),
        })
    }
    /// Runs the command of an exec probe in the container.
    fn check_command(
        &mut self,
        w: &mut PodWorker,
        i: usize,
        slot: usize,
        command: &[ArcStr],
        limit: Span,
        cx: &mut Cx,
    ) -> Option<Result<(), String>> {
        let set = w.extra.iter().flat_map(|e| &e.exec).find(|(path, _)| command.iter().any(|word| word.contains(path.as_str()))).cloned();
        if let Some((path, ok)) = set {
            return Some(if ok { Ok(()) } else { Err(format!("cat: can't open '{path}': No such file or directory\n")) });
        }
        if self.config.runtime.recorded {
            let age = cx.now - w.containers.get(i).map_or(cx.now, |c| c.started);
            return Some(recorded_command(w, i, command, age));
        }
        // The most common exec probe reads a file with `cat`. If the file exists, no process is needed to answer it.
        if let [cat, path] = command
            && cat == "cat"
            && path.starts_with('/')
            && self.look_at_file(w, i, path, cx.now) == Some(true)
        {
            return Some(Ok(()));
        }
        let argv: Vec<String> = command.iter().map(ToString::to_string).collect();
        let name = argv.first().cloned().unwrap_or_default();
        let opening = Opening { argv, until: Some(cx.now + limit), ..Opening::default() };
        match self.open_session(w, i, opening, Purpose::Probe(slot as u8), cx)? {
            Ok(()) => None,
            Err(NotOpened::Failed(_, text)) => Some(Err(text)),
            Err(NotOpened::Missing) => Some(Err(format!(
                "OCI runtime exec failed: exec failed: unable to start container process: exec: \"{name}\": executable file not found in $PATH: unknown"
            ))),
        }
    }
}

/// Returns the answer of a container with the recordings' runtime: a server listens on its declared ports, and nginx and httpd serve one page.
fn recorded_answer(w: &PodWorker, i: usize, port: u16, path: Option<&str>) -> Option<Option<(u16, String)>> {
    let container = w.container(i)?;
    let declared = container.ports.is_empty() || container.ports.iter().any(|(_, n, _)| *n == i32::from(port));
    if !Program::of(container).server || !declared {
        return None;
    }
    let name = container.image.rsplit('/').next().and_then(|n| n.split([':', '@']).next()).unwrap_or("");
    let serves = |path: &str| !matches!(name, "nginx" | "httpd") || matches!(path, "" | "/" | "/index.html");
    Some(path.map(|path| (if serves(path) { 200 } else { 404 }, String::new())))
}

/// Returns the result of an exec probe with the recordings' runtime: one that names a file in the directory for temporary files succeeds if the file exists.
fn recorded_command(w: &PodWorker, i: usize, command: &[ArcStr], age: Span) -> Result<(), String> {
    let mut words = command.iter().flat_map(|w| w.split([' ', ';', '"', '\''])).filter(|w| !w.is_empty());
    let Some(path) = words.clone().find(|w| w.strip_prefix('/').is_some_and(|w| w.starts_with("tmp/"))) else {
        let fails = words.any(|w| w == "false" || w == "exit") && !command.iter().any(|w| w.contains("exit 0"));
        return if fails { Err(String::new()) } else { Ok(()) };
    };
    let there = w.container(i).is_some_and(|c| Program::of(c).has_file(path, age));
    if there { Ok(()) } else { Err(format!("cat: can't open '{path}': No such file or directory\n")) }
}
