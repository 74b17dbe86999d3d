//! Decides what a user may do, by roles and bindings. Counterpart: `plugin/pkg/auth/authorizer/rbac`.
//!
//! Simplifications: the cluster roles that every cluster begins with are known here and are not stored, unless somebody stores others under their names;
//! aggregated roles have only the rules that are written in them.

use super::super::Kind;
use crate::api::meta_rules::maps;
use crate::api::object::Object;
use crate::api::request::{Request, Subresource, User, Verb};
use crate::api::value::{Map, Value};
use crate::map;
use std::sync::Arc;

/// The kinds of objects that decide what a user may do.
pub const KINDS: [Kind; 4] = [Kind::CLUSTER_ROLE_BINDING, Kind::ROLE_BINDING, Kind::CLUSTER_ROLE, Kind::ROLE];

/// The group whose members may do everything.
const MASTERS: &str = "system:masters";

const READ: &[&str] = &["get", "list", "watch"];
const WRITE: &[&str] = &["create", "delete", "deletecollection", "patch", "update"];
const VIEWED: &[&str] = &[
    "bindings",
    "configmaps",
    "controllerrevisions",
    "cronjobs",
    "daemonsets",
    "deployments",
    "deployments/scale",
    "endpoints",
    "endpointslices",
    "events",
    "horizontalpodautoscalers",
    "ingresses",
    "jobs",
    "limitranges",
    "namespaces",
    "networkpolicies",
    "persistentvolumeclaims",
    "poddisruptionbudgets",
    "pods",
    "pods/log",
    "pods/status",
    "replicasets",
    "replicasets/scale",
    "replicationcontrollers",
    "replicationcontrollers/scale",
    "resourcequotas",
    "serviceaccounts",
    "services",
    "statefulsets",
    "statefulsets/scale",
];
const EDITED: &[&str] = &[
    "configmaps",
    "cronjobs",
    "daemonsets",
    "deployments",
    "deployments/scale",
    "events",
    "horizontalpodautoscalers",
    "ingresses",
    "jobs",
    "leases",
    "networkpolicies",
    "persistentvolumeclaims",
    "poddisruptionbudgets",
    "pods",
    "pods/eviction",
    "pods/exec",
    "replicasets",
    "replicasets/scale",
    "replicationcontrollers",
    "replicationcontrollers/scale",
    "secrets",
    "serviceaccounts",
    "services",
    "statefulsets",
    "statefulsets/scale",
];
const GROUPS: &[&str] =
    &["", "apps", "autoscaling", "batch", "coordination.k8s.io", "discovery.k8s.io", "events.k8s.io", "networking.k8s.io", "policy"];

/// The attributes of a request that the rules of roles are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attributes<'a> {
    /// The verb of the request, such as `list`.
    pub verb: &'a str,
    /// The API group of the resource.
    pub group: &'a str,
    /// The resource, such as `pods`.
    pub resource: &'a str,
    /// The subresource, `""` for none.
    pub subresource: &'a str,
    /// The namespace, `""` for the whole cluster.
    pub namespace: &'a str,
    /// The object's name, `""` for none.
    pub name: &'a str,
}

