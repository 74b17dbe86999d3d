//! Containers without a cluster: tests give them scripts, and check their logs and exit codes on a clock of the test's own.

mod hostile;
mod scripts;

use loopscope::api::time::{Span, Time};
use loopscope::container::files::{Disk, Tree};
use loopscope::container::guest::{Facts, Guest, Kernel, Outcome};
use loopscope::container::process::{Fd, Stream};
use loopscope::container::{images, programs};
use std::sync::Arc;

/// A running container, and the environment that it sees.
pub struct Box {
    pub guest: Guest,
    pub disk: Disk,
    pub now: Time,
    pub code: Option<i32>,
    next: Option<Time>,
}

impl Box {
    /// Starts a command in a container of an image.
    pub fn start(image: &str, command: &[&str]) -> Box {
        let image = images::find(image, false).unwrap_or_else(|why| panic!("{image}: {why:?}"));
        let env = Arc::new(vec![("HOME".into(), "/".into()), ("NAME".into(), "world".into())]);
        let facts = Facts { hostname: "pod-1".into(), address: "10.244.0.7".into(), env, cwd: "/".into(), cpus: 4, ..Facts::default() };
        let mut root = Tree::default();
        root.put("/etc/motd", "one\ntwo\n");
        root.put_directories("/data");
        let mut made = Box {
            guest: Guest::new(image, Tree::default(), facts),
            disk: Disk { root, ..Disk::default() },
            now: Time(1_767_225_600_000_000),
            code: None,
            next: None,
        };
        let argv: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
        made.on(|kernel| {
            let env = kernel.guest.facts.env.clone();
            let work = programs::resolve(kernel, 0, &argv, &env).unwrap_or_else(|why| panic!("{argv:?}: {why:?}"));
            let pid = kernel.spawn(0, argv.clone().into(), [Fd::Null, Fd::Log(Stream::Out), Fd::Log(Stream::Err)], work);
            kernel.begin(pid.unwrap_or(0));
        });
        made.run();
        made
    }
    pub fn sh(script: &str) -> Box {
        Box::start("busybox:1.36", &["sh", "-c", script])
    }
    pub fn on(&mut self, act: impl FnOnce(&mut Kernel)) {
        let mut kernel = Kernel { guest: &mut self.guest, disk: &mut self.disk, now: self.now, requests: Vec::new(), shared: None };
        act(&mut kernel);
    }
    pub fn run(&mut self) {
        if self.code.is_some() {
            return;
        }
        let mut kernel = Kernel { guest: &mut self.guest, disk: &mut self.disk, now: self.now, requests: Vec::new(), shared: None };
        match kernel.run() {
            Outcome::Ended(code) => self.code = Some(code),
            Outcome::Waits(next) => self.next = next,
        }
    }
    /// Lets virtual time pass.
    pub fn pass(&mut self, span: Span) {
        let end = self.now + span;
        while self.code.is_none() && self.next.is_some_and(|next| next <= end) {
            self.now = self.next.unwrap_or(end);
            self.run();
        }
        self.now = end;
    }
    /// Sends a signal to the container's first process.
    pub fn signal(&mut self, signal: u8) {
        self.guest.signal(1, signal);
        self.run();
    }
    pub fn log(&self) -> String {
        self.guest.log.lines.iter().map(|(.., line)| format!("{line}\n")).collect()
    }
    pub fn wakes(&self) -> Option<Span> {
        self.next.map(|next| next - self.now)
    }
}
