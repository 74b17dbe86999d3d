//! The presentation of StorageClasses on the page: the provisioner, and when it makes volumes.

use super::{ANY, KindView};
use crate::api::kind::Kind;
use crate::api::kind::storageclass::is_default_class;
use crate::view::cluster::Health;

pub const VIEW: KindView = KindView {
    kind: Some(Kind::STORAGE_CLASS),
    state: |o| {
        let Some(class) = o.storage_class() else { return (None, String::new()) };
        let default = if is_default_class(&o.meta) { "the default, " } else { "" };
        let when = if class.waits_for_consumer() { "when a pod needs them" } else { "at once" };
        (Some(Health::Good), format!("{default}{} makes volumes {when}", class.provisioner))
    },
    ..ANY
};
