//! `kubectl set`: image, env, resources, selector, serviceaccount, subject. Counterpart: `kubectl/pkg/cmd/set`.
//!
//! Simplification: with `--local` the manifest is printed as it was written, without the empty fields that Go's types add.

use super::errors::Stop;
use super::flags::{Args, Flag, NAMED, OUTPUT, RECORD, Takes, command_first, switch, takes, text};
use super::label_annotate::{label_selector, need_resources, split_pairs};
use super::print::{DryRun, Output, report};
use super::resource::each;
use super::rollout::record;
use super::{Cx, Failures, Run, create_policy, manifest};
use crate::api::kind::{Kind, PodSelector};
use crate::api::meta_rules::maps;
use crate::api::quantity::Quantity;
use crate::api::request::{PatchType, Request};
use crate::api::value::{Map, Value};
use crate::api::{merge, names};
use crate::map;
use arcstr::ArcStr;

const FLAGS: &[Flag] = &[text("selector").or('l'), switch("all"), switch("local"), RECORD];
const ENV: &[Flag] = &[
    text("containers").or('c'),
    text("env").or('e'),
    text("from"),
    text("keys"),
    text("prefix"),
    switch("list"),
    takes("overwrite", Takes::Nothing),
    switch("resolve"),
];
const RESOURCES: &[Flag] = &[text("containers").or('c'), text("requests"), text("limits")];

/// Runs `kubectl set WHAT …`.
pub fn set(cx: &mut Cx, words: &[String]) -> Run {
    let words = command_first(words);
    match words.split_first().map(|(what, rest)| (what.as_str(), rest)) {
        Some(("image", rest)) => image(cx, rest),
        Some(("env", rest)) => env(cx, rest),
        Some(("resources", rest)) => resources(cx, rest),
        Some(("selector", rest)) => selector(cx, rest),
        Some(("serviceaccount" | "sa", rest)) => service_account(cx, rest),
        Some(("subject", rest)) => subject(cx, rest),
        Some(_) => Err(Stop::usage("set", &format!("unknown command \"{}\"", words.join(" ")))),
        None => Err(Stop::usage("set", "Required resource not specified.")),
    }
}

/// An object that a command changes: live, or with `--local` as a manifest has it.
pub struct Target {
    /// The kind of the object.
    pub kind: Kind,
    /// The namespace of the object.
    pub namespace: ArcStr,
    /// The name of the object.
    pub name: ArcStr,
    /// The object as a tree.
    pub tree: Map,
}

/// Calls `act` with each object that a command names, continuing after failures.
pub fn each_target(cx: &mut Cx, args: &Args, words: &[String], mut act: impl FnMut(&mut Cx, &Target) -> Run) -> Run {
    if !args.on("local") {
        return each(cx, args, words, |cx, object| {
            let meta = &object.meta;
            let (namespace, name) = (meta.namespace.clone(), meta.name.clone());
            act(cx, &Target { kind: object.kind(), namespace, name, tree: object.to_map() })
        });
    }
    let (items, mut failures) = manifest::read(cx, args);
    for item in items {
        let done = act(cx, &Target { kind: item.kind, namespace: item.namespace, name: item.name, tree: item.object });
        failures.keep(done)?;
    }
    failures.finish()
}

/// Reads all objects that a command names, before any of them is changed.
fn targets(cx: &mut Cx, args: &Args, words: &[String]) -> Run<Vec<Target>> {
    Output::of(args, false)?;
    DryRun::of(args)?;
    if args.on("local") && (!words.is_empty() || !args.has_manifest()) {
        return Err(Stop::plain(
            "you must specify resources by --filename when --local is set.\nExample resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'",
        ));
    }
    if args.on("local") && args.text("dry-run") == Some("server") {
        return Err(Stop::plain("cannot specify --local and --dry-run=server - did you mean --dry-run=client?"));
    }
    let mut all = Vec::new();
    each_target(cx, args, words, |_, target| {
        let Target { kind, namespace, name, tree } = target;
        all.push(Target { kind: *kind, namespace: namespace.clone(), name: name.clone(), tree: tree.clone() });
        Ok(())
    })?;
    Ok(all)
}

