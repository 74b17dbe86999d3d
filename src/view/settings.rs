//! The settings of a run: every field of [`Config`] that a share state can hold, by its path, with its texts and limits. The form of the page, the share state and the check of strangers'
//! links all use this table.
//!
//! **To add a setting**: add a field to [`Config`] with its default, which must leave old runs as they were, and a row to [`SETTINGS`]. A choice has serde's
//! names of its values.

use super::share::{sentence, to_tree};
use crate::api::json;
use crate::api::quantity::Quantity;
use crate::api::value::{Map, Value};
use crate::controller::Trigger;
use crate::sim::Config;
use std::ops::RangeInclusive;

/// One setting of a run.
#[derive(Debug)]
pub struct Setting {
    /// The path of the setting in the share state: `manager.resyncSeconds`.
    pub path: &'static str,
    /// The name of the setting in the form; empty if the form leaves it out.
    pub label: &'static str,
    /// The meaning of the setting, in a few words.
    pub help: &'static str,
    /// The values that the setting may have.
    pub limits: Limits,
}

/// The values that a setting may have.
#[derive(Debug)]
pub enum Limits {
    /// A whole number in a range.
    Number(RangeInclusive<i64>),
    /// An amount of cpu or memory.
    Quantity,
    /// `true` or `false`.
    Switch,
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// A list of texts.
    Texts,
}

const fn number(path: &'static str, label: &'static str, help: &'static str, range: RangeInclusive<i64>) -> Setting {
    Setting { path, label, help, limits: Limits::Number(range) }
}

const fn quantity(path: &'static str, label: &'static str, help: &'static str) -> Setting {
    Setting { path, label, help, limits: Limits::Quantity }
}

const fn switch(path: &'static str, label: &'static str, help: &'static str) -> Setting {
    Setting { path, label, help, limits: Limits::Switch }
}

const fn texts(path: &'static str) -> Setting {
    Setting { path, label: "", help: "", limits: Limits::Texts }
}

/// All settings, in the order of the form.
pub const SETTINGS: &[Setting] = &[
    number("seed", "Seed", "the same seed gives the same run", 0..=i64::MAX),
    number("nodes.count", "Nodes", "machines at the start", 0..=5_000),
    quantity("nodes.cpu", "CPU of a node", "cores, as 4 or 500m"),
    quantity("nodes.memory", "Memory of a node", "as 8Gi or 512Mi"),
    number("nodes.pods", "Pods on a node", "at most", 1..=10_000),
    number("controllerManagers", "Controller managers", "with two or more, one is elected to lead", 1..=9),
    number("manager.nodeGraceSeconds", "Node grace period", "seconds of silence until a node is NotReady", 5..=86_400),
    number("manager.nodeMonitorSeconds", "Node monitor period", "seconds between two looks at the nodes", 1..=3_600),
    number("manager.resyncSeconds", "Resync", "seconds until caches hand everything to the controllers again; 0 for never", 0..=86_400),
    switch(
        "manager.readsOwnWrites",
        "Read your own writes",
        "whether controllers wait until their caches show what they wrote: true or false",
    ),
    Setting { path: "manager.setTrigger", label: Trigger::LABEL, help: Trigger::HELP, limits: Limits::Choice(Trigger::NAMES) },
    number("metricsSeconds", "Metrics", "seconds between two scrapes of the metrics server; 0 for none", 0..=3_600),
    number("manager.client.perSecond", "Requests of a controller", "a second; 0 for no limit", 0..=1_000_000),
    number("manager.client.burst", "Burst of a controller", "requests that may go at once", 1..=1_000_000),
    number("scheduler.perSecond", "Requests of the scheduler", "a second; 0 for no limit", 0..=1_000_000),
    number("scheduler.burst", "Burst of the scheduler", "requests that may go at once", 1..=1_000_000),
    number("latency.requestUs", "Request latency", "microseconds to the API server, and as many back", 0..=60_000_000),
    number("latency.watchUs", "Watch latency", "microseconds from a write to a watcher", 0..=60_000_000),
    number("latency.jitterUs", "Jitter", "up to so many microseconds more", 0..=60_000_000),
    number("runtime.pullMs", "Image pull", "milliseconds", 0..=3_600_000),
    number("defaultStorageClass", "Default storage class", "1: volumes are made for claims that name no class; 0: not", 0..=1),
    switch(
        "gates.maxUnavailableStatefulSet",
        "MaxUnavailableStatefulSet",
        "feature gate: whether rolling updates of StatefulSets may take several pods at once: true or false",
    ),
    number("startUnix", "", "", 0..=4_102_444_800),
    texts("nodes.labels"),
    texts("nodes.taints"),
];

