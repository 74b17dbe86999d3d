//! Commands of the real kubectl that this client does not have, each with the reason.

use super::errors::Stop;
use super::{Cx, Run};

const COMMANDS: &[(&str, &str)] = &[
    ("alpha", ""),
    ("certificate", "it has no certificates to sign"),
    ("kuberc", "it has no settings files"),
    ("plugin", "it has no plugins"),
];

/// Returns the names of all commands that only the real kubectl has.
pub fn names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|(name, _)| *name)
}

/// Runs a command that only the real kubectl has: says what that says if there is nothing to do, else refuses it. `None` if the name is not one of them.
pub fn command(cx: &mut Cx, name: &str, words: &[String]) -> Option<Run> {
    let (name, why) = COMMANDS.iter().find(|(known, _)| *known == name)?;
    Some(match (*name, words.first().map(String::as_str)) {
        ("alpha", _) => {
            cx.eprintln("No alpha commands are available in this version of kubectl");
            Ok(())
        }
        ("plugin", Some("list")) => Err(Stop::plain("unable to find any kubectl plugins in your PATH")),
        _ => Err(Stop::plain(format!("this playground has no \"kubectl {name}\": {why}"))),
    })
}
