//! The hash of one run, natively and in wasm: `tests/tools/determinism.sh` compares the two.
//!
//! Natively: `cargo run --example trace_hash -- 1 2 3` prints one line `seed hash` for each seed.
//! In wasm the same function is exported to scripts as `trace_hash(seed)`.

/// The hash of the run that `seed` gives, as 16 hexadecimal digits.
fn hash_of_run(seed: u32) -> String {
    let mut state = u64::from(seed) ^ 0x9e37_79b9_7f4a_7c15;
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for _ in 0..1_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        // A ratio and a square root take part, because floats are where two machines would differ.
        let ratio = (state >> 11) as f64 / 9_007_199_254_740_992.0;
        for byte in (ratio.sqrt() / 3.0).to_bits().to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
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
