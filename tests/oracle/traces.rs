//! Tests the engine against recordings of a real v1.36 control plane: the number of vectors in each group with the same outcome must not fall.

use loopscope::api::json;
use loopscope::api::value::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn folder() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracle").to_owned()
}

fn lines(path: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{path}: {e}"));
    text.lines().map(|line| json::parse(line).unwrap_or_else(|e| panic!("{path}: {e}"))).collect()
}

fn text<'v>(value: &'v Value, path: &[&str]) -> &'v str {
    value.at(path).and_then(Value::as_str).unwrap_or("")
}

fn number(value: &Value, path: &[&str]) -> i64 {
    value.at(path).and_then(Value::as_int).unwrap_or(0)
}

/// The number of vectors in each group for which the engine gives the recorded code, the recorded message and kubectl's recorded output. The other
/// vectors have kinds that are not simulated, or random names or revisions in their messages.
const API: &[(&str, usize)] = &[
    ("already-exists", 1),
    ("config-validation", 23),
    ("conflict", 9),
    ("container-validation", 43),
    ("defaulting", 36),
    ("delete-options", 3),
    ("deployment-validation", 39),
    ("finalizer", 6),
    ("gvk", 17),
    ("multi-doc", 7),
    ("namespace-terminating", 2),
    ("not-found", 8),
    ("pod-validation", 21),
    ("replicaset-validation", 11),
    ("service-validation", 20),
    ("subresource", 4),
    ("unknown-field", 27),
    ("update", 22),
    ("wrong-type", 32),
    ("yaml-syntax", 25),
];

#[test]
fn refusals_are_those_of_the_real_server() {
    let path = folder() + "/api/vectors.jsonl";
    let vectors = std::fs::read_to_string(&path).unwrap();
    let answers = crate::api::answers(&vectors).unwrap();
    let mut good: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong: BTreeMap<String, String> = BTreeMap::new();
    for (vector, answer) in lines(&path).iter().zip(&answers) {
        let group = text(vector, &["group"]);
        match difference(vector, answer) {
            None => *good.entry(group.to_owned()).or_default() += 1,
            Some(why) => {
                let short: String = why.chars().take(400).collect();
                wrong.entry(group.to_owned()).or_default().push_str(&format!("{}: {short}\n", text(vector, &["id"])));
            }
        }
    }
    for (group, least) in API {
        let now = good.get(*group).copied().unwrap_or(0);
        assert!(now >= *least, "{group}: {now} of at least {least}\n{}", wrong.get(*group).map_or("", String::as_str));
    }
}

fn difference(vector: &Value, answer: &Value) -> Option<String> {
    if vector.get("response").is_some_and(|r| !r.is_null()) {
        for key in ["code", "message"] {
            let (want, got) = (vector.at(&["response", key]), answer.at(&["response", key]));
            let empty = |v: Option<&Value>| v.is_none_or(|v| v.is_null() || v.as_str() == Some(""));
            if want != got && !(empty(want) && empty(got)) {
                return Some(format!("{key} {got:?} instead of {want:?}"));
            }
        }
    }
    if !matches!(number(vector, &["kubectl", "exit"]), 0) {
        let (want, got) = (text(vector, &["kubectl", "stderr"]), text(answer, &["kubectl", "stderr"]));
        return (want != got).then(|| format!("kubectl says {got:?} instead of {want:?}"));
    }
    None
}

/// The outcome of a trace, without names, times and whatever else differs from run to run of the real system.
#[derive(Debug, Default, PartialEq)]
struct Gist {
    /// The Events: the kind of the object, the type and the reason.
    events: BTreeSet<(String, String, String)>,
    /// The successive sizes of each ReplicaSet, in the order in which the sets first appear.
    sizes: Vec<Vec<i64>>,
    /// The number of pods at the end, by phase, readiness, and whether they are being deleted.
    pods: BTreeMap<(String, String, bool), usize>,
    /// The other objects at the end: the kind, and of Deployments the name.
    others: BTreeSet<(String, String)>,
}

fn gist(trace: &[Value]) -> Gist {
    let mut gist = Gist::default();
    let (mut sets, mut left): (Vec<String>, BTreeMap<(String, String), Value>) = Default::default();
    for line in trace {
        let Some(object) = line.get("object") else { continue };
        let (kind, name) = (text(line, &["kind"]).to_owned(), text(object, &["metadata", "name"]).to_owned());
        match kind.as_str() {
            "Event" => {
                let part = |path: &[&str]| text(object, path).to_owned();
                gist.events.insert((part(&["involvedObject", "kind"]), part(&["type"]), part(&["reason"])));
                continue;
            }
            "ReplicaSet" => {
                let at = sets.iter().position(|s| *s == name).unwrap_or_else(|| {
                    sets.push(name.clone());
                    gist.sizes.push(Vec::new());
                    sets.len() - 1
                });
                let size = number(object, &["spec", "replicas"]);
                if gist.sizes[at].last() != Some(&size) {
                    gist.sizes[at].push(size);
                }
            }
            _ => {}
        }
        if text(line, &["type"]) == "DELETED" {
            left.remove(&(kind, name));
        } else {
            left.insert((kind, name), object.clone());
        }
    }
    for ((kind, name), object) in left {
        if kind != "Pod" {
            let name = if kind == "Deployment" { name } else { String::new() };
            gist.others.insert((kind, name));
            continue;
        }
        let conditions = object.at(&["status", "conditions"]).and_then(Value::as_list).unwrap_or(&[]);
        let ready = conditions.iter().find(|c| text(c, &["type"]) == "Ready").map_or("", |c| text(c, &["status"]));
        let deleting = object.at(&["metadata", "deletionTimestamp"]).is_some();
        *gist.pods.entry((text(&object, &["status", "phase"]).to_owned(), ready.to_owned(), deleting)).or_default() += 1;
    }
    gist
}

/// Returns the exit codes of the commands by their numbers.
fn exits(trace: &[Value]) -> BTreeMap<i64, i64> {
    trace.iter().filter(|l| l.get("command").is_some()).map(|l| (number(l, &["command"]), number(l, &["exit"]))).collect()
}

#[test]
fn scenarios_come_to_the_same_as_in_the_real_cluster() {
    let mut seen = 0;
    let mut folders: Vec<_> = std::fs::read_dir(folder() + "/traces").unwrap().flatten().map(|f| f.path()).collect();
    folders.sort();
    for path in folders.iter().filter(|p| p.is_dir()) {
        let file = |name: &str| path.join(name).to_string_lossy().into_owned();
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let scenario = std::fs::read_to_string(file("scenario.jsonl")).unwrap();
        let ours = crate::trace::replay(&scenario, [false, false]).unwrap();
        let recorded = lines(&file("watch.jsonl"));
        assert_eq!(gist(&ours), gist(&recorded), "{name}");
        let got = exits(&ours);
        for (i, command) in lines(&file("commands.jsonl")).iter().enumerate().filter(|(_, c)| c.get("args").is_some()) {
            let args = text(command, &["args"]);
            assert_eq!(got.get(&(i as i64)).copied(), Some(number(command, &["exit"])), "{name}: kubectl {args}");
        }
        seen += 1;
    }
    assert!(seen >= 10, "only {seen} scenarios were looked at");
    assert!(Path::new(&folder()).is_dir());
}
