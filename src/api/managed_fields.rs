//! Ownership of fields. Counterparts: `apimachinery/pkg/util/managedfields` and `structured-merge-diff/merge`.
//!
//! Every write by a person is recorded under its field manager. An apply removes fields that the same manager no longer names and nobody else owns, and
//! conflicts if it would change fields that others own. Simplification: all managers are assumed to write the one version of a kind that is served here.

pub mod set;
pub mod tree;

use super::time::Time;
use super::value::{Map, Value};
use crate::api::order::Order;
use crate::map;
use arcstr::ArcStr;
use arcstr::literal;
use set::{difference, intersection, union};
use std::sync::Arc;
use tree::{Type, compare, fields_of, merge, prune};

/// The maximum number of entries for managers that update; the oldest ones beyond it are merged into one. Counterpart: `DefaultMaxUpdateManagers`.
const MAX_UPDATERS: usize = 10;

/// The name of the manager that stands for merged entries.
const ANCIENT: &str = "ancient-changes";

/// The name of the manager that owns the fields from before the first apply.
const BEFORE: &str = "before-first-apply";

/// A field manager and its way of writing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Writer {
    /// The name of the manager, such as `kubectl` or `kube-controller-manager`.
    pub manager: ArcStr,
    /// True for the operation `Apply`, false for `Update`.
    pub applies: bool,
    /// The subresource that is written; `""` for the object itself.
    pub subresource: ArcStr,
    /// The API version in which the manager writes, such as `apps/v1`.
    pub api_version: ArcStr,
}

impl Writer {
    /// Returns true if both writers share one entry of managedFields.
    fn same_entry(&self, other: &Writer) -> bool {
        let same_version = self.applies || self.api_version == other.api_version;
        same_version && self.manager == other.manager && self.applies == other.applies && self.subresource == other.subresource
    }
    /// Returns the writer as conflict messages name it.
    pub fn text(&self) -> String {
        let mut text = format!("{:?}", self.manager.as_str());
        if !self.subresource.is_empty() {
            text.push_str(&format!(" with subresource {:?}", self.subresource.as_str()));
        }
        if !self.applies {
            text.push_str(&format!(" using {}", self.api_version));
        }
        text
    }
}

/// An entry of managedFields: the fields that one manager owns.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The manager that owns the fields.
    pub writer: Writer,
    /// The time at which the manager last became the owner of a field.
    pub time: Option<Time>,
    /// The set of the manager's fields, in the form of `FieldsV1`.
    pub fields: Arc<Map>,
}

/// The managers of an object's fields, in the order in which the API shows them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ManagedFields(pub Vec<Entry>);

/// Fields that an apply would take from another manager.
#[derive(Clone, Debug)]
pub struct Conflict {
    /// The other manager, which owns the fields.
    pub with: Writer,
    /// The set of fields that the other manager would lose.
    pub fields: Map,
}

/// The result of an apply.
#[derive(Debug)]
pub struct Applied {
    /// The merged object, without defaults yet.
    pub object: Value,
    /// The managers of the object's fields after the apply.
    pub managed: ManagedFields,
    /// The conflicts with other managers, which the apply must be forced to override.
    pub conflicts: Vec<Conflict>,
}

