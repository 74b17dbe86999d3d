//! The metadata of objects. Counterpart: `metav1.ObjectMeta`.

use super::managed_fields::ManagedFields;
use super::time::Time;
use super::value::{Map, Value};
use crate::api::fnv;
use crate::api::order::Order;
use crate::api::sorted::SortedMap;
use crate::map;
use arcstr::ArcStr;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::sync::Arc;

/// The unique id of an object. The numbers count up in order of creation, so that objects made together lie together in caches sorted by uid. The text that
/// people see is a one-to-one mix of the number, in the form of a version 4 UUID.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Uid(pub u64);

impl Uid {
    /// Returns the uid as the text of a UUID.
    pub fn text(self) -> String {
        let a = mix(self.0);
        let b = mix(a ^ 0x6c6f_6f70_7363_6f70);
        let (hi, mid, low) = ((a >> 32) as u32, (a >> 16) as u16, a as u16);
        format!("{hi:08x}-{mid:04x}-4{:03x}-{:x}{:03x}-{:04x}{:08x}", b >> 52, 8 | (b >> 50 & 3), b >> 38 & 0xfff, low, b & 0xffff_ffff)
    }
    /// Parses the text of a uid. Texts that are not uids of this program get a hash with the highest bit set, which is above all uids of the store.
    pub fn parse(text: &str) -> Uid {
        let ours = || -> Option<Uid> {
            let part = |from: usize, to: usize| u64::from_str_radix(text.get(from..to)?, 16).ok();
            let a = part(0, 8)? << 32 | part(9, 13)? << 16 | part(24, 28)?;
            let uid = Uid(unmix(a));
            (uid.text() == text).then_some(uid)
        };
        ours().unwrap_or_else(|| Uid(fnv::of(text) | 1 << 63))
    }
}

/// Mixes 64 bits one-to-one, so that consecutive numbers look random.
pub(crate) fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// Inverts [`mix`].
pub(crate) fn unmix(mut x: u64) -> u64 {
    x = (x ^ x >> 31 ^ x >> 62).wrapping_mul(0x3196_42b2_d24d_8ec3);
    x = (x ^ x >> 27 ^ x >> 54).wrapping_mul(0x96de_1b17_3f11_9089);
    x = x ^ x >> 30 ^ x >> 60;
    x.wrapping_sub(0x9e37_79b9_7f4a_7c15)
}

impl Serialize for Uid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}

impl<'de> Deserialize<'de> for Uid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Uid::parse(&std::borrow::Cow::<str>::deserialize(deserializer)?))
    }
}

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// The namespace and name of an object. Cluster-scoped objects have an empty namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The namespace; `""` for cluster-scoped objects.
    pub namespace: ArcStr,
    /// The name of the object.
    pub name: ArcStr,
}

impl Key {
    /// Creates the key of an object.
    pub fn new(namespace: impl Into<ArcStr>, name: impl Into<ArcStr>) -> Self {
        Key { namespace: namespace.into(), name: name.into() }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.namespace.is_empty() { f.write_str(&self.name) } else { write!(f, "{}/{}", self.namespace, self.name) }
    }
}

/// Labels or annotations: a sorted, shared map from string to string.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct StrMap(Option<Arc<[(ArcStr, ArcStr)]>>);

impl StrMap {
    /// Returns the entries, sorted by key.
    pub fn entries(&self) -> &[(ArcStr, ArcStr)] {
        self.0.as_deref().unwrap_or(&[])
    }
    /// Returns the value under a key.
    pub fn get(&self, key: &str) -> Option<&ArcStr> {
        let entries = self.entries();
        entries.binary_search_by(|(k, _)| k.as_str().cmp(key)).ok().map(|i| &entries[i].1)
    }
    /// Returns a copy of the map with one entry added or replaced.
    pub fn with(&self, key: &str, value: impl Into<ArcStr>) -> StrMap {
        let mut all: Vec<_> = self.entries().iter().filter(|(k, _)| k != key).cloned().collect();
        all.push((key.into(), value.into()));
        all.into_iter().collect()
    }
    /// Returns a copy of the map without one entry.
    pub fn without(&self, key: &str) -> StrMap {
        if self.get(key).is_none() {
            return self.clone();
        }
        self.entries().iter().filter(|(k, _)| k != key).cloned().collect()
    }
    /// Returns true if there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries().is_empty()
    }
    /// Returns true if both maps are equal, which is quick if they share an allocation.
    pub fn quick_eq(&self, other: &StrMap) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b) || a == b,
            (None, None) => true,
            _ => false,
        }
    }
    /// Encodes the map as a tree.
    pub fn to_map(&self) -> Map {
        self.entries().iter().map(|(k, v)| (k.clone(), Value::Str(v.clone()))).collect()
    }
    /// Decodes the map from a tree; values that are not strings are left out.
    pub fn from_map(map: Option<&Map>) -> StrMap {
        map.into_iter().flat_map(Map::iter).filter_map(|(k, v)| Some((k.clone(), v.as_str()?.into()))).collect()
    }
}

