//! The context menu of an object: kubectl commands on it, and the faults of a pod, a container or a node.

use super::{Effect, Menu};
use crate::api::kind::pod::{Check, Container, Pod, Probe};
use crate::api::object::Object;
use crate::sim::{Fault, NodeProcess, ProcessName};
use crate::view::kinds;
use crate::view::selection::Subject;
use std::sync::Arc;

/// The exit codes that the menu offers for ending a container, with their words.
const CODES: [(i32, &str); 3] = [(1, "exit code 1"), (0, "exit code 0"), (137, "exit code 137, as when memory runs out")];
/// The greatest number of images that a node's menu offers to put on the node.
const MOST_IMAGES: usize = 4;

impl Menu<'_> {
    pub(super) fn object(&mut self, subject: &Subject) {
        let Some(object) = self.run.cluster().api.store.get(subject.kind, &subject.key).cloned() else { return };
        self.add("Open", Effect::Open(subject.clone()), false, "");
        self.look(subject, &object);
        (kinds::of(subject.kind).menu)(self, &object);
    }
    /// Adds entries that delete an object, or remove its finalizers.
    pub fn delete(&mut self, object: &Object) {
        self.group = "kubectl";
        let (row, name) = (object.kind().row(), &object.meta.name);
        let namespace: &[&str] = if row.namespaced { &["-n", &object.meta.namespace] } else { &[] };
        let words = |more: &[&'static str]| -> Vec<String> {
            let all = ["delete", row.singular, name];
            all.iter().chain(more).chain(namespace).map(|word| (*word).to_owned()).collect()
        };
        let going = if object.meta.deletion.is_some() { "it is being deleted" } else { "" };
        let mut delete = |label: &str, more: &[&'static str], going| self.add(label, Effect::Kubectl(words(more)), true, going);
        delete("Delete", &[], going);
        if row.scale.is_some() || row.pod_spec.len() > 1 {
            delete("Delete after all that it owns (foreground)", &["--cascade=foreground"], going);
            delete("Delete it alone, orphan what it owns", &["--cascade=orphan"], going);
        }
        if object.pod().is_some() {
            delete("Delete at once, without grace", &["--force", "--grace-period=0"], "");
        }
        if !object.meta.finalizers().is_empty() {
            let patch = ["patch", row.singular, name, "--type=merge", "-p", r#"{"metadata":{"finalizers":null}}"#];
            let patch: Vec<&str> = patch.iter().chain(namespace).copied().collect();
            self.kubectl(format!("Remove its finalizers ({})", object.meta.finalizers().join(", ")), &patch, true, "");
        }
    }
    /// Adds entries that scale an object, if its kind has a scale subresource.
    pub fn scale(&mut self, object: &Object) {
        self.group = "kubectl";
        let (row, name, namespace) = (object.kind().row(), object.meta.name.as_str(), object.meta.namespace.as_str());
        let target = format!("{}/{name}", row.singular);
        if let Some(scale) = row.scale {
            let now = i64::from((scale.read)(object).wanted);
            let mut targets = vec![now.saturating_add(1), now - 1, 0];
            targets.retain(|to| *to >= 0 && *to != now);
            targets.dedup();
            for to in targets {
                let (way, flag) = (if to > now { "up" } else { "down" }, format!("--replicas={to}"));
                self.kubectl(format!("Scale {way} to {to}"), &["scale", &target, &flag, "-n", namespace], false, "");
            }
        }
    }
    /// Adds entries that restart the pods of a workload, or undo its last rollout.
    pub fn rollout(&mut self, object: &Object) {
        self.group = "kubectl";
        let (target, namespace) = (format!("{}/{}", object.kind().row().singular, object.meta.name), object.meta.namespace.as_str());
        self.kubectl("Restart its pods (rollout restart)", &["rollout", "restart", &target, "-n", namespace], false, "");
        self.kubectl("Undo its last rollout", &["rollout", "undo", &target, "-n", namespace], false, "");
    }
    /// Adds entries for the faults of a pod.
    pub fn pod(&mut self, object: &Arc<Object>) {
        let Some(pod) = object.pod() else { return };
        self.group = "Break";
        let (namespace, name) = (|| object.meta.namespace.to_string(), || object.meta.name.to_string());
        let why_not = if pod.node.is_empty() { "it has no node yet" } else { "" };
        self.fault("Kill all its containers", Fault::KillPod { namespace: namespace(), pod: name() }, why_not);
        for container in &pod.spec.containers {
            self.kill(object, container, why_not);
        }
        for path in probe_files(pod) {
            let file = |there| Fault::ProbeFile { namespace: namespace(), pod: name(), path: path.clone(), there };
            self.fault(format!("Take the file {path} from its probes"), file(false), why_not);
            self.fault(format!("Give the file {path} to its probes"), file(true), why_not);
        }
    }
    pub(super) fn container(&mut self, pod: &Subject, name: &str) {
        let Some(object) = self.run.cluster().api.store.get(pod.kind, &pod.key).cloned() else { return };
        let Some(found) = object.pod() else { return };
        self.add("Open its pod", Effect::Open(pod.clone()), false, "");
        self.look_at_container(pod, name);
        self.group = "Break";
        let why_not = if found.node.is_empty() { "its pod has no node yet" } else { "" };
        for container in found.spec.containers.iter().filter(|c| c.name == name) {
            self.kill(&object, container, why_not);
        }
    }
    fn kill(&mut self, object: &Object, container: &Container, why_not: &'static str) {
        for (exit_code, words) in CODES {
            let (namespace, pod) = (object.meta.namespace.to_string(), object.meta.name.to_string());
            let fault = Fault::KillContainer { namespace, pod, container: container.name.to_string(), exit_code };
            self.fault(format!("End container {} with {words}", container.name), fault, why_not);
        }
    }
    /// Adds entries for the kubectl commands on a node, and for the faults of its machine and its kubelet.
    pub fn node(&mut self, object: &Object) {
        let name = object.meta.name.as_str();
        self.group = "kubectl";
        match object.node().is_some_and(|n| n.spec.unschedulable) {
            true => self.kubectl("Uncordon: let pods be scheduled on it again", &["uncordon", name], false, ""),
            false => self.kubectl("Cordon: no new pods on it", &["cordon", name], false, ""),
        }
        let drain = ["drain", name, "--ignore-daemonsets", "--delete-emptydir-data", "--force"];
        self.kubectl("Drain: cordon it and evict its pods", &drain, false, "");
        self.delete(object);
        let cluster = self.run.cluster();
        let Some(process) = cluster.node_number(name).and_then(|n| cluster.nodes.get(n as usize)) else { return };
        self.machine(name, process);
        self.process(&ProcessName::Kubelet(name.to_owned()));
    }
    fn machine(&mut self, name: &str, process: &Arc<NodeProcess>) {
        self.group = "Machine";
        let node = || name.to_owned();
        let dead = if process.powered { "" } else { "the node has no power" };
        self.either(
            !process.powered,
            ("Restart the node", Fault::RestartNode { node: node() }),
            ("Cut its power", Fault::CrashNode { node: node() }),
            "",
        );
        self.either(process.frozen, ("Thaw it", Fault::ThawNode { node: node() }), ("Freeze it", Fault::FreezeNode { node: node() }), dead);
        let here: Vec<String> = process.kubelet.images().map(|i| i.to_string()).collect();
        for image in self.images_in_use().into_iter().filter(|image| !here.contains(image)).take(MOST_IMAGES) {
            let images = here.iter().chain([&image]).cloned().collect();
            self.fault(format!("Put image {image} on it"), Fault::Images { node: node(), images }, "");
        }
        if !here.is_empty() {
            self.fault("Remove all images from it", Fault::Images { node: node(), images: Vec::new() }, "");
        }
    }
    /// Returns the images of the regular containers in the pod templates of up to 50 workloads of each kind. Reads templates instead of pods, because there are
    /// fewer of them.
    fn images_in_use(&self) -> Vec<String> {
        let store = &self.run.cluster().api.store;
        let mut images = Vec::new();
        let workloads = self.run.cluster().api.kinds.all().filter(|kind| kind.row().scale.is_some() && !kind.row().pod_spec.is_empty());
        for object in workloads.flat_map(|kind| store.all(kind).take(50)) {
            let map = object.to_map();
            let spec = map.at(object.kind().row().pod_spec).and_then(|spec| spec.as_map());
            for image in spec.into_iter().flat_map(|s| s.list("containers")).filter_map(|c| c.get("image")?.as_str()) {
                if !images.iter().any(|known| known == image) {
                    images.push(image.to_owned());
                }
            }
        }
        images
    }
}

/// Returns the files that a pod's exec probes seem to read: absolute paths in their commands, except under `/bin`.
fn probe_files(pod: &Pod) -> Vec<String> {
    let mut files = Vec::new();
    let probes = pod.spec.containers.iter().flat_map(|c: &Container| [&c.readiness, &c.liveness, &c.startup]);
    for probe in probes.flatten() {
        let Probe { check: Check::Exec(command), .. } = probe else { continue };
        let words = command.iter().flat_map(|w| w.split([' ', ';', '"', '\'']));
        for path in words.filter(|w| w.len() > 1 && w.starts_with('/') && !w.starts_with("/bin/")) {
            if !files.iter().any(|known| known == path) {
                files.push(path.to_owned());
            }
        }
    }
    files
}
