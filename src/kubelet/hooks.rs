//! Lifecycle hooks: commands, requests or sleeps after a container's start and before its end. Counterpart: `pkg/kubelet/lifecycle/handlers.go`.
//!
//! Simplification: what a hook's command does to files happens at its beginning; its duration counts in full.

use super::container_event::ContainerEvent;
use super::environment::container_tree;
use super::worker::{Busy, PodWorker};
use super::{Core, Cx, Timer};
use crate::api::time::{Span, Time};
use crate::api::value::{Map, Value};
use arcstr::literal;

/// The longest time that a postStart hook is waited for.
const LONGEST: Span = Span::secs(3600);

/// What came of a hook: the time that it took, and the error.
type Hooked = (Span, Option<String>);

impl Core {
    fn hook<'a>(w: &'a PodWorker, i: usize, name: &str) -> Option<&'a Map> {
        container_tree(w, i)?.map("lifecycle")?.map(name)
    }
    /// Runs a hook.
    fn run_hook(&mut self, w: &mut PodWorker, i: usize, name: &str, limit: Span, cx: &mut Cx) -> Option<Hooked> {
        let hook = Core::hook(w, i, name)?.clone();
        if let Some(seconds) = hook.map("sleep").and_then(|s| s.int("seconds")) {
            return Some((Span::secs(seconds.max(0)), None));
        }
        let of = w.container(i).map(|c| c.name.clone()).unwrap_or_default();
        if let Some(exec) = hook.map("exec") {
            let argv: Vec<String> = exec.list("command").iter().filter_map(Value::as_str).map(str::to_owned).collect();
            let shown = argv.join(" ");
            let called = self.call(w, i, &argv, limit, cx)?;
            let error = match called.code {
                _ if called.missing => {
                    Some(format!("Exec lifecycle hook ([{shown}]) for Container \"{of}\" failed - error: command not found"))
                }
                Some(0) => None,
                Some(code) => {
                    let text = called.stderr.trim_end();
                    Some(format!(
                        "Exec lifecycle hook ([{shown}]) for Container \"{of}\" failed - error: command '{shown}' exited with {code}: {text}"
                    ))
                }
                None => Some("context deadline exceeded".to_owned()),
            };
            return Some((called.took, error));
        }
        if let Some(get) = hook.map("httpGet") {
            let port = self.port_number(w, i, get.get("port"));
            let path = get.str("path").to_owned();
            let answer = self.request(w, i, port, Some(&path), cx.now);
            let error = match answer {
                Some(Some((status, _))) if status < 400 => None,
                Some(Some((status, _))) => {
                    Some(format!("HTTP lifecycle hook ({path}) for Container \"{of}\" failed - error: HTTP {status}"))
                }
                _ => Some(format!("HTTP lifecycle hook ({path}) for Container \"{of}\" failed - error: connection refused")),
            };
            return Some((Span::millis(2), error));
        }
        None
    }
    /// Returns the port that a probe or hook names.
    pub(super) fn port_number(&self, w: &PodWorker, i: usize, port: Option<&Value>) -> u16 {
        let text = match port {
            Some(Value::Int(number)) => return u16::try_from(*number).unwrap_or(0),
            Some(Value::Str(text)) => text.clone(),
            _ => return 0,
        };
        let named = w.container(i).and_then(|c| c.ports.iter().find(|(name, ..)| *name == text).map(|(_, number, _)| *number));
        named.and_then(|number| number.try_into().ok()).or_else(|| text.parse().ok()).unwrap_or(0)
    }
    /// Begins a container's postStart hook. Returns `true` if the worker has to wait for its end.
    pub(super) fn post_start(&mut self, w: &mut PodWorker, i: usize, started: Time, cx: &mut Cx) -> bool {
        if self.config.runtime.recorded || Core::hook(w, i, "postStart").is_none() {
            return false;
        }
        // The container's own first steps come before those of the hook.
        let Some((took, error)) = self.run_hook(w, i, "postStart", LONGEST, cx) else { return false };
        w.extra().hook_error = error.map(Into::into);
        w.busy = Busy::Hook(i as u8);
        w.step_seq = w.step_seq.wrapping_add(1);
        cx.out.wake(started + took, Timer::Step(w.uid(), w.step_seq));
        true
    }
    /// Handles the end of a postStart hook: one that failed ends the container.
    pub(super) fn hook_ends(&mut self, w: &mut PodWorker, i: usize, cx: &mut Cx) {
        let Some(error) = w.extra().hook_error.take() else { return };
        self.record_about(w, i, ContainerEvent::warning("FailedPostStartHook", "PostStartHook failed"), cx);
        w.set_reason(i, Some((literal!("PostStartHookError"), error)));
        let grace = w.spec().map_or(30, |s| s.grace_seconds);
        self.stop(w, i, grace, Some(literal!("FailedPostStartHook")), cx);
    }
    /// Runs a container's preStop hook. Returns the time that it takes.
    pub(super) fn pre_stop(&mut self, w: &mut PodWorker, i: usize, grace: Span, cx: &mut Cx) -> Span {
        if self.config.runtime.recorded {
            return Span::secs(w.container(i).and_then(|c| c.pre_stop_seconds).unwrap_or(0)).min(grace);
        }
        let Some((took, error)) = self.run_hook(w, i, "preStop", grace, cx) else { return Span(0) };
        if error.is_some() {
            self.record_about(w, i, ContainerEvent::warning("FailedPreStopHook", "PreStopHook failed"), cx);
        }
        took.min(grace)
    }
}
