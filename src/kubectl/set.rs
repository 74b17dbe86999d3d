//! `kubectl set`: image, env, resources, selector, serviceaccount. Counterpart: `kubectl/pkg/cmd/set`.

use super::errors::Stop;
use super::flags::{Args, Flag, NAMED, OUTPUT, command_first, switch, text};
use super::label::{need_resources, split_pairs};
use super::print::{DryRun, Output, report};
use super::resource::each;
use super::{Cx, Run};
use crate::api::kind::{Kind, PodSelector};
use crate::api::merge;
use crate::api::object::Object;
use crate::api::quantity::Quantity;
use crate::api::request::{PatchType, Request};
use crate::api::value::{Map, Value};
use crate::map;

const FLAGS: &[Flag] = &[text("selector").or('l'), switch("all"), switch("local")];
const ENV: &[Flag] = &[
    text("containers").or('c'),
    text("env").or('e'),
    text("from"),
    text("keys"),
    text("prefix"),
    switch("list"),
    switch("overwrite"),
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
        Some(("subject", _)) => Err(Stop::plain("this playground has no \"kubectl set subject\"")),
        Some(_) => Err(Stop::usage("set", &format!("unknown command \"{}\"", words.join(" ")))),
        None => Err(Stop::usage("set", "Required resource not specified.")),
    }
}

fn image(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("set image", &[NAMED, OUTPUT, FLAGS], words)?;
    args.refuse("set image", &["local"])?;
    let (resources, pairs) = split_pairs(&args.words, "image")?;
    need_resources(&args, &resources)?;
    if pairs.is_empty() {
        return Err(Stop::plain("at least one image update is required"));
    }
    let pairs: Vec<(&str, &str)> = pairs.iter().filter_map(|pair| pair.split_once('=')).collect();
    change(cx, &args, &resources, "image updated", |containers| {
        for (name, image) in &pairs {
            let mut found = false;
            for container in containers.iter_mut().filter(|c| *name == "*" || c.str("name") == *name) {
                container.insert("image", *image);
                found = true;
            }
            if !found {
                return Err(Stop::plain(format!("unable to find container named \"{name}\"")));
            }
        }
        Ok(())
    })
}

fn env(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("set env", &[NAMED, OUTPUT, FLAGS, ENV], words)?;
    args.refuse("set env", &["local", "from", "resolve"])?;
    let (resources, mut pairs) = split_pairs(&args.words, "environment")?;
    pairs.extend(args.all("env").into_iter().map(str::to_owned));
    need_resources(&args, &resources)?;
    if args.on("list") {
        return each(cx, &args, &resources, |cx, object| {
            list_env(cx, object);
            Ok(())
        });
    }
    if pairs.is_empty() {
        return Err(Stop::plain("at least one environment variable must be provided"));
    }
    change(cx, &args, &resources, "env updated", |containers| {
        let chosen = args.text("containers").unwrap_or("*");
        for container in containers.iter_mut().filter(|c| chosen == "*" || c.str("name") == chosen) {
            let mut vars = container.list("env").to_vec();
            for pair in &pairs {
                let (key, value) = pair.split_once('=').map_or((pair.strip_suffix('-').unwrap_or(pair), None), |(k, v)| (k, Some(v)));
                let at = vars.iter().position(|v| v.get("name").and_then(Value::as_str) == Some(key));
                match (value, at) {
                    (Some(value), Some(at)) => vars[at] = map! { "name" => key, "value" => value }.into(),
                    (Some(value), None) => vars.push(map! { "name" => key, "value" => value }.into()),
                    (None, Some(at)) => drop(vars.remove(at)),
                    (None, None) => {}
                }
            }
            if vars.is_empty() {
                container.remove("env");
            } else {
                container.insert("env", vars);
            }
        }
        Ok(())
    })
}

fn resources(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("set resources", &[NAMED, OUTPUT, FLAGS, RESOURCES], words)?;
    args.refuse("set resources", &["local"])?;
    if args.text("requests").is_none() && args.text("limits").is_none() {
        let text = "you must specify an update to requests or limits (in the form of --requests/--limits)";
        return Err(Stop::plain(text));
    }
    let mut amounts: Vec<(&str, &str, String)> = Vec::new();
    for field in ["limits", "requests"] {
        for pair in args.list(field) {
            let (name, amount) =
                pair.split_once('=').ok_or_else(|| Stop::plain(format!("invalid argument syntax {pair}, expected <resource>=<value>")))?;
            amounts.push((field, name, Quantity::normalize(amount).map_err(Stop::plain)?));
        }
    }
    let resources = args.words.clone();
    change(cx, &args, &resources, "resource requirements updated", |containers| {
        let chosen = args.text("containers").unwrap_or("*");
        for container in containers.iter_mut().filter(|c| chosen == "*" || c.str("name") == chosen) {
            for (field, name, amount) in &amounts {
                container.map_mut("resources").map_mut(field).insert(*name, amount.as_str());
            }
        }
        Ok(())
    })
}

