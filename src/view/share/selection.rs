//! The selection as JSON. An unknown name leaves the default: only the look of the page depends on it.

use super::read_kind;
use crate::api::value::{Value, from_value};
use crate::controller::registry::Controllers;
use crate::view::notes::passes::scheduler_index;
use crate::view::panes::Choice;
use crate::view::rings::shown_name;
use crate::view::selection::{Selection, Subject};
use serde::{Deserialize, Serialize};

/// Returns the name of a built-in controller, or of the scheduler.
fn name(index: usize) -> String {
    shown_name(&Controllers::default(), index)
}

/// The parts of a selection that are shared.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub struct View {
    stage: String,
    side: String,
    drawer: String,
    controller: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<Object>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<u64>,
}

/// An object, named by its kind, namespace and name.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Object {
    kind: String,
    namespace: String,
    name: String,
}

/// Serializes the shared parts of a selection.
pub fn write(selection: &Selection) -> View {
    let object = |Subject { kind, key }: &Subject| Object {
        kind: kind.row().name.to_owned(),
        namespace: key.namespace.to_string(),
        name: key.name.to_string(),
    };
    View {
        stage: selection.stage.name().to_owned(),
        side: selection.side.name().to_owned(),
        drawer: selection.drawer.name().to_owned(),
        controller: name(selection.controller).to_string(),
        object: selection.object.as_ref().map(object),
        revision: selection.revision,
    }
}

/// Reads a selection. Parts that are missing or unknown have their defaults.
pub fn read(view: &Value) -> Selection {
    let view: View = from_value(view).unwrap_or_default();
    let mut selection = Selection::default();
    choose(&view.stage, &mut selection.stage);
    choose(&view.side, &mut selection.side);
    choose(&view.drawer, &mut selection.drawer);
    let controller = (0..Controllers::default().len()).chain([scheduler_index()]).find(|i| name(*i) == view.controller);
    selection.controller = controller.unwrap_or(selection.controller);
    selection.revision = view.revision;
    selection.object = view.object.and_then(|o| Some(Subject::new(read_kind(&o.kind).ok()?, &o.namespace, &o.name)));
    selection
}

fn choose<C: Choice>(name: &str, place: &mut C) {
    if let Some(chosen) = C::ALL.iter().find(|c| c.name() == name) {
        *place = *chosen;
    }
}
