//! The kubectl commands for PodDisruptionBudgets: `create` and `describe`. Counterparts: `create_pdb.go`, `describe.PodDisruptionBudgetDescriber`.

use crate::api::duration::or_none;
use crate::api::kind::Kind;
use crate::api::object::Object;
use crate::api::value::Value;
use crate::kubectl::create_kinds::{create_object, one_name};
use crate::kubectl::describe::description::Description;
use crate::kubectl::describe::head;
use crate::kubectl::errors::Stop;
use crate::kubectl::flags::{Args, CREATED, Flag, OUTPUT, text};
use crate::kubectl::label_annotate::label_selector;
use crate::kubectl::{Cx, Run};
use crate::map;

const FLAGS: &[Flag] = &[text("min-available"), text("max-unavailable"), text("selector")];

/// Runs `kubectl create poddisruptionbudget NAME --selector=… --min-available=…`.
pub fn create(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("create poddisruptionbudget", &[OUTPUT, FLAGS, CREATED], words)?;
    let name = one_name("create poddisruptionbudget", &args)?;
    let flag = |name: &str| args.text(name).unwrap_or("");
    let (selector, least, most) = (flag("selector"), flag("min-available"), flag("max-unavailable"));
    let problem = match (selector.is_empty(), least.is_empty(), most.is_empty()) {
        (true, ..) => "a selector must be specified",
        (_, true, true) => "one of min-available or max-unavailable must be specified",
        (_, false, false) => "min-available and max-unavailable cannot be both specified",
        _ if !least.is_empty() && !is_amount(least) => "invalid format specified for min-available",
        _ if !most.is_empty() && !is_amount(most) => "invalid format specified for max-unavailable",
        _ => "",
    };
    if !problem.is_empty() {
        return Err(Stop::plain(problem));
    }
    let mut spec = map! { "selector" => label_selector(selector)? };
    let (key, amount) = if least.is_empty() { ("maxUnavailable", most) } else { ("minAvailable", least) };
    spec.insert(key, amount.parse::<i64>().map_or_else(|_| amount.into(), Value::Int));
    let status = map! { "currentHealthy" => 0, "desiredHealthy" => 0, "disruptionsAllowed" => 0, "expectedPods" => 0 };
    let object = map! { "metadata" => map! { "name" => name }, "spec" => spec, "status" => status };
    create_object(cx, &args, Kind::POD_DISRUPTION_BUDGET, object, "created", Some("failed to create poddisruptionbudgets: "))
}

fn is_amount(text: &str) -> bool {
    let digits = text.strip_suffix('%').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Writes the description of a PodDisruptionBudget.
pub fn describe(_: &mut Cx, object: &Object, description: &mut Description) -> Run {
    let Some(budget) = object.pod_disruption_budget() else { return Ok(()) };
    head(object, description);
    if let Some(least) = &budget.spec.min_available {
        description.line(0, format!("Min available:\t{least}"));
    } else if let Some(most) = &budget.spec.max_unavailable {
        description.line(0, format!("Max unavailable:\t{most}"));
    }
    let selector = budget.spec.selector.as_ref().map_or("<unset>".to_owned(), |s| or_none(&s.selector.to_string()).to_owned());
    description.line(0, format!("Selector:\t{selector}"));
    description.line(0, "Status:");
    let status = &budget.status;
    description.line(2, format!("Allowed disruptions:\t{}", status.disruptions_allowed));
    description.line(2, format!("Current:\t{}", status.current_healthy));
    description.line(2, format!("Desired:\t{}", status.desired_healthy));
    description.line(2, format!("Total:\t{}", status.expected_pods));
    Ok(())
}
