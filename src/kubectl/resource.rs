//! Finds the objects that the words and selectors of a command refer to. Counterpart: `cli-runtime/pkg/resource`.

use super::api_resources::{find as find_any, missing, unlistable};
use super::errors::Stop;
use super::flags::Args;
use super::{Cx, Failures, Run};
use crate::api::kind::{Kind, Kinds, ListContent, Served};
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::request::{Answer, Request, Subresource, Verb};
use crate::api::status::{Reason, Status};
use crate::apiserver::unsimulated;
use arcstr::ArcStr;
use std::sync::Arc;

/// Formats a kind as `deployment.apps`, or `pod` in the core group.
pub fn qualified(kind: Kind) -> String {
    let row = kind.row();
    if row.group.is_empty() { row.singular.to_owned() } else { format!("{}.{}", row.singular, row.group) }
}

/// Formats a kind as `apps/v1, Resource=deployments`.
pub fn resource_text(kind: Kind) -> String {
    let row = kind.row();
    format!("{}/{}, Resource={}", row.group, row.version, row.plural)
}

/// Finds the kind that a word names: `po`, `Pods`, `deployments.apps`, `deployments.v1.apps`, `pod.v1.`.
pub fn find_kind(kinds: &Kinds, word: &str) -> Result<Kind, Stop> {
    let lower = word.to_ascii_lowercase();
    let (name, group) = lower.split_once('.').map_or((lower.as_str(), None), |(n, g)| (n, Some(g)));
    let named = |kind: &Kind| {
        let row = kind.row();
        row.plural == name || row.singular == name || row.short_names.contains(&name)
    };
    let fits = |kind: &Kind| match group {
        None => true,
        Some(group) => {
            let row = kind.row();
            group == row.group || group.split_once('.').is_some_and(|(version, group)| version == row.version && group == row.group)
        }
    };
    let found = kinds.all().find(|kind| named(kind) && fits(kind));
    found.ok_or_else(|| match find_any(kinds, word) {
        Some(served) => Stop::server(&unsimulated::absent(&served)),
        None => Stop::plain(format!("the server doesn't have a resource type \"{}\"", word.split('.').next().unwrap_or(word))),
    })
}

/// Finds the kind that a word names among those that are served but not simulated.
pub fn find_served(kinds: &Kinds, word: &str) -> Option<Served> {
    if find_kind(kinds, word).is_ok() { None } else { find_any(kinds, word) }
}

/// Returns the namespace that a command works in, and whether it was given by `--namespace`.
pub fn namespace(cx: &Cx, args: &Args) -> (ArcStr, bool) {
    match args.text("namespace") {
        Some(namespace) if !namespace.is_empty() => (namespace.into(), true),
        _ => (cx.env.namespace.clone(), false),
    }
}

/// The target of a command: one object, or all objects of a kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The kind of the object or objects.
    pub kind: Kind,
    /// The name of the object, or `None` for all objects of the kind.
    pub name: Option<String>,
}

/// Parses `TYPE NAME…`, `TYPE/NAME…` or `TYPE,TYPE`; the type `all` stands for the kinds of that category.
pub fn targets(kinds: &Kinds, words: &[String]) -> Result<Vec<Target>, Stop> {
    if words.iter().any(|word| word.contains('/')) {
        return words.iter().map(|word| slashed(kinds, word)).collect();
    }
    let Some((types, names)) = words.split_first() else { return Ok(Vec::new()) };
    if names.iter().any(String::is_empty) {
        return Err(Stop::plain("resource name may not be empty"));
    }
    let mut types: Vec<&str> = types.split(',').collect();
    let mut seen = Vec::new();
    types.retain(|of_type| {
        !seen.contains(of_type) && {
            seen.push(*of_type);
            true
        }
    });
    // Each of several types is combined with each name.
    if !names.is_empty() && types.len() > 1 {
        let pairs = types.iter().flat_map(|of_type| names.iter().map(move |name| format!("{of_type}/{name}")));
        return pairs.map(|pair| slashed(kinds, &pair)).collect();
    }
    let mut targets: Vec<Target> = Vec::new();
    for word in types {
        if let Some(served) = find_served(kinds, word) {
            check_unsimulated(&served, names)?;
            continue;
        }
        let meant = if word.eq_ignore_ascii_case("all") { in_all(kinds) } else { vec![find_kind(kinds, word)?] };
        for kind in meant {
            if names.is_empty() && !targets.iter().any(|target| target.kind == kind) {
                targets.push(Target { kind, name: None });
            }
            targets.extend(names.iter().map(|name| Target { kind, name: Some(name.clone()) }));
        }
    }
    Ok(targets)
}

/// Checks the names of objects whose kind is served but not simulated. Fails for every name, and without names if a real cluster would have such objects.
fn check_unsimulated(served: &Served, names: &[String]) -> Result<(), Stop> {
    if served.content == ListContent::Derived {
        return Err(derived_only_get(served));
    }
    let mut failures: Vec<Stop> = names.iter().map(|name| missing(served, name)).collect();
    match failures.len() {
        0 => unlistable(served).map_or(Ok(()), Err),
        1 => Err(failures.remove(0)),
        _ => Err(Stop::many(failures)),
    }
}

