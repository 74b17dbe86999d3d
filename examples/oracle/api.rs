//! API vectors.
pub fn run(_path: &str) -> Result<(), String> {
    Ok(())
}
