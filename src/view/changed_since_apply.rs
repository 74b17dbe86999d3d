//! Fields of an applied manifest that somebody has changed in the cluster since: the text says one thing and the live object another, and neither is wrong.
//! Without a hint a converged cluster would seem to contradict the manifest beside it.
//!
//! An object counts if `kubectl apply` created or changed it, as the annotation that `apply` leaves tells. The text is compared with the live object, field by
//! field. Quantities are left out, since the API server rewrites them. At a moment at which the text was not applied yet, or was refused, nobody has changed
//! anything, and the sentence says that instead.

use super::clock;
use super::compare::{LAST_APPLIED, sources};
use super::run::Run;
use super::selection::Subject;
use crate::api::kind::Kind;
use crate::api::meta::Key;
use crate::api::value::Value;
use crate::kubectl::CommandLine;
use crate::sim::{Cluster, Command};
use std::rc::Rc;

/// The maximum number of fields that the sentence names.
const TOLD: usize = 2;

/// The state of a manifest at one moment of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Applied {
    /// Nobody has applied the manifest before this moment.
    #[default]
    Not,
    /// The API server has not answered to all objects of the manifest yet.
    UnderWay,
    /// The manifest was applied, and the API server refused an object of it.
    Refused,
    /// The manifest was applied, and nothing of it was refused.
    Done,
}

impl Applied {
    /// Returns the state of a manifest at the selected moment.
    pub fn of(text: &str, run: &Run) -> Applied {
        let (steps, mut program, mut last) = (run.cluster().steps, 0, None);
        for given in run.session.commands().iter().take_while(|given| given.after < steps) {
            let Command::Run(command) = &given.command else { continue };
            program += 1;
            let line = command.source().and_then(|source| source.downcast_ref::<CommandLine>());
            if line.is_some_and(|line| line.stdin == text) {
                last = Some(program);
            }
        }
        // A program of which nothing is kept any more has ended long ago.
        match last.map(|program| run.cluster().console(program).map_or(Some(0), |console| console.exit())) {
            None => Applied::Not,
            Some(None) => Applied::UnderWay,
            Some(Some(0)) => Applied::Done,
            Some(Some(_)) => Applied::Refused,
        }
    }
    /// Returns the state in a few words; empty if the manifest was applied.
    pub fn words(self) -> &'static str {
        match self {
            Applied::Not => "not applied at this moment",
            Applied::UnderWay => "being applied",
            Applied::Refused => "refused, not applied",
            Applied::Done => "",
        }
    }
}

/// The objects that a manifest names, and the sentence about their changed fields.
#[derive(Debug, Default)]
pub struct Overruled {
    text: Rc<str>,
    objects: Vec<(Kind, Key, Value)>,
    /// The revisions of the objects when they were last compared; 0 for an object that does not exist.
    seen: Vec<u64>,
    applied: Applied,
    words: Option<Rc<str>>,
}

