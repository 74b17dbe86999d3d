//! `kubectl describe` of a Node. Counterpart: `describe.NodeDescriber`.

use crate::api::duration::{or_none, since};
use crate::api::kind::Kind;
use crate::api::kind::pod::{Amounts, add, amounts, totals};
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::quantity::Quantity;
use crate::api::request::{Answer, Request, Verb};
use crate::api::time::Time;
use crate::api::value::{Map, Value};
use crate::kubectl::describe::description::{Description, plain};
use crate::kubectl::describe::{head, labels_and_annotations, list};
use crate::kubectl::{Cx, Run};
use arcstr::ArcStr;
use std::sync::Arc;

/// Writes the description of a Node.
pub fn describe(cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let tree = object.to_map();
    let empty = Map::new();
    let (spec, status) = (tree.map("spec").unwrap_or(&empty), tree.map("status").unwrap_or(&empty));
    head(object, description);
    description.line(0, format!("Roles:\t{}", or_none(&roles(object).join(","))));
    labels_and_annotations(object, description);
    description.line(0, format!("CreationTimestamp:\t{}", object.meta.created.rfc1123()));
    let mut taints: Vec<&Map> = spec.list("taints").iter().filter_map(Value::as_map).collect();
    taints.sort_by_key(|taint| (taint.str("effect"), taint.str("key")));
    description.list(0, "Taints", &taints.into_iter().map(taint).collect::<Vec<_>>());
    description.line(0, format!("Unschedulable:\t{}", spec.bool("unschedulable")));
    lease(cx, object, description)?;
    conditions(description, status);
    description.line(0, "Addresses:");
    for address in status.list("addresses").iter().filter_map(Value::as_map) {
        description.line(1, format!("{}:\t{}", address.str("type"), address.str("address")));
    }
    description.amounts(0, "Capacity", status.map("capacity"));
    description.amounts(0, "Allocatable", status.map("allocatable"));
    info(description, status.map("nodeInfo").unwrap_or(&empty));
    if !spec.str("podCIDR").is_empty() {
        description.line(0, format!("PodCIDR:\t{}", spec.str("podCIDR")));
        let all: Vec<String> = spec.list("podCIDRs").iter().map(plain).collect();
        description.line(0, format!("PodCIDRs:\t{}", all.join(",")));
    }
    description.given(0, "ProviderID", spec.str("providerID"));
    pods(cx, object, status, description)
}

fn roles(object: &Object) -> Vec<String> {
    let role = |(key, value): &(ArcStr, ArcStr)| match key.as_str() {
        "kubernetes.io/role" => Some(value.to_string()),
        key => key.strip_prefix("node-role.kubernetes.io/").map(str::to_owned),
    };
    let mut roles: Vec<String> = object.meta.labels.entries().iter().filter_map(role).filter(|role| !role.is_empty()).collect();
    roles.order();
    roles.dedup();
    roles
}

fn taint(taint: &Map) -> String {
    match taint.str("value") {
        "" => format!("{}:{}", taint.str("key"), taint.str("effect")),
        value => format!("{}={value}:{}", taint.str("key"), taint.str("effect")),
    }
}

fn lease(cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let get = Request::new(Verb::Get, Kind::LEASE, "kube-node-lease", object.meta.name.clone());
    let lease = match cx.try_request(get)? {
        Ok(Answer::Object { object: lease, .. }) => lease,
        Ok(_) => return Ok(()),
        Err(status) => {
            description.line(0, format!("Lease:\tFailed to get lease: {}", status.message));
            return Ok(());
        }
    };
    let Some(lease) = lease.lease() else { return Ok(()) };
    let time = |t: Option<Time>| t.map_or_else(|| "<unset>".to_owned(), |t| t.rfc1123());
    description.line(0, "Lease:");
    description.line(1, format!("HolderIdentity:\t{}", if lease.spec.holder().is_empty() { "<unset>" } else { lease.spec.holder() }));
    description.line(1, format!("AcquireTime:\t{}", time(lease.spec.acquire_time)));
    description.line(1, format!("RenewTime:\t{}", time(lease.spec.renew_time)));
    Ok(())
}

