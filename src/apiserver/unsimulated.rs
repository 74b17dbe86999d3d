//! Kinds that the real server has and this one does not simulate: manifests of the usual ones are still read by the schema, so that mistakes in them are told
//! in the server's words; what is right in them is refused with a word about the reason.

use super::check_type;
use crate::api::kind::Served;
use crate::api::schema;
use crate::api::status::{Reason, Status};
use crate::api::value::{Map, Value};

/// Returns the kind of a manifest.
pub fn find(group: &str, version: &str, name: &str) -> Option<Served> {
    known().find(|s| s.group() == group && s.version() == version && s.kind == name)
}

/// Returns the kind with a name, whatever version is meant.
pub fn named(name: &str) -> Option<Served> {
    known().find(|s| s.kind == name)
}

/// Returns the kind behind a path.
pub fn of_resource(group: &str, version: &str, plural: &str) -> Option<Served> {
    known().find(|s| s.group() == group && s.version() == version && s.plural == plural)
}

fn known() -> impl Iterator<Item = Served> {
    Served::not_simulated().filter(|s| s.checks_manifests)
}

/// Returns why an object is refused: for a mistake in it, or because its kind is not simulated.
pub fn refuse(kind: &Served, tree: &Value) -> Status {
    let mut map = tree.as_map().cloned().unwrap_or_else(Map::new);
    if let Err(status) = check_type(kind.api_version, kind.kind, false, &mut map) {
        return status;
    }
    let name = schema::schema_of(kind.group(), kind.version(), kind.kind).map_or("", |s| s.name);
    match schema::check(name, kind.kind, kind.version(), &map.into()) {
        Err(error) => Status::bad_request(error.message),
        Ok(()) => absent(kind),
    }
}

/// Returns the refusal of a kind that is not simulated.
pub fn absent(kind: &Served) -> Status {
    Status::new(Reason::MethodNotAllowed, format!("this playground does not simulate {} yet", kind.plural))
}
