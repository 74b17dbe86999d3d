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
use crate::api::status::{Reason, Status};
use crate::sim::{Output, ReplyBody, Wait};
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
            return Err(Stop::plain("pod, type/name or --filename must be specified"));
        }
        ([_], []) => return Err(Stop::plain("you must specify at least one command for the container")),
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
    let container = container_of(cx, &object, pod, args.text("container"), args.on("quiet"))?;
    let mut request = Request::new(Verb::Create, Kind::POD, object.meta.namespace.clone(), object.meta.name.clone());
    request.subresource = Subresource::Exec;
    let (input, types) = keyboard(cx, &args);
    let tty = args.on("tty") && types;
    if args.on("tty") && !types {
        cx.eprintln("Unable to use a TTY - input is not a terminal or the right kind of file");
    }
    request.payload =
        Payload::Exec(Box::new(ExecOptions { container, command: Arc::new(command), input, types, tty, ..ExecOptions::default() }));
    match stream(cx, request, None)? {
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

/// Prints the output of a session in a container until it ends, or collects it in `into`, and returns the session's exit code.
pub fn stream(cx: &mut Cx, request: Request, mut into: Option<&mut Output>) -> Run<i32> {
    let request = Arc::new(request);
    loop {
        match cx.wait_for(Wait::Session(request.clone()))? {
            ReplyBody::Session(pieces, code) => {
                let output = into.as_deref_mut().unwrap_or(&mut cx.output);
                pieces.iter().for_each(|(stream, text)| output.write(*stream, text));
                if let Some(code) = code {
                    return Ok(*code);
                }
            }
            ReplyBody::Response(response) => return Err(response.refusal().map_or_else(|| Stop::exit(1), refused)),
            _ => return Err(Stop::exit(1)),
        }
    }
}

/// Returns the error for a session that did not begin. An internal error comes over the session's error stream; every other refusal is the answer to the
/// request for the connection. Counterparts: `errorDecoderV4`, `SpdyRoundTripper.NewConnection`.
fn refused(status: &Status) -> Stop {
    let before = if status.reason == Reason::InternalError { "" } else { "unable to upgrade connection: " };
    Stop::plain(format!("{before}{}", status.message))
}

/// Returns the container that a command uses: the named one if the pod has it, otherwise the default, which is printed unless `quiet` if the pod has
/// several containers and no annotation that chooses one. Counterpart: `podcmd.FindOrDefaultContainerByName`.
pub fn container_of(cx: &mut Cx, object: &Object, pod: &Pod, wanted: Option<&str>, quiet: bool) -> Run<ArcStr> {
    let spec = &pod.spec;
    let groups = [(&spec.containers, ""), (&spec.ephemeral_containers, " (ephem)"), (&spec.init_containers, " (init)")];
    let all: Vec<_> = groups.into_iter().flat_map(|(list, note)| list.iter().map(move |c| (&c.name, note))).collect();
    let names = || all.iter().map(|(name, note)| format!("{name}{note}")).collect::<Vec<_>>().join(", ");
    if let Some(wanted) = wanted {
        let found = all.iter().find(|(name, _)| *name == wanted).map(|(name, _)| (*name).clone());
        let invalid = || Stop::plain(format!("container {wanted} is not valid for pod {} out of: {}", object.meta.name, names()));
        return found.ok_or_else(invalid);
    }
    let container = default_container(object, pod).unwrap_or_default();
    if !quiet && all.len() > 1 && object.meta.annotations.get(DEFAULT).is_none() {
        cx.eprintln(format!("Defaulted container \"{container}\" out of: {}", names()));
    }
    Ok(container)
}

/// Returns the container that a command uses if it names none.
pub fn default_container(object: &Object, pod: &Pod) -> Option<ArcStr> {
    let named = object.meta.annotations.get(DEFAULT).filter(|name| pod.spec.containers.iter().any(|c| c.name == ***name));
    named.cloned().or_else(|| pod.spec.containers.first().map(|c| c.name.clone()))
}
