//! `kubectl logs`. Counterpart: `kubectl/pkg/cmd/logs`.
//!
//! The control-plane components have no pods here; with `-n kube-system` their logs can be read by the names and labels of kubeadm's static pods.

use super::attachable::{pods_behind, sort};
use super::errors::Stop;
use super::exec::container_of;
use super::flags::{Args, Flag, Takes, switch, takes, text};
use super::resource::{self, Selection};
use super::{Cx, Failures, Run, run_program};
use crate::api::kind::pod::Pod;
use crate::api::kind::{Kind, PodSelector};
use crate::api::object::Object;
use crate::api::request::{Answer, LogOptions, Payload, Request, Subresource, Verb};
use crate::api::selector::Selector;
use crate::api::time::Time;
use crate::sim::{Program, Progress, Reply, ReplyBody, Start, Wait, component_pods};
use arcstr::ArcStr;
use std::sync::Arc;

pub const FLAGS: &[Flag] = &[
    switch("follow").or('f'),
    switch("previous").or('p'),
    takes("tail", Takes::Int),
    text("container").or('c'),
    text("selector").or('l'),
    switch("all-containers"),
    switch("all-pods"),
    switch("prefix"),
    switch("timestamps"),
    takes("since", Takes::Duration),
    text("since-time"),
    takes("limit-bytes", Takes::Int),
    takes("max-log-requests", Takes::Int),
    switch("ignore-errors"),
    switch("insecure-skip-tls-verify-backend"),
    text("pod-running-timeout"),
];

/// A log to read, by the names of its pod and container.
struct Source {
    pod: ArcStr,
    container: ArcStr,
}

/// Runs `kubectl logs POD|TYPE/NAME [-c CONTAINER]`.
pub fn logs(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("logs", &[FLAGS], words)?;
    let selector = args.text("selector");
    match (args.words.as_slice(), selector) {
        ([], None) => return Err(usage("logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]")),
        ([], Some(_)) | ([_], None) => {}
        ([_, _], _) => {}
        ([_], Some(_)) => return Err(Stop::usage("logs", "only a selector (-l) or a POD name is allowed")),
        _ => return Err(usage("logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]")),
    }
    let namespace = resource::namespace(cx, &args).0;
    let (sources, options) = sources(cx, &args, &namespace)?;
    let most = args.int("max-log-requests").unwrap_or(5).max(1) as usize;
    if args.on("follow") && sources.len() > most {
        let text = format!(
            "you are attempting to follow {} log streams, but maximum allowed concurrency is {most}, use --max-log-requests to increase the limit",
            sources.len()
        );
        return Err(Stop::plain(text));
    }
    let prefixes: Vec<String> =
        sources.iter().map(|s| if args.on("prefix") { format!("[pod/{}/{}] ", s.pod, s.container) } else { String::new() }).collect();
    let requests: Vec<Request> = sources.iter().map(|source| request(&namespace, source, &options)).collect();
    if options.follow && !requests.is_empty() {
        check(cx, &requests)?;
        return Err(Stop::hand_over(Arc::new(Follow { requests: Arc::new(requests), prefixes: Arc::new(prefixes) })));
    }
    let mut failures = Failures::default();
    for (request, prefix) in requests.into_iter().zip(&prefixes) {
        cx.purpose = "to read the log";
        let answer = cx.request(request);
        if let Some(Answer::Text(text)) = failures.keep(answer)? {
            print(cx, prefix, text);
        }
    }
    if args.on("ignore-errors") {
        failures.0.drain(..).for_each(|f| cx.output.err(&f.text()));
    }
    failures.finish()
}

fn usage(expected: &str) -> Stop {
    Stop::plain(format!(
        "expected '{expected}'.\nPOD or TYPE/NAME is a required argument for the logs command\nSee 'kubectl logs -h' for help and examples"
    ))
}

