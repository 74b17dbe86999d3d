//! The presentation of HorizontalPodAutoscalers on the page: metrics and replicas, and a menu to put load on the pods.

use super::{ANY, KindView};
use crate::api::kind::Kind;
use crate::api::kind::condition;
use crate::api::kind::horizontalpodautoscaler::metrics_text;
use crate::api::object::Object;
use crate::api::usage;
use crate::view::cluster::Health;

pub const VIEW: KindView = KindView {
    kind: Some(Kind::HORIZONTAL_POD_AUTOSCALER),
    standing: |o| (health(o), text(o)),
    state: |o| (Some(health(o)), text(o)),
    observed: text,
    menu: |menu, object| {
        let Some(autoscaler) = object.horizontal_pod_autoscaler() else { return };
        let target = &autoscaler.spec.scale_target_ref;
        let (target, namespace) = (format!("{}/{}", target.kind.to_ascii_lowercase(), target.name), object.meta.namespace.as_str());
        for (label, amount) in
            [("Put a load of 2 cpus on its pods", "2"), ("Put a load of 500m on its pods", "500m"), ("Take the load off", "0")]
        {
            let load = format!("{}={amount}", usage::LOAD);
            menu.kubectl(label, &["annotate", &target, &load, "--overwrite", "-n", namespace], false, "");
        }
        menu.delete(object);
    },
    ..ANY
};

fn health(object: &Object) -> Health {
    let conditions = object.horizontal_pod_autoscaler().map(|a| a.status.conditions.as_slice()).unwrap_or_default();
    let fails = |type_: &str| condition::find(conditions, type_).is_some_and(|c| c.status == "False");
    if fails("AbleToScale") || fails("ScalingActive") { Health::Bad } else { Health::Good }
}

fn text(object: &Object) -> String {
    let Some(autoscaler) = object.horizontal_pod_autoscaler() else { return String::new() };
    let (spec, status) = (&autoscaler.spec, &autoscaler.status);
    let bounds = format!("{} to {}", spec.min_replicas.unwrap_or(1), spec.max_replicas);
    format!("{}, {} replicas ({bounds})", metrics_text(autoscaler), status.current_replicas)
}