fn image(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("set image", &[NAMED, OUTPUT, FLAGS], words)?;
    let (resources, pairs) = split_pairs(&args.words, "image")?;
    let targets = targets(cx, &args, &resources)?;
    let pairs: Vec<(&str, &str)> = pairs.iter().filter_map(|pair| pair.split_once('=')).collect();
    if pairs.is_empty() {
        return Err(Stop::plain("at least one image update is required"));
    }
    if pairs.len() > 1 && pairs.iter().any(|(name, _)| *name == "*") {
        return Err(Stop::plain("all containers are already specified by *, but saw more than one container_name=container_image pairs"));
    }
    change(cx, &args, targets, "image updated", "failed to patch image update to pod template: ", |containers| {
        let mut absent = Vec::new();
        for (name, image) in &pairs {
            let mut found = false;
            for container in containers.iter_mut().filter(|c| *name == "*" || c.str("name") == *name) {
                container.insert("image", *image);
                found = true;
            }
            if !found {
                absent.push(format!("error: unable to find container named \"{name}\""));
            }
        }
        Ok(absent)
    })
}

fn env(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("set env", &[NAMED, OUTPUT, FLAGS, ENV], words)?;
    args.refuse("set env", &["resolve"])?;
    let (mut resources, mut pairs) = split_pairs(&args.words, "environment")?;
    resources.retain(|word| word != "-");
    need_resources(&args, &resources)?;
    if args.on("list") && args.text("output").is_some() {
        return Err(Stop::plain("--list and --output may not be specified together"));
    }
    if args.text("keys").is_some() && args.text("from").is_none() {
        return Err(Stop::plain("when specifying --keys, a configmap or secret must be provided with --from"));
    }
    pairs.splice(0..0, args.all("env").into_iter().map(str::to_owned));
    let (mut set, removed) = variables(&pairs)?;
    if let Some(from) = args.text("from") {
        set.extend(references(cx, &args, from)?);
    }
    let prefix = args.text("prefix").unwrap_or("");
    for variable in &mut set {
        let name = format!("{prefix}{}", variable.str("name"));
        variable.insert("name", name);
    }
    let targets = targets(cx, &args, &resources)?;
    let chosen = args.text("containers").unwrap_or("*");
    for target in &targets {
        let Some(spec) = pod_spec(target.kind, &target.tree) else { continue };
        let mut containers = maps(spec.list("containers")).chain(maps(spec.list("initContainers")));
        if !containers.any(|(_, c)| chosen == "*" || c.str("name") == chosen) {
            let object = format!("{}/{}", target.kind.row().name, target.name);
            cx.eprintln(format!("Warning: {object} does not have any containers matching \"{chosen}\""));
        }
    }
    if args.on("list") {
        targets.iter().for_each(|target| list_env(cx, target, chosen, &set, &removed));
        return Ok(());
    }
    let overwrite = args.text("overwrite") != Some("false");
    change(cx, &args, targets, "env updated", "failed to patch env update to pod template: ", |containers| {
        for container in containers.iter_mut().filter(|c| chosen == "*" || c.str("name") == chosen) {
            let held = |name: &str| maps(container.list("env")).find(|(_, v)| v.str("name") == name).map(|(_, v)| v.str("value"));
            for variable in set.iter().filter(|_| !overwrite) {
                let name = variable.str("name");
                if let Some(held) = held(name).filter(|held| *held != variable.str("value")) {
                    return Err(format!("'{name}' already has a value ({held}), and --overwrite is false"));
                }
            }
            match updated(container.list("env"), &set, &removed) {
                vars if vars.is_empty() => {
                    container.remove("env");
                }
                vars => {
                    container.insert("env", vars);
                }
            }
        }
        Ok(Vec::new())
    })
}

