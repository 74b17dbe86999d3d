//! The house rules, checked by reading the repository's text.
//!
//! Each rule is a function from a file's path and text to the faults it finds; beside each stands a test that hands it
//! a bad sample, so that no rule can fall asleep.

use std::fs;
use std::path::{Path, PathBuf};

const LINE_LIMIT: usize = 500;

/// Words that have no place in `src`, written in halves so that this file passes its own rules.
const FORBIDDEN_WORDS: &[&str] = &[
    concat!("todo", "!"),
    concat!("unimplemented", "!"),
    concat!("dbg", "!"),
    concat!("Hash", "Map"),
    concat!("Hash", "Set"),
    concat!("Instant::", "now"),
    concat!("System", "Time"),
    concat!("#[", "ignore"),
    concat!("allow(", "dead_code"),
    concat!("allow(", "clippy"),
];

/// Names that say nothing about what is inside.
const EMPTY_NAMES: &[&str] = &["util", "utils", "helper", "helpers", "common", "misc", "types", "constants"];

const ENGINE: &[&str] = &["api", "store", "apiserver", "client", "controller", "scheduler", "container", "kubelet", "network"];

/// Which top-level modules each top-level module may use. ARCHITECTURE.md says why.
fn may_use(module: &str) -> Option<Vec<&'static str>> {
    let engine_and = |more: &[&'static str]| [ENGINE, more].concat();
    Some(match module {
        "api" | "persistent" => vec![],
        "filters" => vec!["api"],
        "container" => vec!["api", "filters", "network"],
        "store" => vec!["api"],
        "apiserver" => vec!["api", "store"],
        "client" | "network" => vec!["api"],
        "controller" | "scheduler" => vec!["api", "client"],
        "kubelet" => vec!["api", "client", "container", "network"],
        "sim" => engine_and(&[]),
        "kubectl" => vec!["api", "apiserver", "sim"],
        "shell" => vec!["api", "filters", "network", "sim", "kubectl"],
        // There are no `lessons` yet: these lines say where they belong.
        "lessons" => engine_and(&["sim", "kubectl"]),
        "view" => engine_and(&["sim", "kubectl", "shell", "lessons"]),
        "page" => engine_and(&["sim", "kubectl", "shell", "lessons", "view"]),
        "engine" => engine_and(&["sim", "kubectl", "lessons", "view"]),
        // The crate of the ES module.
        "bindings" => vec!["engine"],
        "embed" => engine_and(&["sim", "kubectl", "shell", "lessons", "view", "page"]),
        "ui" => engine_and(&["sim", "kubectl", "shell", "lessons", "view", "page", "embed"]),
        _ => return None,
    })
}

type Rule = fn(&str, &str) -> Vec<String>;

/// A file of `src` says first what it is.
fn opens_with_its_purpose(_: &str, text: &str) -> Vec<String> {
    if text.starts_with("//! ") {
        return vec![];
    }
    vec!["does not open with a `//!` line".to_owned()]
}

fn is_short_enough(_: &str, text: &str) -> Vec<String> {
    let lines = text.lines().count();
    if lines <= LINE_LIMIT {
        return vec![];
    }
    vec![format!("has {lines} lines, more than {LINE_LIMIT}")]
}

fn has_no_forbidden_word(_: &str, text: &str) -> Vec<String> {
    let code = without_comments(text);
    let found = FORBIDDEN_WORDS.iter().filter(|word| code.contains(**word));
    found.map(|word| format!("contains `{word}`")).collect()
}

fn has_a_telling_name(path: &str, _: &str) -> Vec<String> {
    let parts = path.split('/').map(|part| part.split('.').next().unwrap_or(part));
    let empty = parts.filter(|part| EMPTY_NAMES.contains(part));
    empty.map(|part| format!("the name `{part}` says nothing")).collect()
}

