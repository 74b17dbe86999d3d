//! Volumes: the files that a pod's containers share or get from ConfigMaps, Secrets and the node. Counterpart: `pkg/kubelet/volumemanager` and `pkg/volume`.
//!
//! A pod's volumes are made before its sandbox. One that refers to a ConfigMap or Secret that does not exist holds the pod in ContainerCreating, with an event
//! FailedMount and a retry after half a second, one second, two … up to two minutes. ConfigMaps and Secrets are read again about once a minute, so that a
//! volume follows their changes as late as the real kubelet's does; files that were copied by `subPath` do not change.
//! Simplifications: persistent volumes that are no directory of a node (CSI, network file systems) are empty directories here; file modes are not kept.

use super::environment::{container_tree, data_of, expand};
use super::images::pulled_text;
use super::start::image_files;
use super::worker::{Busy, PodWorker, Stage};
use super::{Call, Core, Cx, Timer};
use crate::api::kind::Kind;
use crate::api::request::{Request, Response, Verb};
use crate::api::time::Span;
use crate::api::value::{Map, Value};
use crate::client::EventDraft;
use crate::container::files::{Mount, Source, Tree, absolute};
use crate::container::images;
use arcstr::ArcStr;
use std::sync::Arc;

/// The delay after the first failed mount; it doubles up to [`LONGEST_DELAY`].
const FIRST_DELAY: Span = Span::millis(500);
const LONGEST_DELAY: Span = Span::secs(122);
/// The time between two reads of the ConfigMaps and Secrets in a pod's volumes; up to half of it is added at random.
const REFRESH: Span = Span::secs(60);

/// A reference of a pod's volume, or of its pull secrets, to a ConfigMap or Secret.
struct Reference {
    kind: Kind,
    name: ArcStr,
    optional: bool,
    volume: ArcStr,
}

impl Reference {
    /// Returns whether the volume follows changes of the object.
    fn changes(&self) -> bool {
        !matches!(self.kind, Kind::PERSISTENT_VOLUME_CLAIM | Kind::PERSISTENT_VOLUME)
    }
}

/// Returns the volumes in a pod's spec.
fn volumes(w: &PodWorker) -> impl Iterator<Item = &Map> {
    w.spec().into_iter().flat_map(|s| s.raw.list("volumes")).filter_map(Value::as_map)
}

/// Returns the name of the claim that a volume of the pod uses: the one it names, or the pod's own for an ephemeral volume.
fn claim_name(w: &PodWorker, volume: &Map) -> Option<ArcStr> {
    match volume.map("persistentVolumeClaim") {
        Some(claim) => Some(claim.str("claimName").into()),
        None if volume.has("ephemeral") => Some(format!("{}-{}", w.object.meta.name, volume.str("name")).into()),
        None => None,
    }
}

/// Returns the path on the node of a volume of the pod, with its type: a `hostPath`, or a claim whose PersistentVolume is a directory of the node.
fn host_path(w: &PodWorker, volume: &Map) -> Option<Map> {
    if let Some(path) = volume.map("hostPath") {
        return Some(path.clone());
    }
    let claim = w.referred(Kind::PERSISTENT_VOLUME_CLAIM, &claim_name(w, volume)?)?.persistent_volume_claim()?;
    let bound = w.referred(Kind::PERSISTENT_VOLUME, &claim.spec.volume_name)?.persistent_volume()?;
    bound.spec.other.map("hostPath").or_else(|| bound.spec.other.map("local")).cloned()
}

