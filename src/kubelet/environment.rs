//! The environment, the command and the user of a container. Counterpart: `kubelet_pods.makeEnvironmentVariables`, `kubecontainer.ExpandContainerCommand…` and
//! `kuberuntime/security_context.go`.

use super::Core;
use super::service_links::service_links;
use super::worker::PodWorker;
use crate::api::kind::Kind;
use crate::api::kind::pod::ip_text;
use crate::api::object::Object;
use crate::api::time::Time;
use crate::api::value::{Map, Value};
use crate::container::files::{Entry, absolute};
use crate::container::images::{Base, Image};
use crate::network::SEARCH_DOMAIN;
use arcstr::{ArcStr, literal};
use base64::Engine;

/// Environment variables as pairs of name and value, in order.
pub type Variables = Vec<(ArcStr, ArcStr)>;

/// Returns the spec of container `i` as a tree. Init containers are counted first, then the others, then ephemeral ones.
pub fn container_tree(w: &PodWorker, i: usize) -> Option<&Map> {
    let (inits, ephemeral) = (w.init_count(), w.first_ephemeral());
    let (list, at) = match i {
        i if i < inits => ("initContainers", i),
        i if i < ephemeral => ("containers", i - inits),
        i => ("ephemeralContainers", i - ephemeral),
    };
    w.spec()?.raw.list(list).get(at).and_then(Value::as_map)
}

/// Returns the keys of a ConfigMap or Secret with their values as strings.
pub fn data_of(object: &Object) -> Vec<(ArcStr, ArcStr)> {
    read_fields(object, &[("data", object.kind() == Kind::SECRET), ("stringData", false), ("binaryData", true)])
}

/// Returns the keys of which `envFrom` makes variables, with their values: all but the binary data.
fn variables_of(object: &Object) -> Vec<(ArcStr, ArcStr)> {
    read_fields(object, &[("data", object.kind() == Kind::SECRET), ("stringData", false)])
}

/// Returns the entries of some fields of an object, each field with a flag that is set if its values are coded in base64.
fn read_fields(object: &Object, fields: &[(&str, bool)]) -> Vec<(ArcStr, ArcStr)> {
    let tree = object.to_map();
    let decode = |value: &str| {
        let bytes = base64::engine::general_purpose::STANDARD.decode(value).unwrap_or_default();
        ArcStr::from(String::from_utf8_lossy(&bytes).as_ref())
    };
    let mut all = Vec::new();
    for (field, coded) in fields {
        for (key, value) in tree.map(field).into_iter().flat_map(Map::iter) {
            let text = value.as_str().unwrap_or("");
            all.push((key.clone(), if *coded { decode(text) } else { text.into() }));
        }
    }
    all
}

/// Replaces `$(NAME)` by the variable's value. `$$` stands for a dollar sign, and an unknown name stays as it is. Counterpart: `expansion.Expand`.
pub fn expand(text: &str, variables: &[(ArcStr, ArcStr)]) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(rest.get(..at).unwrap_or(""));
        rest = rest.get(at + 1..).unwrap_or("");
        if let Some(after) = rest.strip_prefix('$') {
            out.push('$');
            rest = after;
        } else if let Some((name, after)) = rest.strip_prefix('(').and_then(|inner| inner.split_once(')')) {
            match variables.iter().rfind(|(known, _)| known == name) {
                Some((_, value)) => out.push_str(value),
                None => out.push_str(&format!("$({name})")),
            }
            rest = after;
        } else {
            out.push('$');
        }
    }
    out.push_str(rest);
    out
}

