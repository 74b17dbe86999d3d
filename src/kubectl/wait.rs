//! `kubectl wait`. Counterpart: `kubectl/pkg/cmd/wait`.

use super::changes::Change;
use super::errors::Stop;
use super::flags::{Args, CHOICE, Flag, NAMED, PRINT, Takes, takes, text};
use super::jsonpath::{Template, show};
use super::print::{DryRun, Output, report};
use super::resource::{self, Selection, Target};
use super::{Cx, Failures, Run, manifest};
use crate::api::meta_rules::maps;
use crate::api::object::Object;
use crate::api::time::{Span, Time};
use crate::api::value::{Map, Value};
use std::sync::Arc;

const FLAGS: &[Flag] = &[text("for"), takes("timeout", Takes::Duration)];

/// The time between two reads while `wait` waits for objects that do not exist yet.
const POLL: Span = Span::millis(500);

/// The condition that `--for` names.
enum Goal {
    Deleted,
    Exists,
    Condition(String, String),
    Field(Template, Option<String>),
}

/// Runs `kubectl wait --for=… TYPE/NAME`. Several conditions are waited for one after the other.
pub fn wait(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("wait", &[NAMED, CHOICE, PRINT, FLAGS], words)?;
    let output = Output::of(&args, false)?;
    let goals: Vec<Goal> = args.all("for").into_iter().map(goal).collect::<Result<_, _>>()?;
    if goals.is_empty() {
        return Err(Stop::plain("unrecognized condition: []"));
    }
    let timeout = args.duration("timeout").unwrap_or(Span::secs(30));
    let until = cx.now + if timeout.0 < 0 { Span::secs(168 * 3600) } else { timeout };
    let mut selection = Selection::of(cx, &args)?;
    resource::check_files(cx, &args, &args.words)?;
    let targets = if args.has_manifest() {
        let (items, failures) = manifest::read(cx, &args);
        failures.finish()?;
        if let Some(item) = items.first().filter(|item| !item.namespace.is_empty()) {
            selection.namespace = item.namespace.clone();
        }
        items.into_iter().map(|item| Target { kind: item.kind, name: Some(item.name.to_string()) }).collect()
    } else {
        resource::parse_targets(&cx.env.kinds, &args.words, &selection)?
    };
    let mut failures = Failures::default();
    if goals.iter().any(|goal| matches!(goal, Goal::Exists)) {
        await_creation(cx, &selection, &targets, until)?;
    }
    let deletes = goals.iter().any(|goal| matches!(goal, Goal::Deleted));
    let mut visited = 0;
    for target in &targets {
        let found = match selection.read(cx, target) {
            Err(stop) if deletes && stop.is_not_found() => continue,
            found => failures.keep(found)?,
        };
        for object in found.unwrap_or_default() {
            visited += 1;
            let reached = all(cx, &goals, output, &object, until);
            failures.keep(reached)?;
        }
    }
    if visited == 0 && failures.0.is_empty() && !deletes {
        return Err(Stop::plain("no matching resources found"));
    }
    failures.finish()
}

fn all(cx: &mut Cx, goals: &[Goal], output: Output, object: &Arc<Object>, until: Time) -> Run {
    let mut object = object.clone();
    for goal in goals {
        object = one(cx, goal, &object, until)?;
        report(cx, output, DryRun::None, object.kind(), &object.to_map(), "condition met")?;
    }
    Ok(())
}

/// Reads the targets every half second until all of them exist.
fn await_creation(cx: &mut Cx, selection: &Selection, targets: &[Target], until: Time) -> Run {
    loop {
        let mut found = true;
        for target in targets {
            match selection.read(cx, target) {
                Ok(objects) => found &= !objects.is_empty(),
                Err(stop) if stop.is_not_found() => found = false,
                Err(stop) => return Err(stop),
            }
        }
        if found {
            return Ok(());
        }
        if cx.now >= until {
            return Err(Stop::plain("timed out waiting for the condition"));
        }
        cx.sleep(POLL)?;
    }
}

