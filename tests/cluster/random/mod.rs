//! Random clusters: a script of workloads, changes and faults drawn from a seed, and how it is played.

mod objects;
pub mod play;
pub mod script;

/// The number in an environment variable, or the usual one; `make soak` (`LOOPSCOPE_SOAK=1`) takes the larger one of the two.
pub fn number(name: &str, usual: u64, soak: u64) -> u64 {
    let asked = std::env::var(name).ok().and_then(|value| value.parse().ok());
    asked.unwrap_or(if std::env::var_os("LOOPSCOPE_SOAK").is_some() { soak } else { usual })
}