impl Core {
    /// Returns the environment of a container that started or starts at `started`. The ConfigMaps and Secrets to which it refers must have been read before.
    pub(super) fn environment(&self, w: &PodWorker, i: usize, image: &Image, started: Time) -> Variables {
        let mut own: Variables = Vec::new();
        let mut set = |name: &str, value: String| {
            own.retain(|(known, _)| known != name);
            own.push((name.into(), value.into()));
        };
        let container = container_tree(w, i);
        for source in container.iter().flat_map(|c| c.list("envFrom")).filter_map(Value::as_map) {
            let prefix = source.str("prefix");
            for (field, kind) in [("configMapRef", Kind::CONFIG_MAP), ("secretRef", Kind::SECRET)] {
                let Some(name) = source.map(field).map(|r| r.str("name")) else { continue };
                for (key, value) in w.referred(kind, name).map(variables_of).unwrap_or_default() {
                    set(&format!("{prefix}{key}"), value.to_string());
                }
            }
        }
        // A variable of a Service can be used in values, but one of the container with the same name takes precedence.
        let links = service_links(&self.services, w, started);
        let mut scope: Variables = links.iter().chain(&own).cloned().collect();
        let mut known = own;
        for one in container.iter().flat_map(|c| c.list("env")).filter_map(Value::as_map) {
            let value = match one.map("valueFrom") {
                Some(from) => self.value_from(w, i, from),
                None => Some(expand(&text_of(one.get("value")), &scope)),
            };
            if let Some(value) = value {
                let variable: (ArcStr, ArcStr) = (one.str("name").into(), value.into());
                known.retain(|(name, _)| *name != variable.0);
                scope.push(variable.clone());
                known.push(variable);
            }
        }
        let mut all: Variables = vec![(literal!("PATH"), PATH.into()), (literal!("HOSTNAME"), w.hostname())];
        all.extend(known);
        for (name, value) in links {
            if !all.iter().any(|(known, _)| *known == name) {
                all.push((name, value));
            }
        }
        let home = if matches!(image.base, Base::None) { "/" } else { concat!("/ro", "ot") };
        if !all.iter().any(|(name, _)| name == "HOME") {
            all.push((literal!("HOME"), home.into()));
        }
        all
    }
    fn value_from(&self, w: &PodWorker, i: usize, from: &Map) -> Option<String> {
        if let Some(field) = from.map("fieldRef") {
            return self.field(w, field.str("fieldPath"));
        }
        if let Some(resource) = from.map("resourceFieldRef") {
            return Some(self.resource(w, i, resource));
        }
        if let Some(file) = from.map("fileKeyRef") {
            return self.file_key(w, file).ok().flatten();
        }
        for (field, kind) in [("configMapKeyRef", Kind::CONFIG_MAP), ("secretKeyRef", Kind::SECRET)] {
            let Some(reference) = from.map(field) else { continue };
            let data = w.referred(kind, reference.str("name")).map(data_of)?;
            return data.into_iter().find(|(key, _)| key == reference.str("key")).map(|(_, value)| value.to_string());
        }
        None
    }
    /// Checks the files to which the environment of a container refers.
    pub(super) fn files_of_env(&self, w: &PodWorker, i: usize) -> Result<(), String> {
        let env = container_tree(w, i).into_iter().flat_map(|c| c.list("env"));
        let files = env.filter_map(|one| one.at(&["valueFrom", "fileKeyRef"]).and_then(Value::as_map));
        { files }.try_for_each(|file| self.file_key(w, file).map(|_| ()))
    }
    /// Returns the value of a variable in a file of a volume, for `fileKeyRef`; `None` if it is missing but optional. The error is the message with which the
    /// container waits. Counterpart: `envutil.ParseEnv`.
    pub(super) fn file_key(&self, w: &PodWorker, from: &Map) -> Result<Option<String>, String> {
        let (volume, path, key) = (from.str("volumeName"), absolute("/", from.str("path")), from.str("key"));
        let at = w.spec().and_then(|s| s.raw.list("volumes").iter().position(|v| v.at(&["name"]).and_then(Value::as_str) == Some(volume)));
        let tree = at.and_then(|at| w.extra.as_ref()?.volumes.get(at));
        let text = match tree.ok_or_else(|| format!("cannot find the volume \"{volume}\" referenced by FileKeyRef"))?.get(&path) {
            Some(Entry::File(text, _)) => text,
            _ => return Err("couldn't parse env file".to_owned()),
        };
        match variable_of(text, key).ok_or("couldn't parse env file")? {
            Some(value) => Ok(Some(value)),
            None if from.bool("optional") => Ok(None),
            None => {
                let folder = format!("/var/lib/kubelet/pods/{}/volumes/kubernetes.io~empty-dir/{volume}", w.uid());
                Err(format!("environment variable key \"{key}\" not found in file \"{folder}{path}\""))
            }
        }
    }
    /// Returns the value of a field of the pod for `fieldRef`; `None` if the path is unknown. Counterpart: `fieldpath.ExtractFieldPathAsString`.
    pub(super) fn field(&self, w: &PodWorker, path: &str) -> Option<String> {
        Some(match path {
            "spec.nodeName" => self.config.name.to_string(),
            "spec.serviceAccountName" => w.spec().map_or("default", |s| s.raw.str("serviceAccountName")).to_owned(),
            "status.hostIP" | "status.hostIPs" => ip_text(self.config.ip).to_string(),
            "status.podIP" | "status.podIPs" => ip_text(w.ip).to_string(),
            _ => return w.object.meta.field(path),
        })
    }
    /// Returns the value of a container's request or limit for `resourceFieldRef`. Counterpart: `resource.ExtractContainerResourceValue`.
    pub(super) fn resource(&self, w: &PodWorker, i: usize, field: &Map) -> String {
        let named = (0..w.containers.len()).find(|i| w.container(*i).is_some_and(|c| c.name == field.str("containerName")));
        let i = named.unwrap_or(i);
        let (kind, name) = field.str("resource").split_once('.').unwrap_or(("limits", "cpu"));
        let amount = |list: &str| {
            let value = container_tree(w, i)?.map("resources")?.map(list)?.get(name)?;
            crate::api::kind::pod::amount(value)
        };
        let node = if name == "cpu" { &self.config.cpu } else { &self.config.memory };
        let found = amount(kind).or_else(|| amount("limits")).or_else(|| crate::api::kind::pod::amount(&node.into()));
        let divisor = field.get("divisor").and_then(crate::api::kind::pod::amount).filter(|q| q.milli_value() > 0);
        let (value, by) = (found.map_or(0, |q| q.milli_value()), divisor.map_or(1_000, |q| q.milli_value()));
        (value.saturating_add(by - 1) / by).to_string()
    }
    /// Returns the uid and the gid with which a container runs, or the message why it must not run. Counterpart: `verifyRunAsNonRoot`.
    pub(super) fn user(&self, w: &PodWorker, i: usize, image: &Image) -> Result<(u32, u32), String> {
        let pod = w.spec().and_then(|s| s.raw.map("securityContext"));
        let own = container_tree(w, i).and_then(|c| c.map("securityContext"));
        let number = |key: &str| own.and_then(|m| m.int(key)).or_else(|| pod.and_then(|m| m.int(key)));
        let flag = |m: Option<&Map>| m.filter(|m| m.has("runAsNonRoot")).map(|m| m.bool("runAsNonRoot"));
        let nonroot = flag(own).or_else(|| flag(pod)).unwrap_or(false);
        let name = w.container(i).map_or("", |c| c.name.as_str());
        let where_ = || format!("(pod: \"{}\", container: {name})", w.full_name());
        let of_image: Option<u32> = if image.user.is_empty() { Some(0) } else { image.user.parse().ok() };
        let uid = match (number("runAsUser"), of_image) {
            (Some(0), _) if nonroot => return Err(format!("container's runAsUser breaks non-root policy {}", where_())),
            (Some(uid), _) => uid as u32,
            (None, Some(0)) if nonroot => return Err(format!("container has runAsNonRoot and image will run as root {}", where_())),
            (None, None) if nonroot => {
                let user = image.user;
                return Err(format!(
                    "container has runAsNonRoot and image has non-numeric user ({user}), cannot verify user is non-root {}",
                    where_()
                ));
            }
            (None, of_image) => of_image.unwrap_or(100),
        };
        Ok((uid, number("runAsGroup").unwrap_or(0) as u32))
    }
}

