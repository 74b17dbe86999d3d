//! `kubectl exec`. Counterpart: `kubectl/pkg/cmd/exec`.

use super::attachable::pod_of;
use super::errors::Stop;
use super::flags::{Args, FILES, Flag, switch, text};
use super::resource::Selection;
use super::{Cx, Run};
use crate::api::kind::Kind;
use crate::api::kind::pod::Pod;
use crate::api::object::Object;
use crate::api::request::{ExecOptions, Payload, Request, Subresource, Verb};
use crate::sim::{ReplyBody, Wait};
use arcstr::ArcStr;
use std::sync::Arc;

pub const FLAGS: &[Flag] =
    &[text("container").or('c'), switch("stdin").or('i'), switch("tty").or('t'), switch("quiet").or('q'), text("pod-running-timeout")];

const DEFAULT: &str = "kubectl.kubernetes.io/default-container";

/// Runs `kubectl exec POD [-c CONTAINER] -- COMMAND [args…]`.
pub fn exec(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("exec", &[FLAGS, FILES], words)?;
    let (pod, command) = match (args.words.as_slice(), args.after_dashes.as_slice()) {
        ([], _) => {
            return Err(Stop::usage("exec", "pod, type/name or --filename must be specified"));
        }
        ([_], []) => return Err(Stop::usage("exec", "you must specify at least one command for the container")),
        ([_, ..], []) => {
            let text = "exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead";
            return Err(Stop::usage("exec", text));
        }
        ([pod], command) => (pod, command.to_vec()),
        _ => return Err(Stop::usage("exec", "expected 'exec (POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...]'.")),
    };
    let selection = Selection::of(cx, &args)?;
    let (_, object) = pod_of(cx, &selection, pod)?;
    let Some(pod) = object.pod() else { return Ok(()) };
    if pod.status.phase.is_terminal() {
        let text = format!("cannot exec into a container in a completed pod; current phase is {}", pod.status.phase.text());
        return Err(Stop::plain(text));
    }
    let container = match args.text("container") {
        Some(name) => name.into(),
        None => {
            if let Some(line) = defaulted(&object, pod).filter(|_| !args.on("quiet")) {
                cx.eprintln(line);
            }
            default_container(&object, pod).unwrap_or_default()
        }
    };
    let mut request = Request::new(Verb::Create, Kind::POD, object.meta.namespace.clone(), object.meta.name.clone());
    request.subresource = Subresource::Exec;
    let (input, types) = keyboard(cx, &args);
    let tty = args.on("tty") && types;
    if args.on("tty") && !types {
        cx.eprintln("Unable to use a TTY - input is not a terminal or the right kind of file");
    }
    request.payload = Payload::Exec(Box::new(ExecOptions { container, command: Arc::new(command), input, types, tty, attach: false }));
    match stream(cx, request)? {
        0 => Ok(()),
        code => {
            cx.eprintln(format!("command terminated with exit code {code}"));
            Err(Stop::exit(code))
        }
    }
}

/// Returns the text of the standard input for `-i`, and whether the person types the input instead.
pub fn keyboard(cx: &Cx, args: &Args) -> (Option<ArcStr>, bool) {
    match (args.on("stdin"), cx.stdin) {
        (false, _) => (None, false),
        (true, "") => (None, true),
        (true, text) => (Some(text.into()), false),
    }
}

/// Prints the output of a session in a container until it ends, and returns its exit code.
pub fn stream(cx: &mut Cx, request: Request) -> Result<i32, Stop> {
    let request = Arc::new(request);
    loop {
        match cx.wait_for(Wait::Session(request.clone()))? {
            ReplyBody::Session(pieces, code) => {
                pieces.iter().for_each(|(stream, text)| cx.output.write(*stream, text));
                if let Some(code) = code {
                    return Ok(*code);
                }
            }
            ReplyBody::Response(response) => return Err(response.refusal().map_or_else(|| Stop::exit(1), Stop::server)),
            _ => return Err(Stop::exit(1)),
        }
    }
}

/// Returns the container that a command uses if it names none.
pub fn default_container(object: &Object, pod: &Pod) -> Option<ArcStr> {
    let named = object.meta.annotations.get(DEFAULT).filter(|name| pod.spec.containers.iter().any(|c| c.name == ***name));
    named.cloned().or_else(|| pod.spec.containers.first().map(|c| c.name.clone()))
}

/// Returns the message that tells which container was chosen, if the pod has several containers and no annotation that chooses one.
pub fn defaulted(object: &Object, pod: &Pod) -> Option<String> {
    let all = || pod.spec.containers.iter().map(|c| (c, "")).chain(pod.spec.init_containers.iter().map(|c| (c, " (init)")));
    if all().count() < 2 || object.meta.annotations.get(DEFAULT).is_some() {
        return None;
    }
    let names: Vec<String> = all().map(|(c, note)| format!("{}{note}", c.name)).collect();
    Some(format!("Defaulted container \"{}\" out of: {}", default_container(object, pod)?, names.join(", ")))
}
