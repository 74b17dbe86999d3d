//! The hash of one run, natively and in wasm: `scripts/determinism.sh` compares the two.
//!
//! Natively: `cargo run --example trace_hash -- 1 2 3` prints one line `seed hash` for each seed.
//! In wasm the same function is exported to scripts as `trace_hash(seed)`.

#[path = "../tests/cluster/random/play.rs"]
mod play;
#[path = "../tests/cluster/random/script.rs"]
mod script;

/// The hash of the run that `seed` gives, as 16 hexadecimal digits: a random script of changes and faults, then a while of mending.
fn hash_of_run(seed: u32) -> String {
    let script = script::Script::new(u64::from(seed));
    let mut play = play::Play::new(&script);
    play.play(&script, &mut |cluster, _| cluster.steps < 20_000);
    play.mend();
    let until = play.cluster.now + loopscope::api::time::Span::secs(600);
    play.cluster.run_until(until, 10_000);
    format!("{:016x}", play.cluster.hash)
}

/// What scripts call.
#[cfg(target_arch = "wasm32")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn trace_hash(seed: u32) -> String {
    hash_of_run(seed)
}

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    for word in std::env::args().skip(1) {
        match word.parse() {
            Ok(seed) => println!("{seed} {}", hash_of_run(seed)),
            Err(_) => eprintln!("not a seed: {word}"),
        }
    }
}