/// Returns the value of a variable in the text of an env file: lines `NAME='value'`, whose values may have several lines. The outer `None` stands for a text in
/// another form.
fn variable_of(text: &str, key: &str) -> Option<Option<String>> {
    let mut rest = text;
    while !rest.is_empty() {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        let line = line.trim_start_matches([' ', '\t']);
        if line.is_empty() || line.starts_with('#') {
            rest = after;
            continue;
        }
        let (name, value) = line.split_once('=')?;
        if name.is_empty() || name.ends_with([' ', '\t']) {
            return None;
        }
        if value.starts_with([' ', '\t']) {
            if name == key {
                return Some(None);
            }
            rest = after;
            continue;
        }
        let value = rest.split_once("='")?.1;
        let (value, after) = value.split_once('\'')?;
        if name == key {
            return Some(Some(value.to_owned()).filter(|v| !v.is_empty()));
        }
        rest = after.split_once('\n').map_or("", |(_, after)| after);
    }
    Some(None)
}

fn text_of(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or("").to_owned()
}

/// The first lines of `/etc/hosts` in every container.
const HOSTS: &str = "# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\nfe00::0\tip6-localnet\n\
    fe00::0\tip6-mcastprefix\nfe00::1\tip6-allnodes\nfe00::2\tip6-allrouters\n";
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

