//! Feature gates that are off by default and can be switched on for a run. Counterpart: `pkg/features`, and the `dropDisabledFields` functions of
//! `pkg/registry`.

use super::value::{Map, Value};
use serde::{Deserialize, Serialize};

/// The feature gates of a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Gates {
    /// `MaxUnavailableStatefulSet`: rolling updates of a StatefulSet may replace several pods at once.
    pub max_unavailable_stateful_set: bool,
}

/// A field of an object that exists only if a feature gate is on.
#[derive(Clone, Copy, Debug)]
pub struct GatedField {
    /// Returns true if the field's gate is on.
    pub is_on: fn(&Gates) -> bool,
    /// The names of the fields that lead from the object to this one, ending with its own.
    pub path: &'static [&'static str],
    /// The default of the field, used if its gate is on and the struct that contains the field is present.
    pub default: i64,
}

impl GatedField {
    /// Fills in the field's default if its gate is on. Otherwise drops the field, unless the old object has it.
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