fn goal(text: &str) -> Result<Goal, Stop> {
    if text.eq_ignore_ascii_case("delete") {
        return Ok(Goal::Deleted);
    }
    if text.eq_ignore_ascii_case("create") {
        return Ok(Goal::Exists);
    }
    if let Some(condition) = text.strip_prefix("condition=") {
        let (name, value) = condition.split_once('=').unwrap_or((condition, "true"));
        return Ok(Goal::Condition(name.to_owned(), value.to_owned()));
    }
    if let Some(rest) = text.strip_prefix("jsonpath=") {
        return field(rest);
    }
    Err(Stop::plain(format!("unrecognized condition: \"{text}\"")))
}

/// Parses `PATH` or `PATH=VALUE`, where `==` belongs to the path. Counterpart: `processJSONPathInput`.
fn field(text: &str) -> Result<Goal, Stop> {
    let mut parts = vec![String::new()];
    let mut rest = text;
    while let Some(at) = rest.find('=') {
        let (before, after) = rest.split_at(at);
        let double = after.starts_with("==");
        if let Some(last) = parts.last_mut() {
            last.push_str(before);
            last.push_str(if double { "==" } else { "" });
        }
        rest = after.get(if double { 2 } else { 1 }..).unwrap_or("");
        if !double {
            parts.push(String::new());
        }
    }
    if let Some(last) = parts.last_mut() {
        last.push_str(rest);
    }
    let (path, value) = match parts.as_slice() {
        [path] => (path, None),
        [path, value] => (path, Some(value.trim_matches(['\'', '"']))),
        _ => {
            let text =
                "jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or --for=jsonpath='{.status.readyReplicas}'";
            return Err(Stop::plain(text));
        }
    };
    if value == Some("") {
        let text = "jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3";
        return Err(Stop::plain(text));
    }
    if path.is_empty() {
        return Err(Stop::plain("jsonpath expression cannot be empty"));
    }
    let path = Template::path(path).map_err(Stop::plain)?;
    Ok(Goal::Field(path, value.map(str::to_owned)))
}

/// Waits until an object has reached a goal. Returns it as it was then.
fn one(cx: &mut Cx, goal: &Goal, object: &Arc<Object>, until: Time) -> Run<Arc<Object>> {
    let mut object = object.clone();
    let name = format!("{}/{}", object.kind().row().plural, object.meta.name);
    loop {
        if reached(goal, &object)? {
            return Ok(object);
        }
        if until <= cx.env.now {
            return Err(Stop::plain(format!("condition not met for {name}")));
        }
        match cx.next_change(&object, Some(until))? {
            Change::To(changed) => object = changed.clone(),
            Change::Gone if matches!(goal, Goal::Deleted) => return Ok(object),
            // The real client goes on waiting for an object that is gone.
            Change::Gone => {
                cx.sleep(until - cx.now)?;
                return Err(Stop::plain(format!("timed out waiting for the condition on {name}")));
            }
            Change::None => return Err(Stop::plain(format!("timed out waiting for the condition on {name}"))),
        }
    }
}

fn reached(goal: &Goal, object: &Object) -> Result<bool, Stop> {
    match goal {
        Goal::Deleted => Ok(false),
        Goal::Exists => Ok(true),
        Goal::Condition(name, wanted) => {
            let tree = object.to_map();
            let conditions = tree.at(&["status", "conditions"]).and_then(Value::as_list).unwrap_or_default();
            let condition = maps(conditions).find(|(_, c)| c.str("type").eq_ignore_ascii_case(name));
            // A condition that was observed before the last change of the object says nothing yet.
            let observed = |c: &Map| c.int("observedGeneration").or_else(|| tree.at(&["status", "observedGeneration"])?.as_int());
            let fits = |c: &Map| c.str("status").eq_ignore_ascii_case(wanted) && observed(c).is_none_or(|n| n >= object.meta.generation);
            Ok(condition.is_some_and(|(_, c)| fits(c)))
        }
        Goal::Field(path, wanted) => {
            let root = Value::Map(object.to_map());
            let found = path.find(&root).map_err(Stop::plain)?;
            match (found.as_slice(), wanted) {
                ([], _) => Ok(false),
                ([_, _, ..], _) => Err(Stop::plain("given jsonpath expression matches more than one value")),
                ([_], None) => Ok(true),
                ([Value::Map(_) | Value::List(_)], Some(_)) => {
                    Err(Stop::plain("jsonpath leads to a nested object or list which is not supported"))
                }
                ([value], Some(wanted)) => Ok(show(value).trim() == wanted.trim()),
            }
        }
    }
}
