//! Checks the house rules by reading the repository's files.
//!
//! Each rule is a function from a file's path and text to the faults that it finds. Beside each rule stands a test with a bad sample, which
//! proves that the rule still finds faults.

mod agreement;
mod kinds;

use std::fs;
use std::path::{Path, PathBuf};

const LINE_LIMIT: usize = 500;
/// The Rust program that Cargo.toml names as the build script.
const BUILD_SCRIPT: &str = "scripts/content.rs";

/// Words that are forbidden in `src`, written in halves so that this file passes its own rules.
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

/// File and module names that say nothing about the contents.
const EMPTY_NAMES: &[&str] = &["util", "utils", "helper", "helpers", "common", "misc", "types", "constants"];

const ENGINE: &[&str] = &["api", "store", "apiserver", "client", "controller", "scheduler", "container", "kubelet", "network"];

/// Returns the top-level modules that a top-level module may use. ARCHITECTURE.md gives the reasons.
fn may_use(module: &str) -> Option<Vec<&'static str>> {
    let engine_and = |more: &[&'static str]| [ENGINE, more].concat();
    Some(match module {
        "api" | "persistent" => vec![],
        "filters" => vec!["api"],
        "posix" => vec!["api"],
        "container" => vec!["api", "filters", "network", "posix"],
        "store" => vec!["api"],
        "apiserver" => vec!["api", "store"],
        "client" | "network" => vec!["api"],
        "controller" | "scheduler" => vec!["api", "client"],
        "kubelet" => vec!["api", "client", "container", "network"],
        "sim" => engine_and(&[]),
        "kubectl" => vec!["api", "apiserver", "sim"],
        "shell" => vec!["api", "filters", "network", "posix", "sim", "kubectl"],
        // There are no `lessons` yet: these lines say where they belong.
        "lessons" => engine_and(&["sim", "kubectl"]),
        "view" => engine_and(&["sim", "kubectl", "shell", "lessons"]),
        "page" => engine_and(&["sim", "kubectl", "shell", "lessons", "view"]),
        "engine" => engine_and(&["sim", "kubectl", "lessons", "view"]),
        // The crate of the ES module: it hands the library its content.
        "bindings" => vec!["api", "engine"],
        "embed" => engine_and(&["sim", "kubectl", "shell", "lessons", "view", "page"]),
        "ui" => engine_and(&["sim", "kubectl", "shell", "lessons", "view", "page", "embed"]),
        _ => return None,
    })
}

type Rule = fn(&str, &str) -> Vec<String>;

/// Finds files of `src` that do not open with a comment about their purpose.
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

/// Finds paths of the machine on which a file was written. A few paths inside containers, which the probes of sample manifests look for,
/// are allowed.
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

/// Finds addresses of a registry in npm's lock file, which must install from whatever registry the reader uses.
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

/// Returns the top-level module of a file: `store` for every file below `src/store`, and none for the crate's two roots.
fn top_level_module(path: &str) -> Option<&str> {
    let inside = path.strip_prefix("src/")?;
    let module = inside.split(['/', '.']).next()?;
    (!["lib", "main"].contains(&module)).then_some(module)
}

/// Returns the names after `crate::`, and after as many `super::` as lead to the crate's root, including those of groups in braces.
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

/// Returns how many `super::` lead from a file's module to the crate's root.
fn depth_of(path: &str) -> usize {
    let inside = path.trim_start_matches("src/").trim_end_matches(".rs");
    inside.trim_end_matches("/mod").split('/').count()
}

/// Returns the first name of a path, or of each path in a group: `a::b` gives `a`, `{a::{b, c}, d}` gives `a` and `d`.
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

/// Returns the code without its line comments, which may mention what the code must not contain. This repository has no other comments.
fn without_comments(text: &str) -> String {
    let code = text.lines().filter(|l| !l.trim_start().starts_with("//"));
    code.map(|line| format!("{line}\n")).collect()
}

/// Returns true if a text contains a word that is not a part of a longer word.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let inner = word.starts_with(is_part) && text[..at].ends_with(is_part);
        !(inner || word.ends_with(is_part) && text[at + word.len()..].starts_with(is_part))
    })
}

/// Finds Rust files that no `mod` declares: the compiler never sees such a file, and its tests never run.
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
        let is_root = ["lib", "main"].contains(&name) || ["tests", "benches", "examples"].contains(&folder) || path == BUILD_SCRIPT;
        let parents = [format!("{folder}/mod.rs"), format!("{folder}/main.rs"), format!("{folder}/lib.rs"), format!("{folder}.rs")];
        let by_path = || files.iter().any(|(_, text)| text.contains("#[path") && text.contains(&format!("/{name}.rs\"]")));
        is_root || parents.iter().any(|parent| declares(parent, name)) || by_path()
    };
    let rust = files.iter().map(|(path, _)| path).filter(|path| path.ends_with(".rs"));
    rust.filter(|path| !is_declared(path)).cloned().collect()
}

/// Returns every file that belongs to the repository, with its path from the root.
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

/// Applies a rule to the files for whose path `applies` returns true, and panics with all faults found.
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
