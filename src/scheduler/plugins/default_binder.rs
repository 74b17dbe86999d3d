//! Binds a pod to its node by a request to the API server. Counterpart: `pkg/scheduler/framework/plugins/defaultbinder`.

use crate::api::object::Object;
use crate::api::request::Request;
use crate::scheduler::framework::Plugin;
use arcstr::ArcStr;

/// The plugin DefaultBinder.
pub static PLUGIN: Plugin = Plugin { bind: Some(bind), ..Plugin::named("DefaultBinder") };

fn bind(pod: &Object, node: &ArcStr) -> Request {
    Request::bind(&pod.meta.namespace, &pod.meta.name, pod.meta.uid, node)
}