/// Parses `A=b` and `A-` into variables to set and names to remove. Counterpart: `env.ParseEnv`.
fn variables(pairs: &[String]) -> Result<(Vec<Map>, Vec<&str>), Stop> {
    let (mut set, mut removed) = (Vec::new(), Vec::new());
    for pair in pairs {
        match pair.split_once('=') {
            Some((key, value)) => {
                let problems = names::strict_env_name(key);
                if !problems.is_empty() {
                    return Err(Stop::plain(format!("\"{key}\" is not a valid key name: {}", problems.join(";"))));
                }
                set.push(map! { "name" => key, "value" => value });
            }
            None => removed.push(pair.strip_suffix('-').unwrap_or(pair)),
        }
    }
    if set.iter().any(|variable| removed.contains(&variable.str("name"))) {
        return Err(Stop::plain("can not both modify and remove the same environment variable in the same command"));
    }
    Ok((set, removed))
}

/// Returns a variable for each key of the ConfigMap or Secret that `--from` names.
fn references(cx: &mut Cx, args: &Args, from: &str) -> Run<Vec<Map>> {
    let (mut found, wanted) = (Vec::new(), args.list("keys"));
    each(cx, args, &[from.to_owned()], |cx, object| {
        let field = match object.kind() {
            Kind::SECRET => "secretKeyRef",
            Kind::CONFIG_MAP => "configMapKeyRef",
            _ => return Err(Stop::plain("unsupported resource specified in --from")),
        };
        let tree = object.to_map();
        for key in tree
            .map("data")
            .into_iter()
            .flat_map(Map::iter)
            .map(|(key, _)| key)
            .filter(|k| wanted.is_empty() || wanted.contains(&k.as_str()))
        {
            let letter = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c.to_ascii_uppercase() } else { '_' };
            let name: String = key.chars().map(letter).collect();
            if name != *key {
                cx.eprintln(format!("Warning: key {key} transferred to {name}"));
            }
            let reference = map! { "name" => &object.meta.name, "key" => key.clone() };
            found.push(map! { "name" => name, "valueFrom" => map! { field => reference } });
        }
        Ok(())
    })?;
    Ok(found)
}

/// Returns a list of variables after a change: those that are set keep their place, new ones come last. Counterpart: `updateEnv`.
fn updated(held: &[Value], set: &[Map], removed: &[&str]) -> Vec<Value> {
    let mut done = removed.to_vec();
    let mut out = Vec::new();
    for (_, old) in maps(held).chain(set.iter().enumerate()) {
        let name = old.str("name");
        if done.contains(&name) {
            continue;
        }
        let newer = set.iter().find(|variable| variable.str("name") == name);
        if newer.is_some() {
            done.push(name);
        }
        out.push(newer.unwrap_or(old).clone().into());
    }
    out
}

fn list_env(cx: &mut Cx, target: &Target, chosen: &str, set: &[Map], removed: &[&str]) {
    let Some(spec) = pod_spec(target.kind, &target.tree) else { return };
    for (_, container) in maps(spec.list("containers")).chain(maps(spec.list("initContainers"))) {
        if chosen != "*" && container.str("name") != chosen {
            continue;
        }
        cx.println(format!("# {} {}, container {}", target.kind.row().name, target.name, container.str("name")));
        for (_, var) in maps(&updated(container.list("env"), set, removed)) {
            match var.map("valueFrom") {
                None => cx.println(format!("{}={}", var.str("name"), var.str("value"))),
                Some(from) => cx.println(format!("# {} from {}", var.str("name"), source_text(from))),
            }
        }
    }
}

/// Names the source of a variable. Counterpart: `env.GetEnvVarRefString`.
fn source_text(from: &Map) -> String {
    let part = |key: &str, what: &str| Some(format!("{what} {}, key {}", from.map(key)?.str("name"), from.map(key)?.str("key")));
    let field = || Some(format!("field path {}", from.map("fieldRef")?.str("fieldPath")));
    let resource = || {
        let field = from.map("resourceFieldRef")?;
        let container = field.str("containerName");
        Some(format!("resource field {container}{}{}", if container.is_empty() { "" } else { "/" }, field.str("resource")))
    };
    let found = part("configMapKeyRef", "configmap").or_else(|| part("secretKeyRef", "secret")).or_else(field).or_else(resource);
    found.unwrap_or_else(|| "invalid valueFrom".to_owned())
}

