//! `kubectl wait`. Counterpart: `kubectl/pkg/cmd/wait`.

use super::changes::Change;
use super::errors::Stop;
use super::flags::{Args, CHOICE, Flag, OUTPUT, Takes, takes, text};
use super::jsonpath::{Template, show};
use super::print::{DryRun, Output, report};
use super::resource::{self, Selection, Target};
use super::{Cx, Failures, Run};
use crate::api::object::Object;
use crate::api::time::{Span, Time};
use crate::api::value::Value;
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

/// Runs `kubectl wait --for=… TYPE/NAME`.
pub fn wait(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("wait", &[CHOICE, OUTPUT, FLAGS], words)?;
    let goal = goal(args.text("for").unwrap_or(""))?;
    let until = cx.now + args.duration("timeout").filter(|t| t.0 >= 0).unwrap_or(Span::secs(30));
    let selection = Selection::of(cx, &args)?;
    let targets = resource::targets(&cx.env.kinds, &args.words)?;
    selection.check(&targets)?;
    let mut failures = Failures::default();
    if matches!(goal, Goal::Exists) {
        await_creation(cx, &selection, &targets, until)?;
    }
    let mut visited = 0;
    for target in &targets {
        let found = match (selection.read(cx, target), &goal) {
            (Err(stop), Goal::Deleted) if stop.is_not_found() => continue,
            (found, _) => failures.keep(found)?,
        };
        for object in found.unwrap_or_default() {
            visited += 1;
            let reached = one(cx, &goal, &object, until);
            failures.keep(reached)?;
        }
    }
    if visited == 0 && failures.0.is_empty() && !matches!(goal, Goal::Deleted) {
        return Err(Stop::plain("no matching resources found"));
    }
    failures.finish()
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
        let (path, value) = match rest.rfind('}') {
            Some(end) => (rest.get(..=end).unwrap_or(rest), rest.get(end + 1..).and_then(|v| v.strip_prefix('='))),
            None => rest.split_once('=').map_or((rest, None), |(p, v)| (p, Some(v))),
        };
        let path = Template::path(path.trim_matches('\'')).map_err(Stop::plain)?;
        return Ok(Goal::Field(path, value.map(|v| v.trim_matches(['\'', '"']).to_owned())));
    }
    Err(Stop::plain(format!("unrecognized condition: \"{text}\"")))
}

fn one(cx: &mut Cx, goal: &Goal, object: &Arc<Object>, until: Time) -> Run {
    let mut object = object.clone();
    loop {
        let gone = if reached(goal, &object) {
            break;
        } else {
            match cx.next_change(&object, Some(until))? {
                Change::To(changed) => {
                    object = changed.clone();
                    false
                }
                Change::Gone => true,
                Change::None => {
                    let name = format!("{}/{}", object.kind().row().plural, object.meta.name);
                    return Err(Stop::plain(format!("timed out waiting for the condition on {name}")));
                }
            }
        };
        match (gone, goal) {
            (true, Goal::Deleted) => break,
            (true, _) => {
                let name = format!("{}/{}", object.kind().row().plural, object.meta.name);
                return Err(Stop::plain(format!("condition not met for {name}")));
            }
            _ => {}
        }
    }
    report(cx, Output::Human, DryRun::None, object.kind(), &object.to_map(), "condition met");
    Ok(())
}

fn reached(goal: &Goal, object: &Object) -> bool {
    let tree = object.to_map();
    match goal {
        Goal::Deleted => false,
        Goal::Exists => true,
        Goal::Condition(name, wanted) => {
            let conditions = tree.at(&["status", "conditions"]).and_then(Value::as_list).unwrap_or_default();
            let field = |c: &Value, key: &str| c.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
            conditions.iter().any(|c| field(c, "type").eq_ignore_ascii_case(name) && field(c, "status").eq_ignore_ascii_case(wanted))
        }
        Goal::Field(path, wanted) => {
            let root = Value::Map(tree);
            let found = path.find(&root).unwrap_or_default();
            match wanted {
                Some(wanted) => found.iter().any(|value| show(value) == *wanted),
                None => !found.is_empty(),
            }
        }
    }
}