/// Paths of the machine on which something was written must not leak. The files that probes of sample manifests look
/// for live inside a container, so these few are no such paths.
fn names_no_machine_path(_: &str, text: &str) -> Vec<String> {
    const IN_A_CONTAINER: &[&str] = &["ready", "alive", "healthy"];
    let mut faults = vec![];
    for folder in [concat!("/ro", "ot/"), concat!("/wo", "rk/"), concat!("/tm", "p/")] {
        for (at, _) in text.match_indices(folder) {
            let before = text[..at].chars().next_back().unwrap_or(' ');
            let rest = &text[at + folder.len()..];
            let inner_part = before.is_alphanumeric() || "._-$}".contains(before);
            if !inner_part && !IN_A_CONTAINER.iter().any(|name| rest.starts_with(name)) {
                let line = text[..at].matches('\n').count() + 1;
                faults.push(format!("names a machine path under {folder} in line {line}"));
            }
        }
    }
    faults
}

/// The lock file of npm must install from whatever registry the reader uses.
fn names_no_registry(path: &str, text: &str) -> Vec<String> {
    if path == "package-lock.json" && text.contains("\"resolved\"") {
        return vec!["has `resolved` fields".to_owned()];
    }
    vec![]
}

fn imports_only_what_it_may(path: &str, text: &str) -> Vec<String> {
    let Some(module) = top_level_module(path) else {
        return vec![];
    };
    let Some(allowed) = may_use(module) else {
        return vec![format!("the table of imports does not know `{module}`")];
    };
    let mut used = modules_used(path, text);
    used.sort();
    used.dedup();
    let refused = used.iter().filter(|name| *name != module && may_use(name).is_some()).filter(|name| !allowed.contains(&name.as_str()));
    // Everyone may use what stands in for a library.
    let refused = refused.filter(|name| *name != "persistent");
    refused.map(|name| format!("`{module}` may not use `{name}`")).collect()
}

/// `src/store/watch.rs` and `src/store.rs` belong to `store`; the crate's two roots belong to none.
fn top_level_module(path: &str) -> Option<&str> {
    let inside = path.strip_prefix("src/")?;
    let module = inside.split(['/', '.']).next()?;
    (!["lib", "main"].contains(&module)).then_some(module)
}

/// The names after `crate::` and after enough `super::` to reach the crate's root, groups in braces included.
fn modules_used(path: &str, text: &str) -> Vec<String> {
    let code = without_comments(text);
    let mut names = vec![];
    for root in ["crate::", "loopscope::"] {
        for (at, _) in code.match_indices(root) {
            let part_of_a_word = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            if !part_of_a_word {
                names.extend(first_names(&code[at + root.len()..]));
            }
        }
    }
    let climb = "super::".repeat(depth_of(path));
    for (at, _) in code.match_indices(&climb) {
        names.extend(first_names(&code[at + climb.len()..]));
    }
    names
}

/// How many `super::` lead from a file's module to the crate's root.
fn depth_of(path: &str) -> usize {
    let inside = path.trim_start_matches("src/").trim_end_matches(".rs");
    inside.trim_end_matches("/mod").split('/').count()
}

/// The first name of a path, or of each path in a group: `a::b` gives `a`, `{a::{b, c}, d}` gives `a` and `d`.
fn first_names(rest: &str) -> Vec<String> {
    let Some(group) = rest.strip_prefix('{') else {
        return vec![leading_name(rest)];
    };
    let mut names = vec![];
    let mut depth = 0;
    let mut at_start = true;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => at_start = true,
            c if at_start && !c.is_whitespace() => {
                names.push(leading_name(&group[at..]));
                at_start = false;
            }
            _ => {}
        }
    }
    names
}

