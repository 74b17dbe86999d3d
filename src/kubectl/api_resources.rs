//! `kubectl api-resources` and `kubectl api-versions`, and the errors for kinds that are not simulated. Counterpart: `kubectl/pkg/cmd/apiresources`.

use super::errors::Stop;
use super::flags::{Args, Flag, Takes, switch, takes, text};
use super::print::{Output, document, table};
use super::{Cx, Run};
use crate::api::kind::{Kinds, ListContent, Served};
use crate::api::order::Order;
use crate::api::status::{Reason, Status};
use crate::api::value::Value;
use crate::apiserver::unsimulated;
use crate::map;

/// Finds the kind that a word names among all that are served: `sts`, `Jobs`, `cronjobs.batch`, `cronjobs.v1.batch`.
pub fn find(kinds: &Kinds, word: &str) -> Option<Served> {
    Served::all(kinds).into_iter().find(|s| s.matches_name(word))
}

/// Warns of a short name that more than one kind has. Counterpart: `shortcutExpander`.
pub fn warn_of_ambiguity(cx: &mut Cx, words: &[String]) {
    let Some(word) = words.first() else { return };
    let all = Served::all(&cx.env.kinds);
    for name in word.split('/').next().unwrap_or_default().split(',') {
        let others = all.iter().filter(|served| served.short_names.contains(&name)).skip(1);
        others.for_each(|other| {
            cx.eprintln(format!("Warning: short name \"{name}\" could also match lower priority resource {}", other.qualified()))
        });
    }
}

/// Returns the error for listing a kind that is not simulated; `None` if an empty list is right, because a new real cluster has no such objects either.
pub fn unlistable(kind: &Served) -> Option<Stop> {
    let refusal = |text: String| Some(Stop::server(&Status::new(Reason::MethodNotAllowed, text)));
    match (kind.verbs.contains("list"), kind.content) {
        (false, _) => refusal("the server does not allow this method on the requested resource".to_owned()),
        (true, ListContent::Unknown | ListContent::Objects) => Some(Stop::server(&unsimulated::absent(kind))),
        (true, ListContent::Nothing | ListContent::Derived) => None,
    }
}

/// Returns the error for naming an object of a kind that is not simulated.
pub fn missing(kind: &Served, name: &str) -> Stop {
    unlistable(kind).unwrap_or_else(|| Stop::server(&Status::new(Reason::NotFound, format!("{} \"{name}\" not found", kind.qualified()))))
}

/// Runs `kubectl api-versions`.
pub fn api_versions(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("api-versions", &[], words)?;
    if !args.words.is_empty() {
        return Err(Stop::usage("api-versions", &format!("unexpected arguments: [{}]", args.words.join(" "))));
    }
    let mut versions: Vec<&str> = Served::all(&cx.env.kinds).iter().map(|s| s.api_version).collect();
    versions.extend(cx.env.kinds.all().filter_map(|kind| Some(kind.row().other_version?.api_version)));
    versions.order();
    versions.dedup();
    versions.iter().for_each(|version| cx.println(version));
    Ok(())
}

const FLAGS: &[Flag] = &[
    switch("namespaced"),
    text("api-group"),
    text("output").or('o'),
    switch("no-headers"),
    text("verbs"),
    text("sort-by"),
    switch("cached"),
    text("categories"),
    switch("show-managed-fields"),
    takes("allow-missing-template-keys", Takes::Nothing),
];

/// Returns a resource as `-o yaml` shows it, except for the hash of its storage version.
fn tree(served: &Served) -> Value {
    let words = |text: &str| text.split(',').map(Value::from).collect::<Vec<_>>();
    let mut tree = map! {
        "name" => served.plural, "singularName" => served.singular(), "namespaced" => served.namespaced, "kind" => served.kind,
        "version" => served.api_version.rsplit('/').next().unwrap_or_default(), "verbs" => words(served.verbs),
    };
    if !served.group().is_empty() {
        tree.insert("group", served.group());
    }
    if !served.short_names.is_empty() {
        tree.insert("shortNames", served.short_names.iter().map(|name| Value::from(*name)).collect::<Vec<_>>());
    }
    if !served.category.is_empty() {
        tree.insert("categories", words(served.category));
    }
    tree.into()
}

/// Runs `kubectl api-resources`.
pub fn api_resources(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("api-resources", &[FLAGS], words)?;
    if !args.words.is_empty() {
        return Err(Stop::usage("api-resources", &format!("unexpected arguments: [{}]", args.words.join(" "))));
    }
    let output = args.text("output").unwrap_or("");
    if !matches!(output, "" | "wide" | "name" | "json" | "yaml" | "kyaml") {
        return Err(Stop::plain(format!(
            "unable to match a printer suitable for the output format \"{output}\", allowed formats are: json,kyaml,name,wide,yaml"
        )));
    }
    let sort_by = args.text("sort-by").unwrap_or("");
    if !matches!(sort_by, "" | "name" | "kind") {
        return Err(Stop::plain("--sort-by accepts only name or kind"));
    }
    let has_all = |held: &str, wanted: &str| wanted.is_empty() || wanted.split(',').all(|w| held.split(',').any(|h| h == w));
    let wanted = |s: &Served| {
        args.text("namespaced").is_none_or(|n| (n == "true") == s.namespaced)
            && args.text("api-group").is_none_or(|g| g == s.group())
            && has_all(s.verbs, args.text("verbs").unwrap_or(""))
            && has_all(s.category, args.text("categories").unwrap_or(""))
    };
    let mut found: Vec<Served> = Served::all(&cx.env.kinds).into_iter().filter(wanted).collect();
    match sort_by {
        "name" => found.order_by_key(|s| s.plural),
        "kind" => found.order_by_key(|s| (s.kind, s.plural)),
        _ => found.order_by_key(|s| (s.group(), s.plural)),
    }
    if output == "name" {
        found.iter().for_each(|s| cx.println(s.qualified()));
        return Ok(());
    }
    if !matches!(output, "" | "wide") {
        let list = map! { "apiVersion" => "v1", "kind" => "APIResourceList", "groupVersion" => "", "resources" => found.iter().map(tree).collect::<Vec<_>>() };
        document(cx, Output::of(&args, false)?, &list);
        return Ok(());
    }
    let wide = output == "wide";
    let row = |cells: [&str; 7]| cells.iter().take(if wide { 7 } else { 5 }).map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
    let mut rows = Vec::new();
    if !args.on("no-headers") {
        rows.push(row(["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND", "VERBS", "CATEGORIES"]));
    }
    let namespaced = |s: &Served| if s.namespaced { "true" } else { "false" };
    rows.extend(found.iter().map(|s| row([s.plural, &s.short_names.join(","), s.api_version, namespaced(s), s.kind, s.verbs, s.category])));
    cx.print(&table(&rows));
    Ok(())
}