impl Serialize for StrMap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.entries().iter().map(|(k, v)| (k, v)))
    }
}

impl<'de> Deserialize<'de> for StrMap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(SortedMap::<ArcStr, ArcStr>::deserialize(deserializer)?.into_iter().collect())
    }
}

impl FromIterator<(ArcStr, ArcStr)> for StrMap {
    fn from_iter<I: IntoIterator<Item = (ArcStr, ArcStr)>>(entries: I) -> Self {
        let mut all: Vec<_> = entries.into_iter().collect();
        all.order_by(|a, b| a.0.cmp(&b.0));
        StrMap(if all.is_empty() { None } else { Some(all.into()) })
    }
}

/// A reference to an owner of an object. Counterpart: `metav1.OwnerReference`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerRef {
    /// The owner's API version, such as `apps/v1`.
    pub api_version: ArcStr,
    /// The owner's kind, such as `ReplicaSet`.
    pub kind: ArcStr,
    /// The owner's name.
    pub name: ArcStr,
    /// The owner's uid.
    pub uid: Uid,
    /// The owner's uid as written, if it is not a uid of this program.
    pub foreign_uid: Option<ArcStr>,
    /// `Some(true)` if this owner is the object's controller.
    pub controller: Option<bool>,
    /// `Some(true)` if the owner's foreground deletion waits for this object.
    pub block_owner_deletion: Option<bool>,
}

impl OwnerRef {
    /// Creates the reference that a controller puts on the objects that it creates. Counterpart: `metav1.NewControllerRef`.
    pub fn controller(api_version: &str, kind: &str, name: &ArcStr, uid: Uid) -> Self {
        OwnerRef {
            api_version: api_version.into(),
            kind: kind.into(),
            name: name.clone(),
            uid,
            foreign_uid: None,
            controller: Some(true),
            block_owner_deletion: Some(true),
        }
    }
    /// Encodes the reference as a tree.
    pub fn to_value(&self) -> Value {
        let uid = self.foreign_uid.clone().unwrap_or_else(|| self.uid.text().into());
        let mut m = map! { "apiVersion" => &self.api_version, "kind" => &self.kind, "name" => &self.name, "uid" => uid };
        if let Some(c) = self.controller {
            m.insert("controller", c);
        }
        if let Some(b) = self.block_owner_deletion {
            m.insert("blockOwnerDeletion", b);
        }
        m.into()
    }
    fn from_value(v: &Value) -> Option<OwnerRef> {
        let m = v.as_map()?;
        let text = m.str("uid");
        let uid = Uid::parse(text);
        Some(OwnerRef {
            api_version: m.str("apiVersion").into(),
            kind: m.str("kind").into(),
            name: m.str("name").into(),
            uid,
            foreign_uid: (uid.text() != text).then(|| text.into()),
            controller: m.get("controller").and_then(Value::as_bool),
            block_owner_deletion: m.get("blockOwnerDeletion").and_then(Value::as_bool),
        })
    }
}

/// The deletion of an object that has begun but is not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deletion {
    /// The `deletionTimestamp`: the end of the grace period.
    pub at: Time,
    /// The `deletionGracePeriodSeconds`.
    pub grace_seconds: i64,
}

/// The metadata of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meta {
    /// The name of the object.
    pub name: ArcStr,
    /// The namespace, `""` for cluster-scoped objects.
    pub namespace: ArcStr,
    /// The prefix of a name that the API server generates; `""` if it does not.
    pub generate_name: ArcStr,
    /// The unique id of the object.
    pub uid: Uid,
    /// The store's revision of the last write; 0 means none.
    pub resource_version: u64,
    /// The number of the current desired state, which grows with each change; 0 means that the kind has no generation.
    pub generation: i64,
    /// The time of creation, in whole seconds.
    pub created: Time,
    /// The deletion of the object, if it has begun.
    pub deletion: Option<Deletion>,
    /// The labels of the object.
    pub labels: StrMap,
    /// The annotations of the object.
    pub annotations: StrMap,
    /// References to the object's owners; `None` if there are none.
    pub owners: Option<Arc<[OwnerRef]>>,
    /// The finalizers that delay the deletion; `None` if there are none.
    pub finalizers: Option<Arc<[ArcStr]>>,
    /// The managers of the object's fields; `None` for objects that only components have written.
    pub managed: Option<Arc<ManagedFields>>,
}

