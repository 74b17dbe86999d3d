//! A place in a struct that can be written down as JSON and read again, with the limits that keep a stranger's numbers from hurting.

use crate::api::value::Value;
use crate::sim::ProcessName;

/// A place for a value.
pub enum Slot<'a> {
    /// A word or a text.
    Text(&'a mut String),
    /// Several of them.
    Texts(&'a mut Vec<String>),
    /// A number.
    Int(&'a mut i64),
    /// A number that may be below zero but is small.
    Code(&'a mut i32),
    /// How many.
    Count(&'a mut u32),
    /// A seed.
    Seed(&'a mut u64),
    /// Yes or no.
    Flag(&'a mut bool),
    /// A process.
    Process(&'a mut ProcessName),
    /// A process, or all of them.
    Whose(&'a mut Option<ProcessName>),
}

impl Slot<'_> {
    /// What is in it.
    pub fn write(&self) -> Value {
        match self {
            Slot::Text(text) => text.as_str().into(),
            Slot::Texts(texts) => texts.iter().map(|t| Value::from(t.as_str())).collect::<Vec<Value>>().into(),
            Slot::Int(n) => Value::Int(**n),
            Slot::Code(n) => (**n).into(),
            Slot::Count(n) => (**n).into(),
            Slot::Seed(n) => Value::Int(**n as i64),
            Slot::Flag(yes) => (**yes).into(),
            Slot::Process(name) => write_process(name),
            Slot::Whose(name) => name.as_ref().map(write_process).unwrap_or_default(),
        }
    }
    /// Puts a value into it; the error says what was expected.
    pub fn read(self, value: &Value) -> Result<(), &'static str> {
        match self {
            Slot::Text(text) => *text = value.as_str().ok_or("a text")?.to_owned(),
            Slot::Texts(texts) => *texts = read_texts(value).ok_or("a list of texts")?,
            Slot::Int(n) => *n = value.as_int().ok_or("a whole number")?,
            Slot::Code(n) => *n = whole(value)?,
            Slot::Count(n) => *n = whole(value)?,
            Slot::Seed(n) => *n = whole(value)?,
            Slot::Flag(yes) => *yes = value.as_bool().ok_or("true or false")?,
            Slot::Process(name) => *name = read_process(value).ok_or(A_PROCESS)?,
            Slot::Whose(name) => *name = if value.is_null() { None } else { Some(read_process(value).ok_or(A_PROCESS)?) },
        }
        Ok(())
    }
}

const A_PROCESS: &str = "a process: \"scheduler\", {\"controller-manager\": 0} or {\"kubelet\": \"node-1\"}";

fn whole<T: TryFrom<i64>>(value: &Value) -> Result<T, &'static str> {
    value.as_int().and_then(|n| T::try_from(n).ok()).ok_or("a whole number that is not below zero")
}

/// A list of texts.
pub fn read_texts(value: &Value) -> Option<Vec<String>> {
    value.as_list()?.iter().map(|t| t.as_str().map(str::to_owned)).collect()
}

fn write_process(name: &ProcessName) -> Value {
    match name {
        ProcessName::Scheduler => "scheduler".into(),
        ProcessName::ControllerManager(n) => crate::map! { "controller-manager" => *n }.into(),
        ProcessName::Kubelet(node) => crate::map! { "kubelet" => node.as_str() }.into(),
    }
}

fn read_process(value: &Value) -> Option<ProcessName> {
    if value.as_str() == Some("scheduler") {
        return Some(ProcessName::Scheduler);
    }
    let map = value.as_map().filter(|map| map.len() == 1)?;
    if let Some(n) = map.int("controller-manager") {
        return Some(ProcessName::ControllerManager(u32::try_from(n).ok()?));
    }
    Some(ProcessName::Kubelet(map.get("kubelet")?.as_str()?.to_owned()))
}
