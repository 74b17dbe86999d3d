//! `kubectl port-forward` and `kubectl proxy`. Counterparts: `kubectl/pkg/cmd/portforward`, `kubectl/pkg/cmd/proxy`.
//!
//! A forwarded port is open for `curl` in the same terminal for as long as the command runs; `&` lets it run beside other lines.

use super::attachable::pod_of;
use super::errors::Stop;
use super::flags::{Args, Flag, Takes, takes, text};
use super::resource::Selection;
use super::{Cx, Run};
use crate::api::kind::pod::Pod;
use crate::api::object::Object;
use crate::api::value::Value;
use crate::sim::{Forward, Wait};
use std::num::{IntErrorKind, ParseIntError};
use std::sync::Arc;

const PROXY: &[Flag] = &[takes("port", Takes::Int).or('p'), text("address")];
const FLAGS: &[Flag] = &[text("address"), text("pod-running-timeout")];

/// Runs `kubectl port-forward TYPE/NAME [LOCAL_PORT:]REMOTE_PORT …`.
pub fn port_forward(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("port-forward", &[FLAGS], words)?;
    let (name, ports) = match args.words.as_slice() {
        [] | [_] => return Err(Stop::usage("port-forward", "TYPE/NAME and list of ports are required for port-forward")),
        [name, ports @ ..] => (name, ports),
    };
    let selection = Selection::of(cx, &args)?;
    let (object, target) = pod_of(cx, &selection, name)?;
    let Some(pod) = target.pod() else { return Ok(()) };
    let mut forwards = Vec::new();
    for word in ports {
        let (local, remote) = split(word)?;
        let remote = remote_port(&object, &target, pod, remote)?;
        let local = if local.is_empty() { remote } else { number(local)? };
        forwards.push(Forward { local, namespace: target.meta.namespace.clone(), pod: target.meta.name.clone(), remote });
    }
    if pod.status.phase.text() != "Running" {
        let text = format!("unable to forward port because pod is not running. Current status={}", pod.status.phase.text());
        return Err(Stop::plain(text));
    }
    for forward in &forwards {
        cx.println(format!("Forwarding from 127.0.0.1:{} -> {}", forward.local, forward.remote));
        cx.println(format!("Forwarding from [::1]:{} -> {}", forward.local, forward.remote));
    }
    cx.wait_for(Wait::Forward(Arc::new(forwards))).map(|_| ())
}

/// Runs `kubectl proxy`: opens a local port that is forwarded to the API server.
pub fn proxy(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("proxy", &[PROXY], words)?;
    let local = number(args.text("port").unwrap_or("8001"))?;
    cx.println(format!("Starting to serve on 127.0.0.1:{local}"));
    let forward = Forward { local, namespace: Default::default(), pod: Default::default(), remote: 6443 };
    cx.wait_for(Wait::Forward(Arc::new(vec![forward]))).map(|_| ())
}

/// Splits `8080:80`, `:80` and `80` into the local and the remote port.
fn split(word: &str) -> Result<(&str, &str), Stop> {
    match word.split(':').collect::<Vec<_>>().as_slice() {
        [both] => Ok((both, both)),
        ["", remote] => Ok(("", remote)),
        [local, remote] => Ok((local, remote)),
        _ => Err(Stop::plain(format!("invalid port format '{word}'"))),
    }
}

fn number(text: &str) -> Result<u16, Stop> {
    text.parse().map_err(|error: ParseIntError| {
        let why = if *error.kind() == IntErrorKind::PosOverflow { "value out of range" } else { "invalid syntax" };
        Stop::plain(format!("error parsing local port '{text}': strconv.ParseUint: parsing \"{text}\": {why}"))
    })
}

/// Returns the port of the pod that `text` means: a named port is looked up in the pod's containers, and a port of a Service is translated.
fn remote_port(object: &Object, target: &Object, pod: &Pod, text: &str) -> Result<u16, Stop> {
    let of_pod = |name: &str| pod.spec.containers.iter().flat_map(|c| &c.ports).find(|(n, ..)| n == name).map(|(_, n, _)| *n as u16);
    if object.kind() == target.kind() {
        let missing = || Stop::plain(format!("Pod '{}' does not have a named port '{text}'", target.meta.name));
        return text.parse().ok().or_else(|| of_pod(text)).ok_or_else(missing);
    }
    let tree = object.to_map();
    let ports = tree.at(&["spec", "ports"]).and_then(Value::as_list).unwrap_or_default();
    let fits = |p: &&Value| {
        p.get("name").and_then(Value::as_str) == Some(text)
            || p.get("port").and_then(Value::as_int).map(|n| n.to_string()).as_deref() == Some(text)
    };
    match (ports.iter().find(fits), ports.is_empty()) {
        (Some(port), _) => {
            let number = match port.get("targetPort") {
                Some(Value::Str(name)) => name.parse().ok().or_else(|| of_pod(name)),
                Some(Value::Int(n)) => u16::try_from(*n).ok(),
                _ => port.get("port").and_then(Value::as_int).and_then(|n| u16::try_from(n).ok()),
            };
            number.ok_or_else(|| Stop::plain(format!("Pod '{}' does not have the target port of '{text}'", target.meta.name)))
        }
        // A Deployment has no ports of its own.
        (None, true) => text.parse().ok().or_else(|| of_pod(text)).ok_or_else(|| Stop::plain(format!("invalid port '{text}'"))),
        (None, false) => Err(Stop::plain(format!("Service {} does not have a service port {text}", object.meta.name))),
    }
}
