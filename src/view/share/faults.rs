//! Faults as JSON: `{"fault": "crash-node", "node": "node-1"}`, in the names that [`Fault`] itself gives.

use crate::api::value::{Map, Value};
use crate::sim::{Fault, ProcessName};
use crate::view::slot::Slot;
use std::mem::discriminant;

/// Every sort of fault by its name, with nothing filled in.
pub fn all() -> Vec<(&'static str, Fault)> {
    let (namespace, pod, node, none) = (String::new, String::new, String::new, || ProcessName::Scheduler);
    vec![
        ("kill-pod", Fault::KillPod { namespace: namespace(), pod: pod() }),
        ("kill-container", Fault::KillContainer { namespace: namespace(), pod: pod(), container: String::new(), exit_code: 0 }),
        ("crash-node", Fault::CrashNode { node: node() }),
        ("restart-node", Fault::RestartNode { node: node() }),
        ("freeze-node", Fault::FreezeNode { node: node() }),
        ("thaw-node", Fault::ThawNode { node: node() }),
        ("partition", Fault::Partition { process: none() }),
        ("heal", Fault::Heal { process: none() }),
        ("crash-process", Fault::CrashProcess { process: none() }),
        ("restart-process", Fault::RestartProcess { process: none() }),
        ("crash-before-action", Fault::CrashBeforeAction { process: none(), after: 0 }),
        ("drop-watch-event", Fault::DropWatchEvent { process: none() }),
        ("slow-link", Fault::SlowLink { process: none(), extra_ms: 0 }),
        ("fail-calls", Fault::FailCalls { count: 0, process: None, after_write: false }),
        ("registry", Fault::Registry { up: true }),
        ("add-node", Fault::AddNode { node: node() }),
        ("probe-file", Fault::ProbeFile { namespace: namespace(), pod: pod(), path: String::new(), there: false }),
        ("images", Fault::Images { node: node(), images: Vec::new() }),
    ]
}

/// A fault written down.
pub fn write(fault: &Fault) -> Value {
    let mut map = Map::new();
    if let Some((name, _)) = all().iter().find(|(_, blank)| discriminant(blank) == discriminant(fault)) {
        map.insert("fault", *name);
    }
    for (key, slot) in slots(&mut fault.clone()) {
        map.insert(key, slot.write());
    }
    map.into()
}

/// A fault read again; the error says what is wrong.
pub fn read(map: &Map) -> Result<Fault, String> {
    let name = map.str("fault");
    let known = all().into_iter().find(|(known, _)| *known == name);
    let (_, mut fault) = known.ok_or_else(|| format!("there is no fault \"{name}\""))?;
    let mut read = 1;
    for (key, slot) in slots(&mut fault) {
        let optional = matches!(slot, Slot::Whose(_));
        let Some(value) = map.get(key) else {
            if optional {
                continue;
            }
            return Err(format!("the fault {name} lacks {key}"));
        };
        slot.read(value).map_err(|expected| format!("{key} of the fault {name} must be {expected}"))?;
        read += 1;
    }
    if map.len() > read {
        return Err(format!("the fault {name} has a field that is not known"));
    }
    Ok(fault)
}

fn slots(fault: &mut Fault) -> Vec<(&'static str, Slot<'_>)> {
    match fault {
        Fault::KillPod { namespace, pod } => vec![("namespace", Slot::Text(namespace)), ("pod", Slot::Text(pod))],
        Fault::KillContainer { namespace, pod, container, exit_code } => vec![
            ("namespace", Slot::Text(namespace)),
            ("pod", Slot::Text(pod)),
            ("container", Slot::Text(container)),
            ("exitCode", Slot::Code(exit_code)),
        ],
        Fault::CrashNode { node }
        | Fault::RestartNode { node }
        | Fault::FreezeNode { node }
        | Fault::ThawNode { node }
        | Fault::AddNode { node } => vec![("node", Slot::Text(node))],
        Fault::Partition { process }
        | Fault::Heal { process }
        | Fault::CrashProcess { process }
        | Fault::RestartProcess { process }
        | Fault::DropWatchEvent { process } => vec![("process", Slot::Process(process))],
        Fault::CrashBeforeAction { process, after } => vec![("process", Slot::Process(process)), ("after", Slot::Count(after))],
        Fault::SlowLink { process, extra_ms } => vec![("process", Slot::Process(process)), ("extraMs", Slot::Int(extra_ms))],
        Fault::FailCalls { count, process, after_write } => {
            vec![("count", Slot::Count(count)), ("process", Slot::Whose(process)), ("afterWrite", Slot::Flag(after_write))]
        }
        Fault::Registry { up } => vec![("up", Slot::Flag(up))],
        Fault::ProbeFile { namespace, pod, path, there } => {
            vec![("namespace", Slot::Text(namespace)), ("pod", Slot::Text(pod)), ("path", Slot::Text(path)), ("there", Slot::Flag(there))]
        }
        Fault::Images { node, images } => vec![("node", Slot::Text(node)), ("images", Slot::Texts(images))],
    }
}