fn leading_name(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// Comments may speak of what the code must not do. Line comments are all that this repository uses.
fn without_comments(text: &str) -> String {
    let code = text.lines().filter(|l| !l.trim_start().starts_with("//"));
    code.map(|line| format!("{line}\n")).collect()
}

/// Kinds that may be named anywhere, because whole components are about them.
const NAMED_EVERYWHERE: &[(&str, &str)] = &[
    ("Pod", "kubelets run pods, the scheduler places them, the page draws them"),
    ("Node", "kubelets are their nodes, the scheduler chooses among them, the page draws them"),
    ("Namespace", "every request is made in one, and admission asks whether it is there"),
    ("Event", "recorders write them and the page reads them"),
];

/// Folders with one file for each kind that is special there, registered in one table each, and a table of texts that names kinds.
const FOLDERS_OF_KINDS: &[&str] =
    &["src/api/kind/", "src/controller/", "src/network/", "src/kubectl/kinds/", "src/view/kinds/", "src/view/examples.rs"];

/// Where else a kind may be named: the file, the kind, and why its row cannot tell it.
const NAMED_ELSEWHERE: &[(&str, &str, &str)] = &[
    ("src/apiserver/admission/mod.rs", "ServiceAccount", "the admission plugin of that name looks for a pod's account"),
    ("src/apiserver/admission/limit_ranger.rs", "LimitRange", "the admission plugin that enforces them"),
    ("src/apiserver/admission/limit_ranger.rs", "PersistentVolumeClaim", "limits of that type are for claims"),
    ("src/apiserver/definitions.rs", "CustomResourceDefinition", "the server serves the kinds that these define"),
    ("src/apiserver/admission/quota.rs", "ResourceQuota", "the admission plugin that enforces them"),
    ("src/kubectl/create_policy.rs", "Role", "kubectl create role"),
    ("src/kubectl/create_policy.rs", "ClusterRole", "kubectl create clusterrole"),
    ("src/kubectl/create_policy.rs", "ClusterRoleBinding", "kubectl create clusterrolebinding"),
    ("src/kubectl/create_policy.rs", "RoleBinding", "kubectl create rolebinding"),
    ("src/kubectl/create_policy.rs", "ServiceAccount", "a binding names it"),
    ("src/kubectl/expose.rs", "Service", "kubectl expose"),
    ("src/kubectl/run.rs", "Service", "kubectl run --expose"),
    ("src/kubectl/set.rs", "ClusterRoleBinding", "kubectl set subject"),
    ("src/kubectl/set.rs", "ConfigMap", "kubectl set env --from"),
    ("src/kubectl/set.rs", "RoleBinding", "kubectl set subject"),
    ("src/kubectl/set.rs", "Secret", "kubectl set env --from"),
    ("src/kubectl/set.rs", "Service", "kubectl set selector"),
    ("src/kubectl/kustomize.rs", "ConfigMap", "kustomizations generate them"),
    ("src/kubectl/kustomize.rs", "Secret", "kustomizations generate them"),
    ("src/kubectl/kustomize.rs", "ServiceAccount", "a pod names the one that a kustomization renames"),
    ("src/kubectl/generate.rs", "ResourceQuota", "kubectl create quota"),
    ("src/kubectl/generate.rs", "ClusterRole", "kubectl create clusterrole"),
    ("src/kubectl/generate.rs", "ClusterRoleBinding", "kubectl create clusterrolebinding"),
    ("src/kubectl/generate.rs", "RoleBinding", "kubectl create rolebinding"),
    ("src/apiserver/admission/mod.rs", "PriorityClass", "the admission plugin Priority looks for a pod's class"),
    ("src/apiserver/eviction.rs", "PodDisruptionBudget", "evictions honour it"),
    ("src/apiserver/service_ip.rs", "Service", "the allocator of the addresses of Services"),
    ("src/client/leader.rs", "Lease", "leader election holds a Lease"),
    ("src/kubelet/config_refs.rs", "ConfigMap", "a container's environment names it"),
    ("src/kubelet/config_refs.rs", "Secret", "a container's environment names it"),
    ("src/kubelet/environment.rs", "ConfigMap", "a container's environment shows it"),
    ("src/kubelet/environment.rs", "Secret", "a container's environment shows it"),
    ("src/kubelet/service_links.rs", "Service", "containers find Services by variables of their environment"),
    ("src/kubelet/guests.rs", "ServiceAccount", "the folder of the token that every container gets"),
    ("src/kubelet/volumes.rs", "ConfigMap", "a volume shows it"),
    ("src/kubelet/volumes.rs", "Secret", "a volume shows it"),
    ("src/kubelet/node.rs", "Lease", "a kubelet renews the Lease of its node"),
    ("src/kubectl/complete.rs", "ConfigMap", "kubectl create configmap"),
    ("src/kubectl/complete.rs", "ServiceAccount", "kubectl create serviceaccount"),
    ("src/kubectl/token.rs", "ServiceAccount", "a token stands for one"),
    ("src/kubectl/derived.rs", "EndpointSlice", "Endpoints are made up from it"),
    ("src/kubectl/derived.rs", "Lease", "component statuses are made up from it"),
    ("src/kubectl/derived.rs", "Service", "Endpoints are made up from it"),
    ("src/kubectl/autoscale.rs", "HorizontalPodAutoscaler", "kubectl autoscale"),
    ("src/kubectl/generate.rs", "CronJob", "kubectl create cronjob"),
    ("src/kubectl/generate.rs", "PodDisruptionBudget", "kubectl create poddisruptionbudget"),
    ("src/kubectl/describe/container.rs", "ConfigMap", "the words of the real client about a container's environment"),
    ("src/kubectl/describe/container.rs", "Secret", "the words of the real client about a container's environment"),
    ("src/kubectl/describe/volume.rs", "ConfigMap", "the words of the real client about a volume"),
    ("src/kubectl/describe/volume.rs", "PersistentVolumeClaim", "the words of the real client about a volume"),
    ("src/kubectl/describe/volume.rs", "StorageClass", "the words of the real client about a volume"),
    ("src/kubectl/describe/volume.rs", "Secret", "the words of the real client about a volume"),
    ("src/kubectl/drain.rs", "DaemonSet", "kubectl drain leaves its pods where they are"),
    ("src/kubectl/diff.rs", "Secret", "kubectl diff masks its values"),
    ("src/kubectl/create_data.rs", "ConfigMap", "kubectl create configmap"),
    ("src/kubectl/create_data.rs", "Secret", "kubectl create secret"),
    ("src/kubectl/generate.rs", "ConfigMap", "kubectl create configmap"),
    ("src/kubectl/generate.rs", "Deployment", "kubectl create deployment"),
    ("src/kubectl/generate.rs", "PriorityClass", "kubectl create priorityclass"),
    ("src/kubectl/generate.rs", "Service", "kubectl create service"),
    ("src/kubectl/generate.rs", "ServiceAccount", "kubectl create serviceaccount"),
    ("src/kubectl/set.rs", "ServiceAccount", "kubectl set serviceaccount"),
    ("src/scheduler/listers.rs", "ReplicaSet", "pods are spread by default over the nodes of their owner"),
    ("src/scheduler/listers.rs", "Service", "pods are spread by default over the nodes of their Service"),
    ("src/scheduler/mod.rs", "PersistentVolumeClaim", "the plugins about volumes"),
    ("src/scheduler/plugins/volume_binding.rs", "PersistentVolumeClaim", "the plugins about volumes"),
    ("src/scheduler/plugins/volume_restrictions.rs", "PersistentVolumeClaim", "the plugins about volumes"),
    ("src/scheduler/plugins/volume_zone.rs", "PersistentVolumeClaim", "the plugins about volumes"),
    ("src/scheduler/volumes.rs", "PersistentVolumeClaim", "the plugins about volumes"),
    ("src/scheduler/mod.rs", "PersistentVolume", "the plugins about volumes"),
    ("src/scheduler/volumes.rs", "PersistentVolume", "the plugins about volumes"),
    ("src/scheduler/volumes.rs", "StorageClass", "the plugins about volumes"),
    ("src/scheduler/plugins/volume_binding.rs", "PersistentVolume", "the plugins about volumes"),
    ("src/scheduler/plugins/volume_zone.rs", "PersistentVolume", "the plugins about volumes"),
    ("src/scheduler/plugins/volume_zone.rs", "StorageClass", "the plugins about volumes"),
    ("src/sim/nodes.rs", "PriorityClass", "a cluster begins with the system's classes"),
    ("src/sim/nodes.rs", "StorageClass", "a cluster may begin with a default class"),
    ("src/sim/scheduling.rs", "PersistentVolume", "the scheduler binds volumes"),
    ("src/sim/scheduling.rs", "PodDisruptionBudget", "preemption spares the pods that it guards"),
    ("src/sim/scheduling.rs", "PersistentVolumeClaim", "the scheduler binds volumes"),
    ("src/sim/scheduling.rs", "StorageClass", "the scheduler watches it to bind volumes"),
    ("src/sim/network.rs", "Service", "the API server keeps up its own Service"),
    ("src/sim/nodes.rs", "EndpointSlice", "a cluster begins with the API server's own Service"),
    ("src/sim/nodes.rs", "Service", "a cluster begins with the API server's own Service"),
    ("src/scheduler/listers.rs", "StatefulSet", "its pods are spread by default"),
    ("src/scheduler/listers.rs", "ReplicationController", "its pods are spread by default"),
    ("src/sim/scheduling.rs", "ReplicaSet", "the scheduler watches it to spread pods"),
    ("src/sim/scheduling.rs", "StatefulSet", "the scheduler watches it to spread pods"),
    ("src/sim/scheduling.rs", "ReplicationController", "the scheduler watches it to spread pods"),
    ("src/sim/traffic.rs", "Ingress", "requests from outside pass it"),
    ("src/sim/traffic.rs", "IngressClass", "it says who serves an Ingress"),
    ("src/sim/traffic.rs", "NetworkPolicy", "requests pass it"),
    ("src/sim/scheduling.rs", "Service", "the scheduler watches it to spread pods"),
    ("src/ui/actual/service_card.rs", "EndpointSlice", "the panel of Services"),
    ("src/ui/actual/service_card.rs", "Service", "the panel of Services"),
    ("src/view/hint.rs", "ReplicaSet", "a hint about the first manifest"),
    ("src/view/run.rs", "ReplicaSet", "the first manifest"),
    ("src/view/services.rs", "EndpointSlice", "the panel of Services"),
    ("src/view/services.rs", "Service", "the panel of Services"),
    ("src/view/why/chain.rs", "Lease", "a node is silent when its Lease runs out"),
];

/// The kinds of the table: constant, name and accessor.
fn kinds_of_table(table: &str) -> Vec<(String, String, String)> {
    let lines = table.lines().skip_while(|line| !line.starts_with("kinds! {")).skip(1).take_while(|line| *line != "}");
    let kind = |line: &str| {
        let mut words = line.split_whitespace();
        let (constant, name) = (words.next()?.to_owned(), words.next()?.split('(').next()?.to_owned());
        Some((constant, name, line.split_whitespace().rev().nth(1)?.to_owned()))
    };
    lines.filter_map(kind).collect()
}

/// What the page, kubectl and the components need to know of a kind is told by its row, so its name stands in few places.
fn names_no_kind(path: &str, text: &str) -> Vec<String> {
    let table = include_str!("../src/api/kind/mod.rs");
    if FOLDERS_OF_KINDS.iter().any(|folder| path.starts_with(folder)) || path.contains("tests") {
        return vec![];
    }
    let code = without_comments(text.split("#[cfg(test)]").next().unwrap_or(text));
    let mut faults = vec![];
    for (constant, name, accessor) in kinds_of_table(table) {
        let everywhere = NAMED_EVERYWHERE.iter().any(|(kind, _)| *kind == name);
        if everywhere || NAMED_ELSEWHERE.iter().any(|(file, kind, _)| *file == path && *kind == name) {
            continue;
        }
        let mut words = vec![format!("Kind::{constant}"), format!("Body::{name}"), format!(".{accessor}()"), format!(".{accessor}_mut()")];
        words.push(format!("\"{name}\""));
        // A name of two words means nothing else.
        if accessor.contains('_') {
            words.extend([name.clone(), accessor.clone(), accessor.replace('_', "")]);
        }
        if let Some(word) = words.iter().find(|word| has_word(&code, word)) {
            faults.push(format!("names the kind {name} (`{word}`); what is special about it belongs in its row or a folder of kinds"));
        }
    }
    faults
}

/// Whether a word stands in a text, not as a part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let inner = word.starts_with(is_part) && text[..at].ends_with(is_part);
        !(inner || word.ends_with(is_part) && text[at + word.len()..].starts_with(is_part))
    })
}

