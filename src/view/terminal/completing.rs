//! Completes the word at the cursor: programs, and the words of kubectl's command line.

use crate::api::kind::{Kind, Kinds};
use crate::api::meta::Key;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::kubectl::{self, Completion, CompletionSource};
use crate::shell::{self, Env};
use crate::sim::Cluster;
use crate::view::run::Run;
use std::sync::Arc;

impl Run {
    /// Returns the completions at the cursor (a byte offset) of an unfinished line.
    pub fn complete(&self, line: &str, cursor: usize) -> Completion {
        let world = World { cluster: self.session.cluster(), env: &self.terminal.env };
        let start = line.get(..cursor).and_then(|before| before.rfind(['|', ';', '&', '\n', '('])).map_or(0, |i| i + 1);
        let blank = line.get(start..).map_or(0, |rest| rest.len() - rest.trim_start().len());
        let start = start + blank;
        let part = line.get(start..).unwrap_or_default();
        let mut found = kubectl::complete(part, cursor.saturating_sub(start), &world);
        let first = part.get(..cursor.saturating_sub(start)).unwrap_or_default();
        if !first.contains(char::is_whitespace) {
            // The first word of a command is a program.
            let programs = shell::commands().filter(|name| name.starts_with(first)).map(str::to_owned);
            found = Completion { from: 0, candidates: programs.collect() };
            found.candidates.order();
        }
        found.from += start;
        found
    }
}

/// The cluster and the shell's environment, from which completion takes its names.
struct World<'a> {
    cluster: &'a Cluster,
    env: &'a Env,
}

impl World<'_> {
    fn all(&self, kind: Kind, namespace: &str) -> impl Iterator<Item = &Arc<Object>> {
        self.cluster.api.store.range(kind, namespace, None)
    }
}

impl CompletionSource for World<'_> {
    fn namespace(&self) -> String {
        self.env.namespace.to_string()
    }
    fn kinds(&self) -> Kinds {
        self.cluster.api.kinds.clone()
    }
    fn objects(&self, kind: Kind, namespace: &str) -> Vec<String> {
        self.all(kind, namespace).map(|o| o.meta.name.to_string()).collect()
    }
    fn containers(&self, kind: Kind, namespace: &str, name: &str) -> Vec<String> {
        let object = self.cluster.api.store.get(kind, &Key::new(namespace, name));
        let pod = object.and_then(|o| o.pod()).map(|p| p.spec.clone());
        pod.iter().flat_map(|s| s.init_containers.iter().chain(&s.containers)).map(|c| c.name.to_string()).collect()
    }
    fn labels(&self, kind: Kind, namespace: &str) -> Vec<String> {
        self.all(kind, namespace).flat_map(|o| o.meta.labels.entries().iter().map(|(k, v)| format!("{k}={v}"))).collect()
    }
    fn files(&self) -> Vec<String> {
        self.env.files.iter().map(|(name, _)| name.clone()).collect()
    }
}
