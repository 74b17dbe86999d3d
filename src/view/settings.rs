//! The settings of a run: every field of [`Config`] by its path, with the words and the limits of the page. One table serves the form of the page,
//! the share state and the limits that a stranger's link must keep to.

use super::slot::Slot;
use crate::api::quantity::Quantity;
use crate::api::value::Value;
use crate::sim::Config;

/// One setting.
#[derive(Debug)]
pub struct Setting {
    /// Its path in the share state: `manager.resyncSeconds`.
    pub path: &'static str,
    /// What the page calls it; empty for what the page does not ask.
    pub label: &'static str,
    /// What it is for, in a few words.
    pub help: &'static str,
    /// The least it may be.
    pub least: i64,
    /// The most it may be.
    pub most: i64,
}

const fn setting(path: &'static str, label: &'static str, help: &'static str, least: i64, most: i64) -> Setting {
    Setting { path, label, help, least, most }
}

/// All settings, in the order of the form.
pub const SETTINGS: &[Setting] = &[
    setting("seed", "Seed", "the same seed gives the same run", 0, i64::MAX),
    setting("nodes.count", "Nodes", "machines at the start", 0, 5_000),
    setting("nodes.cpu", "CPU of a node", "cores, as 4 or 500m", 0, 0),
    setting("nodes.memory", "Memory of a node", "as 8Gi or 512Mi", 0, 0),
    setting("nodes.pods", "Pods on a node", "at most", 1, 10_000),
    setting("controllerManagers", "Controller managers", "with two or more, one is elected to lead", 1, 9),
    setting("manager.nodeGraceSeconds", "Node grace period", "seconds of silence until a node is NotReady", 5, 86_400),
    setting("manager.nodeMonitorSeconds", "Node monitor period", "seconds between two looks at the nodes", 1, 3_600),
    setting("manager.resyncSeconds", "Resync", "seconds until caches hand everything to the controllers again; 0 for never", 0, 86_400),
    setting("manager.client.perSecond", "Requests of a controller", "a second; 0 for no limit", 0, 1_000_000),
    setting("manager.client.burst", "Burst of a controller", "requests that may go at once", 1, 1_000_000),
    setting("scheduler.perSecond", "Requests of the scheduler", "a second; 0 for no limit", 0, 1_000_000),
    setting("scheduler.burst", "Burst of the scheduler", "requests that may go at once", 1, 1_000_000),
    setting("latency.requestUs", "Request latency", "microseconds to the API server, and as many back", 0, 60_000_000),
    setting("latency.watchUs", "Watch latency", "microseconds from a write to a watcher", 0, 60_000_000),
    setting("latency.jitterUs", "Jitter", "up to so many microseconds more", 0, 60_000_000),
    setting("runtime.pullMs", "Image pull", "milliseconds", 0, 3_600_000),
    setting("startUnix", "", "", 0, 4_102_444_800),
    setting("nodes.labels", "", "", 0, 0),
    setting("nodes.taints", "", "", 0, 0),
];

impl Setting {
    /// What a configuration says here.
    pub fn of(&self, config: &Config) -> Value {
        slot(&mut config.clone(), self.path).map(|slot| slot.write()).unwrap_or_default()
    }
    /// The same as the form shows it.
    pub fn text(&self, config: &Config) -> String {
        match self.of(config) {
            Value::Int(n) => n.to_string(),
            value => value.as_str().unwrap_or_default().to_owned(),
        }
    }
    /// Whether it is a number.
    pub fn is_number(&self) -> bool {
        self.most > 0
    }
    /// Sets it; the error says what is wrong.
    pub fn set(&self, config: &mut Config, value: &Value) -> Result<(), String> {
        let wrong = |expected: &str| format!("{} must be {expected}", self.path);
        if self.is_number() && value.as_int().is_none_or(|n| n < self.least || n > self.most) {
            return Err(wrong(&format!("a whole number from {} to {}", self.least, self.most)));
        }
        let amount = matches!(self.path, "nodes.cpu" | "nodes.memory");
        if amount && value.as_str().is_none_or(|text| !is_amount(text)) {
            return Err(wrong("a quantity as 4, 500m or 8Gi"));
        }
        let slot = slot(config, self.path).ok_or_else(|| wrong("left out"))?;
        slot.read(value).map_err(wrong)
    }
    /// Sets it to what a person typed.
    pub fn set_text(&self, config: &mut Config, text: &str) -> Result<(), String> {
        let text = text.trim();
        let number = text.parse::<i64>().ok().filter(|_| self.is_number());
        self.set(config, &number.map_or_else(|| text.into(), Value::Int))
    }
}

/// The setting with a path.
pub fn find(path: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|s| s.path == path)
}

/// A quantity that is more than nothing and less than all machines of the world.
fn is_amount(text: &str) -> bool {
    text.len() <= 24 && Quantity::parse(text).is_ok_and(|q| (1..=1 << 50).contains(&q.value()))
}

fn slot<'a>(config: &'a mut Config, path: &str) -> Option<Slot<'a>> {
    Some(match path {
        "seed" => Slot::Seed(&mut config.seed),
        "startUnix" => Slot::Int(&mut config.start_unix),
        "nodes.count" => Slot::Count(&mut config.nodes.count),
        "nodes.cpu" => Slot::Text(&mut config.nodes.cpu),
        "nodes.memory" => Slot::Text(&mut config.nodes.memory),
        "nodes.pods" => Slot::Count(&mut config.nodes.pods),
        "nodes.labels" => Slot::Texts(&mut config.nodes.labels),
        "nodes.taints" => Slot::Texts(&mut config.nodes.taints),
        "latency.requestUs" => Slot::Int(&mut config.latency.request_us),
        "latency.watchUs" => Slot::Int(&mut config.latency.watch_us),
        "latency.jitterUs" => Slot::Int(&mut config.latency.jitter_us),
        "controllerManagers" => Slot::Count(&mut config.controller_managers),
        "manager.client.perSecond" => Slot::Int(&mut config.manager.client.per_second),
        "manager.client.burst" => Slot::Int(&mut config.manager.client.burst),
        "manager.nodeMonitorSeconds" => Slot::Int(&mut config.manager.node_monitor_seconds),
        "manager.nodeGraceSeconds" => Slot::Int(&mut config.manager.node_grace_seconds),
        "manager.resyncSeconds" => Slot::Int(&mut config.manager.resync_seconds),
        "scheduler.perSecond" => Slot::Int(&mut config.scheduler.per_second),
        "scheduler.burst" => Slot::Int(&mut config.scheduler.burst),
        "runtime.pullMs" => Slot::Int(&mut config.runtime.pull_ms),
        _ => return None,
    })
}
