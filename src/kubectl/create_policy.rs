//! `kubectl create quota`, `role`, `clusterrole`, `rolebinding` and `clusterrolebinding`. Counterparts: `create_quota.go`, `create_role.go`,
//! `create_clusterrole.go`, `create_rolebinding.go`, `create_clusterrolebinding.go`.

use super::api_resources::find;
use super::create_kinds::{create_object, named, one_name};
use super::errors::Stop;
use super::flags::{Args, CREATED, Flag, OUTPUT, text};
use super::{Cx, Run};
use crate::api::kind::{Kind, Kinds};
use crate::api::quantity::Quantity;
use crate::api::value::{Map, Value};
use crate::map;

const RBAC: &str = "rbac.authorization.k8s.io";
const QUOTA: &[Flag] = &[text("hard"), text("scopes")];
const ROLE: &[Flag] = &[text("verb"), text("resource"), text("resource-name")];
const CLUSTER_ROLE: &[Flag] = &[text("non-resource-url"), text("aggregation-rule")];

/// The flags that name the subjects of a binding.
pub const SUBJECTS: &[Flag] = &[text("user"), text("group"), text("serviceaccount")];

const VERBS: &[&str] = &[
    "*",
    "get",
    "delete",
    "list",
    "create",
    "update",
    "patch",
    "watch",
    "proxy",
    "deletecollection",
    "use",
    "bind",
    "escalate",
    "impersonate",
];
const URL_VERBS: &[&str] = &["*", "get", "post", "put", "delete", "patch", "head", "options"];

/// The verbs that only make sense for some resources, each with the group and the name of these.
const SPECIAL: &[(&str, &[(&str, &str)])] = &[
    ("use", &[("policy", "podsecuritypolicies"), ("extensions", "podsecuritypolicies")]),
    ("bind", &[(RBAC, "roles"), (RBAC, "clusterroles")]),
    ("escalate", &[(RBAC, "roles"), (RBAC, "clusterroles")]),
    ("impersonate", &[("", "users"), ("", "serviceaccounts"), ("", "groups"), ("authentication.k8s.io", "userextras")]),
];

/// Runs `kubectl create quota NAME --hard=… --scopes=…`.
pub fn quota(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("create quota", &[OUTPUT, QUOTA, CREATED], words)?;
    let mut object = named(one_name("create quota", &args)?);
    let mut hard = Map::new();
    for part in args.text("hard").unwrap_or("").split(',').filter(|part| !part.is_empty()) {
        let (name, amount) = amount(part)?;
        Quantity::parse(amount).map_err(Stop::plain)?;
        hard.insert(name, amount);
    }
    let spec = object.map_mut("spec");
    if !hard.is_empty() {
        spec.insert("hard", hard);
    }
    let scopes: Vec<Value> = args.text("scopes").unwrap_or("").split(',').filter(|s| !s.is_empty()).map(Value::from).collect();
    if !scopes.is_empty() {
        spec.insert("scopes", scopes);
    }
    object.insert("status", Map::new());
    let Some(kind) = Kinds::default().of_resource("", "v1", "resourcequotas") else { return Ok(()) };
    create_object(cx, &args, kind, object, "created", Some("failed to create quota: "))
}

/// Parses `RESOURCE=AMOUNT`.
pub fn amount(pair: &str) -> Result<(&str, &str), Stop> {
    match pair.split('=').collect::<Vec<_>>()[..] {
        [name, amount] => Ok((name, amount)),
        _ => Err(Stop::plain(format!("Invalid argument syntax {pair}, expected <resource>=<value>"))),
    }
}

/// Runs `kubectl create role NAME --verb=… --resource=…`.
pub fn role(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("create role", &[OUTPUT, ROLE, CREATED], words)?;
    let mut object = named(one_name("create role", &args)?);
    if args.text("verb").is_none() {
        return Err(Stop::plain("at least one verb must be specified"));
    }
    let verbs = verbs(cx, &args, true);
    if args.text("resource").is_none() {
        return Err(Stop::plain("at least one resource must be specified"));
    }
    object.insert("rules", rules(cx, &args, &verbs)?);
    create_object(cx, &args, Kind::ROLE, object, "created", None)
}