/// Returns the error for commands other than `kubectl get` on a kind whose objects are derived from others.
fn derived_only_get(served: &Served) -> Stop {
    let plural = served.plural;
    let text = format!("this playground makes {plural} up from other objects and only has \"kubectl get {plural}\"");
    Stop::server(&Status::new(Reason::MethodNotAllowed, text))
}

/// Returns whether the words name several types and no objects; `all` stands for several.
pub fn lists_several(words: &[String]) -> bool {
    matches!(words, [types] if !types.contains('/') && (types.contains(',') || types.eq_ignore_ascii_case("all")))
}

/// Returns the kinds of the category `all`, in the order in which the real client requests them.
fn in_all(kinds: &Kinds) -> Vec<Kind> {
    let mut all: Vec<Kind> = kinds.all().filter(|kind| kind.row().category == "all").collect();
    all.order_by_key(|kind| (kind.row().group, kind.row().plural));
    all
}

/// Parses `TYPE/NAME`, or the name of a pod alone.
pub fn pod_or(kinds: &Kinds, word: &str) -> Result<Target, Stop> {
    if word.contains('/') { slashed(kinds, word) } else { Ok(Target { kind: Kind::POD, name: Some(word.to_owned()) }) }
}

fn slashed(kinds: &Kinds, word: &str) -> Result<Target, Stop> {
    let parts: Vec<&str> = word.split('/').collect();
    match parts.as_slice() {
        [_] => Err(Stop::plain(
            "there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'",
        )),
        ["", _] | [_, ""] => Err(Stop::plain("arguments in resource/name form must have a single resource and name")),
        [kind, name] => match find_served(kinds, kind) {
            Some(served) if served.content == ListContent::Derived => Err(derived_only_get(&served)),
            Some(served) => Err(missing(&served, name)),
            None => Ok(Target { kind: find_kind(kinds, kind)?, name: Some((*name).to_owned()) }),
        },
        _ => Err(Stop::plain("arguments in resource/name form may not have more than one slash")),
    }
}

/// Reads `--subresource`. Fails if the targets are no single objects, or if objects of their kind have no such part.
pub fn subresource(args: &Args, targets: &[Target]) -> Result<Subresource, Stop> {
    let name = args.text("subresource").unwrap_or("");
    if !name.is_empty() && targets.iter().any(|target| target.name.is_none()) {
        return Err(Stop::plain("subresource cannot be used when bulk resources are specified"));
    }
    let known = [Subresource::None, Subresource::Status, Subresource::Scale, Subresource::Resize, Subresource::EphemeralContainers];
    let part = known.into_iter().find(|part| part.text() == name);
    part.filter(|part| targets.iter().all(|target| target.kind.row().has(*part)))
        .ok_or_else(|| Stop::server(&Status::new(Reason::NotFound, "the server could not find the requested resource")))
}

/// Returns the error for a command that was given no resources.
pub fn nothing_given() -> Stop {
    Stop::plain(
        "You must provide one or more resources by argument or filename.\nExample resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   '<resource> <name>'\n   '<resource>'",
    )
}

/// The namespace and the selectors by which a command selects objects.
pub struct Selection<'s> {
    /// The namespace; empty for all namespaces.
    pub namespace: ArcStr,
    /// The label selector, as given by `-l`.
    pub labels: &'s str,
    /// The field selector, as given by `--field-selector`.
    pub fields: &'s str,
    /// Set if a type without a name means all objects of that type.
    pub all: bool,
}