/// Rust files that no `mod` declares: the compiler never sees them, and tests in them never run.
fn undeclared(files: &[(String, String)]) -> Vec<String> {
    let declares = |file: &str, module: &str| {
        let declaration = format!("mod {module};");
        files
            .iter()
            .any(|(path, text)| path == file && text.lines().any(|line| line == declaration || line.ends_with(&format!(" {declaration}"))))
    };
    let is_declared = |path: &str| {
        let module = path.trim_end_matches(".rs").trim_end_matches("/mod");
        let Some((folder, name)) = module.rsplit_once('/') else { return true };
        let is_root = ["lib", "main"].contains(&name) || ["tests", "benches", "examples"].contains(&folder);
        let parents = [format!("{folder}/mod.rs"), format!("{folder}/main.rs"), format!("{folder}/lib.rs"), format!("{folder}.rs")];
        let by_path = || files.iter().any(|(_, text)| text.contains("#[path") && text.contains(&format!("/{name}.rs\"]")));
        is_root || parents.iter().any(|parent| declares(parent, name)) || by_path()
    };
    let rust = files.iter().map(|(path, _)| path).filter(|path| path.ends_with(".rs"));
    rust.filter(|path| !is_declared(path)).cloned().collect()
}

/// Every file that belongs to the repository, by its path from the root.
fn files() -> Vec<(String, PathBuf)> {
    const NOT_OURS: &[&str] = &[".git", "target", "dist", "node_modules", "out"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.to_owned()];
    let mut found = vec![];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder can be listed") {
            let path = entry.expect("an entry can be read").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if NOT_OURS.contains(&&*name) || name.ends_with(".log") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let inside = path.strip_prefix(root).expect("it is under the root");
            found.push((inside.to_string_lossy().replace('\\', "/"), path));
        }
    }
    found.sort();
    found
}