/// Runs `kubectl create clusterrole NAME --verb=… --resource=…`.
pub fn cluster_role(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("create clusterrole", &[OUTPUT, ROLE, CLUSTER_ROLE, CREATED], words)?;
    let mut object = named(one_name("create clusterrole", &args)?);
    let given = |flag: &str| args.text(flag).is_some();
    if let Some(labels) = args.text("aggregation-rule") {
        if ["verb", "resource", "resource-name", "non-resource-url"].into_iter().any(given) {
            let text = "aggregation rule must be specified without nonResourceURLs, verbs, resources or resourceNames";
            return Err(Stop::plain(text));
        }
        let labels: Map = labels.split(',').filter_map(|pair| pair.split_once('=')).map(|(k, v)| (k.into(), v.into())).collect();
        let selectors = vec![Value::Map(map! { "matchLabels" => labels })];
        object.insert("aggregationRule", map! { "clusterRoleSelectors" => selectors });
        object.insert("rules", Value::Null);
        return create_object(cx, &args, Kind::CLUSTER_ROLE, object, "created", None);
    }
    if !given("verb") {
        return Err(Stop::plain("at least one verb must be specified"));
    }
    if !given("resource") && !given("non-resource-url") {
        return Err(Stop::plain("one of resource or nonResourceURL must be specified"));
    }
    let verbs = verbs(cx, &args, given("resource"));
    let mut all = rules(cx, &args, &verbs)?;
    if given("non-resource-url") {
        all.push(url_rule(&args, &verbs)?);
    }
    object.insert("rules", all);
    create_object(cx, &args, Kind::CLUSTER_ROLE, object, "created", None)
}

/// Returns the verbs without repetitions, and warns of those that are not known for resources.
fn verbs<'a>(cx: &mut Cx, args: &'a Args, of_resources: bool) -> Vec<&'a str> {
    let mut all = args.list("verb");
    if all.contains(&"*") {
        all = vec!["*"];
    }
    let all = unique(all);
    for verb in all.iter().filter(|verb| of_resources && !VERBS.contains(verb)) {
        cx.eprintln(format!("Warning: '{verb}' is not a standard resource verb"));
    }
    all
}

fn unique<T: PartialEq>(all: Vec<T>) -> Vec<T> {
    let mut out: Vec<T> = Vec::new();
    all.into_iter().for_each(|item| {
        if !out.contains(&item) {
            out.push(item);
        }
    });
    out
}

fn texts(words: &[&str]) -> Vec<Value> {
    words.iter().map(|word| Value::from(*word)).collect()
}

/// Returns one rule for each API group of the resources. Counterpart: `generateResourcePolicyRules`.
fn rules(cx: &Cx, args: &Args, verbs: &[&str]) -> Result<Vec<Value>, Stop> {
    let resources = args.list("resource");
    let any = resources.iter().position(|r| *r == "*").map(|at| resources[at..=at].to_vec());
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    let mut checks = true;
    for text in any.unwrap_or(resources) {
        let (resource, part) = text.split_once('/').map_or((text, ""), |(r, part)| (r, part));
        let (name, group) = resource.split_once('.').unwrap_or((resource, ""));
        if name.is_empty() {
            return Err(Stop::plain("resource must be specified if apiGroup/subresource specified"));
        }
        checks &= name != "*";
        let found = find(&cx.env.kinds, resource);
        let (group, name) = found.as_ref().map_or((group, name), |served| (served.group(), served.plural));
        if checks && !check_special(verbs, group, name)? && found.is_none() {
            return Err(Stop::no_resource(name, group));
        }
        let full = if part.is_empty() { name.to_owned() } else { format!("{name}/{part}") };
        match groups.iter_mut().find(|(known, _)| known == group) {
            Some((_, all)) if all.contains(&full) => {}
            Some((_, all)) => all.push(full),
            None => groups.push((group.to_owned(), vec![full])),
        }
    }
    groups.sort_by(|a, b| a.0.cmp(&b.0));
    let names = unique(args.all("resource-name"));
    let rule = |(group, resources): (String, Vec<String>)| {
        let resources: Vec<Value> = resources.into_iter().map(Value::from).collect();
        let mut rule = map! { "apiGroups" => vec![Value::from(group)], "resources" => resources, "verbs" => texts(verbs) };
        if !names.is_empty() {
            rule.insert("resourceNames", texts(&names));
        }
        Value::Map(rule)
    };
    Ok(groups.into_iter().map(rule).collect())
}

