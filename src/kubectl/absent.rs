//! Commands of the real kubectl that this client does not have, each with the reason.

use super::errors::Stop;

const COMMANDS: &[(&str, &str)] = &[
    ("alpha", "it has no alpha commands"),
    ("certificate", "it has no certificates to sign"),
    ("kuberc", "it has no settings files"),
    ("plugin", "it has no plugins"),
];

/// Returns the names of all commands that only the real kubectl has.
pub fn names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|(name, _)| *name)
}

/// Returns the error for a command that only the real kubectl has; `None` if the name is not one of them.
pub fn command(name: &str) -> Option<Stop> {
    let (name, why) = COMMANDS.iter().find(|(known, _)| *known == name)?;
    Some(Stop::plain(format!("this playground has no \"kubectl {name}\": {why}")))
}
