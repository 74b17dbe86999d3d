//! The controllers of kube-controller-manager against a small server: what they ask for, in which order, and what comes of it.

mod endpointslice;
mod garbage;
mod namespace;
mod node;
mod world;

use loopscope::api::{Kind, Map, Object};
use loopscope::controller::Controller;
use loopscope::controller::registry::Controllers;

/// A small cluster with everything in it, looked at again and again: level-triggered controllers find nothing to do.
#[test]
fn a_second_pass_over_a_settled_cluster_asks_for_nothing() {
    let all: &'static Controllers = Box::leak(Box::default());
    let mut w = world::World::new(&all.iter().map(|c| &**c).collect::<Vec<&dyn Controller>>());
    let mut namespace = Object::from_map(Kind::NAMESPACE, &Map::new()).expect("an object of its kind");
    namespace.meta = world::meta("", "default");
    w.put(namespace);
    w.put(world::node("n1", w.now));
    w.put(endpointslice::service(80i64));
    for i in 0..3 {
        w.put(world::pod(&format!("p{i}"), "n1", 10 + i, true, w.now));
    }
    w.advance(10);
    assert_eq!(w.take_log().len(), 4, "an account, a certificate, a slice, and the news of a node");
    let keys: Vec<(Kind, loopscope::api::Key)> = w.store.keys().cloned().collect();
    for controller in all.iter() {
        for (kind, key) in &keys {
            w.enqueue(controller.name(), *kind, &key.namespace, &key.name);
        }
    }
    w.settle();
    let writes: Vec<String> = w.take_log().into_iter().filter(|l| !l.starts_with("get ")).collect();
    assert_eq!(writes, [""; 0]);
}
