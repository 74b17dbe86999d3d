//! What a command does besides its output: to the terminal it runs in, not to the cluster.

use crate::api::kind::Kind;
use smol_str::SmolStr;

/// What the terminal is to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// The namespace of the current context is now this.
    Namespace(SmolStr),
    /// An object is to be edited.
    Edit(Draft),
}

/// An object that is to be edited.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// Its kind.
    pub kind: Kind,
    /// Its namespace, `""` for cluster-scoped objects.
    pub namespace: SmolStr,
    /// Its name.
    pub name: SmolStr,
    /// Its YAML before the editing.
    pub original: String,
}
