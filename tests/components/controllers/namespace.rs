//! Namespaces: what each new one gets, and how they are deleted.

use crate::world::World;
use crate::world::objects::{bare, object, running_pod};
use loopscope::api::request::Options;
use loopscope::api::{Kind, Object};
use loopscope::controller::namespace::NamespaceController;
use loopscope::controller::serviceaccount::{RootCaPublisherController, ServiceAccountController};

fn namespace() -> Object {
    object(Kind::NAMESPACE, r#"{"metadata":{"name":"default"},"spec":{"finalizers":["kubernetes"]}}"#)
}

fn delete(w: &mut World) {
    let object = w.get(Kind::NAMESPACE, "default");
    w.delete(&object, &Options::default()).expect("a deletion");
    w.take_log();
}

#[test]
fn every_namespace_gets_an_account_and_the_root_certificate_and_gets_them_back() {
    let mut w = World::new(&[&ServiceAccountController, &RootCaPublisherController]);
    w.put(namespace());
    w.settle();
    assert_eq!(w.take_log(), ["create serviceaccount default", "create configmap kube-root-ca.crt"]);
    w.remove(Kind::SERVICE_ACCOUNT, "default");
    w.change(Kind::CONFIG_MAP, "kube-root-ca.crt", |spoilt| spoilt.body = bare(Kind::CONFIG_MAP, "").body);
    w.settle();
    assert_eq!(w.take_log(), ["create serviceaccount default", "update configmap kube-root-ca.crt"]);
    delete(&mut w);
    w.remove(Kind::SERVICE_ACCOUNT, "default");
    w.settle();
    assert_eq!(w.take_log(), [""; 0]);
}

#[test]
fn pods_go_first_and_five_seconds_later_the_rest() {
    let mut w = World::new(&[&NamespaceController]);
    w.put(namespace());
    w.put(running_pod("a", "n1", 1, true, w.now));
    w.put(bare(Kind::CONFIG_MAP, "c"));
    delete(&mut w);
    w.run(4.0);
    assert_eq!(w.take_log(), [""; 0]);
    w.run(1.0);
    assert_eq!(
        w.take_log(),
        ["get namespace default", "delete all pod Background", "update namespace/status default 5 conditions 1 finalizers"]
    );
    w.remove(Kind::POD, "a");
    w.run(4.0);
    assert_eq!(w.take_log(), [""; 0]);
    w.run(1.0);
    assert_eq!(w.take_log().last().map(String::as_str), Some("update namespace/finalize default 5 conditions 0 finalizers"));
    for kind in [Kind::POD, Kind::CONFIG_MAP, Kind::NAMESPACE] {
        assert_eq!(w.all(kind), []);
    }
}

#[test]
fn what_a_finalizer_holds_is_told_in_the_conditions() {
    let mut w = World::new(&[&NamespaceController]);
    w.put(namespace());
    let mut map = bare(Kind::CONFIG_MAP, "c");
    map.meta.finalizers = Some(["example.com/hold".into()].into());
    w.put(map);
    delete(&mut w);
    w.run(5.0);
    let last = w.take_log().pop().unwrap_or_default();
    assert!(last.contains("Some resources are remaining: configmaps. has 1 resource instances"), "{last}");
    assert!(last.contains("has finalizers remaining: example.com/hold in 1 resource instances"), "{last}");
    w.change(Kind::CONFIG_MAP, "c", |map| map.meta.finalizers = None);
    w.run(7.0);
    assert!(w.find(Kind::NAMESPACE, "default").is_some());
    w.run(1.0);
    assert!(w.find(Kind::NAMESPACE, "default").is_none());
}
