//! `kubectl auth`, and the user whom a command impersonates (`--as`). Without that flag the user is an admin who may do everything. Counterpart:
//! `kubectl/pkg/cmd/auth`.

use super::errors::Stop;
use super::flags::{Args, Flag, PRINT, switch, text};
use super::kinds::role::rule_rows;
use super::print::{Output, table, whole};
use super::{Cx, Run, api_resources, resource};
use crate::api::kind::Kind;
use crate::api::kind::role::access::{Attributes, KINDS, granted, is_allowed};
use crate::api::object::Object;
use crate::api::request::{Answer, Request, User, Verb};
use crate::map;
use arcstr::ArcStr;
use std::sync::Arc;

const CAN_I: &[Flag] =
    &[switch("all-namespaces").or('A'), switch("list"), switch("no-headers"), switch("quiet").or('q'), text("subresource")];

const USER: &str = "admin";
const GROUPS: [&str; 2] = ["system:masters", "system:authenticated"];

/// Runs `kubectl auth can-i VERB TYPE` and `kubectl auth whoami`.
pub fn auth(cx: &mut Cx, words: &[String]) -> Run {
    match words.split_first().map(|(what, rest)| (what.as_str(), rest)) {
        Some(("can-i", rest)) => can_i(cx, rest),
        Some(("whoami", rest)) => who_am_i(cx, rest),
        Some(("reconcile", _)) => {
            Err(Stop::plain("this playground has no \"kubectl auth reconcile\": apply the manifest of the roles instead"))
        }
        _ => Err(Stop::usage("auth", &format!("unknown command \"{}\"", words.join(" ")))),
    }
}

fn can_i(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("auth can-i", &[CAN_I], words)?;
    if args.on("list") {
        return list_rules(cx, &args);
    }
    let [_, what] = args.words.as_slice() else {
        let text = "you must specify two arguments: verb resource or verb resource/resourceName.";
        return Err(Stop::plain(format!("{text}\nSee 'kubectl auth can-i -h' for help and examples.")));
    };
    let plural = what.split('/').next().unwrap_or(what);
    if !what.starts_with('/') && plural != "*" {
        match api_resources::find(&cx.env.kinds, plural) {
            None => match plural.split_once('.') {
                None => cx.eprintln(format!("Warning: the server doesn't have a resource type '{plural}'\n")),
                Some((name, group)) => {
                    cx.eprintln(format!("Warning: the server doesn't have a resource type '{name}' in group '{group}'\n"))
                }
            },
            Some(served) if !served.namespaced && !args.on("all-namespaces") => {
                let group = if served.group().is_empty() { String::new() } else { format!(" in group '{}'", served.group()) };
                cx.eprintln(format!("Warning: resource '{}' is not namespace scoped{group}\n", served.plural));
            }
            Some(_) => {}
        }
    }
    let (verb, is_url) = (args.words.first().map_or("", String::as_str), what.starts_with('/'));
    let known: &[&str] = if is_url {
        &["*", "get", "post", "put", "delete", "patch", "head", "options"]
    } else {
        &[
            "*",
            "get",
            "list",
            "watch",
            "create",
            "update",
            "patch",
            "delete",
            "deletecollection",
            "use",
            "bind",
            "impersonate",
            "approve",
            "sign",
            "escalate",
            "attest",
        ]
    };
    if is_url && args.text("subresource").is_some_and(|part| !part.is_empty()) {
        return Err(Stop::plain("--subresource can not be used with NonResourceURL"));
    }
    if !known.contains(&verb) {
        cx.eprintln(format!("Warning: verb '{verb}' is not a known verb\n"));
    }
    if args.on("no-headers") {
        return Err(Stop::plain("--no-headers cannot be set without --list specified"));
    }
    let allowed = is_permitted(cx, &args, what)?;
    if !args.on("quiet") {
        cx.println(if allowed { "yes" } else { "no" });
    }
    if allowed { Ok(()) } else { Err(Stop::exit(1)) }
}