/// Returns the references to ConfigMaps, Secrets and claims of a pod's volumes, and of its pull secrets, which have no volume.
fn references(w: &PodWorker) -> Vec<Reference> {
    let mut all: Vec<Reference> = Vec::new();
    for volume in volumes(w) {
        if let Some(name) = claim_name(w, volume) {
            let of = |kind, name| Reference { kind, name, optional: false, volume: volume.str("name").into() };
            let bound = w.referred(Kind::PERSISTENT_VOLUME_CLAIM, &name).and_then(|o| o.persistent_volume_claim());
            let bound = bound.map(|claim| ArcStr::from(claim.spec.volume_name.as_str())).filter(|name| !name.is_empty());
            all.push(of(Kind::PERSISTENT_VOLUME_CLAIM, name));
            all.extend(bound.map(|name| of(Kind::PERSISTENT_VOLUME, name)));
            continue;
        }
        let mut add = |source: &Map, kind: Kind, key: &str| {
            let name = source.str(key);
            if !name.is_empty() {
                all.push(Reference { kind, name: name.into(), optional: source.bool("optional"), volume: volume.str("name").into() });
            }
        };
        if let Some(source) = volume.map("configMap") {
            add(source, Kind::CONFIG_MAP, "name");
        }
        if let Some(source) = volume.map("secret") {
            add(source, Kind::SECRET, "secretName");
        }
        for source in volume.map("projected").into_iter().flat_map(|p| p.list("sources")).filter_map(Value::as_map) {
            if let Some(source) = source.map("configMap") {
                add(source, Kind::CONFIG_MAP, "name");
            }
            if let Some(source) = source.map("secret") {
                add(source, Kind::SECRET, "name");
            }
        }
    }
    all.extend(pull_secrets(w).map(|name| Reference { kind: Kind::SECRET, name, optional: true, volume: ArcStr::default() }));
    all
}

/// Returns the names of the Secrets with which a pod's images are pulled.
pub fn pull_secrets(w: &PodWorker) -> impl Iterator<Item = ArcStr> + '_ {
    let listed = w.spec().into_iter().flat_map(|s| s.raw.list("imagePullSecrets")).filter_map(Value::as_map);
    listed.map(|secret| ArcStr::from(secret.str("name"))).filter(|name| !name.is_empty())
}