impl Meta {
    /// Returns the value of a field such as `metadata.name` or `metadata.labels['app']`; `None` if the path is unknown. Counterpart:
    /// `fieldpath.ExtractFieldPathAsString`.
    pub fn field(&self, path: &str) -> Option<String> {
        let lines = |map: &StrMap| map.entries().iter().map(|(k, v)| format!("{k}={v:?}")).collect::<Vec<_>>().join("\n");
        let keyed = path.strip_suffix("']").and_then(|path| path.split_once("['"));
        Some(match keyed.unwrap_or((path, "")) {
            ("metadata.name", _) => self.name.to_string(),
            ("metadata.namespace", _) => self.namespace.to_string(),
            ("metadata.uid", _) => self.uid.to_string(),
            (part @ ("metadata.labels" | "metadata.annotations"), key) => {
                let map = if part == "metadata.labels" { &self.labels } else { &self.annotations };
                if keyed.is_some() { map.get(key).map(ToString::to_string).unwrap_or_default() } else { lines(map) }
            }
            _ => return None,
        })
    }
    /// Returns the namespace and name of the object.
    pub fn key(&self) -> Key {
        Key { namespace: self.namespace.clone(), name: self.name.clone() }
    }
    /// Returns references to all owners of the object.
    pub fn owners(&self) -> &[OwnerRef] {
        self.owners.as_deref().unwrap_or(&[])
    }
    /// Returns the owner that is the object's controller. Counterpart: `metav1.GetControllerOf`.
    pub fn controller(&self) -> Option<&OwnerRef> {
        self.owners().iter().find(|o| o.controller == Some(true))
    }
    /// Adds a finalizer if it is not there yet.
    pub fn add_finalizer(&mut self, finalizer: &'static str) {
        if !self.finalizers().iter().any(|f| f == finalizer) {
            self.finalizers = Some(self.finalizers().iter().cloned().chain([finalizer.into()]).collect());
        }
    }
    /// Removes a finalizer, if it is there.
    pub fn remove_finalizer(&mut self, finalizer: &str) {
        let rest: Vec<ArcStr> = self.finalizers().iter().filter(|f| *f != finalizer).cloned().collect();
        self.finalizers = (!rest.is_empty()).then(|| rest.into());
    }
    /// Returns the finalizers of the object.
    pub fn finalizers(&self) -> &[ArcStr] {
        self.finalizers.as_deref().unwrap_or(&[])
    }
    /// Returns true if the deletion of the object has begun.
    pub fn is_deleting(&self) -> bool {
        self.deletion.is_some()
    }
    /// Encodes the metadata as a tree without empty fields, and without managedFields, which the API shows only on request.
    pub fn to_map(&self) -> Map {
        let mut m = Map::new();
        let mut text = |key: &'static str, s: &ArcStr| {
            if !s.is_empty() {
                m.insert(key, s);
            }
        };
        text("name", &self.name);
        text("namespace", &self.namespace);
        text("generateName", &self.generate_name);
        if self.uid != Uid(0) {
            m.insert("uid", self.uid.text());
        }
        if self.resource_version != 0 {
            m.insert("resourceVersion", decimal(self.resource_version));
        }
        if self.generation != 0 {
            m.insert("generation", self.generation);
        }
        if self.created != Time(0) {
            m.insert("creationTimestamp", self.created.rfc3339());
        }
        if let Some(d) = self.deletion {
            m.insert("deletionTimestamp", d.at.rfc3339());
            m.insert("deletionGracePeriodSeconds", d.grace_seconds);
        }
        for (key, map) in [("labels", &self.labels), ("annotations", &self.annotations)] {
            if !map.is_empty() {
                m.insert(key, map.to_map());
            }
        }
        if !self.owners().is_empty() {
            m.insert("ownerReferences", self.owners().iter().map(OwnerRef::to_value).collect::<Vec<_>>());
        }
        if !self.finalizers().is_empty() {
            m.insert("finalizers", self.finalizers().iter().map(Value::from).collect::<Vec<_>>());
        }
        m
    }
    /// Decodes the metadata from a tree that passed the schema check.
    pub fn from_map(m: &Map) -> Meta {
        let owners: Vec<_> = m.list("ownerReferences").iter().filter_map(OwnerRef::from_value).collect();
        let finalizers: Vec<ArcStr> = m.list("finalizers").iter().filter_map(|v| v.as_str().map(Into::into)).collect();
        let deleted = Time::parse(m.str("deletionTimestamp"));
        Meta {
            name: m.str("name").into(),
            namespace: m.str("namespace").into(),
            generate_name: m.str("generateName").into(),
            uid: if m.str("uid").is_empty() { Uid(0) } else { Uid::parse(m.str("uid")) },
            resource_version: m.str("resourceVersion").parse().unwrap_or(0),
            generation: m.int("generation").unwrap_or(0),
            created: Time::parse(m.str("creationTimestamp")).unwrap_or_default(),
            deletion: deleted.map(|at| Deletion { at, grace_seconds: m.int("deletionGracePeriodSeconds").unwrap_or(0) }),
            labels: StrMap::from_map(m.map("labels")),
            annotations: StrMap::from_map(m.map("annotations")),
            owners: (!owners.is_empty()).then(|| owners.into()),
            finalizers: (!finalizers.is_empty()).then(|| finalizers.into()),
            managed: None,
        }
    }
}

/// Formats a number in decimal.
pub fn decimal(n: u64) -> ArcStr {
    n.to_string().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uid_survives_its_text() {
        for n in [1, 2, 77, 1_000_000, u64::MAX >> 1] {
            let text = Uid(n).text();
            assert_eq!(text.len(), 36);
            assert_eq!(Uid::parse(&text), Uid(n), "{text}");
        }
        assert_ne!(Uid::parse("00000000-0000-0000-0000-000000000000"), Uid(0));
    }
}