fn conditions(description: &mut Description, status: &Map) {
    description.line(0, "Conditions:");
    description.line(1, "Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage");
    description.line(1, "----\t------\t-----------------\t------------------\t------\t-------");
    for c in status.list("conditions").iter().filter_map(Value::as_map) {
        let time = |key: &str| Time::parse(c.str(key)).map_or_else(String::new, |t| t.rfc1123());
        let (beat, change) = (time("lastHeartbeatTime"), time("lastTransitionTime"));
        description
            .line(1, format!("{} \t{} \t{beat} \t{change} \t{} \t{}", c.str("type"), c.str("status"), c.str("reason"), c.str("message")));
    }
}

fn info(description: &mut Description, info: &Map) {
    description.line(0, "System Info:");
    for (title, key) in [
        ("Machine ID", "machineID"),
        ("System UUID", "systemUUID"),
        ("Boot ID", "bootID"),
        ("Kernel Version", "kernelVersion"),
        ("OS Image", "osImage"),
        ("Operating System", "operatingSystem"),
        ("Architecture", "architecture"),
        ("Container Runtime Version", "containerRuntimeVersion"),
        ("Kubelet Version", "kubeletVersion"),
    ] {
        description.line(1, format!("{title}:\t{}", info.str(key)));
    }
}

fn pods(cx: &mut Cx, object: &Object, status: &Map, description: &mut Description) -> Run {
    let all = list(cx, Kind::POD, &ArcStr::default())?;
    let here = all.iter().filter(|o| o.pod().is_some_and(|p| p.node == object.meta.name && !p.status.phase.is_terminal()));
    let here: Vec<&Arc<Object>> = here.collect();
    let allocatable = amounts(status.map("allocatable").or_else(|| status.map("capacity")));
    description.line(0, format!("Non-terminated Pods:\t({} in total)", here.len()));
    description.line(1, "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge");
    description.line(1, "---------\t----\t\t------------\t----------\t---------------\t-------------\t---");
    let mut sums = [Amounts::new(), Amounts::new()];
    for pod in here {
        let Some(spec) = pod.pod().map(|p| &p.spec.raw) else { continue };
        let own = ["requests", "limits"].map(|part| totals(spec, part, true));
        let cells = ["cpu", "memory"].map(|name| own.each_ref().map(|amounts| share(amounts, name, &allocatable)).join("\t"));
        let age = since(pod.meta.created, cx.now);
        description.line(1, format!("{}\t{}\t\t{}\t{age}", pod.meta.namespace, pod.meta.name, cells.join("\t")));
        sums.iter_mut().zip(&own).for_each(|(sum, own)| add(sum, own));
    }
    description.line(0, "Allocated resources:");
    description.line(1, "(Total limits may be over 100 percent, i.e., overcommitted.)");
    description.line(1, "Resource\tRequests\tLimits");
    description.line(1, "--------\t--------\t------");
    let huge = |name: &&str| name.starts_with("hugepages-");
    let other = |name: &&str| !huge(name) && !["cpu", "memory", "ephemeral-storage", "storage", "pods"].contains(name);
    let names = || allocatable.keys().map(ArcStr::as_str);
    for name in ["cpu", "memory", "ephemeral-storage"].into_iter().chain(names().filter(huge)) {
        description.line(1, format!("{name}\t{}", sums.each_ref().map(|sum| share(sum, name, &allocatable)).join("\t")));
    }
    for name in names().filter(other) {
        description.line(
            1,
            format!("{name}\t{}", sums.each_ref().map(|sum| sum.get(name).map_or("0".to_owned(), Quantity::to_string)).join("\t")),
        );
    }
    Ok(())
}

/// Formats an amount and its share of the allocatable amount: `100m (2%)`.
fn share(amounts: &Amounts, name: &str, allocatable: &Amounts) -> String {
    let (amount, all) = (amounts.get(name), allocatable.get(name).map_or(0, Quantity::nano));
    let percent = if all == 0 { 0 } else { amount.map_or(0, Quantity::nano) * 100 / all };
    format!("{} ({percent}%)", amount.map_or("0".to_owned(), Quantity::to_string))
}
