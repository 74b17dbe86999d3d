//! EndpointSlices.

use super::world::{World, meta, pod, set_ready};
use loopscope::api::kind::pod::Phase;
use loopscope::api::{Kind, Object, Time, Value};
use loopscope::controller::endpointslice::EndpointSliceController;
use loopscope::map;

pub fn service(target: impl Into<Value>) -> Object {
    let spec = map! {
        "clusterIP" => "10.96.0.7",
        "type" => "ClusterIP",
        "selector" => map! { "app" => "web" },
        "ports" => vec![map! { "protocol" => "TCP", "port" => 80, "targetPort" => target }.into()],
    };
    let mut object = Object::from_map(Kind::SERVICE, &map! { "spec" => spec }).expect("an object of its kind");
    object.meta = meta("default", "web");
    object
}

fn world() -> World {
    World::new(&[&EndpointSliceController])
}

/// The steps of trace 19: an empty slice, addresses as they come, readiness, and a pod that ends.
#[test]
fn a_slice_follows_its_pods_and_tells_which_change_it_answers() {
    let mut w = world();
    let mut story = Vec::new();
    w.put(service(80i64));
    w.settle();
    story.extend(w.take_log());
    w.advance(1);
    let a = w.put(pod("a", "n1", 11, false, w.now));
    w.settle();
    let b = w.put(pod("b", "n2", 12, false, w.now));
    w.settle();
    w.advance(1);
    w.put(set_ready(&b, true, w.now));
    w.settle();
    w.advance(1);
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
            "create endpointslice ports 0 @00",
            "update endpointslice web-1 11:--- ports 1 @01",
            "update endpointslice web-1 11:--- 12:--- ports 1 @01",
            "update endpointslice web-1 11:--- 12:rs- ports 1 @02",
            "update endpointslice web-1 11:--t 12:rs- ports 1",
            "update endpointslice web-1 12:rs- ports 1 @03",
        ]
    );
    let slice = w.get(Kind::ENDPOINT_SLICE, "default", "web-1").expect("the slice");
    assert_eq!(slice.meta.generate_name, "web-");
    assert_eq!(slice.meta.labels.entries().len(), 2);
    assert!(slice.meta.controller().is_some_and(|o| o.kind == "Service" && o.block_owner_deletion == Some(true)));
}

#[test]
fn a_hundred_addresses_fill_a_slice_and_nothing_is_balanced() {
    let mut w = world();
    for i in 0..150 {
        w.put(pod(&format!("p{i}"), "n", 100 + i, true, w.now));
    }
    w.put(service("web"));
    w.settle();
    let sizes = |w: &World| -> Vec<usize> { w.store.values().filter_map(|o| o.endpoint_slice()).map(|s| s.endpoints.len()).collect() };
    assert_eq!(sizes(&w), [100, 50]);
    w.put(pod("more", "n", 900, true, w.now));
    w.settle();
    assert_eq!(sizes(&w), [100, 51]);
    w.remove(Kind::POD, "default", "p3");
    w.settle();
    assert_eq!(sizes(&w), [99, 51]);
    let ports = w.store.values().filter_map(|o| o.endpoint_slice()).flat_map(|s| &s.ports);
    assert!(ports.clone().all(|p| p.get("port") == Some(&Value::Int(8080))) && ports.count() == 2);
}

#[test]
fn what_changes_no_address_wakes_nobody() {
    let mut w = world();
    w.put(service(80i64));
    let a = w.put(pod("a", "n1", 11, true, w.now));
    w.settle();
    w.take_log();
    let mut touched = (*a).clone();
    touched.meta.annotations = touched.meta.annotations.with("note", "x");
    w.put(touched);
    let mut other = pod("b", "n1", 13, true, w.now);
    other.meta.labels = other.meta.labels.with("app", "other");
    w.put(other);
    w.advance(5);
    assert_eq!(w.take_log(), [""; 0]);
}

#[test]
fn a_cache_that_has_not_heard_of_the_last_write_is_not_trusted() {
    let mut w = world();
    w.put(service(80i64));
    w.deaf = true;
    w.settle();
    w.enqueue("endpoint-slice-controller", Kind::SERVICE, "default", "web");
    w.settle();
    assert_eq!(w.take_log(), ["create endpointslice ports 0 @00"]);
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
    assert_eq!(w.now, Time(1_794_794_700_000_000));
}