impl Core {
    /// Pulls the images that a pod mounts as volumes, and records events about that. Returns the time that it takes, or `None` if one cannot be pulled, which
    /// the worker tries again later. Counterpart: `getImageVolumes`.
    pub(super) fn pull_volumes(&mut self, w: &mut PodWorker, cx: &mut Cx) -> Option<Span> {
        let sources: Vec<Map> = volumes(w).filter_map(|v| v.map("image")).cloned().collect();
        let mut takes = Span(0);
        for source in sources {
            let image = ArcStr::from(source.str("reference"));
            let event = |text: String| {
                (
                    EventDraft::normal(&w.object, "Pulled", text),
                    EventDraft::normal(&w.object, "Pulling", format!("Pulling image \"{image}\"")),
                )
            };
            if self.images.contains(&image) && source.str("pullPolicy") != "Always" {
                let text = format!("Container image \"{image}\" already present on machine and can be accessed by the pod");
                self.record(event(text).0, takes, cx);
                continue;
            }
            let error = self.pull_error(w, &image);
            let span = self.pull_time(&image);
            let (pulled, pulling) = event(pulled_text(&image, span, span, self.image_bytes(&image)));
            self.record(pulling, takes, cx);
            if let Some(error) = error {
                for text in [format!("Failed to pull image \"{image}\": {error}"), "Error: ErrImagePull".to_owned()] {
                    self.record(EventDraft::warning(&w.object, "Failed", text), takes, cx);
                }
                self.delay_mount(w, cx);
                return None;
            }
            takes = takes + span;
            self.images.insert(image.clone());
            self.record(pulled, takes, cx);
        }
        Some(takes)
    }
    /// Reads the `n`th object that a pod's volumes refer to, or makes the volumes after the last one. Returns `true` if the worker has to wait for an answer,
    /// or if the mounting has failed.
    pub(super) fn mount_volumes(&mut self, w: &mut PodWorker, n: usize, cx: &mut Cx) -> bool {
        let none = w.spec().is_none_or(|s| s.raw.list("volumes").is_empty() && s.raw.list("imagePullSecrets").is_empty());
        if none || self.config.runtime.recorded {
            return false;
        }
        let Some(reference) = references(w).into_iter().nth(n) else {
            return match self.make_volumes(w) {
                Ok(()) => {
                    if references(w).iter().any(Reference::changes) {
                        self.plan_refresh(w, cx);
                    }
                    false
                }
                Err((volume, why)) => {
                    self.mount_failed(w, &volume, &why, cx);
                    true
                }
            };
        };
        w.busy = Busy::Volumes(n as u8);
        w.step_seq = w.step_seq.wrapping_add(1);
        let namespace = if reference.kind.row().namespaced { w.object.meta.namespace.clone() } else { ArcStr::default() };
        let get = Request::new(Verb::Get, reference.kind, namespace, reference.name);
        self.send(cx.now, Call::Reference(w.uid(), w.step_seq), get, cx);
        true
    }
    /// Handles the answer to a read by [`Core::mount_volumes`]. Returns `true` if all volumes are mounted.
    pub(super) fn volume_read(&mut self, w: &mut PodWorker, n: usize, response: &Response, cx: &mut Cx) -> bool {
        let Some(reference) = references(w).into_iter().nth(n) else { return false };
        w.forget(reference.kind, &reference.name);
        match response.object() {
            Some(object) => w.extra().references.push(object.clone()),
            None if reference.optional && response.code() == 404 => {
                if reference.volume.is_empty() {
                    let message = format!(
                        "Unable to retrieve some image pull secrets ({}); attempting to pull the image may not succeed.",
                        reference.name
                    );
                    self.record(EventDraft::warning(&w.object, "FailedToRetrieveImagePullSecret", message), Span(0), cx);
                }
            }
            None => {
                let row = reference.kind.row();
                let why = match response.code() {
                    404 => format!("{} \"{}\" not found", row.singular, reference.name),
                    _ => format!("failed to sync {} cache: timed out waiting for the condition", row.singular),
                };
                self.mount_failed(w, &reference.volume, &why, cx);
                return false;
            }
        }
        !self.mount_volumes(w, n + 1, cx)
    }
    fn mount_failed(&mut self, w: &mut PodWorker, volume: &str, why: &str, cx: &mut Cx) {
        let message = format!("MountVolume.SetUp failed for volume \"{volume}\" : {why}");
        self.record(EventDraft::warning(&w.object, "FailedMount", message), Span(0), cx);
        self.delay_mount(w, cx);
    }
    /// Plans the next try to mount the volumes, each time later.
    fn delay_mount(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        let extra = w.extra();
        extra.mount_delay = if extra.mount_delay.0 == 0 { FIRST_DELAY } else { Span((extra.mount_delay.0 * 2).min(LONGEST_DELAY.0)) };
        let delay = extra.mount_delay;
        w.busy = Busy::No;
        self.wake(w, cx.now + delay, cx);
    }
    /// Makes the files of all volumes from the objects that were read. The error holds the volume's name and a message.
    fn make_volumes(&mut self, w: &mut PodWorker) -> Result<(), (ArcStr, String)> {
        let mut trees = Vec::new();
        for (n, volume) in volumes(w).enumerate() {
            let old = w.extra.as_ref().and_then(|e| e.volumes.get(n)).cloned();
            let name = volume.str("name");
            let tree = self.volume_tree(w, volume, old).map_err(|why| (ArcStr::from(name), why))?;
            trees.push(tree);
        }
        for path in volumes(w).filter_map(|v| host_path(w, v)) {
            make_host_path(&mut self.host, &path);
        }
        let extra = w.extra();
        (extra.volumes, extra.mount_delay) = (trees, Span(0));
        Ok(())
    }
    fn volume_tree(&self, w: &PodWorker, volume: &Map, old: Option<Tree>) -> Result<Tree, String> {
        let mut tree = Tree::default();
        if let Some(source) = volume.map("configMap") {
            self.fill(w, &mut tree, Kind::CONFIG_MAP, source.str("name"), source)?;
        } else if let Some(source) = volume.map("secret") {
            self.fill(w, &mut tree, Kind::SECRET, source.str("secretName"), source)?;
        } else if let Some(source) = volume.map("downwardAPI") {
            self.fill_fields(w, &mut tree, source);
        } else if let Some(projected) = volume.map("projected") {
            for source in projected.list("sources").iter().filter_map(Value::as_map) {
                if let Some(map) = source.map("configMap") {
                    self.fill(w, &mut tree, Kind::CONFIG_MAP, map.str("name"), map)?;
                }
                if let Some(secret) = source.map("secret") {
                    self.fill(w, &mut tree, Kind::SECRET, secret.str("name"), secret)?;
                }
                if let Some(fields) = source.map("downwardAPI") {
                    self.fill_fields(w, &mut tree, fields);
                }
                if let Some(token) = source.map("serviceAccountToken") {
                    tree.put(&format!("/{}", token.str("path")), &token_of(w));
                }
            }
        } else if let Some(path) = volume.map("hostPath") {
            check_host_path(&self.host, path)?;
        } else if let Some(image) = volume.map("image") {
            tree = images::find(image.str("reference"), true).map_or_else(|_| Tree::default(), image_files);
        } else {
            tree = old.unwrap_or_default();
        }
        Ok(tree)
    }
    /// Adds the keys of a ConfigMap or Secret to a volume as files: all of them, or those in `items`.
    fn fill(&self, w: &PodWorker, tree: &mut Tree, kind: Kind, name: &str, source: &Map) -> Result<(), String> {
        let Some(object) = w.referred(kind, name) else { return Ok(()) };
        let data = data_of(object);
        let items = source.list("items");
        if items.is_empty() {
            data.iter().for_each(|(key, text)| tree.put(&format!("/{key}"), text));
        }
        for item in items.iter().filter_map(Value::as_map) {
            match data.iter().find(|(key, _)| key == item.str("key")) {
                Some((_, text)) => tree.put(&absolute("/", item.str("path")), text),
                None if source.bool("optional") => {}
                None => {
                    return Err(format!(
                        "{} references non-existent {} key: {}",
                        kind.row().singular,
                        kind.row().singular,
                        item.str("key")
                    ));
                }
            }
        }
        Ok(())
    }
    fn fill_fields(&self, w: &PodWorker, tree: &mut Tree, source: &Map) {
        for item in source.list("items").iter().filter_map(Value::as_map) {
            let text = match (item.map("fieldRef"), item.map("resourceFieldRef")) {
                (Some(field), _) => self.field(w, field.str("fieldPath")).unwrap_or_default(),
                (_, Some(resource)) => self.resource(w, w.init_count(), resource),
                _ => String::new(),
            };
            tree.put(&absolute("/", item.str("path")), &text);
        }
    }
    /// Plans the next read of the ConfigMaps and Secrets in a pod's volumes.
    pub(super) fn plan_refresh(&mut self, w: &mut PodWorker, cx: &mut Cx) {
        let at = cx.now + REFRESH + Span(cx.rng.below(REFRESH.0 as u64 / 2) as i64);
        let extra = w.extra();
        extra.refresh_seq = extra.refresh_seq.wrapping_add(1);
        let seq = extra.refresh_seq;
        cx.out.wake(at, Timer::Volumes(w.uid(), seq));
    }
    /// Reads the ConfigMaps and Secrets in a pod's volumes again, unless the wake-up is outdated.
    pub(super) fn refresh_volumes(&mut self, w: &mut PodWorker, seq: u32, cx: &mut Cx) {
        if w.gone || w.stage != Stage::Syncing || w.extra.as_ref().is_none_or(|e| e.refresh_seq != seq) {
            return;
        }
        for reference in references(w).into_iter().filter(Reference::changes) {
            let get = Request::new(Verb::Get, reference.kind, w.object.meta.namespace.clone(), reference.name);
            self.send(cx.now, Call::Refresh(w.uid()), get, cx);
        }
        self.plan_refresh(w, cx);
    }
    /// Handles a ConfigMap or Secret that was read again: updates the pod's volumes if it has changed.
    pub(super) fn refreshed(&mut self, w: &mut PodWorker, response: &Response) {
        let Some(object) = response.object() else { return };
        let same = |known: &Arc<crate::api::object::Object>| {
            known.meta.resource_version == object.meta.resource_version && known.meta.uid == object.meta.uid
        };
        if w.extra.as_ref().is_some_and(|e| e.references.iter().any(same)) {
            return;
        }
        w.forget(object.kind(), &object.meta.name);
        w.extra().references.push(object.clone());
        // If a volume can no longer be made, all volumes stay as they are.
        let _ = self.make_volumes(w);
    }
    /// Creates the directories of volumes that are mounted by `subPath`, if they do not exist.
    pub(super) fn make_sub_paths(&mut self, w: &mut PodWorker, mounts: &[Mount]) {
        for mount in mounts.iter().filter(|m| !m.read_only && m.inner != "/") {
            let tree = match mount.source {
                Source::Volume(n) => w.extra().volumes.get_mut(n),
                Source::Host => Some(&mut self.host),
            };
            if let Some(tree) = tree.filter(|tree| tree.get(&mount.inner).is_none()) {
                tree.put_directories(&mount.inner);
            }
        }
    }
    /// Returns the mounts of container `i`. Files mounted by `subPath` from ConfigMaps and Secrets are copied into `root`, the container's own files.
    pub(super) fn mounts(&self, w: &PodWorker, i: usize, root: &mut Tree) -> Vec<Mount> {
        let mut mounts = Vec::new();
        let trees = w.extra.as_ref().map(|e| e.volumes.as_slice()).unwrap_or_default();
        for one in container_tree(w, i).into_iter().flat_map(|c| c.list("volumeMounts")).filter_map(Value::as_map) {
            let Some((n, volume)) = volumes(w).enumerate().find(|(_, v)| v.str("name") == one.str("name")) else { continue };
            let path = absolute("/", one.str("mountPath"));
            let inner = match (one.str("subPathExpr"), self.image(w, i)) {
                (expression, Some(image)) if !expression.is_empty() => {
                    let started = w.containers.get(i).map(|c| c.started).unwrap_or_default();
                    absolute("/", &expand(expression, &self.environment(w, i, image, started)))
                }
                _ => absolute("/", one.str("subPath")),
            };
            let object = ["configMap", "secret", "projected", "downwardAPI"].iter().any(|field| volume.has(field));
            if object && inner != "/" {
                if let Some(crate::container::files::Entry::File(text, _)) = trees.get(n).and_then(|tree| tree.get(&inner)) {
                    root.put(&path, text);
                }
                continue;
            }
            let (source, inner) = match host_path(w, volume) {
                Some(host) => (Source::Host, absolute(&absolute("/", host.str("path")), inner.trim_start_matches('/'))),
                None => (Source::Volume(n), inner),
            };
            let read_only = object || volume.has("image") || one.bool("readOnly");
            mounts.push(Mount { path: path.into(), source, inner: inner.into(), read_only });
        }
        mounts
    }
}

