//! Pod templates and their label selectors. Counterpart: `core/v1.PodTemplateSpec`.

use super::pod::PodSpec;
use super::{encode, is_default};
use crate::api::meta::StrMap;
use crate::api::selector::Selector;
use crate::api::value::Map;
use arcstr::ArcStr;
use serde::{Deserialize, Serialize, Serializer};
use std::sync::Arc;

/// A pod template. Pods made from it share its spec and its labels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PodTemplate {
    /// The metadata of the pods.
    pub metadata: TemplateMeta,
    /// The spec of the pods.
    pub spec: Arc<PodSpec>,
}

/// The metadata that pods get from their template.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TemplateMeta {
    /// The labels of the pods.
    #[serde(skip_serializing_if = "is_default")]
    pub labels: StrMap,
    /// The annotations of the pods.
    #[serde(skip_serializing_if = "is_default")]
    pub annotations: StrMap,
    /// The finalizers of the pods.
    #[serde(skip_serializing_if = "is_default")]
    pub finalizers: Vec<ArcStr>,
    /// The other metadata of the pods, kept as written.
    #[serde(flatten)]
    pub other: Map,
}

impl PodTemplate {
    /// Encodes the pod template as a tree.
    pub fn to_map(&self) -> Map {
        encode(self)
    }
    /// Returns the names and the images of the containers, each separated by commas, as the columns of `kubectl get -o wide` show them.
    pub fn containers_text(&self) -> [String; 2] {
        let join = |part: fn(&super::pod::Container) -> &ArcStr| {
            self.spec.containers.iter().map(|c| part(c).as_str()).collect::<Vec<_>>().join(",")
        };
        [join(|c| &c.name), join(|c| &c.image)]
    }
}

/// A label selector as written, and its parsed form.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(from = "Map")]
pub struct LabelSelector {
    /// The selector as the tree that was written.
    pub raw: Map,
    /// The parsed form of the selector.
    pub selector: Selector,
}

impl LabelSelector {
    /// Returns true if the selector matches the labels.
    pub fn matches(&self, labels: &StrMap) -> bool {
        self.selector.matches(labels.entries())
    }
}

impl From<Map> for LabelSelector {
    fn from(raw: Map) -> LabelSelector {
        LabelSelector { selector: Selector::from_label_selector(&raw).unwrap_or_default(), raw }
    }
}

impl Serialize for LabelSelector {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw.serialize(serializer)
    }
}
