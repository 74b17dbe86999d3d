//! `kubectl describe` of roles and their bindings, and the rules that `kubectl auth can-i --list` shows. Counterparts: `describe.RoleDescriber`,
//! `describe.RoleBindingDescriber`, `kubectl/pkg/util/rbac`.

use crate::api::meta_rules::maps;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::value::{Map, Value};
use crate::kubectl::describe::description::{Description, plain};
use crate::kubectl::describe::labels_and_annotations;
use crate::kubectl::{Cx, Run};

/// Writes the description of a Role or ClusterRole.
pub fn role(_: &mut Cx, object: &Object, description: &mut Description) -> Run {
    description.line(0, format!("Name:\t{}", object.meta.name));
    labels_and_annotations(object, description);
    description.line(0, "PolicyRule:");
    description.line(1, "Resources\tNon-Resource URLs\tResource Names\tVerbs");
    description.line(1, "---------\t-----------------\t--------------\t-----");
    for row in rule_rows(object.to_map().list("rules")) {
        description.line(1, row.join("\t"));
    }
    Ok(())
}

/// Writes the description of a RoleBinding or ClusterRoleBinding.
pub fn binding(_: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let (tree, empty) = (object.to_map(), Map::new());
    let role = tree.map("roleRef").unwrap_or(&empty);
    description.line(0, format!("Name:\t{}", object.meta.name));
    labels_and_annotations(object, description);
    description.line(0, "Role:");
    description.line(1, format!("Kind:\t{}", role.str("kind")));
    description.line(1, format!("Name:\t{}", role.str("name")));
    description.line(0, "Subjects:");
    description.line(1, "Kind\tName\tNamespace");
    description.line(1, "----\t----\t---------");
    for (_, subject) in maps(tree.list("subjects")) {
        description.line(1, format!("{}\t{}\t{}", subject.str("kind"), subject.str("name"), subject.str("namespace")));
    }
    Ok(())
}

/// A rule about one resource or one URL, with all its verbs.
struct Rule {
    group: Vec<String>,
    resource: Vec<String>,
    name: Vec<String>,
    url: Vec<String>,
    verbs: Vec<String>,
}

/// Returns the rules as rows of a table: one for each resource and name, and one for each verb of a URL. Counterparts: `BreakdownRule`, `CompactRules`.
pub fn rule_rows(rules: &[Value]) -> Vec<Vec<String>> {
    let mut all: Vec<Rule> = Vec::new();
    for (_, rule) in maps(rules) {
        let texts = |key: &str| rule.list(key).iter().map(plain).collect::<Vec<_>>();
        let names = texts("resourceNames");
        let names: Vec<Vec<String>> = if names.is_empty() { vec![names] } else { names.into_iter().map(|name| vec![name]).collect() };
        for group in texts("apiGroups") {
            for resource in texts("resources") {
                for name in &names {
                    let (group, resource) = (vec![group.clone()], vec![resource.clone()]);
                    let same = |r: &&mut Rule| r.group == group && r.resource == resource && r.name == *name;
                    match all.iter_mut().find(same) {
                        Some(held) => texts("verbs").into_iter().for_each(|verb| {
                            if !held.verbs.contains(&verb) {
                                held.verbs.push(verb);
                            }
                        }),
                        None => all.push(Rule { group, resource, name: name.clone(), url: Vec::new(), verbs: texts("verbs") }),
                    }
                }
            }
        }
        for url in texts("nonResourceURLs") {
            let of_verb =
                |verb| Rule { group: Vec::new(), resource: Vec::new(), name: Vec::new(), url: vec![url.clone()], verbs: vec![verb] };
            all.extend(texts("verbs").into_iter().map(of_verb));
        }
    }
    let text = |words: &[String]| format!("[{}]", words.join(" "));
    all.order_by_key(|r| [&r.verbs, &r.group, &r.resource, &r.name, &r.url].map(|words| text(words)));
    all.iter().map(|r| vec![qualified(r), text(&r.url), text(&r.name), text(&r.verbs)]).collect()
}

/// Formats the resource of a rule as `deployments.apps/scale`. Counterpart: `CombineResourceGroup`.
fn qualified(rule: &Rule) -> String {
    let (Some(resource), Some(group)) = (rule.resource.first(), rule.group.first()) else { return String::new() };
    let group = if group.is_empty() { String::new() } else { format!(".{group}") };
    match resource.split_once('/') {
        Some((resource, part)) => format!("{resource}{group}/{part}"),
        None => format!("{resource}{group}"),
    }
}
