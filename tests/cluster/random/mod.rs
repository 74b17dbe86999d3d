//! Random clusters: a script of workloads, changes and faults drawn from a seed, and the code that plays it.

mod objects;
pub mod play;
pub mod script;

/// Returns the number in the environment variable `name`. Without that variable the number is `usual`, or `soak` in `make
/// soak` (`LOOPSCOPE_SOAK=1`).
pub fn number(name: &str, usual: u64, soak: u64) -> u64 {
    let asked = std::env::var(name).ok().and_then(|value| value.parse().ok());
    asked.unwrap_or(if std::env::var_os("LOOPSCOPE_SOAK").is_some() { soak } else { usual })
}