impl Setting {
    /// Returns the value of the setting in a configuration.
    pub fn of(&self, config: &Config) -> Value {
        self.find(&to_tree(config)).cloned().unwrap_or_default()
    }
    /// Returns the value of the setting as the form shows it.
    pub fn text(&self, config: &Config) -> String {
        match self.of(config) {
            Value::Str(text) => text.to_string(),
            value => json::to_string(&value),
        }
    }
    /// Returns whether the setting is a number.
    pub fn is_number(&self) -> bool {
        matches!(self.limits, Limits::Number(_))
    }
    /// Sets the setting in a configuration. The error is a sentence about what is wrong.
    pub fn set(&self, config: &mut Config, value: &Value) -> Result<(), String> {
        self.check(Some(value))?;
        let mut tree = to_tree(&*config);
        overlay(&mut tree, self.path.rsplit('.').fold(value.clone(), |inner, key| Value::Map(Map::from_iter([(key.into(), inner)]))));
        *config = sentence::read(&tree)?;
        Ok(())
    }
    /// Sets the setting in a configuration to a text that a person typed.
    pub fn set_text(&self, config: &mut Config, text: &str) -> Result<(), String> {
        let text = text.trim();
        let value = match self.limits {
            Limits::Number(_) => text.parse::<i64>().ok().map(Value::from),
            Limits::Switch => text.parse::<bool>().ok().map(Value::from),
            Limits::Quantity | Limits::Texts | Limits::Choice(_) => None,
        };
        self.set(config, &value.unwrap_or_else(|| text.into()))
    }
    fn check(&self, value: Option<&Value>) -> Result<(), String> {
        let (fits, expected) = match &self.limits {
            Limits::Number(range) => (
                value.and_then(Value::as_int).is_some_and(|n| range.contains(&n)),
                format!("a whole number from {} to {}", range.start(), range.end()),
            ),
            Limits::Quantity => (value.and_then(Value::as_str).is_some_and(is_amount), "a quantity as 4, 500m or 8Gi".to_owned()),
            Limits::Switch => (value.and_then(Value::as_bool).is_some(), "true or false".to_owned()),
            Limits::Choice(words) => {
                (value.and_then(Value::as_str).is_some_and(|w| words.contains(&w)), format!("one of {}", words.join(", ")))
            }
            Limits::Texts => {
                let list = value.and_then(Value::as_list);
                (list.is_some_and(|list| list.iter().all(|text| text.as_str().is_some())), "a list of texts".to_owned())
            }
        };
        if fits { Ok(()) } else { Err(format!("{} must be {expected}", self.path)) }
    }
    fn find<'t>(&self, tree: &'t Value) -> Option<&'t Value> {
        self.path.split('.').try_fold(tree, |tree, key| tree.get(key))
    }
}

/// Returns the setting with this path.
pub fn find(path: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|s| s.path == path)
}

/// Returns the settings that differ from their defaults as a tree, without the seed.
pub(super) fn changes(config: &Config) -> Map {
    let default = Config { seed: config.seed, ..Config::default() };
    match difference(&to_tree(default), to_tree(config)) {
        Some(Value::Map(map)) => map,
        _ => Map::new(),
    }
}

/// Reads a configuration that a stranger may have written; settings that are left out have their defaults.
pub(crate) fn read(seed: Option<u64>, changes: Map) -> Result<Config, String> {
    if changes.has("seed") {
        return Err("the field \"cluster.seed\" is not known".to_owned());
    }
    let default = Config::default();
    let mut tree = to_tree(Config { seed: seed.unwrap_or(default.seed), ..default });
    overlay(&mut tree, Value::Map(changes));
    SETTINGS.iter().try_for_each(|setting| setting.check(setting.find(&tree)))?;
    sentence::read(&tree).map_err(|why| why.replacen("the field \"", "the field \"cluster.", 1))
}

fn overlay(tree: &mut Value, changes: Value) {
    match (tree, changes) {
        (Value::Map(tree), Value::Map(changes)) => {
            for (key, value) in changes {
                let mut inner = tree.take(&key).unwrap_or_default();
                overlay(&mut inner, value);
                tree.insert(key, inner);
            }
        }
        (place, value) => *place = value,
    }
}

fn difference(old: &Value, new: Value) -> Option<Value> {
    match (old, new) {
        (Value::Map(old), Value::Map(new)) => {
            let changed = new.into_iter().filter_map(|(key, value)| {
                let value = difference(old.get(&key).unwrap_or(&Value::Null), value)?;
                Some((key, value))
            });
            let changed: Map = changed.collect();
            (!changed.is_empty()).then_some(Value::Map(changed))
        }
        (old, new) => (*old != new).then_some(new),
    }
}

/// Returns whether a text is a quantity above zero and below an absurd amount (2^50).
fn is_amount(text: &str) -> bool {
    text.len() <= 24 && Quantity::parse(text).is_ok_and(|q| (1..=1 << 50).contains(&q.value()))
}