fn resources(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("set resources", &[NAMED, OUTPUT, FLAGS, RESOURCES], words)?;
    let targets = targets(cx, &args, &args.words)?;
    if args.text("requests").is_none() && args.text("limits").is_none() {
        let text = "you must specify an update to requests or limits (in the form of --requests/--limits)";
        return Err(Stop::plain(text));
    }
    let mut amounts: Vec<(&str, &str, String)> = Vec::new();
    for field in ["limits", "requests"] {
        for pair in args.list(field) {
            let (name, amount) = create_policy::amount(pair)?;
            amounts.push((field, name, Quantity::normalize(amount).map_err(Stop::plain)?));
        }
    }
    let chosen = args.text("containers").unwrap_or("*");
    change(cx, &args, targets, "resource requirements updated", "failed to patch resources update to pod template ", |containers| {
        let mut found = false;
        for container in containers.iter_mut().filter(|c| chosen == "*" || c.str("name") == chosen) {
            found = true;
            for (field, name, amount) in &amounts {
                container.map_mut("resources").map_mut(field).insert(*name, amount.as_str());
            }
        }
        Ok(if found { Vec::new() } else { vec![format!("error: unable to find container named {chosen}")] })
    })
}

fn selector(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("set selector", &[NAMED, OUTPUT, FLAGS, &[text("resource-version")]], words)?;
    let Some((expression, resources)) = args.words.split_last() else { return Err(Stop::plain("one selector is required")) };
    let parsed = label_selector(expression)?;
    for target in targets(cx, &args, resources)? {
        if target.kind.row().pod_selector != PodSelector::Labels || target.kind != Kind::SERVICE {
            return Err(Stop::plain("setting a selector is only supported for Services"));
        }
        if let Some(expressions) = parsed.get("matchExpressions") {
            let shown = maps(expressions.as_list().unwrap_or_default()).map(|(_, e)| {
                let values: Vec<&str> = e.list("values").iter().filter_map(Value::as_str).collect();
                format!("{{{} {} [{}]}}", e.str("key"), e.str("operator"), values.join(" "))
            });
            let shown = shown.collect::<Vec<_>>().join(" ");
            return Err(Stop::plain(format!("match expression [{shown}] not supported on this object")));
        }
        let mut new = target.tree.clone();
        new.map_mut("spec").insert("selector", parsed.map("matchLabels").cloned().unwrap_or_default());
        send(cx, &args, &target, new, "selector updated", "")?;
    }
    Ok(())
}

fn service_account(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("set serviceaccount", &[NAMED, OUTPUT, FLAGS], words)?;
    let Some((name, resources)) = args.words.split_last() else { return Err(Stop::plain("serviceaccount is required")) };
    let mut failures = Failures::default();
    for target in targets(cx, &args, resources)? {
        let mut new = target.tree.clone();
        let Some(spec) = pod_spec_mut(target.kind, &mut new) else {
            failures.0.push(no_pod_spec(&target));
            continue;
        };
        spec.insert("serviceAccountName", name.as_str());
        if !args.on("local") {
            spec.insert("serviceAccount", name.as_str());
        }
        let sent = send(cx, &args, &target, new, "serviceaccount updated", "failed to patch ServiceAccountName ");
        failures.keep(sent)?;
    }
    failures.finish()
}

/// Adds subjects to role bindings. Counterpart: `set_subject.go`.
fn subject(cx: &mut Cx, words: &[String]) -> Run {
    let flags: &[&[Flag]] = &[NAMED, OUTPUT, FLAGS, create_policy::SUBJECTS];
    let args = Args::read("set subject", flags, words)?;
    let wanted = create_policy::subjects(&args);
    let targets = targets(cx, &args, &args.words)?;
    let named = |flag: &str| args.text(flag).is_some();
    if !["user", "group", "serviceaccount"].into_iter().any(named) {
        return Err(Stop::plain("you must specify at least one value of user, group or serviceaccount"));
    }
    let wanted = wanted?;
    let mut failures = Failures::default();
    for target in targets {
        let row = target.kind.row();
        if !matches!(target.kind, Kind::ROLE_BINDING | Kind::CLUSTER_ROLE_BINDING) {
            let text = "setting subjects is only supported for RoleBinding/ClusterRoleBinding";
            failures.0.push(Stop::plain(format!("error: {}/{} {text}\n", row.plural, target.name)));
            continue;
        }
        let mut new = target.tree.clone();
        let mut subjects = new.list("subjects").to_vec();
        subjects.extend(wanted.iter().filter(|subject| !target.tree.list("subjects").contains(subject)).cloned());
        if subjects.len() > target.tree.list("subjects").len() {
            new.insert("subjects", subjects);
            let sent = send(cx, &args, &target, new, "subjects updated", "failed to patch subjects to rolebinding: ");
            failures.keep(sent)?;
        }
    }
    failures.finish()
}

