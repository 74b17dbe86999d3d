//! Replays recordings of a real cluster on the engine and prints the engine's answers, one JSON object per line: `oracle api|kubectl|trace|scheduling
//! PATH`.
//!
//! The recordings come from a real v1.36 control plane; a script beside them compares the answers. `tests/oracle` keeps the scores of the recordings
//! that are in this repository.

#[path = "oracle/api.rs"]
mod api;
#[path = "oracle/conditions.rs"]
mod conditions;
#[path = "oracle/kubectl.rs"]
mod kubectl;
#[path = "oracle/scheduling.rs"]
mod scheduling;
#[path = "oracle/trace.rs"]
mod trace;

use loopscope::api::json;

fn read(path: &str) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))
}

fn show(lines: &[loopscope::api::value::Value]) {
    lines.iter().for_each(|line| println!("{}", json::to_string(line)));
}

/// Replays a scenario. Nodes and Leases are printed only if the recording has some, because they are compared with the recorded ones.
fn trace(folder: &str) -> Result<(), String> {
    let recorded = read(&format!("{folder}/watch.jsonl"))?;
    let has = |kind: &str| recorded.contains(&format!("\"kind\": \"{kind}\", \"object\""));
    show(&trace::replay(&read(&format!("{folder}/scenario.jsonl"))?, [has("Node"), has("Lease")])?);
    Ok(())
}

/// Prints the engine's decision at the last try of each vector; the decision at any other try would be as right.
fn decisions(path: &str) -> Result<(), String> {
    let decided = scheduling::decisions(&read(path)?)?.into_iter().map(|(vector, answers)| {
        let mut answer = answers.into_iter().next_back().unwrap_or_default();
        answer.insert("id", vector.get("id").cloned().unwrap_or_default());
        answer.into()
    });
    show(&decided.collect::<Vec<_>>());
    Ok(())
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let result = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["api", path] => read(path).and_then(|text| api::answers(&text)).map(|lines| show(&lines)),
        ["kubectl", path] => kubectl::run(path),
        ["trace", path] => trace(path),
        ["scheduling", path] => decisions(path),
        _ => Err("usage: oracle api|kubectl|trace|scheduling PATH".to_owned()),
    };
    if let Err(message) = result {
        eprintln!("oracle: {message}");
        std::process::exit(2);
    }
}
