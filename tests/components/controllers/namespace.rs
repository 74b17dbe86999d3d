//! Namespaces: what they get, and how they go.

use super::world::{World, meta, pod};
use loopscope::api::request::Options;
use loopscope::api::{Kind, Map, Object};
use loopscope::controller::namespace::NamespaceController;
use loopscope::controller::serviceaccount::{RootCaPublisherController, ServiceAccountController};
use loopscope::map;

fn namespace() -> Object {
    let spec = map! { "finalizers" => vec!["kubernetes".into()] };
    let mut object = Object::from_map(Kind::NAMESPACE, &map! { "spec" => spec }).expect("an object of its kind");
    object.meta = meta("", "default");
    object
}

fn delete(w: &mut World) {
    let object = w.get(Kind::NAMESPACE, "", "default").expect("the namespace").clone();
    w.delete(&object, &Options::default()).expect("a deletion");
    w.take_log();
}

#[test]
fn every_namespace_gets_an_account_and_the_root_certificate_and_gets_them_back() {
    let mut w = World::new(&[&ServiceAccountController, &RootCaPublisherController]);
    w.put(namespace());
    w.settle();
    assert_eq!(w.take_log(), ["create serviceaccount", "create configmap"]);
    w.remove(Kind::SERVICE_ACCOUNT, "default", "default");
    let mut spoilt = Object::from_map(Kind::CONFIG_MAP, &Map::new()).expect("an object of its kind");
    spoilt.meta = w.get(Kind::CONFIG_MAP, "default", "kube-root-ca.crt").expect("the certificate").meta.clone();
    w.put(spoilt);
    w.settle();
    assert_eq!(w.take_log(), ["create serviceaccount", "update configmap kube-root-ca.crt"]);
    delete(&mut w);
    w.remove(Kind::SERVICE_ACCOUNT, "default", "default");
    w.settle();
    assert_eq!(w.take_log(), [""; 0]);
}

#[test]
fn pods_go_first_and_five_seconds_later_the_rest() {
    let mut w = World::new(&[&NamespaceController]);
    w.put(namespace());
    w.put(pod("a", "n1", 1, true, w.now));
    let mut map = Object::from_map(Kind::CONFIG_MAP, &Map::new()).expect("an object of its kind");
    map.meta = meta("default", "c");
    w.put(map);
    delete(&mut w);
    w.advance(4);
    assert_eq!(w.take_log(), [""; 0]);
    w.advance(1);
    assert_eq!(
        w.take_log(),
        ["get namespace default", "delete all pod Background", "update namespace/status default 5 conditions 1 finalizers"]
    );
    w.remove(Kind::POD, "default", "a");
    w.advance(4);
    assert_eq!(w.take_log(), [""; 0]);
    w.advance(1);
    assert_eq!(w.take_log().last().map(String::as_str), Some("update namespace/finalize default 5 conditions 0 finalizers"));
    assert!(w.store.is_empty());
}

#[test]
fn what_a_finalizer_holds_is_told_in_the_conditions() {
    let mut w = World::new(&[&NamespaceController]);
    w.put(namespace());
    let mut map = Object::from_map(Kind::CONFIG_MAP, &Map::new()).expect("an object of its kind");
    map.meta = meta("default", "c");
    map.meta.finalizers = Some(["example.com/hold".into()].into());
    w.put(map);
    delete(&mut w);
    w.advance(5);
    let last = w.take_log().pop().unwrap_or_default();
    assert!(last.contains("Some resources are remaining: configmaps. has 1 resource instances"), "{last}");
    assert!(last.contains("has finalizers remaining: example.com/hold in 1 resource instances"), "{last}");
    let mut freed = (**w.get(Kind::CONFIG_MAP, "default", "c").expect("the map")).clone();
    freed.meta.finalizers = None;
    w.put(freed);
    w.advance(7);
    assert!(w.get(Kind::NAMESPACE, "", "default").is_some());
    w.advance(1);
    assert!(w.get(Kind::NAMESPACE, "", "default").is_none());
}
