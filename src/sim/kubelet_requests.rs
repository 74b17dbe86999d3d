//! Requests that the API server passes on to kubelets: logs, and commands to run in containers. Counterpart: the `log` and `exec` subresources of pods.
//!
//! The control plane itself does not run in pods here. Its components' logs can be read all the same, under the names they have as static pods.

use super::cluster::Cluster;
use super::step::Process;
use crate::api::object::Object;
use crate::api::request::{Answer, LogOptions, Payload, Request, Response, Subresource};
use crate::api::status::{Reason, Status};
use crate::api::time::{Span, Time};
use arcstr::ArcStr;
use arcstr::literal;
use std::sync::Arc;

/// A log: the number, time and text of each line, and whether the log is complete.
type Log = (Vec<(u64, Time, String)>, bool);

/// The suffix of the names that control-plane components have as static pods.
const HOST: &str = "controlplane";

/// Returns the control-plane components whose logs can be read: the value of the label `component`, and the name of the static pod.
pub fn component_pods(managers: u32) -> Vec<(&'static str, ArcStr)> {
    let name = |component: &str, n: u32| match n {
        0 => format!("{component}-{HOST}").into(),
        n => format!("{component}-{HOST}-{}", n + 1).into(),
    };
    let manager = "kube-controller-manager";
    let mut pods: Vec<(&'static str, ArcStr)> = (0..managers).map(|n| (manager, name(manager, n))).collect();
    pods.push(("kube-scheduler", name("kube-scheduler", 0)));
    pods
}

impl Cluster {
    /// True if the request asks for a log or for a session in a container, which kubelets answer.
    pub(super) fn is_node_request(request: &Request) -> bool {
        matches!(request.subresource, Subresource::Log | Subresource::Exec)
    }
    /// Answers a request for a log, with the part that its options select.
    pub(super) fn handle_log(&mut self, request: &Request) -> Response {
        match self.log(request) {
            Ok((lines, _)) => Response::ok(Answer::Text(part(&lines, options(request), self.now))),
            Err(status) => Response::refused(status),
        }
    }
    /// Begins a session in a container for a person's program.
    pub(super) fn begin_session(&mut self, from: Process, request: &Request) -> Response {
        let Payload::Exec(options) = &request.payload else { return Response::refused(Status::bad_request("Upgrade request required")) };
        let (n, pod, container) = match self.kubelet_of(request, &options.container) {
            Ok(found) => found,
            Err(status) => return Response::refused(status),
        };
        let session = self.steps;
        if !self.expect_session(from, session, n) {
            return Response::refused(Status::bad_request("Upgrade request required"));
        }
        let mut outcome = Ok(());
        self.on_kubelet(n, |k, cx| outcome = k.exec(pod.meta.uid, &container, options, session, cx));
        match outcome {
            Ok(()) => Response::ok(Answer::Done),
            Err(status) => Response::refused(status),
        }
    }
    /// Returns the whole log that a request names, up to now.
    fn log(&self, request: &Request) -> Result<Log, Status> {
        if let Some(process) = self.component(request) {
            return Ok((self.journal.lines(process, &self.controllers), false));
        }
        let options = options(request);
        let (n, pod, container) = self.kubelet_of(request, &options.container)?;
        let kubelet = &self.nodes[n as usize].kubelet;
        let (lines, ended) = kubelet.log(pod.meta.uid, &container, options.previous, self.now).map_err(Status::bad_request)?;
        Ok((lines, ended))
    }
    fn component(&self, request: &Request) -> Option<Process> {
        if request.namespace != "kube-system" {
            return None;
        }
        let n = component_pods(self.managers.len() as u32).iter().position(|(_, name)| *name == request.name)?;
        Some(if n < self.managers.len() { Process::Manager(n as u32) } else { Process::Scheduler })
    }
    /// Returns the number of the node, the pod and the container that a request refers to.
    fn kubelet_of(&self, request: &Request, container: &str) -> Result<(u32, Arc<Object>, ArcStr), Status> {
        let gone = || Status::not_found(request.kind, &request.name);
        let object = self.stored_pod(&request.namespace, &request.name).ok_or_else(gone)?;
        let pod = object.pod().ok_or_else(gone)?;
        let names: Vec<&ArcStr> =
            pod.spec.init_containers.iter().chain(&pod.spec.containers).chain(&pod.spec.ephemeral_containers).map(|c| &c.name).collect();
        let container: ArcStr = match (container, pod.spec.containers.as_slice()) {
            ("", [only]) => only.name.clone(),
            ("", _) => {
                let list = names.iter().map(|n| n.as_str()).collect::<Vec<_>>().join(" ");
                let text = format!("a container name must be specified for pod {}, choose one of: [{list}]", request.name);
                return Err(Status::bad_request(text));
            }
            (name, _) if names.iter().any(|n| *n == name) => name.into(),
            (name, _) => return Err(Status::bad_request(format!("container {name} is not valid for pod {}", request.name))),
        };
        if pod.node.is_empty() {
            let text = match request.subresource {
                Subresource::Exec => format!("pod {} does not have a host assigned", request.name),
                _ => format!("container \"{container}\" in pod \"{}\" is waiting to start: ContainerCreating", request.name),
            };
            return Err(Status::bad_request(text));
        }
        let number = self.node_number(&pod.node);
        let reachable =
            |n: &u32| self.is_alive(Process::Kubelet(*n)) && !self.nodes[*n as usize].frozen && !self.link(Process::Kubelet(*n)).down;
        let n = number.filter(reachable).ok_or_else(|| {
            let address = std::net::Ipv4Addr::from(0x0a00_000b + number.unwrap_or(0));
            let doing = match request.subresource {
                Subresource::Exec => "error dialing backend".to_owned(),
                _ => format!("Get \"https://{address}:10250/containerLogs/{}/{}/{container}\"", request.namespace, request.name),
            };
            Status::new(Reason::Unknown, format!("{doing}: dial tcp {address}:10250: connect: connection refused"))
        })?;
        Ok((n, object, container))
    }
    /// Returns the text of a log after line number `read`, and whether the log is complete; then sets `read` to the last line. 0 stands for the beginning.
    pub(super) fn log_since(&self, request: &Request, read: &mut u64) -> (String, bool) {
        let Ok((lines, ended)) = self.log(request) else { return (String::new(), true) };
        let options = options(request);
        let from = lines.partition_point(|(number, ..)| *number <= *read);
        let text = match *read {
            0 => part(&lines, options, self.now),
            _ => part(&lines[from..], &LogOptions { timestamps: options.timestamps, ..LogOptions::default() }, self.now),
        };
        *read = lines.last().map_or(*read, |(number, ..)| *number);
        (text, ended)
    }
}

static ALL: LogOptions = LogOptions {
    container: literal!(""),
    previous: false,
    tail: None,
    since_seconds: None,
    limit_bytes: None,
    timestamps: false,
    follow: false,
};

fn options(request: &Request) -> &LogOptions {
    match &request.payload {
        Payload::Log(options) => options,
        _ => &ALL,
    }
}

/// Returns the part of a log that the request's options select, as text.
fn part(lines: &[(u64, Time, String)], options: &LogOptions, now: Time) -> String {
    let recent = |at: Time| options.since_seconds.is_none_or(|s| now - at <= Span::secs(s));
    let mut shown: Vec<&(u64, Time, String)> = lines.iter().filter(|(_, at, _)| recent(*at)).collect();
    if let Some(tail) = options.tail {
        shown.drain(..shown.len().saturating_sub(tail));
    }
    let mut text = String::new();
    for (_, at, line) in shown {
        if options.timestamps {
            text.push_str(&at.rfc3339_micro());
            text.push(' ');
        }
        text.push_str(line);
        text.push('\n');
    }
    if let Some(limit) = options.limit_bytes {
        let end = (0..=limit.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        text.truncate(end);
    }
    text
}
