//! Replays recordings of a real cluster on the engine and prints what the engine says, one JSON object a line: `oracle api|kubectl|trace|scheduling PATH`.
//!
//! The recordings come from a real v1.36 control plane; a script beside them compares. `tests/oracle.rs` keeps the scores of those that are in this repository.

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

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let result = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["api", path] => api::run(path),
        ["kubectl", path] => kubectl::run(path),
        ["trace", path] => trace::run(path),
        ["scheduling", path] => scheduling::run(path),
        _ => Err("usage: oracle api|kubectl|trace|scheduling PATH".to_owned()),
    };
    if let Err(message) = result {
        eprintln!("oracle: {message}");
        std::process::exit(2);
    }
}
