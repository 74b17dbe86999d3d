//! Facts about the client and the server: `version`, `cluster-info`, `top`.

use super::errors::Failure;
use super::flags::{Args, Flag, command_first, switch, text};
use super::print::{Output, document};
use super::{Cx, Run};
use crate::api::json;
use crate::map;

/// The version of the client and of the server.
pub const VERSION: &str = "v1.36.4";

/// `kubectl version`
pub fn version(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("version", &[&[switch("client"), text("output").or('o')]], words)?;
    if !args.words.is_empty() {
        return Err(Failure::plain(format!("extra arguments: [{}]", args.words.join(" "))));
    }
    let output = match args.text("output") {
        None | Some("") => {
            cx.say(format!("Client Version: {VERSION}"));
            cx.say("Kustomize Version: v5.8.1");
            if !args.on("client") {
                cx.say(format!("Server Version: {VERSION}"));
            }
            return Ok(());
        }
        Some("yaml") => Output::Yaml,
        Some("json") => Output::Json,
        Some(_) => return Err(Failure::plain("--output must be 'yaml' or 'json'")),
    };
    let about = map! { "major" => "1", "minor" => "36", "gitVersion" => VERSION, "platform" => "linux/amd64" };
    let mut tree = map! { "clientVersion" => about.clone(), "kustomizeVersion" => "v5.8.1" };
    if !args.on("client") {
        tree.insert("serverVersion", about);
    }
    if output == Output::Json {
        cx.say(json::pretty(&tree.into(), 2));
    } else {
        document(cx, output, &tree);
    }
    Ok(())
}

/// `kubectl cluster-info`
pub fn cluster_info(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("cluster-info", &[], words)?;
    if args.words.first().is_some_and(|word| word == "dump") {
        return Err(Failure::plain("this playground has no \"kubectl cluster-info dump\""));
    }
    cx.say("Kubernetes control plane is running at https://kubernetes.example:6443");
    cx.say("\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.");
    Ok(())
}

const TOP: &[Flag] = &[
    text("selector").or('l'),
    text("field-selector"),
    text("sort-by"),
    switch("all-namespaces").or('A'),
    switch("containers"),
    switch("no-headers"),
    switch("sum"),
    switch("show-capacity"),
    switch("show-swap"),
    switch("use-protocol-buffers"),
];

/// `kubectl top`: fails as on a cluster without a metrics server.
pub fn top(_: &mut Cx, words: &[String]) -> Run {
    let words = command_first(words);
    let (what, rest) = words.split_first().map_or(("", words.as_slice()), |(what, rest)| (what.as_str(), rest));
    match what {
        "node" | "nodes" | "no" | "pod" | "pods" | "po" => {
            Args::read(&format!("top {}", if what.starts_with('n') { "node" } else { "pod" }), &[TOP], rest)?
        }
        "" => return Err(Failure::usage("top", "one of node, pod is required")),
        _ => return Err(Failure::usage("top", &format!("unknown command \"{}\"", words.join(" ")))),
    };
    Err(Failure::plain("Metrics API not available"))
}
