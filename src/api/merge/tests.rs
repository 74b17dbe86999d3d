//! Patches as the real API server applies them and the real client creates them.

use super::*;
use crate::api::json::{parse, to_string};

fn map(text: &str) -> Map {
    parse(text).unwrap().as_map().unwrap().clone()
}

fn applied(patch_type: PatchType, schema: &str, target: &str, patch: &str) -> String {
    match apply(patch_type, schema, &map(target), &parse(patch).unwrap()) {
        Ok(map) => to_string(&Value::Map(map)),
        Err(status) => format!("{} {}", status.code, status.message),
    }
}

#[test]
fn json_patches_do_what_the_rfc_says_or_nothing() {
    let refused = "422 the server rejected our request due to an error in our request";
    for (target, patch, result) in [
        (r#"{"a":1}"#, r#"[{"op":"add","path":"/b","value":2}]"#, r#"{"a":1,"b":2}"#),
        (r#"{"a":[1,3]}"#, r#"[{"op":"add","path":"/a/1","value":2},{"op":"add","path":"/a/-","value":4}]"#, r#"{"a":[1,2,3,4]}"#),
        (r#"{"a/b":{"~":1}}"#, r#"[{"op":"replace","path":"/a~1b/~0","value":2}]"#, r#"{"a/b":{"~":2}}"#),
        (r#"{"a":1}"#, r#"[{"op":"move","from":"/a","path":"/b"}]"#, r#"{"b":1}"#),
        (
            r#"{"a":{"c":1}}"#,
            r#"[{"op":"copy","from":"/a","path":"/b"},{"op":"test","path":"/b/c","value":1}]"#,
            r#"{"a":{"c":1},"b":{"c":1}}"#,
        ),
        (r#"{"a":1}"#, r#"[{"op":"remove","path":"/b"}]"#, refused),
        (r#"{"a":1}"#, r#"[{"op":"replace","path":"/b","value":1}]"#, refused),
        (r#"{"a":1}"#, r#"[{"op":"test","path":"/a","value":2}]"#, refused),
        (r#"{"a":1}"#, r#"[{"op":"add","path":"/b/c","value":2}]"#, refused),
        (r#"{"a":1}"#, r#"[{"op":"nope","path":"/b"}]"#, refused),
        (
            r#"{"a":1}"#,
            r#"{"a":2}"#,
            "400 error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
        ),
    ] {
        assert_eq!(applied(PatchType::Json, "", target, patch), result, "{patch}");
    }
}

#[test]
fn merge_patches_merge_maps_and_replace_the_rest() {
    for (target, patch, result) in [
        (r#"{"a":{"b":1,"c":2}}"#, r#"{"a":{"b":null,"d":3}}"#, r#"{"a":{"c":2,"d":3}}"#),
        (r#"{"a":[1,2]}"#, r#"{"a":[3],"x":{"y":null,"z":1}}"#, r#"{"a":[3],"x":{"z":1}}"#),
    ] {
        assert_eq!(applied(PatchType::Merge, "", target, patch), result);
    }
    assert_eq!(
        to_string(&create_merge_patch(&map(r#"{"a":1,"b":{"c":1}}"#), &map(r#"{"b":{"c":2},"d":1}"#)).into()),
        r#"{"a":null,"b":{"c":2},"d":1}"#
    );
}

#[test]
fn strategic_patches_merge_lists_by_key() {
    let spec = "core.v1.PodSpec";
    for (target, patch, result) in [
        // A new item goes in front of items that only the server has.
        (
            r#"{"containers":[{"image":"a:1","name":"a"}]}"#,
            r#"{"containers":[{"name":"b","image":"b:1"}]}"#,
            r#"{"containers":[{"image":"b:1","name":"b"},{"image":"a:1","name":"a"}]}"#,
        ),
        (
            r#"{"containers":[{"image":"a:1","name":"a"},{"name":"b"}]}"#,
            r#"{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}],"containers":[{"name":"a","image":"a:2"}]}"#,
            r#"{"containers":[{"name":"b"},{"image":"a:2","name":"a"}]}"#,
        ),
        (
            r#"{"containers":[{"name":"a"},{"name":"b"}]}"#,
            r#"{"containers":[{"$patch":"delete","name":"a"}]}"#,
            r#"{"containers":[{"name":"b"}]}"#,
        ),
        (r#"{"containers":[{"name":"a"}]}"#, r#"{"containers":[{"$patch":"replace"},{"name":"c"}]}"#, r#"{"containers":[{"name":"c"}]}"#),
        (
            r#"{"volumes":[{"name":"v","emptyDir":{}}]}"#,
            r#"{"volumes":[{"name":"v","$retainKeys":["name","hostPath"],"hostPath":{"path":"/x"}}]}"#,
            r#"{"volumes":[{"hostPath":{"path":"/x"},"name":"v"}]}"#,
        ),
        (r#"{"tolerations":[{"key":"a"}]}"#, r#"{"tolerations":[{"key":"b"}]}"#, r#"{"tolerations":[{"key":"b"}]}"#),
        (r#"{"nodeSelector":{"a":"1","b":"2"}}"#, r#"{"nodeSelector":{"$patch":"replace","c":"3"}}"#, r#"{"nodeSelector":{"c":"3"}}"#),
        (r#"{"nodeName":"x"}"#, r#"{"nodeName":null,"affinity":{"nodeAffinity":null}}"#, r#"{"affinity":{}}"#),
    ] {
        assert_eq!(applied(PatchType::Strategic, spec, target, patch), result, "{patch}");
    }
    let meta = "meta.v1.ObjectMeta";
    for (target, patch, result) in [
        (r#"{"finalizers":["a"]}"#, r#"{"finalizers":["b","a"]}"#, r#"{"finalizers":["b","a"]}"#),
        (r#"{"finalizers":["a","b"]}"#, r#"{"$deleteFromPrimitiveList/finalizers":["a"]}"#, r#"{"finalizers":["b"]}"#),
    ] {
        assert_eq!(applied(PatchType::Strategic, meta, target, patch), result, "{patch}");
    }
}

#[test]
fn a_three_way_patch_changes_only_what_the_person_changed() {
    let deployment = "apps.v1.Deployment";
    let containers = |text: &str| format!(r#"{{"spec":{{"template":{{"spec":{{"containers":[{text}]}}}}}}}}"#);
    for (last, live, new, patch) in [
        (r#"{"spec":{"replicas":2}}"#.to_owned(), r#"{"spec":{"paused":true,"replicas":5}}"#.to_owned(), r#"{"spec":{"replicas":2}}"#.to_owned(), r#"{"spec":{"replicas":2}}"#.to_owned()),
        (r#"{"spec":{"replicas":2}}"#.into(), r#"{"spec":{"replicas":5}}"#.into(), r#"{"spec":{}}"#.into(), r#"{"spec":{"replicas":null}}"#.into()),
        (r#"{"metadata":{"labels":{"a":"1"}}}"#.into(), r#"{"metadata":{"labels":{"a":"1","live":"1"}}}"#.into(), r#"{"metadata":{"labels":{"a":"1"}}}"#.into(), "{}".into()),
        (
            containers(r#"{"name":"a","image":"a:1"}"#),
            containers(r#"{"name":"a","image":"a:1","imagePullPolicy":"Always"}"#),
            containers(r#"{"name":"a","image":"a:2"}"#),
            r#"{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"a"}],"containers":[{"image":"a:2","name":"a"}]}}}}"#.into(),
        ),
        (
            containers(r#"{"name":"a"},{"name":"b"}"#),
            containers(r#"{"name":"a"},{"name":"b"}"#),
            containers(r#"{"name":"a"}"#),
            r#"{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"a"}],"containers":[{"$patch":"delete","name":"b"}]}}}}"#.into(),
        ),
        (
            r#"{"spec":{"strategy":{"rollingUpdate":{"maxSurge":1},"type":"RollingUpdate"}}}"#.into(),
            r#"{"spec":{"strategy":{"rollingUpdate":{"maxSurge":1},"type":"RollingUpdate"}}}"#.into(),
            r#"{"spec":{"strategy":{"type":"Recreate"}}}"#.into(),
            r#"{"spec":{"strategy":{"$retainKeys":["type"],"rollingUpdate":null,"type":"Recreate"}}}"#.into(),
        ),
        (
            containers(r#"{"name":"a","env":[{"name":"X","value":"1"}]}"#),
            containers(r#"{"name":"a","env":[{"name":"X","value":"1"},{"name":"LIVE","value":"1"}]}"#),
            containers(r#"{"name":"a"}"#),
            r#"{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"a"}],"containers":[{"env":null,"name":"a"}]}}}}"#.into(),
        ),
    ] {
        let made = three_way(deployment, &map(&last), &map(&live), &map(&new));
        assert_eq!(to_string(&made), patch, "{new}");
        let after = apply(PatchType::Strategic, deployment, &map(&live), &made).unwrap();
        let again = three_way(deployment, &map(&new), &after, &map(&new));
        assert_eq!(to_string(&again), "{}", "applied twice: {new}");
    }
}
