//! Kinds that the real server serves and this one does not simulate. Their manifests are still checked against the schema as far as it has them, so that
//! mistakes are reported in the server's words; a correct manifest is refused because its kind is not simulated.

use super::check_type;
use crate::api::kind::Served;
use crate::api::schema;
use crate::api::status::{Reason, Status};
use crate::api::value::{Map, Value};

/// Returns the unsimulated kind with this group, version and name.
pub fn find(group: &str, version: &str, name: &str) -> Option<Served> {
    known().find(|s| s.group() == group && s.version() == version && s.kind == name)
}

/// Returns the unsimulated kind with this name, in any version.
pub fn named(name: &str) -> Option<Served> {
    known().find(|s| s.kind == name)
}

/// Returns the unsimulated kind behind a path, by group, version and plural name.
pub fn of_resource(group: &str, version: &str, plural: &str) -> Option<Served> {
    Served::not_simulated().find(|s| s.group() == group && s.version() == version && s.plural == plural)
}

fn known() -> impl Iterator<Item = Served> {
    Served::not_simulated().filter(|s| s.checks_manifests)
}

/// Returns the error for an object of an unsimulated kind: a mistake in the object or, if there is none, that the kind is not simulated.
pub fn refuse(kind: &Served, tree: &Value) -> Status {
    let mut map = tree.as_map().cloned().unwrap_or_else(Map::new);
    if let Err(status) = check_type(kind.api_version, kind.kind, false, "", &mut map) {
        return status;
    }
    let name = schema::schema_of(kind.group(), kind.version(), kind.kind).map_or("", |s| s.name);
    match schema::check(name, kind.kind, kind.version(), &map.into()) {
        Err(error) => Status::bad_request(error.message),
        Ok(()) => absent(kind),
    }
}

/// Returns the error for an object of an unsimulated kind, of which there is none.
pub fn missing(kind: &Served, name: &str) -> Status {
    let dot = if kind.group().is_empty() { "" } else { "." };
    Status::new(Reason::NotFound, format!("{}{dot}{} \"{name}\" not found", kind.plural, kind.group())).with(|status| {
        (status.name, status.group, status.kind) = (name.to_owned(), kind.group(), kind.plural.to_owned());
    })
}

/// Returns the error for a kind that is not simulated.
pub fn absent(kind: &Served) -> Status {
    Status::new(Reason::MethodNotAllowed, format!("this playground does not simulate {} yet", kind.plural))
}
