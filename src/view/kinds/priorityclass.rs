//! The presentation of PriorityClasses on the page: their priority and preemption policy.

use super::{ANY, KindView};
use crate::api::kind::Kind;
use crate::view::cluster::Health;

pub const VIEW: KindView = KindView {
    kind: Some(Kind::PRIORITY_CLASS),
    state: |o| {
        let Some(class) = o.priority_class() else { return (None, String::new()) };
        let never = if class.preemption_policy == "Never" { ", preempts nobody" } else { "" };
        let default = if class.global_default { ", for pods that name no class" } else { "" };
        (Some(Health::Good), format!("priority {}{never}{default}", class.value))
    },
    ..ANY
};