impl PodWorker {
    /// Forgets a ConfigMap or Secret that was read for the pod.
    pub fn forget(&mut self, kind: Kind, name: &str) {
        if let Some(extra) = &mut self.extra {
            extra.references.retain(|object| object.kind() != kind || object.meta.name != name);
        }
    }
}

/// Returns a token of the pod's service account. It is not a real one and would be accepted nowhere else.
pub fn token_of(w: &PodWorker) -> String {
    format!("eyJhbGciOiJSUzI1NiJ9.loopscope.{}", w.uid())
}

/// Checks the `type` of a hostPath volume against the node's files. Counterpart: `hostpath.checkType`.
fn check_host_path(host: &Tree, volume: &Map) -> Result<(), String> {
    use crate::container::files::Entry;
    let path = absolute("/", volume.str("path"));
    let wrong = |what: &str| Err(format!("hostPath type check failed: {path} is not a {what}"));
    match (volume.str("type"), host.get(&path)) {
        ("Directory", Some(Entry::Directory)) | ("File", Some(Entry::File(..))) => Ok(()),
        ("Directory", _) => wrong("directory"),
        ("File", _) => wrong("file"),
        ("Socket", _) => wrong("socket"),
        ("CharDevice", _) => wrong("character device"),
        ("BlockDevice", _) => wrong("block device"),
        _ => Ok(()),
    }
}

/// Creates the path of a hostPath volume on the node if it does not exist: a file for type `FileOrCreate`, else a directory.
fn make_host_path(host: &mut Tree, volume: &Map) {
    let path = absolute("/", volume.str("path"));
    if host.get(&path).is_some() {
        return;
    }
    match volume.str("type") {
        "FileOrCreate" => host.put(&path, ""),
        _ => host.put_directories(&path),
    }
}

/// Returns the files that every node has.
pub fn node_files() -> Tree {
    let mut tree = Tree::default();
    for path in
        ["/var/log/pods", "/var/lib/kubelet", "/etc/kubernetes/manifests", concat!("/tm", "p"), "/mnt", "/data", "/dev", "/proc", "/sys"]
    {
        tree.put_directories(path);
    }
    tree.put("/etc/os-release", "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n");
    tree
}
