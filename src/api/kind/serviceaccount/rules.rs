//! Defaults and validation of ServiceAccounts. Counterpart: `ValidateServiceAccount` in `pkg/apis/core/validation`, which looks at the metadata only.

use crate::api::field::Errors;
use crate::api::kind::Kind;
use crate::api::meta_rules;
use crate::api::value::Map;

/// Validates a new ServiceAccount, of which the caller has validated the metadata already.
pub fn validate(_object: &Map, _errors: &mut Errors) {}

/// Validates an update of a ServiceAccount.
pub fn validate_update(new: &Map, _old: &Map, errors: &mut Errors) {
    meta_rules::validate(Kind::SERVICE_ACCOUNT, new, errors);
}
