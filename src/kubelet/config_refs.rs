//! Reads the ConfigMaps and Secrets to which a container's environment refers. The container starts only if they exist. Counterpart:
//! `kubelet_pods.makeEnvironmentVariables`.
//!
//! Simplification: the real kubelet watches these objects, this one reads them at each start of a container. The ConfigMaps and Secrets of volumes are
//! read in `volumes`.

use super::container_event::ContainerEvent;
use super::worker::{Busy, PodWorker, Stage};
use super::{Call, Core, Cx};
use crate::api::kind::Kind;
use crate::api::request::{Request, Response, Verb};
use crate::api::value::{Map, Value};
use arcstr::ArcStr;
use arcstr::literal;

/// A reference of a container's environment to a ConfigMap or Secret, or to one key of it.
struct Reference {
    kind: Kind,
    name: ArcStr,
    key: Option<ArcStr>,
    optional: bool,
}

impl Core {
    /// Reads the `n`th reference of container `i`, or starts the container after the last one. Returns `true` if the worker has to wait for an answer.
    pub(super) fn look_up(&mut self, w: &mut PodWorker, i: usize, n: usize, cx: &mut Cx) -> bool {
        let Some(reference) = references(w, i).into_iter().nth(n) else {
            return self.launch(w, i, cx);
        };
        w.busy = Busy::Config(i as u8, n as u8);
        w.step_seq = w.step_seq.wrapping_add(1);
        let get = Request::new(Verb::Get, reference.kind, w.object.meta.namespace.clone(), reference.name);
        self.send(cx.now, Call::Reference(w.uid(), w.step_seq), get, cx);
        true
    }
    /// Handles the answer to a read by [`Core::look_up`] or by [`Core::mount_volumes`].
    pub(super) fn looked_up(&mut self, w: &mut PodWorker, response: &Response, cx: &mut Cx) {
        if let Busy::Volumes(n) = w.busy {
            w.busy = Busy::No;
            if !w.gone && w.stage == Stage::Syncing && self.volume_read(w, n as usize, response, cx) {
                self.create_sandbox(w, cx);
            }
            return;
        }
        let Busy::Config(i, n) = w.busy else { return };
        let (i, n) = (i as usize, n as usize);
        w.busy = Busy::No;
        if w.gone || w.stage != Stage::Syncing {
            return;
        }
        let Some(reference) = references(w, i).into_iter().nth(n) else { return self.act(w, cx) };
        w.forget(reference.kind, &reference.name);
        if let Some(object) = response.object() {
            w.extra().references.push(object.clone());
        }
        match missing(&reference, w, response) {
            None => {
                if self.look_up(w, i, n + 1, cx) {
                    return;
                }
            }
            Some(message) => {
                self.record_about(w, i, ContainerEvent::warning("Failed", format!("Error: {message}")), cx);
                w.set_reason(i, Some((literal!("CreateContainerConfigError"), message.into())));
            }
        }
        self.act(w, cx);
    }
}

/// Returns the error message if the referenced object or its key does not exist; `None` if it exists or is optional.
fn missing(reference: &Reference, w: &PodWorker, response: &Response) -> Option<String> {
    let row = reference.kind.row();
    if response.refusal().is_some_and(|status| status.code != 404) {
        return Some(format!("failed to sync {} cache: timed out waiting for the condition", row.singular));
    }
    let Some(object) = response.object() else {
        if reference.optional {
            return None;
        }
        return Some(format!("{} \"{}\" not found", row.singular, reference.name));
    };
    let key = reference.key.as_ref()?;
    let tree = object.to_map();
    let found = ["data", "stringData", "binaryData"].iter().any(|field| tree.map(field).is_some_and(|m| m.has(key)));
    (!found && !reference.optional)
        .then(|| format!("couldn't find key {key} in {} {}/{}", row.name, w.object.meta.namespace, reference.name))
}

/// Returns the references of a container's environment.
fn references(w: &PodWorker, i: usize) -> Vec<Reference> {
    let Some(container) = super::environment::container_tree(w, i) else { return Vec::new() };
    let from = container.list("envFrom").iter().filter_map(Value::as_map).flat_map(|m| pair(m, "configMapRef", "secretRef"));
    let values = container.list("env").iter().filter_map(|e| e.get("valueFrom")?.as_map());
    let keys = values.flat_map(|m| pair(m, "configMapKeyRef", "secretKeyRef"));
    from.chain(keys).collect()
}

fn pair(m: &Map, config_map: &str, secret: &str) -> Vec<Reference> {
    let one = |field: &str, kind| {
        let reference = m.map(field)?;
        let key = Some(reference.str("key")).filter(|k| !k.is_empty());
        Some(Reference { kind, name: reference.str("name").into(), key: key.map(Into::into), optional: reference.bool("optional") })
    };
    [one(config_map, Kind::CONFIG_MAP), one(secret, Kind::SECRET)].into_iter().flatten().collect()
}
