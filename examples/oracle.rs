//! Replays recordings of a real cluster on the engine and prints what the engine says, one JSON object a line: `oracle api|kubectl|trace|scheduling PATH`.
//!
//! The recordings and the script that compares are described beside them (`tests/oracle/README.md`).

#[path = "oracle/api.rs"]
mod api;
#[path = "oracle/kubectl.rs"]
mod kubectl;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let result = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["api", path] => api::run(path),
        ["kubectl", path] => kubectl::run(path),
        _ => Err("usage: oracle api|kubectl|trace|scheduling PATH".to_owned()),
    };
    if let Err(message) = result {
        eprintln!("oracle: {message}");
        std::process::exit(2);
    }
}
