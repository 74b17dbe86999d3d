//! The EndpointSlice controller.

use crate::world::objects::{running_pod, service, set_ready};
use crate::world::{START, World};
use loopscope::api::kind::pod::Phase;
use loopscope::api::{Kind, Value};
use loopscope::controller::endpointslice::EndpointSliceController;

fn world() -> World {
    World::new(&[&EndpointSliceController])
}

/// Checks the steps of recorded trace 19: an empty slice, addresses as pods come up, their readiness, and a pod that ends.
#[test]
fn a_slice_follows_its_pods_and_tells_which_change_it_answers() {
    let mut w = world();
    let mut story = Vec::new();
    w.put(service(80i64));
    w.settle();
    story.extend(w.take_log());
    w.run(1.0);
    let a = w.put(running_pod("a", "n1", 11, false, w.now));
    w.settle();
    let b = w.put(running_pod("b", "n2", 12, false, w.now));
    w.settle();
    w.run(1.0);
    w.put(set_ready(&b, true, w.now));
    w.settle();
    w.run(1.0);
    let mut deleting = (*a).clone();
    deleting.meta.deletion = Some(loopscope::api::meta::Deletion { at: w.now, grace_seconds: 30 });
    let deleting = w.put(deleting);
    w.settle();
    let mut ended = set_ready(&deleting, false, w.now);
    if let Some(p) = ended.pod_mut() {
        p.status.phase = Phase::Succeeded;
    }
    w.put(ended);
    w.settle();
    story.extend(w.take_log());
    assert_eq!(
        story,
        [
            "create endpointslice web- ports 0 @00",
            "update endpointslice web-1 11:--- ports 1 @01",
            "update endpointslice web-1 11:--- 12:--- ports 1 @01",
            "update endpointslice web-1 11:--- 12:rs- ports 1 @02",
            "update endpointslice web-1 11:--t 12:rs- ports 1",
            "update endpointslice web-1 12:rs- ports 1 @03",
        ]
    );
    let slice = w.get(Kind::ENDPOINT_SLICE, "web-1");
    assert_eq!(slice.meta.generate_name, "web-");
    assert_eq!(slice.meta.labels.entries().len(), 2);
    assert!(slice.meta.controller().is_some_and(|o| o.kind == "Service" && o.block_owner_deletion == Some(true)));
}

#[test]
fn a_hundred_addresses_fill_a_slice_and_nothing_is_balanced() {
    let mut w = world();
    for i in 0..150 {
        w.put(running_pod(&format!("p{i}"), "n", 100 + i, true, w.now));
    }
    w.put(service("web"));
    w.settle();
    let slices = |w: &World| w.all(Kind::ENDPOINT_SLICE).into_iter().filter_map(|o| o.endpoint_slice().cloned()).collect::<Vec<_>>();
    let sizes = |w: &World| slices(w).iter().map(|s| s.endpoints.len()).collect::<Vec<_>>();
    assert_eq!(sizes(&w), [100, 50]);
    w.put(running_pod("more", "n", 900, true, w.now));
    w.settle();
    assert_eq!(sizes(&w), [100, 51]);
    w.remove(Kind::POD, "p3");
    w.settle();
    assert_eq!(sizes(&w), [99, 51]);
    let ports: Vec<_> = slices(&w).iter().flat_map(|s| s.ports.iter().map(|p| p.get("port").cloned())).collect();
    assert_eq!(ports, [Some(Value::Int(8080)), Some(Value::Int(8080))]);
}

#[test]
fn what_changes_no_address_wakes_nobody() {
    let mut w = world();
    w.put(service(80i64));
    let a = w.put(running_pod("a", "n1", 11, true, w.now));
    w.settle();
    w.take_log();
    let mut touched = (*a).clone();
    touched.meta.annotations = touched.meta.annotations.with("note", "x");
    w.put(touched);
    let mut other = running_pod("b", "n1", 13, true, w.now);
    other.meta.labels = other.meta.labels.with("app", "other");
    w.put(other);
    w.run(5.0);
    assert_eq!(w.take_log(), [""; 0]);
}

#[test]
fn a_cache_that_has_not_heard_of_the_last_write_is_not_trusted() {
    let mut w = world();
    w.put(service(80i64));
    w.deaf = true;
    w.settle();
    w.enqueue("endpoint-slice-controller", Kind::SERVICE, &w.get(Kind::SERVICE, "web").key());
    w.settle();
    assert_eq!(w.take_log(), ["create endpointslice web- ports 0 @00"]);
}

#[test]
fn services_without_a_selector_are_left_alone() {
    let mut w = world();
    let mut bare = service(80i64);
    if let Some(s) = bare.service_mut() {
        s.spec = Default::default();
    }
    w.put(bare);
    w.settle();
    assert_eq!(w.take_log(), [""; 0]);
    assert_eq!(w.now, START);
}