impl PodWorker {
    /// Returns the ConfigMap or Secret with this name, as the kubelet last read it for this pod; `None` if it was not read.
    pub fn referred(&self, kind: Kind, name: &str) -> Option<&Object> {
        let known = &self.extra.as_ref()?.references;
        known.iter().find(|object| object.kind() == kind && object.meta.name == name).map(|object| &**object)
    }
    /// Returns the content of `/etc/hosts` in the pod's containers. Counterpart: `managedHostsFileContent`.
    pub fn hosts_file(&self) -> String {
        let (ip, full, namespace) = (ip_text(self.ip), self.hostname(), &self.object.meta.namespace);
        let name = full.split('.').next().unwrap_or(&full);
        let full = match self.spec().map_or("", |s| s.raw.str("subdomain")) {
            "" => String::new(),
            subdomain => format!("{name}.{subdomain}.{namespace}.svc.{SEARCH_DOMAIN}\t"),
        };
        let mut text = format!("{HOSTS}{ip}\t{full}{name}\n");
        let aliases: Vec<&Map> = self.spec().iter().flat_map(|s| s.raw.list("hostAliases")).filter_map(Value::as_map).collect();
        if !aliases.is_empty() {
            text.push_str("\n# Entries added by HostAliases.\n");
        }
        for alias in aliases {
            let names: Vec<&str> = alias.list("hostnames").iter().filter_map(Value::as_str).collect();
            text.push_str(&format!("{}\t{}\n", alias.str("ip"), names.join("\t")));
        }
        text
    }
    /// Returns the host name of the pod's containers.
    pub fn hostname(&self) -> ArcStr {
        let Some(spec) = self.spec().map(|s| &s.raw) else { return ArcStr::default() };
        let own = ["hostnameOverride", "hostname"].map(|field| spec.str(field)).into_iter().find(|name| !name.is_empty());
        let name = own.unwrap_or(&self.object.meta.name);
        match spec.str("subdomain") {
            domain if spec.bool("setHostnameAsFQDN") && !domain.is_empty() && !spec.has("hostnameOverride") => {
                format!("{name}.{domain}.{}.svc.{SEARCH_DOMAIN}", self.object.meta.namespace).into()
            }
            _ => name.get(..63).unwrap_or(name).trim_end_matches(['-', '.']).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_replaced_as_kubernetes_does_it() {
        let variables: Variables = vec![(literal!("A"), literal!("1")), (literal!("B"), literal!("two"))];
        for (text, expanded) in
            [("$(A)-$(B)", "1-two"), ("$$(A)", "$(A)"), ("$(NONE)", "$(NONE)"), ("$A ${A}", "$A ${A}"), ("$", "$"), ("$(A", "$(A")]
        {
            assert_eq!(expand(text, &variables), expanded);
        }
    }

    #[test]
    fn files_of_variables_have_quoted_values() {
        let text = "# first\nA='1'\n\n  B='two\nlines' # rest\nC= 'x'\nD=''\n";
        let found = |key| variable_of(text, key).unwrap();
        assert_eq!(found("A").as_deref(), Some("1"));
        assert_eq!(found("B").as_deref(), Some("two\nlines"));
        assert_eq!(["C", "D", "E"].map(found), [None, None, None]);
        for wrong in ["A=1", "A ='1'", "A", "='1'", "A='1"] {
            assert_eq!(variable_of(wrong, "B"), None, "{wrong}");
        }
    }
}