/// Reads the flags, after the object is known to exist.
fn options(args: &Args, now: Time) -> Result<LogOptions, Stop> {
    let several = args.text("selector").is_some();
    if args.text("container").is_some() && args.words.len() == 2 {
        return Err(Stop::plain("only one of -c or an inline [CONTAINER] arg is allowed"));
    }
    if args.int("limit-bytes").is_some_and(|bytes| bytes < 0) {
        return Err(Stop::plain("--limit-bytes must be greater than 0"));
    }
    if let Some(container) = args.text("container").filter(|_| args.on("all-containers")) {
        return Err(Stop::plain(format!("--all-containers=true should not be specified with container name {container}")));
    }
    let tail = args.int("tail").or(several.then_some(10)).filter(|lines| *lines != -1);
    if tail.is_some_and(|lines| lines < 0) {
        return Err(Stop::plain("--tail must be greater than or equal to -1"));
    }
    let since_seconds = match (args.text("since"), args.text("since-time")) {
        (Some(_), Some(_)) => return Err(Stop::plain("at most one of `sinceTime` or `sinceSeconds` may be specified")),
        (Some(_), None) => match args.duration("since").map_or(0, |span| span.as_secs()) {
            seconds if seconds < 0 => return Err(Stop::plain("--since must be greater than 0")),
            seconds => Some(seconds),
        },
        (None, Some(time)) => {
            Some((now - Time::parse(time).ok_or_else(|| Stop::plain(format!("cannot parse \"{time}\" as a time")))?).as_secs())
        }
        (None, None) => None,
    };
    Ok(LogOptions {
        container: ArcStr::default(),
        previous: args.on("previous"),
        tail: tail.map(|lines| lines as usize),
        since_seconds,
        limit_bytes: args.int("limit-bytes").filter(|n| *n > 0).map(|n| n as usize),
        timestamps: args.on("timestamps"),
        // What has ended does not go on.
        follow: args.on("follow") && !args.on("previous"),
    })
}

fn request(namespace: &ArcStr, source: &Source, options: &LogOptions) -> Request {
    let mut request = Request::new(Verb::Get, Kind::POD, namespace.clone(), source.pod.clone());
    request.subresource = Subresource::Log;
    request.payload = Payload::Log(Box::new(LogOptions { container: source.container.clone(), ..options.clone() }));
    request
}

/// Requests each log once without any lines, so that a log that cannot be read fails before it is followed.
fn check(cx: &mut Cx, requests: &[Request]) -> Run {
    for request in requests {
        let mut once = request.clone();
        if let Payload::Log(options) = &mut once.payload {
            (options.follow, options.tail) = (false, Some(0));
        }
        cx.purpose = "to see whether there is a log";
        cx.request(once)?;
    }
    Ok(())
}

/// Returns the pods and containers whose logs are to be read, and how.
fn sources(cx: &mut Cx, args: &Args, namespace: &ArcStr) -> Run<(Vec<Source>, LogOptions)> {
    if let Some(components) = components(args, namespace)? {
        return Ok((components, options(args, cx.now)?));
    }
    let selection = Selection::of(cx, args)?;
    let pods: Vec<Arc<Object>> = match args.words.first() {
        None => {
            let pods = selection.list(cx, Kind::POD)?;
            if pods.is_empty() {
                cx.eprintln(format!("No resources found in {namespace} namespace."));
            }
            pods
        }
        Some(word) => named(cx, args, &selection, word)?,
    };
    let options = options(args, cx.now)?;
    let mut sources = Vec::new();
    for object in &pods {
        let Some(pod) = object.pod() else { continue };
        let container = args.text("container").or(args.words.get(1).map(String::as_str));
        let containers = containers(cx, args, object, pod, container)?;
        sources.extend(containers.into_iter().map(|container| Source { pod: object.meta.name.clone(), container }));
    }
    Ok((sources, options))
}

