//! The metrics API: the cpu and memory that pods and nodes used at the last scrape. Counterpart: metrics-server behind the aggregation layer.
//!
//! Simplified: usage is computed when a request asks for it, and all containers of a pod have an equal share.

use super::read::selection;
use super::{ApiServer, Outcome, Work};
use crate::api::kind::Kind;
use crate::api::meta::Uid;
use crate::api::object::Object;
use crate::api::request::Answer;
use crate::api::sorted::SortedMap;
use crate::api::status::{Reason, Status};
use crate::api::time::Span;
use crate::api::usage::{self, Usage};
use crate::api::value::{Map, Value};
use crate::map;
use std::sync::Arc;

/// The number of levels of controllers above a pod that are searched for the annotation that sets a load.
const LEVELS: usize = 3;

impl ApiServer {
    /// Answers a request for the metrics of pods or nodes.
    pub(super) fn metrics(&self, work: &Work) -> Outcome {
        let (request, row) = (work.request, work.request.kind.row());
        if self.metrics_period.0 <= 0 {
            let mut status = Status::new(
                Reason::NotFound,
                format!("the server could not find the requested resource (get {}.metrics.k8s.io)", row.plural),
            );
            row.plural.clone_into(&mut status.kind);
            return Err(status);
        }
        let at = usage::scraped_at(work.now, self.metrics_period);
        let selection = selection(request)?;
        let pods: Vec<(Arc<Object>, Usage)> = self.used_by_pods(if row.namespaced { &request.namespace } else { "" });
        let item = |object: &Object, content: Map| {
            let mut all = map! { "metadata" => map! { "name" => object.meta.name.clone(), "namespace" => object.meta.namespace.clone() } };
            all.insert("timestamp", at.rfc3339());
            all.insert("window", "15s");
            content.iter().for_each(|(key, value)| all.insert(key.clone(), value.clone()));
            Value::Map(all)
        };
        let wanted = |o: &Object| selection.matches(o) && (request.name.is_empty() || request.name == o.meta.name);
        let items: Vec<Value> = if request.kind == Kind::NODE {
            let nodes = self.store.range(Kind::NODE, "", None).filter(|n| wanted(n));
            nodes
                .map(|node| {
                    let on_node = pods.iter().filter(|(pod, _)| pod.pod().is_some_and(|p| p.node == node.meta.name));
                    let sum = on_node.fold(Usage { cpu_milli: 40, memory: 500 << 20 }, |sum, (_, used)| Usage {
                        cpu_milli: sum.cpu_milli + used.cpu_milli,
                        memory: sum.memory + used.memory,
                    });
                    item(node, map! { "usage" => amounts(sum, 1) })
                })
                .collect()
        } else {
            let scraped = |pod: &Object| pod.pod().and_then(|p| p.status.start_time).is_some_and(|start| start + Span::secs(1) <= at);
            pods.iter()
                .filter(|(pod, _)| wanted(pod) && scraped(pod))
                .map(|(pod, used)| item(pod, map! { "containers" => containers(pod, *used) }))
                .collect()
        };
        let kind = if request.kind == Kind::NODE { "NodeMetricsList" } else { "PodMetricsList" };
        Ok(Answer::Tree(Box::new(map! { "apiVersion" => "metrics.k8s.io/v1beta1", "kind" => kind, "items" => items }.into())))
    }
    /// Returns the running pods of a namespace (`""` for all), each with its usage.
    fn used_by_pods(&self, namespace: &str) -> Vec<(Arc<Object>, Usage)> {
        let pods: Vec<Arc<Object>> = self.store.range(Kind::POD, namespace, None).cloned().collect();
        let above: Vec<Vec<Arc<Object>>> = pods.iter().map(|pod| self.controllers_of(pod)).collect();
        let mut sharing: SortedMap<Uid, i64> = SortedMap::new();
        for (pod, above) in pods.iter().zip(&above) {
            if pod.pod().is_some_and(|p| p.status.is_ready() && p.is_active(pod.meta.is_deleting())) {
                above.iter().for_each(|owner| *sharing.or_default(owner.meta.uid) += 1);
            }
        }
        let used = |(pod, above): (&Arc<Object>, &Vec<Arc<Object>>)| {
            let loaded = above.iter().find(|owner| owner.meta.annotations.get(usage::LOAD).is_some());
            let count = loaded.and_then(|owner| sharing.get(&owner.meta.uid)).copied().unwrap_or(1);
            let workloads: Vec<&Object> = above.iter().map(|o| &**o).collect();
            Some((pod.clone(), usage::of_pod(pod, &workloads, count, self.measured.get(&pod.meta.uid).copied())?))
        };
        pods.iter().zip(&above).filter_map(used).collect()
    }
    fn controllers_of(&self, object: &Object) -> Vec<Arc<Object>> {
        let mut found: Vec<Arc<Object>> = Vec::new();
        let mut owner = object.meta.controller().cloned();
        while let Some(kind) = owner.as_ref().filter(|_| found.len() < LEVELS).and_then(|o| self.kinds.of_owner(o)) {
            let name = owner.as_ref().map(|o| o.name.clone()).unwrap_or_default();
            let key = crate::api::Key { namespace: object.meta.namespace.clone(), name };
            let Some(next) = self.store.get(kind, &key) else { break };
            owner = next.meta.controller().cloned();
            found.push(next.clone());
        }
        found
    }
}

fn amounts(used: Usage, parts: i64) -> Map {
    let parts = parts.max(1);
    map! { "cpu" => format!("{}m", used.cpu_milli / parts), "memory" => format!("{}Ki", used.memory / parts / 1024) }
}

fn containers(pod: &Object, used: Usage) -> Vec<Value> {
    let all = pod.pod().map(|p| p.spec.containers.as_slice()).unwrap_or_default();
    all.iter().map(|c| map! { "name" => c.name.clone(), "usage" => amounts(used, all.len() as i64) }.into()).collect()
}
