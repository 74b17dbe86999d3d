//! Logs of containers, and programs that people run in them. Counterparts: the kubelet's `/containerLogs` and `/exec`, and a shell in the image.
//!
//! Logs are computed when somebody reads them, from the lines that the container's command prints. A file is a path with a text. It belongs to a
//! container and is lost with it. The available programs are `cat`, `date`, `echo`, `env`, `false`, `hostname`, `id`, `kill`, `ls`, `ps`, `pwd`, `rm`, `sh -c`, `sleep`, `touch`, `true`,
//! `whoami`. As in a real container, a signal has an effect on process 1 only if the process handles it: servers handle SIGTERM, `sleep` does not.

use super::runtime::{Program, RunState};
use super::worker::PodWorker;
use super::{Cx, Kubelet};
use crate::api::meta::Uid;
use crate::api::time::Time;
use arcstr::ArcStr;
use std::fmt::Write;
use std::sync::Arc;

/// The lines that a container has printed, each with its time, and `true` if the container has ended.
pub type Log = (Vec<(Time, String)>, bool);

/// The result of a program that was run in a container.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExecResult {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit code.
    pub code: i32,
}

impl Kubelet {
    fn find(&self, pod: Uid, container: &str) -> Option<(&PodWorker, usize)> {
        let w = &**self.pods.get(&pod)?;
        (0..w.containers.len()).find(|i| w.container(*i).is_some_and(|c| c.name == container)).map(|i| (w, i))
    }
    /// Returns the log of a container, or of the instance before it, or the reason why there is none.
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
                    None if w.init_count() > i || w.init_count() == 0 => "ContainerCreating",
                    None => "PodInitializing",
                }));
            }
            (false, _, RunState::Running) => (instance.started, None, 0),
            (false, _, RunState::Exited) => (instance.started, Some(instance.finished), instance.exit_code),
        };
        let program = Program::of(spec);
        let lived = finished.unwrap_or(now) - started;
        let mut lines: Vec<(Time, String)> =
            program.prints.iter().filter(|(at, _)| *at <= lived).map(|(at, line)| (started + *at, line.to_string())).collect();
        if program.server {
            let notice = |at: Time, text: String| (at, format!("{} [notice] 1#1: {text}", at.rfc3339().replace('T', " ").replace('Z', "")));
            lines.push(notice(started, format!("{} started", spec.image)));
            if let Some(end) = finished {
                lines.push(notice(end, format!("exit, code {code}")));
            }
        }
        Ok((lines, finished.is_some()))
    }
    /// Runs a program in a running container, or returns the reason why that is impossible.
    pub fn exec(&mut self, pod: Uid, container: &str, command: &[String], cx: &mut Cx) -> Result<ExecResult, String> {
        let Some((w, i)) = self.find(pod, container).filter(|(w, i)| w.containers[*i].is_running()) else {
            return Err(format!("unable to upgrade connection: container not found (\"{container}\")"));
        };
        let mut inside = ExecSession { w, i, now: cx.now, ran: ExecResult::default(), changed: Vec::new(), killed: false };
        if !inside.program(command) {
            let name = command.first().map_or("", String::as_str);
            return Err(format!(
                "Internal error occurred: error executing command in container: failed to exec in container: failed to start exec: OCI runtime exec failed: exec failed: unable to start container process: exec: \"{name}\": executable file not found in $PATH: unknown"
            ));
        }
        let ExecSession { ran, changed, killed, .. } = inside;
        for (path, text) in changed {
            self.set_file(pod, container, &path, text.as_deref());
        }
        if killed {
            self.kill_container(pod, container, 0, cx);
        }
        Ok(ran)
    }
    /// Writes a file in a running container, or removes it if `text` is `None`. Returns `false` if the container does not run.
    pub fn set_file(&mut self, pod: Uid, container: &str, path: &str, text: Option<&str>) -> bool {
        let Some(i) = self.find(pod, container).filter(|(w, i)| w.containers[*i].is_running()).map(|(_, i)| i) else { return false };
        if let Some(w) = self.pods.get_mut(&pod) {
            let files = &mut Arc::make_mut(w).extra().files;
            files.retain(|(c, p, _)| *c as usize != i || p != path);
            files.push((i as u8, path.into(), text.map(ArcStr::from)));
        }
        true
    }
}

/// A program that runs in a container.
struct ExecSession<'a> {
    w: &'a PodWorker,
    i: usize,
    now: Time,
    ran: ExecResult,
    /// Files that were written, or removed (`None`).
    changed: Vec<(String, Option<String>)>,
    killed: bool,
}

