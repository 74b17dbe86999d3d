//! The engine's measurements. Each is reported as a ratio to a reference loop, so that numbers from two machines compare.

fn main() {}