impl<'s> Selection<'s> {
    /// Reads the namespace and the selectors from the flags of a command.
    pub fn of(cx: &Cx, args: &'s Args) -> Result<Selection<'s>, Stop> {
        let (labels, fields) = (args.text("selector").unwrap_or(""), args.text("field-selector").unwrap_or(""));
        for (flag, text) in [("selector", labels), ("field-selector", fields)] {
            if args.on("all") && !text.is_empty() {
                return Err(Stop::plain(format!("cannot set --all and --{flag} at the same time")));
            }
        }
        let namespace = if args.on("all-namespaces") { ArcStr::default() } else { namespace(cx, args).0 };
        Ok(Selection { namespace, labels, fields, all: args.on("all") || !labels.is_empty() || !fields.is_empty() })
    }

    /// Returns whether a label or field selector was given.
    pub fn has_selector(&self) -> bool {
        !self.labels.is_empty() || !self.fields.is_empty()
    }

    fn namespace_of(&self, kind: Kind) -> ArcStr {
        if kind.row().namespaced { self.namespace.clone() } else { ArcStr::default() }
    }

    /// Refuses targets that do not fit: names beside a selector, types without a name or selector, and names across all namespaces.
    pub fn check(&self, targets: &[Target]) -> Result<(), Stop> {
        let named = targets.iter().any(|t| t.name.is_some());
        if targets.is_empty() && !self.all {
            return Err(nothing_given());
        }
        if named && self.all {
            return Err(Stop::plain("name cannot be provided when a selector is specified"));
        }
        if !named && !self.all {
            return Err(Stop::plain("resource(s) were provided, but no name was specified"));
        }
        if named && self.namespace.is_empty() && targets.iter().any(|t| t.kind.row().namespaced) {
            return Err(Stop::plain("a resource cannot be retrieved by name across all namespaces"));
        }
        Ok(())
    }

    /// Reads the objects of a target from the server: the named object, or all selected objects of its kind.
    pub fn read(&self, cx: &mut Cx, target: &Target) -> Run<Vec<Arc<Object>>> {
        let place = self.namespace_of(target.kind);
        match &target.name {
            Some(name) => Ok(vec![cx.object(Request::new(Verb::Get, target.kind, place, name.as_str()))?.clone()]),
            None => self.list(cx, target.kind),
        }
    }

    /// Lists the selected objects of a kind.
    pub fn list(&self, cx: &mut Cx, kind: Kind) -> Run<Vec<Arc<Object>>> {
        let request = Request::new(Verb::List, kind, self.namespace_of(kind), "").with(|o| {
            o.label_selector = self.labels.to_owned();
            o.field_selector = self.fields.to_owned();
        });
        match cx.try_request(request)? {
            Ok(Answer::List(list)) => Ok(list.items.clone()),
            Ok(_) => Ok(Vec::new()),
            Err(status) => Err(self.unlistable(kind, status)),
        }
    }

    fn unlistable(&self, kind: Kind, status: &Status) -> Stop {
        let mut status = status.clone();
        if matches!(status.reason, Reason::BadRequest | Reason::NotFound) {
            let what = resource_text(kind);
            status.message = if self.labels.is_empty() && self.fields.is_empty() {
                format!("Unable to list \"{what}\": {}", status.message)
            } else {
                let (labels, fields) = (self.labels, self.fields);
                format!("Unable to find \"{what}\" that match label selector \"{labels}\", field selector \"{fields}\": {}", status.message)
            };
        }
        Stop::server(&status)
    }
}

/// Parses words into targets; fails if there are none or if they do not fit the selection.
pub fn parse_targets(kinds: &Kinds, words: &[String], selection: &Selection) -> Result<Vec<Target>, Stop> {
    if words.is_empty() && !selection.all {
        return Err(nothing_given());
    }
    check_words(words, selection.all)?;
    let targets = targets(kinds, words)?;
    if targets.is_empty() && !selection.all {
        return Err(Stop::plain("resource(s) were provided, but no name was specified"));
    }
    selection.check(&targets)?;
    Ok(targets)
}

/// Refuses words that cannot be combined with a selector.
pub fn check_words(words: &[String], selects: bool) -> Result<(), Stop> {
    if selects && words.iter().any(|word| word.contains('/')) {
        return Err(Stop::plain("selectors and the all flag cannot be used when passing resource/name arguments"));
    }
    if selects && words.is_empty() {
        return Err(Stop::plain("at least one resource must be specified to use a selector"));
    }
    Ok(())
}

/// Fails if objects are named both by words and by manifests.
pub fn check_files(cx: &Cx, args: &Args, words: &[String]) -> Result<(), Stop> {
    if args.has_manifest() && !words.is_empty() {
        super::manifest::read(cx, args).1.finish()?;
        return Err(Stop::plain("when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well"));
    }
    Ok(())
}

/// Calls `act` with each object that a command names, continuing after failures.
pub fn each(cx: &mut Cx, args: &Args, words: &[String], mut act: impl FnMut(&mut Cx, &Arc<Object>) -> Run) -> Run {
    let selection = Selection::of(cx, args)?;
    check_files(cx, args, words)?;
    if args.has_manifest() {
        return each_in_files(cx, args, act);
    }
    let targets = parse_targets(&cx.env.kinds, words, &selection)?;
    let mut failures = Failures::default();
    for target in &targets {
        let read = selection.read(cx, target);
        for object in failures.keep(read)?.unwrap_or_default() {
            let done = act(cx, &object);
            failures.keep(done)?;
        }
    }
    failures.finish()
}

/// Calls `act` with the live version of each object in the manifests.
fn each_in_files(cx: &mut Cx, args: &Args, mut act: impl FnMut(&mut Cx, &Arc<Object>) -> Run) -> Run {
    let (items, mut failures) = super::manifest::read(cx, args);
    for item in items {
        let read = cx.object(Request::new(Verb::Get, item.kind, item.namespace, item.name)).cloned();
        if let Some(object) = failures.keep(read)? {
            let done = act(cx, &object);
            failures.keep(done)?;
        }
    }
    failures.finish()
}

/// Formats an object as `deployment.apps/demo`.
pub fn object_text(object: &Object) -> String {
    format!("{}/{}", qualified(object.kind()), object.meta.name)
}