impl ManagedFields {
    /// Decodes `metadata.managedFields`; returns `None` if the list is empty or invalid.
    pub fn from_list(list: &[Value]) -> Option<ManagedFields> {
        let entries: Option<Vec<Entry>> = list.iter().map(read_entry).collect();
        entries.filter(|entries| !entries.is_empty()).map(ManagedFields)
    }
    /// Encodes the entries as `metadata.managedFields`.
    pub fn to_list(&self) -> Vec<Value> {
        self.0.iter().map(write_entry).collect()
    }
    /// Returns the managers of a newly created object, all of whose fields belong to the writer.
    pub fn created(type_: Type, object: &Value, writer: Writer, now: Time) -> ManagedFields {
        ManagedFields::default().updated(type_, &Value::Map(Map::new()), object, writer, now)
    }
    /// Returns the managers after an update, whose writer takes over every field that it changes.
    pub fn updated(&self, type_: Type, old: &Value, new: &Value, writer: Writer, now: Time) -> ManagedFields {
        let change = compare(type_, old, new);
        let taken = without_identity(change.changed);
        let touched = union(&taken, &change.removed);
        let (mut own, mut entries) = (taken.clone(), Vec::new());
        for mut entry in self.0.iter().cloned() {
            if !intersection(&entry.fields, &touched).is_empty() {
                entry.fields = Arc::new(difference(&entry.fields, &touched));
            }
            match entry.writer.same_entry(&writer) && !taken.is_empty() {
                true => own = union(&own, &entry.fields),
                false => entries.push(entry),
            }
        }
        if !own.is_empty() {
            entries.push(Entry { writer, time: Some(now), fields: Arc::new(own) });
        }
        ManagedFields::of(entries)
    }
    /// Merges the configuration of an apply into an object, and computes the new managers of its fields.
    pub fn applied(&self, type_: Type, live: &Value, config: &Value, writer: Writer, now: Time) -> Applied {
        let first = self.0.is_empty().then(|| {
            let before = Writer { manager: literal!(BEFORE), applies: false, ..writer.clone() };
            ManagedFields::created(type_, live, before, now)
        });
        let (mine, others): (Vec<Entry>, Vec<Entry>) =
            first.as_ref().unwrap_or(self).0.iter().cloned().partition(|entry| entry.writer.same_entry(&writer));
        let own = fields_of(type_, config);
        let mut object = merge(type_, live.clone(), config);
        if let Some(last) = mine.first() {
            let managed = others.iter().fold(own.clone(), |all, entry| union(&all, &entry.fields));
            prune(type_, &mut object, &last.fields, &managed);
        }
        let change = compare(type_, live, &object);
        let (mut entries, mut conflicts) = (Vec::new(), Vec::new());
        for mut entry in others {
            let taken = intersection(&entry.fields, &change.changed);
            let lost = union(&taken, &change.removed);
            if !taken.is_empty() {
                conflicts.push(Conflict { with: entry.writer.clone(), fields: taken });
            }
            if !lost.is_empty() {
                entry.fields = Arc::new(difference(&entry.fields, &lost));
            }
            entries.push(entry);
        }
        // The conflict message lists managers by name.
        conflicts.order_by_key(|c| (c.with.manager.clone(), !c.with.applies, c.with.subresource.clone()));
        let own = without_identity(own);
        let same = change.changed.is_empty() && change.removed.is_empty();
        match mine.into_iter().next() {
            Some(last) if same && *last.fields == own => entries.push(last),
            _ => entries.push(Entry { writer, time: Some(now), fields: Arc::new(own) }),
        }
        Applied { object, managed: ManagedFields::of(entries), conflicts }
    }
    /// Moves the fields of the updating managers `from` to the applying manager `to`, as kubectl does when it migrates from client-side apply. `None` if
    /// there is nothing to move. Counterpart: `csaupgrade`.
    pub fn migrated_to_apply(&self, from: &[&str], to: &Writer) -> Option<ManagedFields> {
        let moves = |w: &Writer| !w.applies && w.subresource.is_empty() && from.contains(&w.manager.as_str());
        let (moved, mut entries): (Vec<Entry>, Vec<Entry>) = self.0.iter().cloned().partition(|entry| moves(&entry.writer));
        let time = moved.first()?.time;
        let fields = moved.iter().fold(Map::new(), |all, entry| union(&all, &entry.fields));
        match entries.iter_mut().find(|entry| entry.writer.same_entry(to)) {
            Some(entry) => entry.fields = Arc::new(union(&entry.fields, &fields)),
            None => entries.push(Entry { writer: to.clone(), time, fields: Arc::new(fields) }),
        }
        Some(ManagedFields::of(entries))
    }
    /// Returns the names of the managers that own all fields of a set, among those that apply or, with `applies` unset, those that update.
    pub fn owners_of(&self, fields: &Map, applies: bool) -> Vec<&str> {
        let owns = |entry: &&Entry| entry.writer.applies == applies && difference(fields, &entry.fields).is_empty();
        self.0.iter().filter(owns).map(|entry| entry.writer.manager.as_str()).collect()
    }
    /// Builds a sorted list of entries, without empty ones. If there are too many updating managers, the oldest are merged.
    fn of(mut entries: Vec<Entry>) -> ManagedFields {
        entries.retain(|entry| !entry.fields.is_empty());
        let order = |entry: &Entry| {
            let w = &entry.writer;
            (!w.applies, entry.time, w.manager.clone(), w.api_version.clone(), w.subresource.clone())
        };
        entries.order_by_key(order);
        let first = entries.iter().take_while(|entry| entry.writer.applies).count();
        let surplus = (entries.len() - first).saturating_sub(MAX_UPDATERS);
        if surplus > 0 {
            let old: Vec<Entry> = entries.drain(first..=first + surplus).collect();
            let fields = old.iter().fold(Map::new(), |all, entry| union(&all, &entry.fields));
            if let Some(mut last) = old.into_iter().next_back() {
                last.writer.manager = literal!(ANCIENT);
                last.writer.subresource = ArcStr::default();
                last.fields = Arc::new(fields);
                entries.insert(first, last);
            }
        }
        ManagedFields(entries)
    }
}