impl<'a> Attributes<'a> {
    /// Returns the attributes of a request.
    pub fn of(request: &'a Request) -> Attributes<'a> {
        let verb = match request.verb {
            Verb::Get => "get",
            Verb::List => "list",
            Verb::Watch => "watch",
            Verb::Create => "create",
            Verb::Update => "update",
            Verb::Patch => "patch",
            Verb::Delete => "delete",
            Verb::DeleteCollection => "deletecollection",
        };
        let row = request.kind.row();
        let subresource = if request.subresource == Subresource::None { "" } else { request.subresource.text() };
        Attributes { verb, group: row.group, resource: row.plural, subresource, namespace: &request.namespace, name: &request.name }
    }
    fn full_resource(&self) -> String {
        if self.subresource.is_empty() { self.resource.to_owned() } else { format!("{}/{}", self.resource, self.subresource) }
    }
    /// Returns the real server's message that refuses the request to a user.
    pub fn refusal(&self, user: &User) -> String {
        let place =
            if self.namespace.is_empty() { "at the cluster scope".to_owned() } else { format!("in the namespace {:?}", self.namespace) };
        format!(
            "User {:?} cannot {} resource {:?} in API group {:?} {place}",
            user.name.as_str(),
            self.verb,
            self.full_resource(),
            self.group
        )
    }
}

/// Returns true if a user may make a request. `list` returns the objects of a kind in a namespace.
pub fn is_allowed(user: &User, wanted: &Attributes, list: &dyn Fn(Kind, &str) -> Vec<Arc<Object>>) -> bool {
    maps(&granted(user, wanted.namespace, list)).any(|(_, rule)| covers(rule, wanted))
}

/// Returns all rules that hold for a user in a namespace. Counterpart: `RBACAuthorizer.RulesFor`.
pub fn granted(user: &User, namespace: &str, list: &dyn Fn(Kind, &str) -> Vec<Arc<Object>>) -> Vec<Value> {
    let groups = groups(user);
    let mut all = if groups.iter().any(|g| g == MASTERS) { first_roles("cluster-admin") } else { Vec::new() };
    let mut add = |binding: &Arc<Object>, namespace: &str| {
        let tree = binding.to_map();
        let bound = maps(tree.list("subjects")).any(|(_, subject)| is_subject(user, &groups, subject, namespace));
        if let Some(role) = tree.map("roleRef").filter(|_| bound) {
            all.extend(rules(role, namespace, list));
        }
    };
    list(Kind::CLUSTER_ROLE_BINDING, "").iter().for_each(|binding| add(binding, ""));
    if !namespace.is_empty() {
        list(Kind::ROLE_BINDING, namespace).iter().for_each(|binding| add(binding, namespace));
    }
    if groups.iter().any(|g| g == "system:authenticated") {
        all.extend(["system:basic-user", "system:discovery"].into_iter().flat_map(first_roles));
    }
    all.extend(first_roles("system:public-info-viewer"));
    all
}

/// Returns the groups of a user, including those that every user or service account has.
fn groups(user: &User) -> Vec<String> {
    let mut all: Vec<String> = user.groups.iter().map(|g| g.to_string()).collect();
    if let Some((namespace, _)) = user.name.strip_prefix("system:serviceaccount:").and_then(|rest| rest.split_once(':')) {
        all.push("system:serviceaccounts".to_owned());
        all.push(format!("system:serviceaccounts:{namespace}"));
    }
    all.push(if user.name == "system:anonymous" { "system:unauthenticated" } else { "system:authenticated" }.to_owned());
    all
}

fn is_subject(user: &User, groups: &[String], subject: &Map, namespace: &str) -> bool {
    let name = subject.str("name");
    match subject.str("kind") {
        "User" => user.name == name,
        "Group" => groups.iter().any(|g| g == name),
        "ServiceAccount" => {
            let place = if subject.str("namespace").is_empty() { namespace } else { subject.str("namespace") };
            user.name == format!("system:serviceaccount:{place}:{name}")
        }
        _ => false,
    }
}

/// Returns the rules of the role that a binding names; none if the role does not exist.
fn rules(role: &Map, namespace: &str, list: &dyn Fn(Kind, &str) -> Vec<Arc<Object>>) -> Vec<Value> {
    let (kind, place) = if role.str("kind") == "Role" { (Kind::ROLE, namespace) } else { (Kind::CLUSTER_ROLE, "") };
    let name = role.str("name");
    match list(kind, place).iter().find(|o| o.meta.name == name) {
        Some(found) => found.to_map().list("rules").to_vec(),
        None if kind == Kind::CLUSTER_ROLE => first_roles(name),
        None => Vec::new(),
    }
}

fn first_roles(name: &str) -> Vec<Value> {
    let texts = |all: &[&str]| all.iter().map(|t| Value::from(*t)).collect::<Vec<_>>();
    let rule = |verbs: &[&str], groups: &[&str], resources: &[&str]| -> Value {
        map! { "verbs" => texts(verbs), "apiGroups" => texts(groups), "resources" => texts(resources) }.into()
    };
    let urls = |verbs: &[&str], urls: &[&str]| -> Value { map! { "verbs" => texts(verbs), "nonResourceURLs" => texts(urls) }.into() };
    match name {
        "cluster-admin" => vec![rule(&["*"], &["*"], &["*"]), urls(&["*"], &["*"])],
        "system:basic-user" => vec![
            rule(&["create"], &["authorization.k8s.io"], &["selfsubjectaccessreviews", "selfsubjectrulesreviews"]),
            rule(&["create"], &["authentication.k8s.io"], &["selfsubjectreviews"]),
        ],
        "system:discovery" => {
            let discovery =
                ["/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi", "/openapi/*", "/readyz", "/version", "/version/"];
            vec![urls(&["get"], &discovery)]
        }
        "system:public-info-viewer" => vec![urls(&["get"], &["/healthz", "/livez", "/readyz", "/version", "/version/"])],
        "view" => vec![rule(READ, GROUPS, VIEWED)],
        "edit" => vec![rule(READ, GROUPS, VIEWED), rule(READ, GROUPS, EDITED), rule(WRITE, GROUPS, EDITED)],
        "admin" => {
            let own: &[&str] = &["rolebindings", "roles"];
            let mut all = first_roles("edit");
            all.push(rule(READ, &["rbac.authorization.k8s.io"], own));
            all.push(rule(WRITE, &["rbac.authorization.k8s.io"], own));
            all
        }
        _ => Vec::new(),
    }
}

/// Returns true if a rule covers a request. Counterpart: `rbac.RuleAllows`.
fn covers(rule: &Map, wanted: &Attributes) -> bool {
    let has = |key: &str, text: &str| rule.list(key).iter().any(|v| v.as_str() == Some(text));
    let (full, below) = (wanted.full_resource(), format!("*/{}", wanted.subresource));
    let resource = has("resources", "*") || has("resources", &full) || (!wanted.subresource.is_empty() && has("resources", &below));
    let named = rule.list("resourceNames").is_empty() || has("resourceNames", wanted.name);
    (has("verbs", "*") || has("verbs", wanted.verb)) && (has("apiGroups", "*") || has("apiGroups", wanted.group)) && resource && named
}
