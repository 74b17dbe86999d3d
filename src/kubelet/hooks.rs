//! Lifecycle hooks: commands, HTTP requests or sleeps after a container's start and before its end. Counterpart: `pkg/kubelet/lifecycle/handlers.go`.

use super::container_event::ContainerEvent;
use super::environment::container_tree;
use super::sessions::Purpose;
use super::worker::{Busy, PodWorker};
use super::{Core, Cx, Timer};
use crate::api::time::{Span, Time};
use crate::api::value::{Map, Value};
use crate::container::guest::{Called, NotOpened, Opening};
use crate::container::process::Stream;
use arcstr::literal;

/// The longest time for which a worker waits for a postStart hook.
const LONGEST: Span = Span::secs(3600);
/// The least time that a container gets to stop, however long its preStop hook took.
const MIN_GRACE: Span = Span::secs(2);

/// A hook that has begun.
pub enum Hooked {
    /// The hook is over after this time, with an error message if it fails.
    Takes(Span, Option<String>),
    /// The hook's command runs; its end comes to `post_start_ended` or `pre_stop_ended`.
    Runs,
}

impl Core {
    fn hook<'a>(w: &'a PodWorker, i: usize, name: &str) -> Option<&'a Map> {
        container_tree(w, i)?.map("lifecycle")?.map(name)
    }
    /// Begins hook `name` (`postStart` or `preStop`) of container `i`. A command is stopped at time `until`. Returns `None` if there is no such hook.
    fn begin_hook(&mut self, w: &mut PodWorker, i: usize, name: &str, purpose: Purpose, until: Time, cx: &mut Cx) -> Option<Hooked> {
        let hook = Core::hook(w, i, name)?.clone();
        if let Some(seconds) = hook.map("sleep").and_then(|s| s.int("seconds")) {
            return Some(Hooked::Takes(Span::secs(seconds.max(0)), None));
        }
        let of = w.container(i).map(|c| c.name.clone()).unwrap_or_default();
        if hook.has("exec") {
            let opening = Opening { argv: Core::hook_command(w, i, name), until: Some(until), ..Opening::default() };
            let shown = opening.argv.join(" ");
            let failed = |why: &str| Some(format!("Exec lifecycle hook ([{shown}]) for Container \"{of}\" failed - error: {why}"));
            return Some(match self.open_session(w, i, opening, purpose, cx)? {
                Ok(()) => Hooked::Runs,
                Err(NotOpened::Missing) => Hooked::Takes(Span(0), failed("command not found")),
                Err(NotOpened::Failed(code, text)) => {
                    Hooked::Takes(Span(0), failed(&format!("command '{shown}' exited with {code}: {}", text.trim_end())))
                }
            });
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
            return Some(Hooked::Takes(Span::millis(2), error));
        }
        None
    }
    fn hook_command(w: &PodWorker, i: usize, name: &str) -> Vec<String> {
        let exec = Core::hook(w, i, name).and_then(|hook| hook.map("exec"));
        exec.map(|exec| exec.list("command").iter().filter_map(Value::as_str).map(str::to_owned).collect()).unwrap_or_default()
    }
    /// Returns the message why a hook's command failed; `None` if it succeeded.
    fn hook_error(w: &PodWorker, i: usize, name: &str, called: &Called) -> Option<String> {
        let shown = Core::hook_command(w, i, name).join(" ");
        let of = w.container(i).map_or("", |c| c.name.as_str());
        match called.code {
            Some(0) => None,
            Some(code) => {
                let text = called.text(Stream::Err);
                Some(format!(
                    "Exec lifecycle hook ([{shown}]) for Container \"{of}\" failed - error: command '{shown}' exited with {code}: {}",
                    text.trim_end()
                ))
            }
            None => Some("context deadline exceeded".to_owned()),
        }
    }
    /// Returns the number of the port that a probe or hook gives by number or by name; 0 if there is none.
    pub(super) fn port_number(&self, w: &PodWorker, i: usize, port: Option<&Value>) -> u16 {
        let text = match port {
            Some(Value::Int(number)) => return u16::try_from(*number).unwrap_or(0),
            Some(Value::Str(text)) => text.clone(),
            _ => return 0,
        };
        let named = w.container(i).and_then(|c| c.ports.iter().find(|(name, ..)| *name == text).map(|(_, number, _)| *number));
        named.and_then(|number| number.try_into().ok()).or_else(|| text.parse().ok()).unwrap_or(0)
    }
    /// Begins a container's postStart hook. Returns `true` if the worker has to wait for the hook's end.
    pub(super) fn post_start(&mut self, w: &mut PodWorker, i: usize, started: Time, cx: &mut Cx) -> bool {
        if self.config.runtime.recorded || Core::hook(w, i, "postStart").is_none() {
            return false;
        }
        w.busy = Busy::Hook(i as u8);
        w.step_seq = w.step_seq.wrapping_add(1);
        match self.begin_hook(w, i, "postStart", Purpose::PostStart, cx.now + LONGEST, cx) {
            None => {
                w.busy = Busy::No;
                return false;
            }
            Some(Hooked::Runs) => {}
            Some(Hooked::Takes(took, error)) => {
                w.extra().hook_error = error.map(Into::into);
                cx.out.wake(started + took, Timer::Step(w.uid(), w.step_seq));
            }
        }
        true
    }
    /// Handles the end of a postStart hook's command.
    pub(super) fn post_start_ended(&mut self, w: &mut PodWorker, i: usize, called: &Called, cx: &mut Cx) {
        if w.busy == Busy::Hook(i as u8) {
            w.extra().hook_error = Core::hook_error(w, i, "postStart", called).map(Into::into);
            cx.out.wake(cx.now, Timer::Step(w.uid(), w.step_seq));
        }
    }
    /// Handles the end of a postStart hook: a hook that failed stops the container.
    pub(super) fn hook_ends(&mut self, w: &mut PodWorker, i: usize, cx: &mut Cx) {
        let Some(error) = w.extra().hook_error.take() else { return };
        self.record_about(w, i, ContainerEvent::warning("FailedPostStartHook", "PostStartHook failed"), cx);
        w.set_reason(i, Some((literal!("PostStartHookError"), error)));
        let grace = w.spec().map_or(30, |s| s.grace_seconds);
        self.stop(w, i, grace, Some(literal!("FailedPostStartHook")), cx);
    }
    /// Begins a container's preStop hook. Returns the time that the hook takes, or `None` if it is a command, whose end comes to [`Core::pre_stop_ended`].
    pub(super) fn pre_stop(&mut self, w: &mut PodWorker, i: usize, grace: Span, cx: &mut Cx) -> Option<Span> {
        if self.config.runtime.recorded {
            return Some(Span::secs(w.container(i).and_then(|c| c.pre_stop_seconds).unwrap_or(0)).min(grace));
        }
        let until = cx.now + grace;
        match self.begin_hook(w, i, "preStop", Purpose::PreStop(until), until, cx) {
            None => Some(Span(0)),
            Some(Hooked::Runs) => None,
            Some(Hooked::Takes(took, error)) => {
                if error.is_some() {
                    self.record_about(w, i, ContainerEvent::warning("FailedPreStopHook", "PreStopHook failed"), cx);
                }
                Some(took.min(grace))
            }
        }
    }
    /// Handles the end of a preStop hook's command: sends the container its stop signal, and kills it when the rest of the grace period is over.
    pub(super) fn pre_stop_ended(&mut self, w: &mut PodWorker, i: usize, called: &Called, until: Time, cx: &mut Cx) {
        let Some(number) = w.containers.get(i).filter(|c| c.is_running()).map(|c| c.number) else { return };
        if Core::hook_error(w, i, "preStop", called).is_some() {
            self.record_about(w, i, ContainerEvent::warning("FailedPreStopHook", "PreStopHook failed"), cx);
        }
        let left = until - cx.now;
        cx.out.wake(cx.now, Timer::Signal { pod: w.uid(), container: i as u8, number });
        let end = Timer::Exit { pod: w.uid(), container: i as u8, number, code: 137 };
        cx.out.wake(cx.now + left.max(MIN_GRACE), end);
    }
}
