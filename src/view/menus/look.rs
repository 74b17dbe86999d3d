//! Menu entries that show any object, or change it by hand: its YAML, `kubectl describe`, its logs, `kubectl edit`.

use super::{Effect, Menu};
use crate::api::kind::PodSelector;
use crate::api::object::Object;
use crate::view::selection::Subject;

/// Returns the effect that shows the YAML of an object.
pub fn yaml(subject: &Subject) -> Effect {
    Effect::Yaml(subject.clone())
}

/// Returns the effect that runs `kubectl describe` for an object.
pub fn describe(subject: &Subject) -> Effect {
    Effect::Terminal(format!("kubectl describe {}{}", target(subject), in_namespace(subject)))
}

/// Returns the effect that runs `kubectl edit` for an object.
pub fn edit(subject: &Subject) -> Effect {
    Effect::Edit(format!("kubectl edit {}{}", target(subject), in_namespace(subject)))
}

/// Returns the effect that runs `kubectl logs`; `None` unless the object is a pod or selects pods.
pub fn logs(subject: &Subject, object: &Object) -> Option<Effect> {
    let all = match object.pod() {
        Some(pod) if pod.spec.containers.len() + pod.spec.init_containers.len() > 1 => " --all-containers --prefix",
        Some(_) => "",
        None if selects_pods(object) => " --all-pods --prefix",
        None => return None,
    };
    Some(Effect::Terminal(format!("kubectl logs {}{all}{}", target(subject), in_namespace(subject))))
}

/// Returns whether an object has a selector by which kubectl finds its pods.
fn selects_pods(object: &Object) -> bool {
    object.kind().row().pod_selector != PodSelector::Nothing
        && object.to_map().at(&["spec", "selector"]).and_then(|selector| selector.as_map()).is_some_and(|selector| !selector.is_empty())
}

fn target(subject: &Subject) -> String {
    format!("{}/{}", subject.kind.row().singular, subject.key.name)
}

fn in_namespace(subject: &Subject) -> String {
    if subject.kind.row().namespaced { format!(" -n {}", subject.key.namespace) } else { String::new() }
}

impl Menu<'_> {
    /// Adds the entries that show an object or open it in the editor: YAML, Describe, Logs, Edit.
    pub(super) fn look(&mut self, subject: &Subject, object: &Object) {
        self.add("YAML", yaml(subject), false, "");
        self.add("Describe", describe(subject), false, "");
        if let Some(logs) = logs(subject, object) {
            let is_placed = object.pod().is_none_or(|pod| !pod.node.is_empty());
            self.add("Logs", logs, false, if is_placed { "" } else { "it has no node yet" });
        }
        self.add("Edit", edit(subject), false, "");
    }
    /// Adds an entry that shows the log of a container.
    pub(super) fn look_at_container(&mut self, pod: &Subject, name: &str) {
        let line = format!("kubectl logs {} -c {name}{}", target(pod), in_namespace(pod));
        self.add("Logs", Effect::Terminal(line), false, "");
    }
}
