//! The state of containers in the runtime, and the fake runtime of the tests' recordings. Counterpart: containerd's state, and the programs in the recordings.
//!
//! With the recordings' runtime (see `RuntimeSettings::recorded`) a container without a command runs for ever, listens on its ports, and stops within 0.2 s of
//! SIGTERM with exit code 0, as nginx does. `sleep N`, `exit N`, `true`, `false` and `sh -c` scripts made of these, `echo`, `touch` and `rm` do what they say
//! and ignore SIGTERM: they are killed when the grace period is over (exit code 137). Any other command counts as a server and behaves as a container without a
//! command. A program that ends at once still lives for a tenth of a second. Images whose name contains `nosuch` cannot be pulled.

use crate::api::kind::pod::Container;
use crate::api::time::{Span, Time};
use arcstr::ArcStr;

/// The lifetime of a program that ends at once.
const MIN_LIFETIME: Span = Span::millis(100);

/// The behaviour of a container's command with the recordings' runtime.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The time from the start of the program until it ends by itself, and its exit code; `None` if it runs for ever.
    pub ends: Option<(Span, i32)>,
    /// Set if the program serves requests and handles SIGTERM.
    pub server: bool,
    /// The files that the program creates or removes: the time after its start, the path, and `true` if the file exists from then on.
    pub files: Vec<(Span, ArcStr, bool)>,
    /// The lines that the program prints: the time after its start, and the line.
    pub prints: Vec<(Span, ArcStr)>,
}

impl Program {
    /// Determines the program of a container from its command.
    pub fn of(container: &Container) -> Program {
        let server = Program { server: true, ..Program::default() };
        if container.command.is_empty() {
            return server;
        }
        let words: Vec<&str> = container.command.iter().map(ArcStr::as_str).collect();
        let shell = |w: &str| matches!(w.rsplit('/').next(), Some("sh" | "bash" | "ash"));
        let script = match words.as_slice() {
            [sh, "-c" | "-ec" | "-xc", script, ..] if shell(sh) => (*script).to_owned(),
            [sh, rest @ ..] if shell(sh) => match rest.iter().position(|w| *w == "-c") {
                Some(i) => rest.get(i + 1).copied().unwrap_or("").to_owned(),
                None => return server,
            },
            _ => words.join(" "),
        };
        Script { at: Span(0), known: false, program: Program::default() }.run(&script).unwrap_or(server)
    }
    /// Returns whether a file that the program creates exists after the program has run for this long.
    pub fn has_file(&self, path: &str, after: Span) -> bool {
        self.files.iter().rfind(|(at, p, _)| *at <= after && p == path).is_some_and(|(.., there)| *there)
    }
}

struct Script {
    at: Span,
    known: bool,
    program: Program,
}

impl Script {
    /// Interprets a script command by command. Returns `None` if no command in the script is known; it then counts as a server.
    fn run(mut self, script: &str) -> Option<Program> {
        let script = script.trim();
        let endless = ["while true", "while :", "while sleep", "for (("].iter().any(|w| script.contains(w)) || script.contains("tail -f");
        for command in script.split([';', '\n', '&']) {
            if let Some(code) = self.command(command.trim()) {
                self.program.ends = Some((self.at.max(MIN_LIFETIME), code));
                return Some(self.program);
            }
        }
        if endless {
            return Some(self.program);
        }
        if !self.known {
            return None;
        }
        self.program.ends = Some((self.at.max(MIN_LIFETIME), 0));
        Some(self.program)
    }
    /// Interprets one command of a script. Returns the exit code if the command ends the script.
    fn command(&mut self, text: &str) -> Option<i32> {
        let text = ["do ", "then ", "exec "].iter().fold(text, |t, w| t.strip_prefix(w).unwrap_or(t).trim());
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        match word.rsplit('/').next().unwrap_or(word) {
            "sleep" => {
                self.known = true;
                self.at = self.at + duration(rest);
            }
            "exit" => return Some(rest.parse().unwrap_or(0)),
            "false" => {
                self.known = true;
                return Some(1);
            }
            "true" | "trap" | "set" => self.known = true,
            "echo" | "printf" => {
                self.known = true;
                let (said, file) = rest.split_once('>').unwrap_or((rest, ""));
                match file.trim_start_matches('>').trim() {
                    "" => self.program.prints.push((self.at, said.trim().trim_matches(['"', '\'']).into())),
                    path => self.program.files.push((self.at, path.into(), true)),
                }
            }
            verb @ ("touch" | "rm" | "mkdir") => {
                self.known = true;
                for path in rest.split_whitespace().filter(|w| !w.starts_with('-')) {
                    self.program.files.push((self.at, path.into(), verb != "rm"));
                }
            }
            _ => {}
        }
        None
    }
}

