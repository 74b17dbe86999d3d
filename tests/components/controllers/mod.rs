//! The controllers of kube-controller-manager against a small server: their requests, the order of these, and the effects.

mod endpointslice;
mod garbage;
mod namespace;
mod node;

use crate::world::World;
use crate::world::objects::{bare, node as ready_node, running_pod, service};
use loopscope::api::{Key, Kind};
use loopscope::controller::Controller;
use loopscope::controller::registry::Controllers;

/// Runs a second pass of every controller over a small cluster with objects of all kinds. A level-triggered controller finds
/// nothing to do in it.
#[test]
fn a_second_pass_over_a_settled_cluster_asks_for_nothing() {
    let all: &'static Controllers = Box::leak(Box::default());
    let mut w = World::new(&all.iter().map(|c| &**c).collect::<Vec<&dyn Controller>>());
    w.put(bare(Kind::NAMESPACE, "default"));
    w.put(ready_node("n1", "4"));
    w.put(service(80i64));
    for i in 0..3 {
        w.put(running_pod(&format!("p{i}"), "n1", 10 + i, true, w.now));
    }
    w.run(10.0);
    assert_eq!(w.take_log().len(), 4, "an account, a certificate, a slice, and the news of a node");
    let keys: Vec<(Kind, Key)> = Kind::built_in().flat_map(|kind| w.all(kind)).map(|o| (o.kind(), o.key())).collect();
    for controller in all.iter() {
        for (kind, key) in &keys {
            w.enqueue(controller.name(), *kind, key);
        }
    }
    w.settle();
    let writes: Vec<String> = w.take_log().into_iter().filter(|l| !l.starts_with("get ")).collect();
    assert_eq!(writes, [""; 0]);
}