/// Returns the fields that a configuration sets to the value that the object has. They cause no conflict.
pub fn unchanged_fields(type_: Type, live: &Value, config: &Value) -> Map {
    let change = compare(type_, live, config);
    difference(&difference(&fields_of(type_, config), &change.changed), &change.removed)
}

/// Removes from a set the fields that nobody owns: those that identify the object, and those that only the API server sets.
fn without_identity(mut fields: Map) -> Map {
    fields.retain(|key, _| !matches!(key, "f:apiVersion" | "f:kind"));
    if let Some(Value::Map(mut metadata)) = fields.take("f:metadata") {
        const SERVERS: &[&str] =
            &["name", "namespace", "creationTimestamp", "selfLink", "uid", "generation", "managedFields", "resourceVersion"];
        metadata.retain(|key, _| key.strip_prefix("f:").is_some_and(|field| !SERVERS.contains(&field)));
        set::put(&mut fields, "f:metadata", false, metadata);
    }
    fields
}

fn read_entry(value: &Value) -> Option<Entry> {
    let entry = value.as_map()?;
    let applies = match entry.str("operation") {
        "Apply" => true,
        "Update" => false,
        _ => return None,
    };
    let fields = entry.map("fieldsV1").filter(|fields| is_set(fields))?;
    let text = |key| ArcStr::from(entry.str(key));
    let writer = Writer { manager: text("manager"), applies, subresource: text("subresource"), api_version: text("apiVersion") };
    Some(Entry { writer, time: Time::parse(entry.str("time")), fields: Arc::new(fields.clone()) })
}

fn is_set(fields: &Map) -> bool {
    let named = |key: &str| key == set::SELF || ["f:", "k:", "v:", "i:"].iter().any(|start| key.starts_with(start));
    fields.iter().all(|(key, inner)| named(key) && inner.as_map().is_some_and(is_set))
}

fn write_entry(entry: &Entry) -> Value {
    let writer = &entry.writer;
    let mut map = map! {
        "apiVersion" => &writer.api_version,
        "fieldsType" => "FieldsV1",
        "fieldsV1" => (*entry.fields).clone(),
        "manager" => &writer.manager,
        "operation" => if writer.applies { "Apply" } else { "Update" },
    };
    if !writer.subresource.is_empty() {
        map.insert("subresource", &writer.subresource);
    }
    if let Some(time) = entry.time {
        map.insert("time", time.rfc3339());
    }
    map.into()
}
