//! What a person did, in a few words.

use crate::sim::{Command, Fault, ProcessName};

/// What a command is called, and whether it breaks something.
pub(super) fn describe(command: &Command) -> (String, bool) {
    match command {
        Command::Run(program) => {
            let title = program.title();
            (title.strip_prefix("kubectl ").unwrap_or(&title).trim_end_matches(" -n default").to_owned(), false)
        }
        Command::Interrupt(_) => ("^C".to_owned(), false),
        Command::Fault(fault) => fault_text(fault),
    }
}

/// What a fault is called, and whether it breaks something.
pub fn fault_text(fault: &Fault) -> (String, bool) {
    let process = |p: &ProcessName| match p {
        ProcessName::ControllerManager(_) => "controller manager".to_owned(),
        ProcessName::Scheduler => "scheduler".to_owned(),
        ProcessName::Kubelet(node) => node.clone(),
    };
    match fault {
        Fault::KillPod { pod, .. } => (format!("kill {pod}"), true),
        Fault::KillContainer { pod, container, .. } => (format!("kill {container} in {pod}"), true),
        Fault::CrashNode { node } => (format!("crash {node}"), true),
        Fault::RestartNode { node } => (format!("restart {node}"), false),
        Fault::FreezeNode { node } => (format!("freeze {node}"), true),
        Fault::ThawNode { node } => (format!("thaw {node}"), false),
        Fault::Partition { process: p } => (format!("cut off {}", process(p)), true),
        Fault::Heal { process: p } => (format!("heal {}", process(p)), false),
        Fault::CrashProcess { process: p } | Fault::CrashBeforeAction { process: p, .. } => (format!("crash {}", process(p)), true),
        Fault::RestartProcess { process: p } => (format!("restart {}", process(p)), false),
        Fault::DropWatchEvent { process: p } => (format!("drop a watch event to {}", process(p)), true),
        Fault::SlowLink { process: p, .. } => (format!("slow link to {}", process(p)), true),
        Fault::FailCalls { count, .. } => (format!("fail {count} calls"), true),
        Fault::Registry { up } => (if *up { "registry up" } else { "registry down" }.to_owned(), !*up),
        Fault::AddNode { node } => (format!("add node {node}").trim_end().to_owned(), false),
        Fault::ProbeFile { pod, .. } => (format!("probe file in {pod}"), false),
        Fault::Images { node, .. } => (format!("images on {node}"), false),
    }
}