/// Checks the verbs that only some resources have (`SPECIAL`): fails if one of them is not for this resource. Returns true if one is for it.
fn check_special(verbs: &[&str], group: &str, name: &str) -> Result<bool, Stop> {
    let mut fits = false;
    for (verb, resources) in SPECIAL.iter().filter(|(verb, _)| verbs.contains(verb)) {
        if !resources.contains(&(group, name)) {
            return Err(Stop::plain(format!("can not perform '{verb}' on '{name}' in group '{group}'")));
        }
        fits = true;
    }
    Ok(fits)
}

fn url_rule(args: &Args, verbs: &[&str]) -> Result<Value, Stop> {
    if let Some(verb) = verbs.iter().find(|verb| !URL_VERBS.contains(verb)) {
        return Err(Stop::plain(format!("invalid verb: '{verb}' for nonResourceURL")));
    }
    let urls = unique(args.list("non-resource-url"));
    for url in urls.iter().filter(|url| **url != "*") {
        if !url.starts_with('/') {
            return Err(Stop::plain("nonResourceURL should start with /"));
        }
        if url.trim_end_matches('*').contains('*') || url.ends_with("**") {
            return Err(Stop::plain("nonResourceURL only supports wildcard matches when '*' is at the end"));
        }
    }
    Ok(map! { "nonResourceURLs" => texts(&urls), "verbs" => texts(verbs) }.into())
}

/// Runs `kubectl create rolebinding NAME --role=… --user=…`.
pub fn role_binding(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("create rolebinding", &[OUTPUT, SUBJECTS, CREATED, &[text("clusterrole"), text("role")]], words)?;
    let mut object = named(one_name("create rolebinding", &args)?);
    let flag = |name: &str| args.text(name).unwrap_or("");
    let reference = match (flag("clusterrole"), flag("role")) {
        (name, "") if !name.is_empty() => map! { "apiGroup" => RBAC, "kind" => "ClusterRole", "name" => name },
        ("", name) if !name.is_empty() => map! { "apiGroup" => RBAC, "kind" => "Role", "name" => name },
        _ => return Err(Stop::plain("exactly one of clusterrole or role must be specified")),
    };
    object.insert("roleRef", reference);
    insert_subjects(&mut object, &args)?;
    create_object(cx, &args, Kind::ROLE_BINDING, object, "created", Some("failed to create rolebinding: "))
}

/// Runs `kubectl create clusterrolebinding NAME --clusterrole=… --user=…`.
pub fn cluster_role_binding(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("create clusterrolebinding", &[OUTPUT, SUBJECTS, CREATED, &[text("clusterrole")]], words)?;
    args.require(&["clusterrole"])?;
    let mut object = named(one_name("create clusterrolebinding", &args)?);
    object.insert("roleRef", map! { "apiGroup" => RBAC, "kind" => "ClusterRole", "name" => args.text("clusterrole").unwrap_or("") });
    insert_subjects(&mut object, &args)?;
    create_object(cx, &args, Kind::CLUSTER_ROLE_BINDING, object, "created", Some("failed to create clusterrolebinding: "))
}

fn insert_subjects(object: &mut Map, args: &Args) -> Result<(), Stop> {
    let all = subjects(args)?;
    if !all.is_empty() {
        object.insert("subjects", all);
    }
    Ok(())
}

/// Returns the subjects that the flags name.
pub fn subjects(args: &Args) -> Result<Vec<Value>, Stop> {
    let mut all = Vec::new();
    for (flag, kind) in [("user", "User"), ("group", "Group")] {
        all.extend(args.all(flag).into_iter().map(|name| map! { "apiGroup" => RBAC, "kind" => kind, "name" => name }.into()));
    }
    for account in args.all("serviceaccount") {
        match account.split(':').collect::<Vec<_>>()[..] {
            [namespace, name] if !namespace.is_empty() && !name.is_empty() => {
                all.push(map! { "kind" => "ServiceAccount", "name" => name, "namespace" => namespace }.into());
            }
            _ => return Err(Stop::plain("serviceaccount must be <namespace>:<name>")),
        }
    }
    Ok(all)
}
