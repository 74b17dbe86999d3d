//! The presentation of Nodes on the page: readiness and cordoning, and a menu.

use super::{ANY, KindView};
use crate::api::kind::Kind;
use crate::api::kind::node::Node;
use crate::view::cluster::Health;

pub const VIEW: KindView = KindView {
    kind: Some(Kind::NODE),
    state: |o| o.node().map_or((None, String::new()), state),
    observed: |o| o.node().map_or_else(String::new, |n| word(n).1.to_owned()),
    menu: |menu, object| menu.node(object),
    ..ANY
};

fn word(node: &Node) -> (Health, &'static str) {
    if node.is_ready() { (Health::Good, "Ready") } else { (Health::Bad, "NotReady") }
}

fn state(node: &Node) -> (Option<Health>, String) {
    let (health, word) = word(node);
    (Some(health), if node.spec.unschedulable { format!("{word}, SchedulingDisabled") } else { word.to_owned() })
}