fn selector(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("set selector", &[NAMED, OUTPUT, FLAGS, &[text("resource-version")]], words)?;
    args.refuse("set selector", &["local"])?;
    let (resources, expressions): (Vec<String>, Vec<String>) = args.words.iter().cloned().partition(|word| !word.contains('='));
    need_resources(&args, &resources)?;
    let [expression] = expressions.as_slice() else {
        return Err(Stop::plain(if expressions.is_empty() { "one selector is required" } else { "only one selector is allowed" }));
    };
    let mut labels = Map::new();
    for pair in expression.split(',') {
        let (key, value) = pair.split_once('=').ok_or_else(|| Stop::plain(format!("unable to parse requirement: {pair}")))?;
        labels.insert(key.trim(), value.trim_start_matches('=').trim());
    }
    let (output, dry_run) = (Output::of(&args, false)?, DryRun::of(&args)?);
    each(cx, &args, &resources, |cx, object| {
        if object.kind().row().pod_selector != PodSelector::Labels {
            return Err(Stop::plain("setting a selector is only supported for Services"));
        }
        let old = object.to_map();
        let mut new = old.clone();
        new.map_mut("spec").insert("selector", labels.clone());
        send(cx, object, &old, &new, output, dry_run, "selector updated")
    })
}

fn service_account(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("set serviceaccount", &[NAMED, OUTPUT, FLAGS], words)?;
    args.refuse("set serviceaccount", &["local"])?;
    let Some((name, resources)) = args.words.split_last() else { return Err(Stop::plain("serviceaccount is required")) };
    let (output, dry_run) = (Output::of(&args, false)?, DryRun::of(&args)?);
    each(cx, &args, resources, |cx, object| {
        let (kind, old) = (object.kind(), object.to_map());
        let mut new = old.clone();
        if pod_spec(kind, &new).is_none() {
            return Err(no_pod_spec(kind));
        }
        let spec = kind.row().pod_spec.iter().fold(&mut new, |tree, key| tree.map_mut(key));
        spec.insert("serviceAccountName", name.as_str());
        spec.insert("serviceAccount", name.as_str());
        send(cx, object, &old, &new, output, dry_run, "serviceaccount updated")
    })
}

fn no_pod_spec(kind: Kind) -> Stop {
    Stop::plain(format!("the object is not a pod or does not have a pod template: {}", kind.row().name))
}

/// Patches an object with the difference between `old` and `new`, and reports it.
fn send(cx: &mut Cx, object: &Object, old: &Map, new: &Map, output: Output, dry_run: DryRun, done: &str) -> Run {
    let kind = object.kind();
    if dry_run == DryRun::Client {
        report(cx, output, dry_run, kind, new, done);
        return Ok(());
    }
    let patch = merge::two_way(kind.row().schema, old, new);
    let patch = patch.as_map().cloned().unwrap_or_default();
    let request = Request::patch(kind, &object.meta.namespace, &object.meta.name, PatchType::Strategic, patch);
    let answer = cx.object(request.with(|o| o.dry_run = dry_run == DryRun::Server))?;
    report(cx, output, dry_run, kind, &answer.to_map(), done);
    Ok(())
}

fn list_env(cx: &mut Cx, object: &Object) {
    let tree = object.to_map();
    for container in pod_spec(object.kind(), &tree).map(|s| s.list("containers")).unwrap_or_default().iter().filter_map(Value::as_map) {
        cx.println(format!("# {} {}, container {}", object.kind().row().name, object.meta.name, container.str("name")));
        for var in container.list("env").iter().filter_map(Value::as_map) {
            match var.get("valueFrom") {
                None => cx.println(format!("{}={}", var.str("name"), var.str("value"))),
                Some(_) => cx.println(format!("# {} from elsewhere", var.str("name"))),
            }
        }
    }
}

fn pod_spec(kind: Kind, tree: &Map) -> Option<&Map> {
    match kind.row().pod_spec {
        [] => None,
        path => tree.at(path)?.as_map(),
    }
}

/// Applies `act` to the containers of each object and sends the difference; prints nothing if there is none.
fn change(cx: &mut Cx, args: &Args, resources: &[String], done: &str, act: impl Fn(&mut [&mut Map]) -> Result<(), Stop>) -> Run {
    let (output, dry_run) = (Output::of(args, false)?, DryRun::of(args)?);
    each(cx, args, resources, |cx, object| {
        let (kind, old) = (object.kind(), object.to_map());
        let mut new = old.clone();
        if pod_spec(kind, &new).is_none() {
            return Err(no_pod_spec(kind));
        }
        let spec = kind.row().pod_spec.iter().fold(&mut new, |tree, key| tree.map_mut(key));
        let lists = spec.iter_mut().filter(|(key, _)| matches!(key.as_str(), "containers" | "initContainers"));
        let mut containers: Vec<&mut Map> = lists.filter_map(|(_, v)| v.as_list_mut()).flatten().filter_map(Value::as_map_mut).collect();
        act(&mut containers)?;
        if new == old {
            return Ok(());
        }
        send(cx, object, &old, &new, output, dry_run, done)
    })
}
