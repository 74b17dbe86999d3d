//! Pod templates, and the selector that goes with them. Counterpart: `core/v1.PodTemplateSpec`.

use super::pod::PodSpec;
use crate::api::meta::StrMap;
use crate::api::selector::Selector;
use crate::api::value::{Map, Value};
use crate::text::Str;
use std::sync::Arc;

/// A pod template. Pods made from it share its spec and its labels.
#[derive(Clone, Debug, PartialEq)]
pub struct PodTemplate {
    /// Labels of the pods.
    pub labels: StrMap,
    /// Annotations of the pods.
    pub annotations: StrMap,
    /// Finalizers of the pods.
    pub finalizers: Vec<Str>,
    /// Other metadata, kept as written.
    pub other_metadata: Map,
    /// The spec of the pods.
    pub spec: Arc<PodSpec>,
}

impl PodTemplate {
    /// From the tree under `template`.
    pub fn decode(template: Option<&Map>) -> Arc<PodTemplate> {
        let empty = Map::new();
        let template = template.unwrap_or(&empty);
        let mut meta = template.map("metadata").cloned().unwrap_or_default();
        let labels = StrMap::from_map(meta.map("labels"));
        let annotations = StrMap::from_map(meta.map("annotations"));
        let finalizers = meta.list("finalizers").iter().filter_map(|v| v.as_str().map(Into::into)).collect();
        for key in ["labels", "annotations", "finalizers"] {
            meta.remove(key);
        }
        let spec = Arc::new(PodSpec::decode(template.map("spec").unwrap_or(&empty)));
        Arc::new(PodTemplate { labels, annotations, finalizers, other_metadata: meta, spec })
    }
    /// Names and images of the containers, each list with commas, as the wide columns show them.
    pub fn containers_text(&self) -> [String; 2] {
        let join =
            |part: fn(&super::pod::Container) -> &Str| self.spec.containers.iter().map(|c| part(c).as_str()).collect::<Vec<_>>().join(",");
        [join(|c| &c.name), join(|c| &c.image)]
    }
    /// As a tree.
    pub fn to_value(&self) -> Value {
        let mut meta = self.other_metadata.clone();
        for (key, map) in [("labels", &self.labels), ("annotations", &self.annotations)] {
            if !map.is_empty() {
                meta.insert(key, map.to_map());
            }
        }
        if !self.finalizers.is_empty() {
            meta.insert("finalizers", self.finalizers.iter().map(Value::from).collect::<Vec<_>>());
        }
        crate::map! { "metadata" => meta, "spec" => self.spec.raw.clone() }.into()
    }
}

/// A label selector as written, beside its parsed form.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelSelector {
    /// As written.
    pub raw: Map,
    /// Parsed.
    pub selector: Selector,
}

impl LabelSelector {
    /// From the tree under `selector`.
    pub fn decode(raw: Option<&Map>) -> Arc<LabelSelector> {
        let raw = raw.cloned().unwrap_or_default();
        let selector = Selector::from_label_selector(&raw).unwrap_or_default();
        Arc::new(LabelSelector { raw, selector })
    }
    /// Whether labels are selected.
    pub fn matches(&self, labels: &StrMap) -> bool {
        self.selector.matches(labels.entries())
    }
}