fn named(cx: &mut Cx, args: &Args, selection: &Selection, word: &str) -> Run<Vec<Arc<Object>>> {
    let target = resource::pod_or(&cx.env.kinds, word)?;
    let object = match selection.read(cx, &target) {
        Err(stop) if stop.is_not_found() => {
            let text = format!("error from server (NotFound): {} in namespace \"{}\"", stop.message(), selection.namespace);
            return Err(Stop::plain(text));
        }
        found => found?.remove(0),
    };
    options(args, cx.now)?;
    if object.pod().is_some() {
        return Ok(vec![object]);
    }
    let Some(mut pods) = pods_behind(cx, &object)? else {
        let row = object.kind().row();
        let of_type = format!("*{}.{}", row.version, row.name);
        let why = match row.pod_selector {
            PodSelector::Labels => format!("invalid service '{}': Service is defined without a selector", object.meta.name),
            _ => format!("selector for {of_type} not implemented"),
        };
        return Err(Stop::plain(format!("cannot get the logs from {of_type}: {why}")));
    };
    if args.on("all-pods") {
        return Ok(pods);
    }
    sort(&mut pods);
    match pods.len() {
        0 => Err(Stop::plain("timed out waiting for the condition")),
        1 => Ok(pods),
        count => {
            cx.eprintln(format!("Found {count} pods, using pod/{}", pods[0].meta.name));
            pods.truncate(1);
            Ok(pods)
        }
    }
}

fn containers(cx: &mut Cx, args: &Args, object: &Object, pod: &Pod, wanted: Option<&str>) -> Run<Vec<ArcStr>> {
    if wanted.is_none() && args.on("all-containers") {
        let all = pod.spec.init_containers.iter().chain(&pod.spec.containers).chain(&pod.spec.ephemeral_containers);
        return Ok(all.map(|c| c.name.clone()).collect());
    }
    Ok(vec![container_of(cx, object, pod, wanted, args.on("all-pods"))?])
}

/// Returns the logs of the control-plane components that the command names or selects; `None` if it names none.
fn components(args: &Args, namespace: &ArcStr) -> Result<Option<Vec<Source>>, Stop> {
    if namespace != "kube-system" {
        return Ok(None);
    }
    let all = component_pods(1);
    let chosen: Vec<_> = match (args.text("selector"), args.words.first()) {
        (Some(labels), _) => {
            let selector = Selector::parse(labels).map_err(|e| Stop::plain(e.to_string()))?;
            let labels_of = |component: &'static str| [("component".into(), component.into()), ("tier".into(), "control-plane".into())];
            all.into_iter().filter(|(component, _)| selector.matches(&labels_of(component))).collect()
        }
        (None, Some(word)) => {
            let name = word.strip_prefix("pod/").or(word.strip_prefix("pods/")).unwrap_or(word);
            all.into_iter().filter(|(_, pod)| pod == name).collect()
        }
        (None, None) => Vec::new(),
    };
    let sources = chosen.into_iter().map(|(component, pod)| Source { pod, container: component.into() });
    Ok(Some(sources.collect::<Vec<_>>()).filter(|s| !s.is_empty()))
}

fn print(cx: &mut Cx, prefix: &str, text: &str) {
    if prefix.is_empty() {
        return cx.print(text);
    }
    for line in text.lines() {
        cx.println(format!("{prefix}{line}"));
    }
}

/// The program that follows logs until they end.
#[derive(Clone, Debug)]
struct Follow {
    requests: Arc<Vec<Request>>,
    prefixes: Arc<Vec<String>>,
}

impl Program for Follow {
    fn run(&self, start: &Start, _now: Time, replies: &[Reply]) -> Progress {
        run_program(start, replies, |cx| self.turn(cx))
    }
    fn title(&self) -> String {
        "follow logs".to_owned()
    }
}

impl Follow {
    fn turn(&self, cx: &mut Cx) -> Run {
        let ReplyBody::Text(pieces, over) = cx.wait_for(Wait::Follow(self.requests.clone()))? else { return Ok(()) };
        for (i, text) in pieces.iter() {
            print(cx, self.prefixes.get(*i).map_or("", String::as_str), text);
        }
        if *over { Ok(()) } else { Err(Stop::hand_over(Arc::new(self.clone()))) }
    }
}
