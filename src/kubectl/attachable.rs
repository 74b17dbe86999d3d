//! Finds the pod that `exec`, `port-forward` and `logs` mean by a Deployment, a Service or another object. Counterpart: `polymorphichelpers.AttachablePodForObject`.

use super::errors::Stop;
use super::resource::{self, Selection};
use super::{Cx, Run};
use crate::api::kind::{Kind, PodSelector};
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::{Answer, Request, Verb};
use crate::api::selector::Selector;
use std::sync::Arc;

/// Reads the object that a word of the command line names. Returns it, and the pod behind it (the object itself if it is a pod).
pub fn pod_of(cx: &mut Cx, selection: &Selection, word: &str) -> Run<(Arc<Object>, Arc<Object>)> {
    let target = resource::pod_or(&cx.env.kinds, word)?;
    let object = selection.read(cx, &target)?.remove(0);
    if object.pod().is_some() {
        return Ok((object.clone(), object));
    }
    let mut pods = pods_behind(cx, &object)?.ok_or_else(|| {
        let (row, own) = (object.kind().row(), &object.meta.name);
        let (version, name) = (row.version, row.name);
        let why = match row.pod_selector {
            PodSelector::Labels => format!("invalid service '{own}': Service is defined without a selector"),
            _ => format!("selector for *{version}.{name} not implemented"),
        };
        Stop::plain(format!("cannot attach to *{version}.{name}: {why}"))
    })?;
    sort(&mut pods);
    let pod = pods.into_iter().next().ok_or_else(|| Stop::plain("timed out waiting for the condition"))?;
    Ok((object, pod))
}

/// Lists the pods that an object selects; `None` if its kind selects none.
pub fn pods_behind(cx: &mut Cx, object: &Arc<Object>) -> Run<Option<Vec<Arc<Object>>>> {
    let tree = object.to_map();
    let selector = tree.at(&["spec", "selector"]).and_then(|s| s.as_map());
    let labels = match object.kind().row().pod_selector {
        PodSelector::Itself => return Ok(Some(vec![object.clone()])),
        PodSelector::Labels => selector.map(Selector::from_labels),
        PodSelector::LabelSelector => selector.and_then(|s| Selector::from_label_selector(s).ok()),
        PodSelector::Nothing => None,
    };
    let Some(labels) = labels else { return Ok(None) };
    let request = Request::new(Verb::List, Kind::POD, object.meta.namespace.clone(), "").with(|o| o.label_selector = labels.to_string());
    match cx.request(request)? {
        Answer::List(list) => Ok(Some(list.items.clone())),
        _ => Ok(Some(Vec::new())),
    }
}

/// Sorts pods by preference: those with a node first, then ready ones, then older ones. The real client compares a few more properties.
pub fn sort(pods: &mut [Arc<Object>]) {
    let later = |pod: &Arc<Object>| pod.pod().is_none_or(|p| p.node.is_empty());
    pods.order_by_key(|p| (later(p), p.pod().is_none_or(|pod| !pod.status.is_ready()), p.meta.created));
}
