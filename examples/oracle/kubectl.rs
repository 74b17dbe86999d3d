//! Replays the recorded kubectl session: all its commands in order on one cluster.

use loopscope::api::json;
use loopscope::api::kind::Kind;
use loopscope::api::meta::Key;
use loopscope::api::object::Object;
use loopscope::api::time::Span;
use loopscope::api::value::Value;
use loopscope::kubectl::{CommandLine, split};
use loopscope::map;
use loopscope::sim::{Cluster, Command, Config, Fault};
use std::sync::Arc;

/// The longest time that a command may take; one that takes longer is interrupted.
const PATIENCE: Span = Span::secs(60);
/// The time that the recorded client needed for a command besides the time that the cluster takes.
const START: Span = Span::millis(100);
/// The numbers of the steps before which the recorder waited, and how long; the ages in the recorded output show it.
const PAUSES: &[(i64, Span)] = &[(248, Span::secs(5)), (310, Span::secs(3)), (315, Span::secs(3)), (318, Span::secs(3))];

/// Replays all recordings of a folder and prints the engine's answers.
pub fn run(path: &str) -> Result<(), String> {
    let mut config = Config::default();
    config.runtime.recorded = true;
    // The recorded clusters had no storage class.
    config.default_storage_class = 0;
    config.nodes.count = 3;
    config.metrics_seconds = 0;
    let mut cluster = Cluster::new(config);
    // The recording's nodes had been in use.
    for node in ["node-1", "node-2", "node-3"] {
        let images = ["busybox:1.36", "nginx:1.25", "nginx:1.26", "nginx:1.27"].map(str::to_owned).to_vec();
        cluster.command(Command::Fault(Fault::Images { node: node.to_owned(), images }));
    }
    let long_before = cluster.now + Span::secs(30);
    cluster.run_until(long_before, u64::MAX);
    // Nor were there events of the past.
    one(&mut cluster, "delete events --all", "");
    let mut files: Vec<_> = std::fs::read_dir(path).map_err(|e| e.to_string())?.flatten().map(|f| f.path()).collect();
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(|e| e.to_string())?;
        let recording = json::parse(&text)?;
        let field = |key: &str| recording.get(key).and_then(Value::as_str).unwrap_or("");
        let seq = recording.get("seq").and_then(Value::as_int).unwrap_or(0);
        if let Some((_, pause)) = PAUSES.iter().find(|(step, _)| *step == seq) {
            let over = cluster.now + *pause;
            cluster.run_until(over, u64::MAX);
        }
        let (stdout, stderr, exit) = one(&mut cluster, field("args"), field("stdin"));
        let line = map! { "seq" => seq, "stdout" => stdout, "stderr" => stderr, "exit" => exit };
        println!("{}", json::to_string(&Value::Map(line)));
    }
    Ok(())
}

fn one(cluster: &mut Cluster, args: &str, stdin: &str) -> (String, String, i32) {
    let words = split(args).unwrap_or_default().iter().map(|word| translated(cluster, word)).collect();
    let line = CommandLine { words, stdin: stdin.to_owned(), namespace: "default".into(), files: Vec::new(), editor: false };
    let ready = cluster.now + START;
    cluster.run_until(ready, u64::MAX);
    let id = cluster.last_console() + 1;
    cluster.command(Command::Run(Arc::new(line)));
    let deadline = cluster.now + PATIENCE;
    while cluster.console(id).is_none_or(|c| c.exit().is_none()) && cluster.now < deadline {
        cluster.step();
    }
    let Some(console) = cluster.console(id) else { return (String::new(), String::new(), -1) };
    (console.output().stdout(), console.output().stderr(), console.exit().unwrap_or(-1))
}

/// Replaces a recorded pod name with the name of a pod that exists here: the first one whose name differs only in its
/// random suffix.
fn translated(cluster: &Cluster, word: &str) -> String {
    let (before, name) = word.rsplit_once('/').map_or(("", word), |(kind, name)| (kind, name));
    let store = &cluster.api.store;
    let random = |end: &str| end.len() == 5 && end.chars().all(|c| "bcdfghjklmnpqrstvwxz2456789".contains(c));
    let Some((stem, _)) = name.rsplit_once('-').filter(|(_, end)| random(end)) else { return word.to_owned() };
    if store.get(Kind::POD, &Key::new("default", name)).is_some() {
        return word.to_owned();
    }
    let alike = |o: &&Arc<Object>| o.meta.name.rsplit_once('-').is_some_and(|(s, end)| s == stem && random(end)) && !o.meta.is_deleting();
    match store.range(Kind::POD, "default", None).find(alike) {
        Some(pod) if before.is_empty() => pod.meta.name.to_string(),
        Some(pod) => format!("{before}/{}", pod.meta.name),
        None => word.to_owned(),
    }
}
