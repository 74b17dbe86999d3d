//! Feature gates that are off by default and can be switched on for a run. Counterpart: `pkg/features`, and the `dropDisabledFields` functions of
//! `pkg/registry`.

use super::value::{Map, Value};
use serde::{Deserialize, Serialize};

/// The gates of a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Gates {
    /// `MaxUnavailableStatefulSet`: rolling updates of a StatefulSet may take several pods at once.
    pub max_unavailable_stateful_set: bool,
}

/// A field that a gate guards.
#[derive(Clone, Copy, Debug)]
pub struct GatedField {
    /// Reads the gate.
    pub is_on: fn(&Gates) -> bool,
    /// The place of the field.
    pub path: &'static [&'static str],
    /// Its default where the gate is on and the object around it exists.
    pub default: i64,
}

impl GatedField {
    /// Fills in the default of the field, or drops the field if its gate is off and the old object does not have it.
    pub fn settle(&self, gates: &Gates, object: &mut Map, old: Option<&Map>) {
        let Some((name, parents)) = self.path.split_last() else { return };
        let Some(parent) = find(object, parents) else { return };
        if (self.is_on)(gates) {
            parent.insert_default(name, self.default);
        } else if old.is_none_or(|old| old.at(self.path).is_none()) {
            parent.remove(name);
        }
    }
}

fn find<'a>(map: &'a mut Map, path: &[&str]) -> Option<&'a mut Map> {
    path.iter().try_fold(map, |map, key| map.get_mut(key).and_then(Value::as_map_mut))
}