fn no_pod_spec(target: &Target) -> Stop {
    let row = target.kind.row();
    let what = format!("the object is not a pod or does not have a pod template: *{}.{}", row.version, row.name);
    Stop::plain(format!("error: {}/{} {what}\n", row.plural, target.name))
}

/// Patches an object with the difference to `new`, and reports it. `wrap` is put before the message of a refusal, unless it is empty.
fn send(cx: &mut Cx, args: &Args, target: &Target, mut new: Map, done: &str, wrap: &str) -> Run {
    let (kind, output, dry_run) = (target.kind, Output::of(args, false)?, DryRun::of(args)?);
    record(args, &mut new);
    if dry_run == DryRun::Client || args.on("local") {
        return report(cx, output, dry_run, kind, &new, done);
    }
    let patch = merge::two_way(kind.row().schema, &target.tree, &new);
    let mut patch = patch.as_map().cloned().unwrap_or_default();
    if let Some(version) = args.text("resource-version").filter(|version| !version.is_empty()) {
        patch.map_mut("metadata").insert("resourceVersion", version);
    }
    let request = Request::patch(kind, &target.namespace, &target.name, PatchType::Strategic, patch);
    match cx.object(request.with(|o| o.dry_run = dry_run == DryRun::Server)) {
        Ok(answer) => report(cx, output, dry_run, kind, &answer.to_map(), done),
        Err(refusal) if refusal.next().is_none() && !wrap.is_empty() => Err(Stop::plain(format!("{wrap}{}", refusal.message()))),
        Err(stop) => Err(stop),
    }
}

fn pod_spec(kind: Kind, tree: &Map) -> Option<&Map> {
    match kind.row().pod_spec {
        [] => None,
        path => tree.at(path)?.as_map(),
    }
}

fn pod_spec_mut(kind: Kind, tree: &mut Map) -> Option<&mut Map> {
    pod_spec(kind, tree)?;
    Some(kind.row().pod_spec.iter().fold(tree, |tree, key| tree.map_mut(key)))
}

/// Applies `act` to the containers of each object and sends the difference; prints nothing if there is none. `act` returns the problem of an object that
/// must not be changed, or the problems that are told beside the change.
fn change(
    cx: &mut Cx,
    args: &Args,
    targets: Vec<Target>,
    done: &str,
    wrap: &str,
    act: impl Fn(&mut [&mut Map]) -> Result<Vec<String>, String>,
) -> Run {
    let mut failures = Failures::default();
    for target in targets {
        let mut new = target.tree.clone();
        let Some(spec) = pod_spec_mut(target.kind, &mut new) else {
            failures.0.push(no_pod_spec(&target));
            continue;
        };
        let lists = spec.iter_mut().filter(|(key, _)| matches!(key.as_str(), "containers" | "initContainers"));
        let mut containers: Vec<&mut Map> = lists.filter_map(|(_, v)| v.as_list_mut()).flatten().filter_map(Value::as_map_mut).collect();
        match act(&mut containers) {
            Ok(problems) => failures.0.extend(problems.into_iter().map(Stop::plain)),
            Err(problem) => {
                failures.0.push(Stop::plain(format!("error: {}/{} {problem}\n", target.kind.row().plural, target.name)));
                continue;
            }
        }
        if new != target.tree {
            let sent = send(cx, args, &target, new, done, wrap);
            failures.keep(sent)?;
        }
    }
    failures.finish()
}