/// Files that exist in every image.
const ETC: &[(&str, &str)] =
    &[("/etc/os-release", "NAME=\"Debian GNU/Linux\"\nID=debian\n"), ("/etc/passwd", "root:x:0:0:root:/root:/bin/sh\n")];

impl ExecSession<'_> {
    /// Runs a program. Returns `false` if there is no such program.
    fn program(&mut self, words: &[String]) -> bool {
        let Some((name, rest)) = words.split_first() else { return false };
        let operands = || rest.iter().filter(|w| !w.starts_with('-') || w.len() == 1);
        let say = |ran: &mut ExecResult, text: &str| {
            ran.stdout.push_str(text);
            ran.stdout.push('\n');
        };
        match name.rsplit('/').next().unwrap_or(name) {
            "sh" | "bash" | "ash" => match rest.iter().position(|w| w.starts_with('-') && w.ends_with('c')) {
                Some(at) => self.script(rest.get(at + 1).map_or("", String::as_str)),
                None => {
                    self.ran.stderr.push_str("an interactive shell is not simulated: give a command, as in sh -c 'env'\n");
                    self.ran.code = 1;
                }
            },
            "true" | ":" | "sleep" => {}
            "false" => self.ran.code = 1,
            "echo" => {
                let text = rest.join(" ");
                say(&mut self.ran, &text);
            }
            "date" => {
                let text = self.now.rfc3339();
                say(&mut self.ran, &text);
            }
            "pwd" => say(&mut self.ran, "/"),
            "whoami" => say(&mut self.ran, "root"),
            "id" => say(&mut self.ran, "uid=0(root) gid=0(root) groups=0(root)"),
            "hostname" => {
                let name = self.w.object.meta.name.to_string();
                say(&mut self.ran, &name);
            }
            "env" | "printenv" => self.env(),
            "ps" => {
                let command =
                    self.w.container(self.i).map(|c| if c.command.is_empty() { c.image.to_string() } else { c.command.join(" ") });
                let _ =
                    writeln!(self.ran.stdout, "PID   USER     COMMAND\n    1 root     {}\n    7 root     ps", command.unwrap_or_default());
            }
            "kill" => self.kill(rest),
            "cat" => operands().for_each(|path| match self.read(path) {
                Some(text) => self.ran.stdout.push_str(&text),
                None => self.missing("cat", path),
            }),
            "touch" => operands().for_each(|path| {
                let text = self.read(path).unwrap_or_default();
                self.changed.push((path.clone(), Some(text)));
            }),
            "rm" => operands().for_each(|path| {
                if self.read(path).is_none() && !rest.iter().any(|w| w.starts_with('-') && w.contains('f')) {
                    self.missing("rm", path);
                }
                self.changed.push((path.clone(), None));
            }),
            "ls" => {
                let path = operands().next().cloned().unwrap_or_else(|| "/".to_owned());
                self.list(&path);
            }
            _ => return false,
        }
        true
    }
    /// Runs a script of simple commands one after the other; `&&` and `||` depend on the last exit code.
    fn script(&mut self, script: &str) {
        let mut rest = script;
        let mut go = true;
        while !rest.is_empty() {
            let end = rest.find([';', '\n', '&', '|']).unwrap_or(rest.len());
            let (command, after) = rest.split_at(end);
            if go && !command.trim().is_empty() {
                self.ran.code = 0;
                self.simple(command);
            }
            go = match after.get(..2) {
                Some("&&") => self.ran.code == 0,
                Some("||") => self.ran.code != 0,
                _ => true,
            };
            let skip = if matches!(after.get(..2), Some("&&" | "||")) { 2 } else { 1 };
            rest = after.get(skip..).unwrap_or("");
        }
    }
    fn simple(&mut self, command: &str) {
        let (command, target) = command.split_once('>').map_or((command, None), |(c, t)| (c, Some(t)));
        let words: Vec<String> = command.split_whitespace().map(|w| w.trim_matches(['\'', '"']).to_owned()).collect();
        let written = self.ran.stdout.len();
        if let ["exit", code @ ..] = words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            self.ran.code = code.first().and_then(|c| c.parse().ok()).unwrap_or(0);
            return;
        }
        if !words.is_empty() && !self.program(&words) {
            let _ = writeln!(self.ran.stderr, "sh: 1: {}: not found", words[0]);
            self.ran.code = 127;
        }
        if let Some(target) = target {
            let text = self.ran.stdout.split_off(written);
            let path = target.trim_start_matches('>').trim();
            let before = if target.starts_with('>') { self.read(path).unwrap_or_default() } else { String::new() };
            self.changed.push((path.to_owned(), Some(before + &text)));
        }
    }
    fn missing(&mut self, program: &str, path: &str) {
        let _ = writeln!(self.ran.stderr, "{program}: {path}: No such file or directory");
        self.ran.code = 1;
    }
    fn kill(&mut self, words: &[String]) {
        let to_first = words.last().is_some_and(|w| w == "1");
        if !to_first {
            let _ = writeln!(self.ran.stderr, "sh: kill: no such process");
            self.ran.code = 1;
            return;
        }
        let signal = words.iter().find_map(|w| w.strip_prefix('-')).unwrap_or("TERM").trim_start_matches("SIG");
        let handled = matches!(signal, "TERM" | "15" | "QUIT" | "3" | "INT" | "2");
        self.killed |= handled && self.w.container(self.i).is_some_and(|c| Program::of(c).server);
    }
    fn env(&mut self) {
        let _ = writeln!(self.ran.stdout, "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        let _ = writeln!(self.ran.stdout, "HOSTNAME={}", self.w.object.meta.name);
        let name = self.w.container(self.i).map(|c| c.name.clone()).unwrap_or_default();
        let spec = self.w.spec();
        let lists = spec.iter().flat_map(|s| s.raw.list("initContainers").iter().chain(s.raw.list("containers")));
        let own = lists.filter_map(|c| c.as_map()).find(|c| c.str("name") == name);
        for one in own.iter().flat_map(|c| c.list("env")).filter_map(|e| e.as_map()) {
            if one.get("valueFrom").is_none() {
                let _ = writeln!(self.ran.stdout, "{}={}", one.str("name"), one.str("value"));
            }
        }
        let _ = writeln!(self.ran.stdout, "KUBERNETES_SERVICE_HOST=10.96.0.1\nKUBERNETES_SERVICE_PORT=443\nHOME=/root");
    }
    /// Returns the text of a file: as written by this program, or else as written before, or else as created by the container's own program.
    fn read(&self, path: &str) -> Option<String> {
        if let Some((_, text)) = self.changed.iter().rfind(|(p, _)| p == path) {
            return text.clone();
        }
        let kept = self.w.extra.as_ref().and_then(|e| e.files.iter().find(|(c, p, _)| *c as usize == self.i && p == path));
        if let Some((.., text)) = kept {
            return text.as_ref().map(ToString::to_string);
        }
        let age = self.now - self.w.containers[self.i].started;
        if self.w.container(self.i).is_some_and(|c| Program::of(c).has_file(path, age)) {
            return Some(String::new());
        }
        ETC.iter().find(|(p, _)| *p == path).map(|(_, text)| (*text).to_owned())
    }
    fn list(&mut self, path: &str) {
        let made = self.w.container(self.i).map(|c| Program::of(c).files).unwrap_or_default();
        let kept = self.w.extra.as_ref().map(|e| e.files.clone()).unwrap_or_default();
        let mut paths: Vec<String> = made.iter().map(|(_, p, _)| p.to_string()).collect();
        paths.extend(kept.iter().filter(|(c, ..)| *c as usize == self.i).map(|(_, p, _)| p.to_string()));
        paths.extend(ETC.iter().map(|(p, _)| (*p).to_owned()));
        paths.extend(self.changed.iter().map(|(p, _)| p.clone()));
        paths.retain(|p| self.read(p).is_some());
        let root = if path == "/" { "/".to_owned() } else { format!("{}/", path.trim_end_matches('/')) };
        let mut names: Vec<&str> = paths.iter().filter_map(|p| p.strip_prefix(&root)).filter_map(|p| p.split('/').next()).collect();
        if path == "/" {
            names.extend(["bin", "dev", "etc", "proc", "root", "tmp", "usr", "var"]);
        }
        names.sort();
        names.dedup();
        if self.read(path).is_some() {
            names = vec![path];
        } else if names.is_empty() && !["/tmp", "/root", "/var", "/bin", "/usr"].contains(&path.trim_end_matches('/')) {
            return self.missing("ls", path);
        }
        let text: String = names.iter().map(|name| format!("{name}\n")).collect();
        self.ran.stdout.push_str(&text);
    }
}
