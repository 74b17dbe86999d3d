//! What was looked at, written down. What is not understood is left as it is by default: nothing but the look depends on it.

use super::read_kind;
use crate::api::value::{Map, Value};
use crate::map;
use crate::view::look::{Choice, Look, Subject};
use crate::view::rings::name_of;

/// Written down.
pub fn write(look: &Look) -> Map {
    let mut out = map! {
        "stage" => look.stage.name(),
        "side" => look.side.name(),
        "drawer" => look.drawer.name(),
        "controller" => name_of(look.controller),
    };
    if let Some(Subject { kind, key }) = &look.object {
        out.insert("object", map! { "kind" => kind.row().name, "namespace" => &key.namespace, "name" => &key.name });
    }
    if let Some(revision) = look.revision {
        out.insert("revision", Value::Int(revision as i64));
    }
    out
}

/// Read again.
pub fn read(map: &Map) -> Look {
    let mut look = Look::default();
    choose(map.str("stage"), &mut look.stage);
    choose(map.str("side"), &mut look.side);
    choose(map.str("drawer"), &mut look.drawer);
    let names = (0..=crate::controller::registry::all().len()).find(|i| name_of(*i) == map.str("controller"));
    look.controller = names.unwrap_or(look.controller);
    look.revision = map.int("revision").and_then(|n| u64::try_from(n).ok());
    look.object = map.map("object").and_then(|o| Some(Subject::new(read_kind(o.str("kind")).ok()?, o.str("namespace"), o.str("name"))));
    look
}

fn choose<C: Choice>(name: &str, place: &mut C) {
    if let Some(chosen) = C::ALL.iter().find(|c| c.name() == name) {
        *place = *chosen;
    }
}
