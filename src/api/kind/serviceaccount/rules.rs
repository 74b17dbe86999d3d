//! Defaults and validation of ServiceAccounts. Counterpart: `ValidateServiceAccount` in `pkg/apis/core/validation`, which looks at the metadata only.

use crate::api::field::Errors;
use crate::api::kind::Kind;
use crate::api::meta_rules;
use crate::api::value::{Map, Value};

/// Drops everything but the names of the Secrets that an account lists. Counterpart: `cleanSecretReferences`.
pub fn default(object: &mut Map) {
    for secret in object.get_mut("secrets").and_then(Value::as_list_mut).into_iter().flatten().filter_map(Value::as_map_mut) {
        secret.retain(|key, _| key == "name");
    }
}

/// Validates a new ServiceAccount, of which the caller has validated the metadata already.
pub fn validate(_object: &Map, _errors: &mut Errors) {}

/// Validates an update of a ServiceAccount.
pub fn validate_update(new: &Map, _old: &Map, errors: &mut Errors) {
    meta_rules::validate(Kind::SERVICE_ACCOUNT, new, errors);
}
