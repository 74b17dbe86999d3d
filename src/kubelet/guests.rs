//! Containers with processes: starts their processes, resumes them when they are due, and runs commands in them. Counterpart: the CRI runtime service.
//!
//! A container whose command is nothing but a server (see [`crate::container::server`]) has no processes of its own until somebody runs a command in it, so
//! that an nginx pod costs as little as possible. Every other container is a [`Guest`] with one wake-up at the earliest end of its sleeps.

use super::environment::{container_tree, expand};
use super::neighbours::{capabilities_of, security};
use super::sessions::Purpose;
use super::start::{image_files, start_work};
use super::volumes::token_of;
use super::worker::PodWorker;
use super::{Core, Cx, Timer};
use crate::api::kind::pod::ip_text;
use crate::api::time::{Span, Time};
use crate::api::usage::Usage;
use crate::container::files::{Disk, Mount};
use crate::container::guest::{Facts, Guest, Kernel, Log, Outcome, Stopped};
use crate::container::images::{self, Image, Reference};
use crate::container::process::{Fd, Stream, Work, signal_number};
use crate::container::programs;
use crate::container::server::{Launch, Server};
use crate::network::resolv_conf;
use arcstr::{ArcStr, literal};
use std::sync::Arc;

/// The least time from a container's start to its end.
const MIN_LIFETIME: Span = Span::millis(100);

/// A running container that has processes.
#[derive(Clone, Debug)]
pub struct Running {
    /// The index of the container in the pod, init containers first.
    pub container: u8,
    /// The processes of the container, with their files and log.
    pub guest: Guest,
    /// The sessions in the container: the pid of each session's first process, and the party that asked for it.
    pub purposes: Vec<(u32, Purpose)>,
    mounts: Arc<[Mount]>,
    read_only: bool,
    /// The time of the planned wake-up; `None` if none is planned.
    wake: Option<Time>,
    /// The sequence number of the planned wake-up; wake-ups with other numbers are outdated.
    seq: u32,
}

/// The way in which the runtime starts a container.
pub enum Startup {
    /// The container's command is a known server, so it is simulated without processes.
    Serves(Box<Server>),
    /// The container's command, with its arguments, runs as a process.
    Runs(Vec<String>),
}

/// The reason why a container could not be started, in the container runtime's words.
pub struct StartError(pub String);

impl PodWorker {
    /// Returns the processes of container `i`, if it has any.
    pub fn running(&self, i: usize) -> Option<&Running> {
        self.extra.as_ref()?.running.iter().find(|r| r.container as usize == i)
    }
}

