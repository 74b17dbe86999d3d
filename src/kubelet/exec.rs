//! Logs of containers, and programs that people run in them. Counterparts: the kubelet's `/containerLogs` and `/exec`.
//!
//! The log of a container without processes (a known server) is computed when somebody reads it; the log of any other container is what its processes have
//! written. Commands run as sessions (`sessions`).

use super::runtime::RunState;
use super::sessions::{Purpose, SessionNews};
use super::worker::PodWorker;
use super::{Cx, Kubelet};
use crate::api::meta::Uid;
use crate::api::request::ExecOptions;
use crate::api::status::{Reason, Status};
use crate::api::time::Time;
use crate::container::guest::{NotOpened, Opening};
use crate::container::process::Stream;

/// The lines that a container has printed, each with its line number and time; and `true` if the container has ended.
pub type Log = (Vec<(u64, Time, String)>, bool);

impl Kubelet {
    fn find(&self, pod: Uid, container: &str) -> Option<(&PodWorker, usize)> {
        let w = &**self.pods.get(&pod)?;
        (0..w.containers.len()).find(|i| w.container(*i).is_some_and(|c| c.name == container)).map(|i| (w, i))
    }
    /// Returns the log of a container, or of its previous instance, or the message why there is none.
    pub fn log(&self, pod: Uid, container: &str, previous: bool, now: Time) -> Result<Log, String> {
        let waiting = |why: &str| {
            let name = self.pods.get(&pod).map(|w| w.object.meta.name.clone()).unwrap_or_default();
            format!("container \"{container}\" in pod \"{name}\" is waiting to start: {why}")
        };
        let (w, i) = self.find(pod, container).ok_or_else(|| waiting("ContainerCreating"))?;
        let Some(spec) = w.container(i) else { return Err(waiting("ContainerCreating")) };
        let instance = &w.containers[i];
        let (started, finished, code) = match (previous, &instance.previous, instance.state) {
            (true, Some(dead), _) => (dead.started, Some(dead.finished), dead.exit_code),
            (true, None, _) => {
                return Err(format!("previous terminated container \"{container}\" in pod \"{}\" not found", w.object.meta.name));
            }
            (false, _, RunState::Absent) => {
                return Err(waiting(match w.reason(i).map(|(_, reason, _)| reason.as_str()) {
                    Some("ErrImagePull" | "ImagePullBackOff") => "trying and failing to pull image",
                    Some(reason) => reason,
                    None if w.init_count() == 0 => "ContainerCreating",
                    None => "PodInitializing",
                }));
            }
            (false, _, RunState::Running) => (instance.started, None, 0),
            (false, _, RunState::Exited) => (instance.started, Some(instance.finished), instance.exit_code),
        };
        let kept = match previous {
            true => w.extra.as_ref().and_then(|e| e.old_logs.iter().find(|(c, _)| *c as usize == i)).map(|(_, log)| log),
            false => w.running(i).map(|r| &r.guest.log),
        };
        let program = self.core.program(w, i);
        let mut lines: Vec<(u64, Time, String)> = Vec::new();
        let lived = finished.unwrap_or(now) - started;
        lines.extend(program.prints.iter().filter(|(at, _)| *at <= lived).map(|(at, line)| (0, started + *at, line.to_string())));
        let server = if self.core.config.runtime.recorded { None } else { self.core.server(w, i) };
        if let Some(server) = &server {
            lines.extend(server.prints.iter().map(|line| (0, started, line.to_string())));
        }
        if program.server {
            let notice =
                |at: Time, text: String| (0, at, format!("{} [notice] 1#1: {text}", at.rfc3339().replace('T', " ").replace('Z', "")));
            lines.push(notice(started, format!("{} started", spec.image)));
            lines.extend(kept.into_iter().flat_map(|log| log.lines.iter()).map(|(_, at, line)| (0, *at, line.to_string())));
            if let Some(end) = finished {
                lines.push(notice(end, format!("exit, code {code}")));
            }
        } else if let Some(log) = kept {
            let offset = lines.len() as u64;
            lines.extend(log.lines.iter().map(|(number, at, line)| (number + offset, *at, line.to_string())));
        }
        for (n, line) in lines.iter_mut().enumerate() {
            line.0 = line.0.max(n as u64 + 1);
        }
        Ok((lines, finished.is_some()))
    }
    /// Starts a program in a running container, or attaches to the container, as session number `session`. Output and exit code follow as [`SessionNews`].
    /// Returns the refusal if that is impossible.
    pub fn exec(&mut self, pod: Uid, container: &str, options: &ExecOptions, session: u64, cx: &mut Cx) -> Result<(), Status> {
        let Some(i) = self.find(pod, container).filter(|(w, i)| w.containers[*i].is_running()).map(|(_, i)| i) else {
            return Err(Status::new(Reason::Unknown, format!("container not found (\"{container}\")")));
        };
        if options.attach {
            self.attach(pod, i, session, options.from_start, cx);
            return Ok(());
        }
        let opening = Opening {
            argv: options.command.to_vec(),
            input: options.input.as_ref().map(ToString::to_string),
            types: options.types,
            tty: options.tty,
            until: None,
        };
        let mut opened = None;
        self.on_pod(pod, |core, w| opened = core.open_session(w, i, opening, Purpose::Outside(session), cx));
        let name = options.command.first().map_or("", String::as_str);
        match opened {
            Some(Ok(())) => Ok(()),
            Some(Err(NotOpened::Failed(code, message))) => {
                cx.told.push(SessionNews { session, output: vec![(Stream::Err, message)], code: Some(code) });
                Ok(())
            }
            _ => {
                let why = if name.contains('/') {
                    format!("stat {name}: no such file or directory")
                } else {
                    "executable file not found in $PATH".to_owned()
                };
                // Two layers each put `Internal error occurred` before the runtime's error.
                let text = format!(
                    "Internal error occurred: Internal error occurred: error executing command in container: failed to exec in container: failed to start exec: OCI runtime exec failed: exec failed: unable to start container process: exec: \"{name}\": {why}: unknown"
                );
                Err(Status::new(Reason::InternalError, text))
            }
        }
    }
}
