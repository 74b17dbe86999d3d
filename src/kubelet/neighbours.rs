//! Containers as Linux sees them: their groups and capabilities, and the processes that the containers of a pod share. Counterpart:
//! `kuberuntime/security_context.go` and `NamespaceMode_POD`.

use super::environment::container_tree;
use super::start::image_files;
use super::worker::PodWorker;
use super::{Core, Cx};
use crate::api::order::Order;
use crate::api::value::{Map, Value};
use crate::container::facts::{self, Other, Shared};
use crate::container::files::{Entry, Tree};

/// Returns the security context of a pod.
pub fn security(w: &PodWorker) -> Option<&Map> {
    w.spec()?.raw.map("securityContext")
}

/// Returns the capabilities of container `i`, as the bits of Linux.
pub fn capabilities_of(w: &PodWorker, i: usize) -> u64 {
    let own = container_tree(w, i).and_then(|c| c.map("securityContext"));
    let listed =
        |list: &'static str| own.and_then(|s| s.map("capabilities")).into_iter().flat_map(move |c| c.list(list)).filter_map(Value::as_str);
    facts::capabilities(own.is_some_and(|s| s.bool("privileged")), listed("drop"), listed("add"))
}

/// Returns the number that is added to the pids of container `i` in a pod whose containers share their processes.
fn first_pid(i: usize) -> u32 {
    7 * (i as u32 + 1)
}

impl Core {
    /// Returns all groups of a container's processes.
    pub(super) fn groups(&self, w: &PodWorker, gid: u32) -> Vec<u32> {
        let pod = security(w);
        let supplemental = pod.into_iter().flat_map(|s| s.list("supplementalGroups")).filter_map(Value::as_int);
        let mut all: Vec<u32> = supplemental.chain(pod.and_then(|s| s.int("fsGroup"))).map(|group| group as u32).chain([gid]).collect();
        all.order();
        all.dedup();
        all
    }
    /// Returns the processes of a pod's other containers as container `i` sees them; `None` if it does not see them.
    pub(super) fn shared(&self, w: &PodWorker, i: usize) -> Option<Shared> {
        w.spec().filter(|s| s.raw.bool("shareProcessNamespace"))?;
        let mut shared = Shared { first: first_pid(i), ..Shared::default() };
        for other in (0..w.containers.len()).filter(|other| *other != i && w.containers[*other].is_running()) {
            let mut add = |pid: u32, uid: u32, title: String| {
                shared.others.push(Other { container: other, pid, shown: first_pid(other) + pid, uid, title });
            };
            match (w.running(other), self.image(w, other), w.container(other)) {
                (Some(running), ..) => {
                    let guest = &running.guest;
                    guest.processes.iter().for_each(|p| add(p.pid, guest.facts.uid, facts::title(&p.argv)));
                }
                (None, Some(image), Some(container)) => {
                    let argv = image.command_line(&container.command, container.has_command);
                    add(1, self.user(w, other, image).map_or(0, |(uid, _)| uid), facts::title(&argv));
                }
                _ => {}
            }
        }
        Some(shared)
    }
    /// Puts the files of the other containers' images where container `i` finds them: below `/proc/PID/root`. Changes of these files are not followed.
    pub(super) fn show_other_roots(&self, w: &PodWorker, i: usize, root: &mut Tree) {
        let shares = w.spec().is_some_and(|s| s.raw.bool("shareProcessNamespace"));
        for other in (0..w.containers.len()).filter(|other| shares && *other != i) {
            let files = self.image(w, other).map(image_files).unwrap_or_default();
            for (path, entry) in files.below("/") {
                if let Entry::File(text, _) = entry {
                    root.put(&format!("/proc/{}/root{path}", first_pid(other) + 1), text);
                }
            }
        }
    }
    /// Delivers a signal that a process has sent to a process of another container of the pod.
    pub(super) fn signal_other(&mut self, w: &mut PodWorker, container: usize, pid: u32, signal: u8, cx: &mut Cx) {
        if w.running(container).is_some() {
            self.with_guest(w, container, cx.now, |kernel| kernel.guest.signal(pid, signal));
            return self.run_guest(w, container, cx);
        }
        let Some(number) = w.containers.get(container).map(|c| c.number) else { return };
        match self.server(w, container) {
            Some(server) if server.ends_on(signal) => self.container_exits(w, container, number, server.exit_code, cx),
            Some(_) if signal == 9 => self.container_exits(w, container, number, 137, cx),
            _ => {}
        }
    }
}
