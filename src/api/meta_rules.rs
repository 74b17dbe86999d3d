//! Metadata validation.
use super::field::Errors;
use super::kind::Kind;
use super::value::Map;
/// New objects.
pub fn validate(_kind: Kind, _map: &Map, _errors: &mut Errors) {}
/// Updates.
pub fn validate_update(_kind: Kind, _new: &Map, _old: &Map, _errors: &mut Errors) {}