/// Parses the argument of `sleep`: seconds, with an optional unit and fraction, or `infinity`.
fn duration(text: &str) -> Span {
    let word = text.split_whitespace().next().unwrap_or("0");
    if word.starts_with("inf") {
        return Span::secs(1_000_000_000);
    }
    let (number, unit) = match word.find(|c: char| !c.is_ascii_digit() && c != '.') {
        Some(i) => word.split_at(i),
        None => (word, "s"),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let milli = format!("{fraction:0<3}").get(..3).and_then(|f| f.parse::<i64>().ok()).unwrap_or(0);
    let seconds: i64 = whole.parse().unwrap_or(0).min(1_000_000_000);
    let scale = match unit {
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => 1,
    };
    Span::millis((seconds * 1000 + milli).saturating_mul(scale))
}

/// The state of a container in the container runtime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunState {
    /// The container was never created.
    #[default]
    Absent,
    /// The container is running.
    Running,
    /// The container has ended.
    Exited,
}

/// The cause of a container's end, beyond its exit code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EndReason {
    /// The container ended by itself or by a signal.
    #[default]
    Exit,
    /// The container's machine lost power.
    Lost,
    /// The container used more memory than its limit.
    OutOfMemory,
    /// The runtime could not start the container.
    StartError,
    /// The kubelet removed the container in order to restart all containers of the pod.
    RestartAll,
}

/// The newest instance of one container of a pod's spec. Every restart makes a new instance.
#[derive(Clone, Debug, Default)]
pub struct Instance {
    /// The number of the instance, unique on this node; 0 before the first one.
    pub number: u32,
    /// The number of restarts of the container.
    pub restarts: u32,
    /// The time at which the instance was started.
    pub started: Time,
    /// The time at which the instance ended.
    pub finished: Time,
    /// The exit code of the instance, once it has ended.
    pub exit_code: i32,
    /// The state of the container in the runtime.
    pub state: RunState,
    /// The cause of the instance's end, beyond its exit code.
    pub end_reason: EndReason,
    /// The instance before this one, if there was one.
    pub previous: Option<Box<EndedContainer>>,
}

/// An instance of a container that has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EndedContainer {
    /// The number of the instance, unique on this node.
    pub number: u32,
    /// The time at which the instance was started.
    pub started: Time,
    /// The time at which the instance ended.
    pub finished: Time,
    /// The exit code of the instance.
    pub exit_code: i32,
    /// The cause of the instance's end, beyond its exit code.
    pub end_reason: EndReason,
}

impl Instance {
    /// Returns whether the instance is running.
    pub fn is_running(&self) -> bool {
        self.state == RunState::Running
    }
    /// Returns the description of this instance as one that has ended.
    pub fn as_ended(&self) -> EndedContainer {
        EndedContainer {
            number: self.number,
            started: self.started,
            finished: self.finished,
            exit_code: self.exit_code,
            end_reason: self.end_reason,
        }
    }
    /// Replaces this instance by a new one, which starts now.
    pub fn start(&mut self, number: u32, now: Time) {
        if self.state == RunState::Exited {
            self.previous = Some(Box::new(self.as_ended()));
            self.restarts += 1;
        }
        *self = Instance {
            number,
            started: now,
            state: RunState::Running,
            restarts: self.restarts,
            previous: self.previous.take(),
            ..Instance::default()
        };
    }
    /// Removes the container, as for a restart of the whole pod.
    pub fn remove(&mut self) {
        if self.state != RunState::Absent {
            let end = EndedContainer { exit_code: 137, end_reason: EndReason::RestartAll, ..EndedContainer::default() };
            *self = Instance { restarts: self.restarts + 1, previous: Some(Box::new(end)), ..Instance::default() };
        }
    }
    /// Makes an ended instance the previous one, so that the container counts as not created yet.
    pub fn forget(&mut self) {
        if self.state == RunState::Exited {
            *self = Instance { restarts: self.restarts + 1, previous: Some(Box::new(self.as_ended())), ..Instance::default() };
        }
    }
    /// Ends the instance with this exit code.
    pub fn end(&mut self, exit_code: i32, now: Time) {
        self.state = RunState::Exited;
        self.exit_code = exit_code;
        self.finished = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(command: &[&str]) -> Program {
        Program::of(&Container { command: command.iter().map(|word| ArcStr::from(*word)).collect(), ..Container::default() })
    }

    #[test]
    fn commands_do_what_they_say() {
        let ends = |command: &[&str]| program(command).ends.map(|(at, code)| (at.0 / 1000, code));
        assert!(program(&[]).server);
        assert!(program(&["nginx", "-g", "daemon off;"]).server);
        assert_eq!(ends(&["sh", "-c", "exit 1"]), Some((100, 1)));
        assert_eq!(ends(&["sleep", "3600"]), Some((3_600_000, 0)));
        assert_eq!(ends(&["/bin/sh", "-c", "echo hello; sleep 2.5 && exit 4"]), Some((2_500, 4)));
        assert_eq!(ends(&["false"]), Some((100, 1)));
        assert_eq!(ends(&["sh", "-c", "while true; do echo tick; sleep 1; done"]), None);
        let probe = program(&["/bin/sh", "-c", "touch /tmp/healthy; sleep 30; rm -f /tmp/healthy; sleep 600"]);
        assert!(probe.has_file("/tmp/healthy", Span::secs(29)) && !probe.has_file("/tmp/healthy", Span::secs(30)));
        assert_eq!(probe.ends, Some((Span::secs(630), 0)));
    }
}
