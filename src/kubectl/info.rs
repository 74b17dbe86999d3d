//! Facts about the client and the server: `version`, `cluster-info`, `completion`.

use super::errors::Stop;
use super::flags::{Args, switch, text};
use super::print::{Output, document};
use super::{Cx, Run};
use crate::api::json;
use crate::map;

/// The Kubernetes version of the client and of the server.
pub const VERSION: &str = crate::apiserver::VERSION;

/// Runs `kubectl version`.
pub fn version(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("version", &[&[switch("client"), text("output").or('o')]], words)?;
    if !args.words.is_empty() {
        return Err(Stop::plain(format!("extra arguments: [{}]", args.words.join(" "))));
    }
    let output = match args.text("output") {
        None | Some("") => {
            cx.println(format!("Client Version: {VERSION}"));
            cx.println("Kustomize Version: v5.8.1");
            if !args.on("client") {
                cx.println(format!("Server Version: {VERSION}"));
            }
            return Ok(());
        }
        Some("yaml") => Output::Yaml,
        Some("json") => Output::Json,
        Some(_) => return Err(Stop::plain("--output must be 'yaml' or 'json'")),
    };
    let about = map! { "major" => "1", "minor" => "36", "gitVersion" => VERSION, "platform" => "linux/amd64" };
    let mut tree = map! { "clientVersion" => about.clone(), "kustomizeVersion" => "v5.8.1" };
    if !args.on("client") {
        tree.insert("serverVersion", about);
    }
    if output == Output::Json {
        cx.println(json::pretty(&tree.into(), 2));
    } else {
        document(cx, output, &tree);
    }
    Ok(())
}

/// Runs `kubectl cluster-info`.
pub fn cluster_info(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("cluster-info", &[], words)?;
    if args.words.first().is_some_and(|word| word == "dump") {
        return Err(Stop::plain("this playground has no \"kubectl cluster-info dump\""));
    }
    cx.println("Kubernetes control plane is running at https://kubernetes.example:6443");
    cx.println("\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.");
    Ok(())
}

/// Runs `kubectl completion SHELL`: the terminal completes by itself, so the printed script only says so.
pub fn completion(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("completion", &[], words)?;
    match args.words.as_slice() {
        [] => Err(Stop::usage("completion", "Shell not specified.")),
        [shell] if matches!(shell.as_str(), "bash" | "zsh" | "fish" | "powershell") => {
            cx.println(format!("# {shell} completion for kubectl: nothing to load, this terminal completes commands and names with Tab."));
            Ok(())
        }
        [shell] => Err(Stop::usage("completion", &format!("Unsupported shell type \"{shell}\"."))),
        _ => Err(Stop::usage("completion", "Too many arguments. Expected only the shell type.")),
    }
}
