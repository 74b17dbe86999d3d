//! The discovery documents, which list what the API server serves: `/api`, `/apis`, and those of groups and versions below. Counterpart:
//! `apiserver/pkg/endpoints/discovery`.
//!
//! Simplification: there are no storage version hashes.

use super::http::ADDRESS;
use crate::api::kind::{Kinds, Served};
use crate::api::order::Order;
use crate::api::request::Subresource;
use crate::api::value::{Map, Value};
use crate::map;

/// Returns the discovery document at a path, if there is one.
pub fn document(kinds: &Kinds, path: &str) -> Option<Value> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        ["api"] => {
            let addresses: Vec<Value> = vec![map! { "clientCIDR" => "0.0.0.0/0", "serverAddress" => ADDRESS }.into()];
            Some(map! { "kind" => "APIVersions", "versions" => vec!["v1".into()], "serverAddressByClientCIDRs" => addresses }.into())
        }
        ["apis"] => {
            let groups: Vec<Value> = groups(kinds).iter().map(|name| group(kinds, name).into()).collect();
            Some(map! { "kind" => "APIGroupList", "apiVersion" => "v1", "groups" => groups }.into())
        }
        ["apis", name] if groups(kinds).contains(name) => {
            let mut document = map! { "kind" => "APIGroup", "apiVersion" => "v1" };
            group(kinds, name).iter().for_each(|(key, value)| document.insert(key.clone(), value.clone()));
            Some(document.into())
        }
        ["api", version] => resources(kinds, version),
        ["apis", name, version] => resources(kinds, &format!("{name}/{version}")),
        _ => None,
    }
}

/// Returns the names of the API groups besides the core group, sorted.
fn groups(kinds: &Kinds) -> Vec<&'static str> {
    let mut names: Vec<&str> = Served::all(kinds).iter().map(Served::group).filter(|name| !name.is_empty()).collect();
    names.order();
    names.dedup();
    names
}

/// Returns the document of an API group with its versions, the preferred one first.
fn group(kinds: &Kinds, name: &str) -> Map {
    let mut versions: Vec<&'static str> = Served::all(kinds).iter().filter(|s| s.group() == name).map(|s| s.api_version).collect();
    versions.extend(kinds.all().filter(|kind| kind.row().group == name).filter_map(|kind| Some(kind.row().other_version?.api_version)));
    let mut seen: Vec<&str> = Vec::new();
    versions.retain(|version| {
        let new = !seen.contains(version);
        seen.push(version);
        new
    });
    let shown = |version: &&str| map! { "groupVersion" => *version, "version" => version.rsplit('/').next().unwrap_or(version) };
    let all: Vec<Value> = versions.iter().map(|version| shown(version).into()).collect();
    let preferred = versions.first().map(shown).unwrap_or_default();
    map! { "name" => name.to_owned(), "versions" => all, "preferredVersion" => preferred }
}

/// Returns the list of resources that are served in an API version; `None` if there are none.
fn resources(kinds: &Kinds, api_version: &str) -> Option<Value> {
    let mut list: Vec<Value> = Vec::new();
    for served in Served::all(kinds) {
        let row = kinds.all().map(|kind| kind.row()).find(|row| row.group == served.group() && row.plural == served.plural);
        let other = row.and_then(|row| row.other_version).is_some_and(|other| other.api_version == api_version);
        if served.api_version != api_version && !other {
            continue;
        }
        let verbs = |text: &str| text.split(',').map(Value::from).collect::<Vec<_>>();
        let singular = row.map_or_else(|| served.kind.to_ascii_lowercase(), |row| row.singular.to_owned());
        let mut resource = map! {
            "name" => served.plural, "singularName" => singular, "namespaced" => served.namespaced, "kind" => served.kind,
            "verbs" => verbs(served.verbs),
        };
        if !served.short_names.is_empty() {
            resource.insert("shortNames", served.short_names.iter().map(|name| Value::from(*name)).collect::<Vec<_>>());
        }
        if !served.category.is_empty() {
            resource.insert("categories", verbs(served.category));
        }
        list.push(resource.into());
        let Some(row) = row else { continue };
        for (part, kind, can) in [
            (Subresource::Binding, "Binding", "create"),
            (Subresource::Eviction, "Eviction", "create"),
            (Subresource::Exec, "PodExecOptions", "create,get"),
            (Subresource::Log, "Pod", "get"),
            (Subresource::Scale, "Scale", "get,patch,update"),
            (Subresource::Finalize, "Namespace", "update"),
            (Subresource::Status, served.kind, "get,patch,update"),
        ] {
            if row.has(part) {
                let mut resource = map! {
                    "name" => format!("{}/{}", served.plural, part.text()), "singularName" => "", "namespaced" => served.namespaced,
                    "kind" => kind, "verbs" => verbs(can),
                };
                let foreign = match kind {
                    "Scale" => Some(("autoscaling", "v1")),
                    "Eviction" => Some(("policy", "v1")),
                    _ => None,
                };
                if let Some((group, version)) = foreign {
                    resource.insert("group", group);
                    resource.insert("version", version);
                }
                list.push(resource.into());
            }
        }
    }
    if list.is_empty() {
        return None;
    }
    let mut document = map! { "kind" => "APIResourceList" };
    if api_version != "v1" {
        document.insert("apiVersion", "v1");
    }
    document.insert("groupVersion", api_version.to_owned());
    document.insert("resources", list);
    Some(document.into())
}
