//! `kubectl cp`: copies the terminal's files into containers, and files of containers into the terminal. Counterpart: `kubectl/pkg/cmd/cp`.
//!
//! As with the real client, `tar` in the container does the work, so nothing can be copied from or to a container whose image lacks it.

use super::attachable::pod_of;
use super::errors::Stop;
use super::exec::{container_of, stream};
use super::flags::{Args, Flag, switch, takes, text};
use super::resource::Selection;
use super::{Cx, Run};
use crate::api::kind::Kind;
use crate::api::request::{ExecOptions, Payload, Request, Subresource, Verb};
use crate::api::tar::{self, Entry};
use crate::sim::{Effect, Output, Stream};
use std::sync::Arc;

const FLAGS: &[Flag] = &[text("container").or('c'), switch("no-preserve"), takes("retries", super::flags::Takes::Int)];

/// The source or the destination of a copy: a path in a pod, or without a pod the path of a file of the terminal.
struct Place<'a> {
    pod: Option<&'a str>,
    namespace: Option<&'a str>,
    path: &'a str,
}

fn place(word: &str) -> Result<Place<'_>, Stop> {
    let Some((pod, path)) = word.split_once(':') else { return Ok(Place { pod: None, namespace: None, path: word }) };
    match pod.split('/').collect::<Vec<_>>().as_slice() {
        [""] => Err(Stop::plain("filespec must match the canonical format: [[namespace/]pod:]file/path")),
        [pod] => Ok(Place { pod: Some(pod), namespace: None, path }),
        [namespace, pod] => Ok(Place { pod: Some(pod), namespace: Some(namespace), path }),
        _ => Err(Stop::plain("filespec must match the canonical format: [[namespace/]pod:]file/path")),
    }
}

/// Runs `kubectl cp SOURCE DESTINATION`.
pub fn cp(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("cp", &[FLAGS], words)?;
    let [from, to] = args.words.as_slice() else { return Err(Stop::plain("source and destination are required")) };
    let (from, to) = (place(from)?, place(to)?);
    if from.path.is_empty() || to.path.is_empty() {
        return Err(Stop::plain("filepath can not be empty"));
    }
    match (from.pod, to.pod) {
        (Some(_), Some(_)) => Err(Stop::plain("one of src or dest must be a local file specification")),
        (None, None) => Err(Stop::plain("one of src or dest must be a remote file specification")),
        (None, Some(_)) => into_pod(cx, &args, from.path, &to),
        (Some(_), None) => out_of_pod(cx, &args, &from, to.path),
    }
}

/// Runs a command in the pod of `place`. Returns the command's output and its exit code.
fn call(cx: &mut Cx, args: &Args, place: &Place, command: Vec<String>, input: Option<String>) -> Run<(Output, i32)> {
    let mut selection = Selection::of(cx, args)?;
    if let Some(namespace) = place.namespace {
        selection.namespace = namespace.into();
    }
    let (_, object) = pod_of(cx, &selection, place.pod.unwrap_or(""))?;
    let Some(pod) = object.pod() else { return Ok((Output::default(), 1)) };
    let container = container_of(cx, &object, pod, args.text("container"), false)?;
    let mut request = Request::new(Verb::Create, Kind::POD, object.meta.namespace.clone(), object.meta.name.clone());
    request.subresource = Subresource::Exec;
    let options = ExecOptions { container, command: Arc::new(command), input: input.map(Into::into), ..ExecOptions::default() };
    request.payload = Payload::Exec(Box::new(options));
    let mut output = Output::default();
    let code = stream(cx, request, Some(&mut output))?;
    Ok((output, code))
}

fn finished(cx: &mut Cx, output: &Output, code: i32) -> Run {
    if code == 0 {
        return Ok(());
    }
    cx.output.write(Stream::Err, &output.stderr());
    cx.eprintln(format!("command terminated with exit code {code}"));
    Err(Stop::exit(code))
}

fn last_part(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

fn into_pod(cx: &mut Cx, args: &Args, path: &str, to: &Place) -> Run {
    let plain = path.strip_prefix("./").unwrap_or(path);
    let folder = format!("{}/", plain.trim_end_matches('/'));
    let mut files: Vec<(String, String)> = Vec::new();
    for (name, text) in &cx.env.files {
        if name == plain {
            files.push((String::new(), text.clone()));
        } else if let Some(rest) = name.strip_prefix(&folder) {
            files.push((rest.to_owned(), text.clone()));
        }
    }
    if files.is_empty() {
        return Err(Stop::plain(format!("{path} doesn't exist in local filesystem")));
    }
    // If the destination is a directory, the copy goes into it under the name of the source.
    let (_, is_folder) = call(cx, args, to, ["test", "-d", to.path].map(str::to_owned).to_vec(), None)?;
    let target = if is_folder == 0 { format!("{}/{}", to.path.trim_end_matches('/'), last_part(plain)) } else { to.path.to_owned() };
    let (parent, name) = target.trim_end_matches('/').rsplit_once('/').unwrap_or(("", &target));
    let entries: Vec<Entry> = files
        .into_iter()
        .map(|(rest, text)| (if rest.is_empty() { name.to_owned() } else { format!("{name}/{rest}") }, Some(text)))
        .collect();
    let mut command = vec!["tar".to_owned(), "-xmf".to_owned(), "-".to_owned()];
    if !parent.is_empty() || target.starts_with('/') {
        command.extend(["-C".to_owned(), if parent.is_empty() { "/".to_owned() } else { parent.to_owned() }]);
    }
    let (output, code) = call(cx, args, to, command, Some(tar::pack(&entries)))?;
    finished(cx, &output, code)
}

fn out_of_pod(cx: &mut Cx, args: &Args, from: &Place, to: &str) -> Run {
    let command = ["tar", "cf", "-", from.path].map(str::to_owned).to_vec();
    let (output, code) = call(cx, args, from, command, None)?;
    finished(cx, &output, code)?;
    let Some(entries) = tar::unpack(&output.stdout()) else { return Err(Stop::plain("unexpected EOF")) };
    if from.path.starts_with('/') {
        cx.eprintln("tar: removing leading '/' from member names");
    }
    let root = from.path.trim_matches('/').to_owned();
    let to = to.strip_prefix("./").unwrap_or(to).trim_end_matches('/');
    for (path, text) in entries {
        let Some(text) = text else { continue };
        let rest = path.trim_start_matches('/').strip_prefix(root.as_str()).unwrap_or(&path).trim_start_matches('/').to_owned();
        let target = match (to, rest.as_str()) {
            ("" | ".", "") => last_part(&root).to_owned(),
            ("" | ".", rest) => format!("{}/{rest}", last_part(&root)),
            (to, "") => to.to_owned(),
            (to, rest) => format!("{to}/{rest}"),
        };
        cx.effects.push(Effect::Write { path: target, text });
    }
    Ok(())
}
