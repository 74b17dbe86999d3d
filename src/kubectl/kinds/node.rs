//! `kubectl describe` of a Node. Counterpart: `describe.NodeDescriber`.

use crate::api::duration::since;
use crate::api::kind::Kind;
use crate::api::kind::pod::totals;
use crate::api::object::Object;
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
    description.list(0, "Roles", &roles(object));
    labels_and_annotations(object, description);
    description.line(0, format!("CreationTimestamp:\t{}", object.meta.created.rfc1123()));
    description.list(0, "Taints", &spec.list("taints").iter().filter_map(Value::as_map).map(taint).collect::<Vec<_>>());
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
    pods(cx, object, status.map("allocatable").unwrap_or(&empty), description)
}

fn roles(object: &Object) -> Vec<String> {
    let label = |k: &ArcStr| k.strip_prefix("node-role.kubernetes.io/").map(str::to_owned);
    object.meta.labels.entries().iter().filter_map(|(k, _)| label(k)).collect()
}

fn taint(taint: &Map) -> String {
    match taint.str("value") {
        "" => format!("{}:{}", taint.str("key"), taint.str("effect")),
        value => format!("{}={value}:{}", taint.str("key"), taint.str("effect")),
    }
}

fn lease(cx: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let get = Request::new(Verb::Get, Kind::LEASE, "kube-node-lease", object.meta.name.clone());
    let Ok(Answer::Object { object: lease, .. }) = cx.try_request(get)? else { return Ok(()) };
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
            .line(1, format!("{} \t{} \t{beat} \t{change} \t{} \t{} ", c.str("type"), c.str("status"), c.str("reason"), c.str("message")));
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

/// The sum of the requests and the sum of the limits of all pods, for one resource.
type Pair = (i64, i64);

fn pods(cx: &mut Cx, object: &Object, allocatable: &Map, description: &mut Description) -> Run {
    let all = list(cx, Kind::POD, &ArcStr::default())?;
    let here: Vec<&Arc<Object>> =
        all.iter().filter(|o| o.pod().is_some_and(|p| p.node == object.meta.name && !p.status.phase.is_terminal())).collect();
    let amount = |key: &str, milli: bool| quantity(allocatable.get(key), milli);
    let (cpu_all, memory_all) = (amount("cpu", true), amount("memory", false));
    description.line(0, format!("Non-terminated Pods:\t({} in total)", here.len()));
    description.line(1, "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge");
    description.line(1, "---------\t----\t\t------------\t----------\t---------------\t-------------\t---");
    let storage_all = amount("ephemeral-storage", false);
    let (mut cpu_sum, mut memory_sum, mut storage_sum): (Pair, Pair, Pair) = ((0, 0), (0, 0), (0, 0));
    for pod in here {
        let (cpu, memory) = (sums(pod, "cpu", true), sums(pod, "memory", false));
        cpu_sum = (cpu_sum.0 + cpu.0, cpu_sum.1 + cpu.1);
        memory_sum = (memory_sum.0 + memory.0, memory_sum.1 + memory.1);
        let storage = sums(pod, "ephemeral-storage", false);
        storage_sum = (storage_sum.0 + storage.0, storage_sum.1 + storage.1);
        description.line(
            1,
            format!(
                "{}\t{}\t\t{}\t{}\t{}\t{}\t{}",
                pod.meta.namespace,
                pod.meta.name,
                share(cpu.0, cpu_all, true),
                share(cpu.1, cpu_all, true),
                share(memory.0, memory_all, false),
                share(memory.1, memory_all, false),
                since(pod.meta.created, cx.now)
            ),
        );
    }
    description.line(0, "Allocated resources:");
    description.line(1, "(Total limits may be over 100 percent, i.e., overcommitted.)");
    description.line(1, "Resource\tRequests\tLimits");
    description.line(1, "--------\t--------\t------");
    description.line(1, format!("cpu\t{}\t{}", share(cpu_sum.0, cpu_all, true), share(cpu_sum.1, cpu_all, true)));
    description.line(1, format!("memory\t{}\t{}", share(memory_sum.0, memory_all, false), share(memory_sum.1, memory_all, false)));
    let (requests, limits) = (share(storage_sum.0, storage_all, false), share(storage_sum.1, storage_all, false));
    description.line(1, format!("ephemeral-storage\t{requests}\t{limits}"));
    Ok(())
}

fn sums(pod: &Object, resource: &str, milli: bool) -> Pair {
    let spec = pod.pod().map(|p| p.spec.raw.clone()).unwrap_or_default();
    let of = |part: &str| totals(&spec, part, true).get(resource).map_or(0, |q| if milli { q.milli_value() } else { q.value() });
    (of("requests"), of("limits"))
}

fn quantity(value: Option<&Value>, milli: bool) -> i64 {
    let parsed = value.and_then(|v| Quantity::parse(&plain(v)).ok());
    parsed.map_or(0, |q| if milli { q.milli_value() } else { q.value() })
}

/// Formats an amount and its share of the allocatable amount: `100m (2%)`.
fn share(amount: i64, all: i64, milli: bool) -> String {
    let percent = if all == 0 { 0 } else { amount * 100 / all };
    let text = match amount {
        0 => "0".to_owned(),
        n if milli && n % 1000 == 0 => (n / 1000).to_string(),
        n if milli => format!("{n}m"),
        n => [(1 << 30, "Gi"), (1 << 20, "Mi"), (1 << 10, "Ki")]
            .iter()
            .find(|(size, _)| n % size == 0)
            .map_or_else(|| n.to_string(), |(size, unit)| format!("{}{unit}", n / size)),
    };
    format!("{text} ({percent}%)")
}
