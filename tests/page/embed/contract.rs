//! The public names of an embed are frozen, so that a course page never has to be changed. New names may be added here; none may be removed.

use super::parameters::asked;
use loopscope::embed::message::{EVENTS, REQUESTS};
use loopscope::embed::parameters::example_name;
use loopscope::page::preferences::PREFERENCES;
use loopscope::view::Panel;
use loopscope::view::examples::examples;
use serde_json::Value;

const CONTRACT: &str = include_str!("../../../static/embed-contract.json");
const ELEMENT: &str = include_str!("../../../static/loop-scope.js");

/// Every parameter once, with a valid value.
const PARAMETERS: &[&str] = &[
    "embed=1",
    "panels=cluster",
    "controls=none",
    "readonly=1",
    "autoheight=1",
    "layout=learn",
    "example=crash-loop",
    "manifest=a.yaml",
    "state=AA",
    "seed=1",
    "nodes=2",
    "at=1.5",
    "speed=auto",
    "paused=0",
    "autoplay=0",
    "lang=en-GB",
    "goal=60s",
    "theme=dark",
    "motion=less",
    "reading=brief",
    "size=large",
    "origin=https://a.example",
    "persist=session",
];
const ATTRIBUTES: &[&str] = &["src", "state", "height", "loading", "label"];
const METHODS: &[&str] = &[
    "open",
    "request",
    "load",
    "apply",
    "kubectl",
    "step",
    "run",
    "pause",
    "seek",
    "fork",
    "fault",
    "check",
    "getState",
    "setState",
    "setTheme",
    "focusPanel",
];
const FROZEN_REQUESTS: &str = "load apply kubectl step run pause seek fork fault check getState setState setTheme focus";
const FROZEN_EVENTS: &str = "ready error resize change reconcile converged drift goal complete";
const FROZEN_PANELS: &str =
    "desired cluster owners services objects twins loop pass code object story time terminal events store requests alerts why";

fn contract() -> Value {
    serde_json::from_str(CONTRACT).expect("the contract is JSON")
}

/// Returns the names in a part of the contract: the keys of an object or the items of a list, and of methods only the names.
fn names(part: &str) -> Vec<String> {
    let bare = |name: &str| name.split('(').next().unwrap_or(name).to_owned();
    match &contract()[part] {
        Value::Object(map) => map.keys().map(|name| bare(name)).collect(),
        Value::Array(list) => list.iter().filter_map(Value::as_str).map(bare).collect(),
        other => panic!("{part} is {other}"),
    }
}

fn sorted<T: ToString>(names: impl IntoIterator<Item = T>) -> Vec<String> {
    let mut names: Vec<String> = names.into_iter().map(|name| name.to_string()).collect();
    names.sort();
    names
}

#[test]
fn every_parameter_of_the_contract_is_known_and_no_other_is() {
    for parameter in PARAMETERS {
        assert_eq!(asked(parameter).passed_over, [""; 0], "{parameter}");
    }
    let frozen = PARAMETERS.iter().map(|parameter| parameter.split('=').next().unwrap_or_default());
    assert_eq!(sorted(names("parameters")), sorted(frozen));
    for gone in ["lesson=1", "lang=de", "prediction=1"] {
        assert_eq!(asked(gone).passed_over, [gone]);
    }
}

#[test]
fn every_preference_in_the_address_is_a_parameter_of_the_contract() {
    let preferences = PREFERENCES.iter().filter(|row| row.in_address).map(|row| row.name.to_owned());
    let types = include_str!("../../../static/loop-scope.d.ts");
    for name in preferences {
        assert!(names("parameters").contains(&name), "static/embed-contract.json does not name {name}");
        assert!(types.contains(&format!("{name}?: ")), "static/loop-scope.d.ts does not name {name}");
    }
}

#[test]
fn the_names_of_messages_events_and_panels_are_frozen() {
    assert_eq!(REQUESTS.join(" "), FROZEN_REQUESTS);
    assert_eq!(EVENTS.join(" "), FROZEN_EVENTS);
    assert_eq!(Panel::ALL.map(Panel::name).join(" "), FROZEN_PANELS);
    assert_eq!(sorted(names("requests")), sorted(REQUESTS));
    assert_eq!(sorted(names("events")), sorted(EVENTS));
    assert_eq!(names("panels"), Panel::ALL.map(Panel::name));
    assert_eq!(contract()["messageVersion"], loopscope::embed::message::VERSION);
}

#[test]
fn the_element_has_every_attribute_and_method() {
    assert_eq!(sorted(names("attributes")), sorted(ATTRIBUTES));
    assert_eq!(sorted(names("methods")), sorted(METHODS));
    for method in METHODS {
        assert!(ELEMENT.contains(&format!("{method}: [")) || ELEMENT.contains(&format!("  {method}(")), "{method}");
    }
    let quoted = |name: &str| ELEMENT.contains(&format!("\"{name}\""));
    assert!(ATTRIBUTES.iter().all(|name| quoted(name)));
    let of_element = names("parameters").into_iter().filter(|name| !["embed", "origin"].contains(&name.as_str()));
    for name in of_element {
        assert!(quoted(&name), "the attribute {name}");
    }
}

#[test]
fn course_authors_are_offered_every_example() {
    let offered = contract()["examples"].clone();
    for example in examples() {
        assert_eq!(offered[example_name(example.title)], example.title);
    }
    assert_eq!(names("examples").len(), examples().len());
}