/// Lists what the user may do in a namespace. Counterpart: `CanIOptions.RunAccessList`.
fn list_rules(cx: &mut Cx, args: &Args) -> Run {
    if !args.words.is_empty() {
        return Err(Stop::plain("list option must be specified with no arguments"));
    }
    if args.on("quiet") || args.on("all-namespaces") || args.text("subresource").is_some_and(|part| !part.is_empty()) {
        return Err(Stop::plain("list option can't be specified with neither quiet, all-namespaces nor subresource options"));
    }
    let (namespace, _) = resource::namespace(cx, args);
    let user = cx.user.take();
    let objects = role_objects(cx, &namespace)?;
    let who = user.clone().unwrap_or_else(|| User { name: USER.into(), groups: GROUPS.map(ArcStr::from).to_vec() });
    cx.user = user;
    let list = |kind: Kind, _: &str| objects.iter().find(|(k, _)| *k == kind).map_or_else(Vec::new, |(_, found)| found.clone());
    let head = ["Resources", "Non-Resource URLs", "Resource Names", "Verbs"].map(str::to_owned).to_vec();
    let mut rows = if args.on("no-headers") { Vec::new() } else { vec![head] };
    rows.extend(rule_rows(&granted(&who, &namespace, &list)));
    cx.print(&table(&rows));
    Ok(())
}

/// Reads the roles and bindings that matter in a namespace.
fn role_objects(cx: &mut Cx, namespace: &str) -> Run<Vec<(Kind, Vec<Arc<Object>>)>> {
    let mut objects = Vec::new();
    for kind in KINDS {
        let place = if kind.row().namespaced { namespace } else { "" };
        if let Answer::List(listing) = cx.request(Request::new(Verb::List, kind, place, ""))? {
            objects.push((kind, listing.items.clone()));
        }
    }
    Ok(objects)
}

/// Returns whether the RBAC roles and bindings allow the user of `--as` to do something; without `--as` everything is allowed.
fn is_permitted(cx: &mut Cx, args: &Args, what: &str) -> Run<bool> {
    let Some(user) = cx.user.take() else { return Ok(true) };
    let (resource, name) = what.split_once('/').unwrap_or((what, ""));
    let served = api_resources::find(&cx.env.kinds, resource);
    let (namespace, _) = resource::namespace(cx, args);
    let namespace = if args.on("all-namespaces") || served.as_ref().is_some_and(|s| !s.namespaced) { "" } else { namespace.as_str() };
    let objects = role_objects(cx, namespace)?;
    let wanted = Attributes {
        verb: args.words.first().map_or("", String::as_str),
        group: served.as_ref().map_or("", |s| s.group()),
        resource: served.as_ref().map_or(resource, |s| s.plural),
        subresource: args.text("subresource").unwrap_or(""),
        namespace,
        name,
    };
    let list = |kind: Kind, _: &str| objects.iter().find(|(k, _)| *k == kind).map_or_else(Vec::new, |(_, found)| found.clone());
    let allowed = is_allowed(&user, &wanted, &list);
    cx.user = Some(user);
    Ok(allowed)
}

/// Returns the user that `--as` and `--as-group` name; `None` without `--as`.
pub fn impersonated(words: &[String]) -> Option<User> {
    let before_program = words.iter().position(|w| w == "--").unwrap_or(words.len());
    let words = &words[..before_program];
    let values = |flag: &str| -> Vec<ArcStr> {
        let joined = format!("{flag}=");
        let mut found = Vec::new();
        for (i, word) in words.iter().enumerate() {
            if word == flag {
                found.extend(words.get(i + 1).map(|w| ArcStr::from(w.as_str())));
            } else if let Some(value) = word.strip_prefix(&joined) {
                found.push(value.into());
            }
        }
        found
    };
    let name = values("--as").pop().filter(|name| !name.is_empty())?;
    Some(User { name, groups: values("--as-group") })
}

fn who_am_i(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("auth whoami", &[PRINT], words)?;
    let output = Output::of(&args, false)?;
    let user = cx.user.clone();
    let name = user.as_ref().map_or(USER, |u| u.name.as_str());
    let groups: Vec<&str> = match &user {
        None => GROUPS.to_vec(),
        Some(user) => user.groups.iter().map(ArcStr::as_str).chain(["system:authenticated"]).collect(),
    };
    if output != Output::Human {
        let groups: Vec<_> = groups.iter().map(|g| (*g).into()).collect();
        let review = map! {
            "apiVersion" => "authentication.k8s.io/v1",
            "kind" => "SelfSubjectReview",
            "metadata" => map! { "creationTimestamp" => cx.now.rfc3339() },
            "status" => map! { "userInfo" => map! { "username" => name, "groups" => groups } },
        };
        return whole(cx, output, &review);
    }
    let row = |a: &str, b: String| vec![a.to_owned(), b];
    let rows = [row("ATTRIBUTE", "VALUE".into()), row("Username", name.into()), row("Groups", format!("[{}]", groups.join(" ")))];
    cx.print(&table(&rows));
    Ok(())
}
