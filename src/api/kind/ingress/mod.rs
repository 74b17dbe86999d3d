//! Ingress. Counterpart: `networking/v1.Ingress`.

mod columns;
mod row;
mod rules;

pub use row::ROW;

use super::plain::Untyped;
use crate::api::object::Object;
use crate::api::value::Value;
use std::sync::Arc;

/// The controller name by which an IngressClass chooses the built-in ingress controller.
const CONTROLLER: &str = "loopscope.dev/ingress";
const IS_DEFAULT: &str = "ingressclass.kubernetes.io/is-default-class";
/// The address at which the built-in ingress controller is reached from outside the cluster.
pub const ADDRESS: &str = "192.168.0.80";

/// Rules by which requests from outside reach Services.
pub type Ingress = Untyped;

/// Returns whether the built-in ingress controller serves an Ingress, given all IngressClasses.
pub fn is_served<'a>(ingress: &Object, classes: impl IntoIterator<Item = &'a Arc<Object>>) -> bool {
    let Some(spec) = ingress.ingress().and_then(|i| i.content.map("spec")) else { return false };
    let name = spec.str("ingressClassName");
    classes.into_iter().any(|class| {
        let chosen = match name {
            "" => class.meta.annotations.get(IS_DEFAULT).is_some_and(|v| v == "true"),
            name => class.meta.name == name,
        };
        chosen && class.to_map().at(&["spec", "controller"]).and_then(Value::as_str) == Some(CONTROLLER)
    })
}