impl Core {
    /// Returns the image of container `i`. An image that is not in the catalogue counts as one of the simulator's own `playground` images.
    pub(super) fn image(&self, w: &PodWorker, i: usize) -> Option<&'static Image> {
        let name = &w.container(i)?.image;
        images::find(name, true).or_else(|_| images::find("playground/unknown", true)).ok()
    }
    /// Determines how container `i` starts, from its image, command and environment.
    pub(super) fn startup(&self, w: &PodWorker, i: usize) -> Option<Startup> {
        let (container, image) = (w.container(i)?, self.image(w, i)?);
        let mut argv = image.command_line(&container.command, container.has_command);
        if argv.iter().any(|word| word.contains('$')) {
            let started = w.containers.get(i).map(|c| c.started).unwrap_or_default();
            let env = self.environment(w, i, image, started);
            argv = argv.iter().map(|word| expand(word, &env)).collect();
        }
        if image.repository == "playground" && !container.has_command {
            let key = format!("playground/{}", container.name);
            argv.extend(
                w.object
                    .meta
                    .annotations
                    .get(key.as_str())
                    .into_iter()
                    .flat_map(|text| images::split_words(text))
                    .map(|word| format!("--{word}")),
            );
        }
        let tree = container_tree(w, i);
        let listed = |name: &str| tree.and_then(|c| c.list("env").iter().filter_map(|e| e.as_map()).find(|e| e.str("name") == name));
        let from_objects = tree.is_some_and(|c| !c.list("envFrom").is_empty());
        let variable = |name: &str| match listed(name) {
            Some(one) if one.has("valueFrom") => Some("set".to_owned()),
            Some(one) => Some(one.str("value").to_owned()),
            None => from_objects.then(|| "set".to_owned()),
        };
        let within = |server: &Server| {
            let limit = self.memory_limit(w, i);
            let blocked = self.is_read_only(w, i) && !image.writes.is_empty();
            (limit == 0 || server.memory <= limit) && !blocked
        };
        Some(match programs::serves(image, &argv, &variable) {
            Some(Launch::Serves(mut server)) if within(&server) => {
                if image.repository == "playground" && server.ports == [80] && !container.ports.is_empty() {
                    server.ports = container.ports.iter().filter_map(|(_, port, _)| (*port).try_into().ok()).collect();
                }
                Startup::Serves(Box::new(server))
            }
            _ => Startup::Runs(argv),
        })
    }
    /// Returns the server that container `i` runs, if its command is nothing but a known server.
    pub(super) fn server(&self, w: &PodWorker, i: usize) -> Option<Server> {
        match self.startup(w, i)? {
            Startup::Serves(server) => Some(*server),
            Startup::Runs(_) => None,
        }
    }
    pub(super) fn memory_limit(&self, w: &PodWorker, i: usize) -> u64 {
        let limit = w.resources(i).and_then(|resources| resources.map("limits")?.get("memory"));
        limit.and_then(crate::api::kind::pod::amount).map_or(0, |q| q.value().max(0)) as u64
    }
    /// Returns the cpu and memory that the running containers of a pod use. `requests_milli` is the cpu for the requests that the pod answers. A container with a
    /// limit for cpu is throttled to it.
    pub(super) fn usage(&self, w: &PodWorker, requests_milli: i64) -> Usage {
        let mut used = Usage::default();
        for i in (0..w.containers.len()).filter(|i| w.containers.get(*i).is_some_and(|c| c.is_running())) {
            let (mut cpu_milli, memory) = match w.running(i) {
                Some(running) => (running.guest.cpu_milli(), running.guest.memory()),
                None => (0, self.server(w, i).map_or(0, |server| server.memory)),
            };
            if i == w.init_count() {
                cpu_milli += requests_milli;
            }
            let limit = w.resources(i).and_then(|resources| resources.map("limits")?.get("cpu")).and_then(crate::api::kind::pod::amount);
            used.cpu_milli += limit.map_or(cpu_milli, |limit| cpu_milli.min(limit.milli_value()));
            used.memory += i64::try_from(memory).unwrap_or(i64::MAX);
        }
        let whole = w.spec().and_then(|s| s.raw.at(&["resources", "limits", "cpu"])).and_then(crate::api::kind::pod::amount);
        if let Some(whole) = whole {
            used.cpu_milli = used.cpu_milli.min(whole.milli_value());
        }
        used
    }
    fn is_read_only(&self, w: &PodWorker, i: usize) -> bool {
        container_tree(w, i).and_then(|c| c.map("securityContext")).is_some_and(|s| s.bool("readOnlyRootFilesystem"))
    }
    /// Creates the processes of container `i`. Without `argv`, its first process is its server.
    pub(super) fn make_guest(&mut self, w: &mut PodWorker, i: usize, argv: Option<Vec<String>>, now: Time) -> Result<(), StartError> {
        let Some(image) = self.image(w, i) else { return Ok(()) };
        let mut root = image_files(image);
        let env = self.environment(w, i, image, now);
        let (uid, gid) = self.user(w, i, image).unwrap_or((0, 0));
        let cwd = ArcStr::from(container_tree(w, i).map_or("", |c| c.str("workingDir")));
        let cwd = if cwd.is_empty() { literal!("/") } else { cwd };
        root.put_directories(&cwd);
        root.put("/etc/hosts", &w.hosts_file());
        let namespace = &w.object.meta.namespace;
        root.put("/etc/resolv.conf", &resolv_conf(namespace));
        if w.spec().is_none_or(|s| s.raw.get("automountServiceAccountToken").is_none() || s.raw.bool("automountServiceAccountToken")) {
            let folder = "/var/run/secrets/kubernetes.io/serviceaccount";
            root.put(&format!("{folder}/token"), &token_of(w));
            root.put(&format!("{folder}/namespace"), namespace);
            root.put(&format!("{folder}/ca.crt"), "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n");
        }
        self.show_other_roots(w, i, &mut root);
        let mounts: Arc<[Mount]> = self.mounts(w, i, &mut root).into();
        self.make_sub_paths(w, &mounts);
        let facts = Facts {
            hostname: w.hostname(),
            address: ip_text(w.ip).to_string().into(),
            uid,
            gid,
            groups: self.groups(w, gid),
            fs_group: security(w).and_then(|s| s.int("fsGroup")).map(|group| group as u32),
            capabilities: capabilities_of(w, i),
            user_namespace: w.spec().is_some_and(|s| s.raw.has("hostUsers") && !s.raw.bool("hostUsers")),
            memory_limit: self.memory_limit(w, i),
            env: Arc::new(env),
            cwd,
            cpus: self.config.cpu.parse().unwrap_or(4),
            tag: tag_of(w, i),
        };
        let blocked = self.is_read_only(w, i).then(|| {
            let covered = |path: &&&str| !mounts.iter().any(|m| path.starts_with(m.path.as_str()));
            image.writes.iter().find(covered).copied()
        });
        let running = Running {
            container: i as u8,
            guest: Guest::new(image, root, facts),
            purposes: Vec::new(),
            mounts,
            read_only: self.is_read_only(w, i),
            wake: None,
            seq: 0,
        };
        let server = self.server(w, i);
        let command_line = w.container(i).map_or_else(Vec::new, |c| image.command_line(&c.command, c.has_command));
        let extra = w.extra();
        extra.running.retain(|r| r.container as usize != i);
        extra.running.push(running);
        let (mut error, made_by_command) = (None, argv.is_some());
        let (takes_input, tty) = container_tree(w, i).map_or((false, false), |c| (c.bool("stdin"), c.bool("tty")));
        self.with_guest(w, i, now, |kernel| {
            let env = kernel.guest.facts.env.clone();
            let files = [Fd::Null, Fd::Log(Stream::Out), Fd::Log(Stream::Err)];
            let (argv, work) = match (argv, server) {
                (None, Some(server)) => (command_line, Work::Server(Arc::new(server))),
                (argv, _) => {
                    let argv = argv.unwrap_or_default();
                    let blocked = blocked.flatten().filter(|_| programs::serves(image, &argv, &|_| None).is_some());
                    if let Some(path) = blocked {
                        kernel
                            .guest
                            .log
                            .line(&format!("nginx: [emerg] mkdir() \"{path}/client_temp\" failed (30: Read-only file system)"), now);
                        (argv, programs::ends_with(1))
                    } else {
                        match start_work(kernel, &argv, &env) {
                            Ok(work) => (argv, work),
                            Err(why) => {
                                error = Some(why);
                                return;
                            }
                        }
                    }
                }
            };
            let pid = kernel.spawn(0, argv.into(), files, work).unwrap_or(1);
            if takes_input {
                let input = kernel.make_input("", true, tty);
                kernel.guest.stdin = Some(input);
                kernel.guest.processes.iter_mut().for_each(|process| process.fds[0] = Fd::Reader(input));
            }
            if made_by_command {
                kernel.begin(pid);
            }
        });
        match error {
            None => Ok(()),
            Some(why) => {
                w.extra().running.retain(|r| r.container as usize != i);
                Err(why)
            }
        }
    }
    /// Calls a function with a kernel for the processes of container `i`, which gives access to its files and volumes; `None` if the container has no
    /// processes.
    pub(super) fn with_guest<T>(&mut self, w: &mut PodWorker, i: usize, now: Time, act: impl FnOnce(&mut Kernel) -> T) -> Option<T> {
        let shared = self.shared(w, i);
        let extra = w.extra.as_mut()?;
        let running = extra.running.iter_mut().find(|r| r.container as usize == i)?;
        let mut disk = Disk {
            root: std::mem::take(&mut running.guest.root),
            volumes: std::mem::take(&mut extra.volumes),
            host: std::mem::take(&mut self.host),
            mounts: running.mounts.clone(),
            read_only: running.read_only,
            uid: running.guest.facts.uid,
        };
        let mut kernel = Kernel { guest: &mut running.guest, disk: &mut disk, now, requests: Vec::new(), shared };
        let result = act(&mut kernel);
        running.guest.root = disk.root;
        extra.volumes = disk.volumes;
        self.host = disk.host;
        Some(result)
    }
    /// Runs the processes of container `i` until all of them wait, and plans the wake-up at which they go on.
    pub(super) fn run_guest(&mut self, w: &mut PodWorker, i: usize, cx: &mut Cx) {
        let Some(started) = w.containers.get(i).filter(|c| c.is_running()).map(|c| c.started) else { return };
        let now = cx.now;
        let run = |kernel: &mut Kernel| (kernel.run(), std::mem::take(&mut kernel.requests), kernel.shared.take());
        let Some((outcome, requests, shared)) = self.with_guest(w, i, now, run) else { return };
        for (container, pid, signal) in shared.into_iter().flat_map(|shared| shared.sent) {
            self.signal_other(w, container, pid, signal, cx);
        }
        for (pid, request) in requests {
            self.send_request(w, i, pid, request, cx);
        }
        match outcome {
            Outcome::Waits(next) => {
                self.settle_sessions(w, i, cx);
                if !self.evict_if_full(w, i, cx)
                    && let Some(at) = next
                {
                    self.plan_guest(w, i, at, started, cx);
                }
            }
            Outcome::Ended(code) => {
                let number = w.containers[i].number;
                let oom = w.running(i).is_some_and(|r| r.guest.stopped == Some(Stopped::OutOfMemory));
                self.keep_message(w, i, code);
                if oom {
                    w.containers[i].end_reason = super::runtime::EndReason::OutOfMemory;
                }
                let earliest = started + MIN_LIFETIME;
                if now < earliest {
                    cx.out.wake(earliest, Timer::Exit { pod: w.uid(), container: i as u8, number, code });
                } else {
                    self.container_exits(w, i, number, code, cx);
                }
            }
        }
    }
    pub(super) fn plan_guest(&mut self, w: &mut PodWorker, i: usize, at: Time, started: Time, cx: &mut Cx) {
        let (pod, now) = (w.uid(), cx.now);
        let number = w.containers.get(i).map_or(0, |c| c.number);
        let Some(running) = w.extra().running.iter_mut().find(|r| r.container as usize == i) else { return };
        if running.wake.is_some_and(|planned| planned <= at && planned > now) {
            return;
        }
        running.wake = Some(at);
        running.seq = running.seq.wrapping_add(1);
        // After its first two minutes a program counts as doing its routine work: a cluster in which only such programs go on is at rest.
        let steady = at - started > Span::secs(120);
        cx.out.wake(at, Timer::Process { pod, container: i as u8, number, seq: running.seq, steady });
    }
    /// Handles a wake-up of a container's processes, unless it is outdated.
    pub(super) fn guest_due(&mut self, w: &mut PodWorker, i: usize, number: u32, seq: u32, cx: &mut Cx) {
        let current = w.containers.get(i).is_some_and(|c| c.is_running() && c.number == number);
        let planned = w.extra.as_mut().and_then(|e| e.running.iter_mut().find(|r| r.container as usize == i)).filter(|r| r.seq == seq);
        if let Some(running) = planned.filter(|_| current) {
            running.wake = None;
            self.run_guest(w, i, cx);
        }
    }
    /// Plans the first run of a container's processes, at its start.
    pub(super) fn begin_guest(&mut self, w: &mut PodWorker, i: usize, at: Time, cx: &mut Cx) {
        self.plan_guest(w, i, at, at, cx);
    }
    /// Plans the wake-ups of all containers again after a restart of the kubelet, which loses them.
    pub(super) fn resume_guests(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        let indexes: Vec<usize> = w.extra.iter().flat_map(|e| &e.running).map(|r| r.container as usize).collect();
        for i in indexes {
            if let Some(running) = w.extra().running.iter_mut().find(|r| r.container as usize == i) {
                running.wake = None;
            }
            let started = w.containers.get(i).map_or(cx.now, |c| c.started);
            self.plan_guest(w, i, cx.now, started, cx);
        }
    }
    /// Sends the first process of a container the stop signal that the container's image names.
    pub(super) fn signal_guest(&mut self, w: &mut PodWorker, i: usize, number: u32, cx: &mut Cx) {
        if w.containers.get(i).is_none_or(|c| !c.is_running() || c.number != number) {
            return;
        }
        let signal = self.image(w, i).and_then(|image| signal_number(image.stop_signal)).unwrap_or(15);
        self.with_guest(w, i, cx.now, |kernel| kernel.guest.signal(1, signal));
        self.run_guest(w, i, cx);
    }
    /// Returns whether a file of a running container can be read, without starting a process; `None` if the container has no processes yet.
    pub(super) fn look_at_file(&mut self, w: &mut PodWorker, i: usize, path: &str, now: Time) -> Option<bool> {
        w.containers.get(i).filter(|c| c.is_running())?;
        self.with_guest(w, i, now, |kernel| kernel.disk.read(path).is_ok())
    }
    /// Returns `None` if container `i` does not listen on the port; otherwise the HTTP status and body of its answer, or `Some(None)` if it does not answer
    /// HTTP requests or no path is given.
    pub(super) fn request(
        &mut self,
        w: &mut PodWorker,
        i: usize,
        port: u16,
        path: Option<&str>,
        now: Time,
    ) -> Option<Option<(u16, String)>> {
        let started = w.containers.get(i).filter(|c| c.is_running())?.started;
        let age = now - started;
        if w.running(i).is_none() {
            let server = self.server(w, i)?;
            if !server.listens(port, age) {
                return None;
            }
            let mounted = container_tree(w, i).is_some_and(|c| !c.list("volumeMounts").is_empty());
            if !mounted {
                let address = ip_text(w.ip).to_string().into();
                let facts = Facts { hostname: w.hostname(), address, tag: tag_of(w, i), ..Facts::default() };
                return Some(path.and_then(|path| server.respond(path, None, &facts, age)));
            }
            self.make_guest(w, i, None, started).ok()?;
        }
        self.with_guest(w, i, now, |kernel| {
            let server = kernel.guest.processes.iter().find_map(|p| match &p.work {
                Work::Server(server) if server.listens(port, age) => Some(server.clone()),
                _ => None,
            })?;
            Some(path.and_then(|path| server.respond(path, Some(kernel.disk), &kernel.guest.facts, age)))
        })?
    }
    /// Keeps the log of a container's last instance, because a new instance replaces it.
    pub(super) fn keep_log(&mut self, w: &mut PodWorker, i: usize) {
        let Some(extra) = &mut w.extra else { return };
        let Some(at) = extra.running.iter().position(|r| r.container as usize == i) else { return };
        let old: Log = extra.running.remove(at).guest.log;
        extra.old_logs.retain(|(c, _)| *c as usize != i);
        extra.old_logs.push((i as u8, old));
    }
    /// Keeps the termination message of a container that has ended: its termination log, or the end of its log if the policy says so.
    fn keep_message(&mut self, w: &mut PodWorker, i: usize, code: i32) {
        let tree = container_tree(w, i);
        let path = tree.map_or("", |c| c.str("terminationMessagePath"));
        let path = if path.is_empty() { "/dev/termination-log" } else { path }.to_owned();
        let fallback = code != 0 && tree.is_some_and(|c| c.str("terminationMessagePolicy") == "FallbackToLogsOnError");
        let number = w.containers.get(i).map_or(0, |c| c.number);
        let Some(running) = w.running(i) else { return };
        let text = match running.guest.root.get(&path) {
            Some(crate::container::files::Entry::File(text, _)) if !text.is_empty() => text.clone(),
            _ if matches!(running.guest.stopped, Some(Stopped::Bound(_))) => last_lines(&running.guest.log, 1),
            _ if fallback => last_lines(&running.guest.log, 80),
            _ => return,
        };
        let end = (0..=text.len().min(4096)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        let messages = &mut w.extra().messages;
        messages.push((number, text.get(..end).unwrap_or("").into()));
        if messages.len() > 16 {
            messages.remove(0);
        }
    }
}

fn tag_of(w: &PodWorker, i: usize) -> ArcStr {
    w.container(i).map_or_else(ArcStr::default, |c| Reference::parse(&c.image).tag.into())
}

fn last_lines(log: &Log, count: usize) -> ArcStr {
    let from = log.lines.len().saturating_sub(count);
    let text: String = log.lines.iter_from(from).map(|(.., line)| format!("{line}\n")).collect();
    let start = text.len().saturating_sub(2048);
    let start = (start..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.get(start..).unwrap_or("").into()
}