impl Overruled {
    /// Compares the objects of an applied manifest with the live ones, unless neither has changed since the last call.
    pub fn look(&mut self, text: &Rc<str>, run: &Run) {
        let (namespace, cluster) = (run.terminal.namespace(), run.cluster());
        if !Rc::ptr_eq(text, &self.text) {
            *self = Overruled { text: text.clone(), objects: named(text, namespace, cluster), ..Overruled::default() };
        }
        let store = &cluster.api.store;
        let live = || self.objects.iter().map(|(kind, key, _)| store.get(*kind, key));
        let mut seen: Vec<u64> = live().map(|object| object.map_or(0, |o| o.meta.resource_version)).collect();
        let others = self.others(run);
        seen.extend(others.iter().map(|(_, pods)| *pods as u64));
        let applied = Applied::of(text, run);
        if (&seen, applied) == (&self.seen, self.applied) {
            return;
        }
        let mut fields = Vec::new();
        for (object, (.., text)) in live().zip(&self.objects) {
            if let Some(object) = object.filter(|object| object.meta.annotations.get(LAST_APPLIED).is_some()) {
                let (kind, name) = (object.kind().row().name, &object.meta.name);
                compare(text, &Value::Map(object.to_map()), "", &mut |path, here, there| {
                    fields.push(format!("{kind} {name} has {path} {there} in the cluster, and {here} in this text"));
                });
            }
        }
        let more = fields.len().saturating_sub(TOLD);
        fields.truncate(TOLD);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let (start, end) = match applied {
            Applied::Done => ("Changed since it was applied", ". Apply sets it back."),
            Applied::UnderWay => ("Being applied", "."),
            Applied::Refused => ("Refused, so not applied", "."),
            Applied::Not => ("Not applied at this moment", "."),
        };
        let mut words = if fields.is_empty() { String::new() } else { format!("{start}: {}{more}{end} ", fields.join("; ")) };
        if let (Applied::Done, [(first, pods), rest @ ..]) = (applied, others.as_slice()) {
            let (pods, rest) = (clock::count(*pods as usize, "pod", "pods"), rest.len());
            let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
            words += &format!("Beside this text the cluster wants {first} ({pods}){rest}.");
        }
        self.words = Some(words.trim_end()).filter(|words| !words.is_empty()).map(Into::into);
        (self.seen, self.applied) = (seen, applied);
    }
    /// Returns the workloads that want pods and that the manifest does not name, each with the number of its pods.
    fn others(&self, run: &Run) -> Vec<(String, i64)> {
        let is_named = |subject: &Subject| self.objects.iter().any(|(kind, key, _)| (*kind, key) == (subject.kind, &subject.key));
        let wanted = run.notes().balance.workloads.iter().filter(|(subject, w)| w.there && w.desired > 0 && !is_named(subject));
        wanted.map(|(subject, workload)| (subject.text(), workload.desired)).collect()
    }
    /// Returns whether the manifest was applied, when it was last compared.
    pub fn applied(&self) -> Applied {
        self.applied
    }
    /// Returns the sentence about changed fields, if there are any.
    pub fn words(&self) -> Option<Rc<str>> {
        self.words.clone()
    }
}

/// Returns the objects that a manifest names. An object that names no namespace is taken to be in `namespace`.
fn named(text: &str, namespace: &str, cluster: &Cluster) -> Vec<(Kind, Key, Value)> {
    let object = |value: &Value| {
        let map = value.as_map()?;
        let (group, version) = map.str("apiVersion").split_once('/').unwrap_or(("", map.str("apiVersion")));
        let kind = cluster.api.kinds.find(group, version, map.str("kind"))?;
        let meta = |field: &str| map.at(&["metadata", field]).and_then(Value::as_str).unwrap_or("");
        let namespace = match (kind.row().namespaced, meta("namespace")) {
            (false, _) => "",
            (true, "") => namespace,
            (true, named) => named,
        };
        Some((kind, Key::new(namespace, meta("name")), value.clone()))
    };
    sources(text).iter().filter_map(|(document, _)| object(&document.value)).collect()
}

/// Calls `differs` for every scalar of `applied` that has another value in `live`, with its path and both values.
fn compare(applied: &Value, live: &Value, path: &str, differs: &mut impl FnMut(&str, String, String)) {
    match (applied, live) {
        (Value::Map(applied), Value::Map(live)) => {
            let told = applied.iter().filter(|(key, _)| !matches!(key.as_str(), "resources" | "metadata" | "status"));
            for (key, value) in told {
                let path = if path.is_empty() || path == "spec" { key.to_string() } else { format!("{path}.{key}") };
                if let Some(live) = live.get(key) {
                    compare(value, live, &path, differs);
                }
            }
        }
        (Value::List(applied), Value::List(live)) if applied.len() == live.len() => {
            for (i, (applied, live)) in applied.iter().zip(live).enumerate() {
                compare(applied, live, &format!("{path}[{i}]"), differs);
            }
        }
        (Value::Int(here), Value::Int(there)) if here != there => differs(path, here.to_string(), there.to_string()),
        (Value::Str(here), Value::Str(there)) if here != there => differs(path, here.to_string(), there.to_string()),
        (Value::Bool(here), Value::Bool(there)) if here != there => differs(path, here.to_string(), there.to_string()),
        _ => {}
    }
}
