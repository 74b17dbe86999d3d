//! Commands of the real client that this one does not have, each with the reason.

use super::errors::Stop;

const COMMANDS: &[(&str, &str)] = &[
    ("alpha", "it has no alpha commands"),
    ("attach", "its containers have no terminal; see kubectl logs"),
    ("certificate", "it has no certificates to sign"),
    ("completion", "press Tab instead"),
    ("cp", "its containers have no files"),
    ("debug", "its containers have no shell; see kubectl describe and kubectl logs"),
    ("kuberc", "it has no settings files"),
    ("kustomize", "it has no directories to build from; apply the manifests themselves"),
    ("plugin", "it has no plugins"),
    ("port-forward", "no traffic flows in it"),
    ("proxy", "no traffic flows in it"),
];

/// Subcommands of `kubectl create` that are missing here, with the kind that each would create if it is not simulated.
const CREATE: &[(&str, &str)] =
    &[("clusterrole", ""), ("clusterrolebinding", ""), ("ing", ""), ("ingress", ""), ("role", ""), ("rolebinding", ""), ("token", "token")];

/// The names of all absent commands.
pub fn names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|(name, _)| *name)
}

/// Returns the error for a command that only the real client has.
pub fn command(name: &str) -> Option<Stop> {
    let (name, why) = COMMANDS.iter().find(|(known, _)| *known == name)?;
    Some(Stop::plain(format!("this playground has no \"kubectl {name}\": {why}")))
}

/// Returns the error for `kubectl create WORD` if its kind is not simulated.
pub fn create(word: &str) -> Option<Stop> {
    let (word, kind) = CREATE.iter().find(|(known, _)| *known == word)?;
    let why = if kind.is_empty() { "apply a manifest instead".to_owned() } else { format!("it does not simulate {kind}s") };
    Some(Stop::plain(format!("this playground has no \"kubectl create {word}\": {why}")))
}