/// Applies a rule to the files whose path `applies`, and lists every fault at once.
fn check(applies: fn(&str) -> bool, rule: Rule) {
    let mut faults = vec![];
    let mut looked_at = 0;
    for (path, place) in files() {
        if !applies(&path) {
            continue;
        }
        looked_at += 1;
        // Pictures and other bytes have no text to judge.
        let text = fs::read_to_string(place).unwrap_or_default();
        faults.extend(rule(&path, &text).iter().map(|f| format!("{path}: {f}")));
    }
    assert!(looked_at > 0, "no file was looked at");
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

fn is_source(path: &str) -> bool {
    path.starts_with("src/") && path.ends_with(".rs")
}

fn is_any(_: &str) -> bool {
    true
}

#[test]
fn every_source_file_opens_with_its_purpose() {
    check(is_source, opens_with_its_purpose);
    assert!(!opens_with_its_purpose("src/a.rs", "use std::fmt;\n//! late").is_empty());
}

#[test]
fn no_source_file_is_too_long() {
    check(is_source, is_short_enough);
    assert!(is_short_enough("src/a.rs", &"x\n".repeat(LINE_LIMIT)).is_empty());
    assert!(!is_short_enough("src/a.rs", &"x\n".repeat(LINE_LIMIT + 1)).is_empty());
}

#[test]
fn no_source_file_has_a_forbidden_word() {
    check(is_source, has_no_forbidden_word);
    for word in FORBIDDEN_WORDS {
        let bad = format!("fn f() {{ {word} }}");
        assert_eq!(has_no_forbidden_word("src/a.rs", &bad), [format!("contains `{word}`")]);
        assert!(has_no_forbidden_word("src/a.rs", &format!("  // Not {word} here.")).is_empty());
    }
}

#[test]
fn every_rust_file_is_compiled() {
    let read = |(path, place): (String, PathBuf)| (path, fs::read_to_string(place).unwrap_or_default());
    let all: Vec<(String, String)> = files().into_iter().filter(|(path, _)| path.ends_with(".rs")).map(read).collect();
    assert_eq!(undeclared(&all), [""; 0]);
    let sample =
        |root: &str| [("tests/a/main.rs", root), ("tests/a/b/mod.rs", "mod c;"), ("tests/a/b/c.rs", "")].map(|(p, t)| (p.into(), t.into()));
    assert_eq!(undeclared(&sample("pub mod b;")), [""; 0]);
    assert_eq!(undeclared(&sample("mod ab;")), ["tests/a/b/mod.rs"]);
}

#[test]
fn every_name_tells_something() {
    check(is_any, has_a_telling_name);
    for bad in ["src/api/util.rs", "src/helpers/pod.rs", "static/misc.js"] {
        assert_eq!(has_a_telling_name(bad, "").len(), 1, "{bad}");
    }
    assert!(has_a_telling_name("src/client/common_name.rs", "").is_empty());
}

#[test]
fn no_file_names_a_machine_path() {
    check(is_any, names_no_machine_path);
    let bad = format!("one\nsee {}x", concat!("/wo", "rk/"));
    let fault = format!("names a machine path under {} in line 2", concat!("/wo", "rk/"));
    assert_eq!(names_no_machine_path("README.md", &bad), [fault]);
    assert!(!names_no_machine_path("a.sh", concat!("cd /ro", "ot/x && ls /tm", "p/ready")).is_empty());
    assert!(names_no_machine_path("a.yaml", concat!("cat /tm", "p/ready")).is_empty());
    assert!(names_no_machine_path("a.html", concat!("https://example.org/wo", "rk/")).is_empty());
}

#[test]
fn the_lock_file_of_npm_names_no_registry() {
    check(is_any, names_no_registry);
    let bad = r#"{ "resolved": "https://registry.example.org/a.tgz" }"#;
    assert!(!names_no_registry("package-lock.json", bad).is_empty());
}

#[test]
fn every_module_imports_only_what_it_may() {
    check(is_source, imports_only_what_it_may);
}

#[test]
fn a_wrong_import_is_found_however_it_is_written() {
    for (path, text, fault) in [
        ("src/api/pod.rs", "use crate::store::Store;", "`api` may not use `store`"),
        ("src/store/mod.rs", "fn f(c: &crate::sim::Cluster) {}", "`store` may not use `sim`"),
        ("src/kubelet/status.rs", "use crate::{\n    api::{Pod, Node},\n    scheduler,\n};", "`kubelet` may not use `scheduler`"),
        ("src/client/cache.rs", "use super::super::apiserver::handle;", "`client` may not use `apiserver`"),
        ("src/controller/mod.rs", "use super::{api::Pod, kubelet};", "`controller` may not use `kubelet`"),
        ("src/view/frame.rs", "pub use crate::ui::App;", "`view` may not use `ui`"),
        ("src/gossip.rs", "", "the table of imports does not know `gossip`"),
    ] {
        assert_eq!(imports_only_what_it_may(path, text), [fault], "{path}");
    }
}

#[test]
fn a_right_import_is_left_alone() {
    for (path, text) in [
        ("src/api/pod.rs", "use super::meta::Meta;"),
        ("src/api/pod.rs", "//! See [`crate::store::Store`].\nuse crate::api::Value;"),
        ("src/controller/deployment/sync.rs", "use super::super::Plan;\nuse crate::{api, client::Queue};"),
        ("src/sim/mod.rs", "use crate::{api, store, apiserver, client, controller, scheduler, kubelet};"),
        ("src/main.rs", "mod ui;\nuse crate::ui::App;"),
    ] {
        assert!(imports_only_what_it_may(path, text).is_empty(), "{path}");
    }
}

#[test]
fn kinds_are_named_only_where_they_must_be() {
    check(is_source, names_no_kind);
    for (code, fault) in [
        ("match kind { Kind::REPLICA_SET => 1 }", "`Kind::REPLICA_SET`"),
        ("if owner.kind == \"Deployment\" {}", "`\"Deployment\"`"),
        ("if let Body::Service(s) = &o.body {}", "`Body::Service`"),
        ("let n = o.deployment_mut();", "`.deployment_mut()`"),
        ("let replica_set = 1;", "`replica_set`"),
    ] {
        assert!(names_no_kind("src/view/a.rs", code).iter().any(|f| f.contains(fault)), "{code}");
    }
    for code in ["// A ReplicaSet.", "let replica_sets = Kind::POD;", "#[cfg(test)]\nmod tests { use Kind::LEASE; }"] {
        assert!(names_no_kind("src/view/a.rs", code).is_empty(), "{code}");
    }
    assert!(names_no_kind("src/view/kinds/replicaset.rs", "Kind::REPLICA_SET").is_empty());
    let text_of = |file: &str| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap_or_default();
    for (file, kind, _) in NAMED_ELSEWHERE {
        let (constant, accessor) = names_of(kind);
        let words = [(*kind).to_owned(), format!("Kind::{constant}"), accessor.replace('_', ""), accessor];
        assert!(words.iter().any(|word| has_word(&text_of(file), word)), "{file} no longer names {kind}");
    }
}

/// The constant and the accessor of a kind.
fn names_of(kind: &str) -> (String, String) {
    let table = kinds_of_table(include_str!("../src/api/kind/mod.rs"));
    table.into_iter().find(|(_, name, _)| name == kind).map(|(constant, _, accessor)| (constant, accessor)).unwrap_or_default()
}
