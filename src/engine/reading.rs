//! The methods by which a script reads: objects, the status of the cluster, the history of the run. None of them takes virtual time or changes anything.

use super::time::seconds;
use super::{Answer, Engine, Error, bad_input, error};
use crate::api::kind::{Kind, Served};
use crate::api::meta::Key;
use crate::api::request::{self, Request, Verb};
use crate::sim::Stats;
use crate::view::command_text::describe;
use crate::view::convergence::{self, Standing};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GetInput {
    kind: String,
    name: String,
    namespace: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListInput {
    kind: String,
    namespace: Option<String>,
    #[serde(default)]
    label_selector: String,
    #[serde(default)]
    field_selector: String,
}

impl Engine {
    /// Returns an object as JSON, or null if it does not exist.
    pub(super) fn get(&self, GetInput { kind, name, namespace }: &GetInput) -> Answer {
        let kind = self.kind(kind)?;
        let namespace = if kind.row().namespaced { namespace.as_deref().unwrap_or("default") } else { "" };
        let object = self.run.cluster().api.store.get(kind, &Key::new(namespace, name.as_str()));
        Ok(object.map_or(Value::Null, |object| json!(object.to_full_map())))
    }
    /// Returns the objects of a kind in one namespace or in all.
    pub(super) fn list(&self, input: &ListInput) -> Answer {
        let request = self.list_request(input)?;
        let mut api = self.run.cluster().api.clone();
        match api.handle(&request, self.run.now()).response.result {
            Ok(request::Answer::List(list)) => Ok(list.items.iter().map(|object| json!(object.to_full_map())).collect()),
            Ok(_) => Ok(json!([])),
            Err(status) => Err(bad_input(status.to_string())),
        }
    }
    pub(super) fn list_request(&self, input: &ListInput) -> Result<Request, Error> {
        let kind = self.kind(&input.kind)?;
        let namespace = input.namespace.as_deref().filter(|_| kind.row().namespaced).unwrap_or("");
        let request = Request::new(Verb::List, kind, namespace, "");
        if input.label_selector.is_empty() && input.field_selector.is_empty() {
            return Ok(request);
        }
        Ok(request.with(|options| {
            options.label_selector.clone_from(&input.label_selector);
            options.field_selector.clone_from(&input.field_selector);
        }))
    }
    /// Returns the kind that a word means to kubectl: its name, plural or short name.
    fn kind(&self, word: &str) -> Result<Kind, Error> {
        let kinds = &self.run.cluster().api.kinds;
        let served = Served::all(kinds).into_iter().find(|served| served.matches_name(word));
        let found = served.as_ref().and_then(|served| kinds.of_resource(served.group(), served.version(), served.plural));
        found.ok_or_else(|| match served {
            Some(served) => error("unknown-kind", format!("{} are not simulated", served.plural)),
            None => {
                error("unknown-kind", format!("the server doesn't have a resource type \"{}\"", word.chars().take(60).collect::<String>()))
            }
        })
    }
    /// Returns the status of the cluster at the selected moment.
    pub(super) fn status(&self) -> Value {
        let cluster = self.run.cluster();
        let balance = &self.run.notes().balance;
        let (standing, reason) = match convergence::standing(&self.run) {
            Standing::Converged if self.run.is_at_rest() => ("converged", None),
            Standing::Converged | Standing::Drifting => ("drifting", None),
            Standing::Stuck(stuck) => ("stuck", Some(stuck.words)),
        };
        let Stats { reconciles, requests, writes } = cluster.stats;
        json!({
            "time": seconds(self.run.elapsed()),
            "now": cluster.now.rfc3339(),
            "step": cluster.steps,
            "hash": format!("{:016x}", cluster.hash),
            "resourceVersion": cluster.api.store.revision().to_string(),
            "live": !self.run.session.is_looking_back(),
            "standing": standing,
            "converged": standing == "converged",
            "reason": reason,
            "pods": { "desired": balance.desired, "ready": balance.ready },
            "reconciles": reconciles,
            "requests": requests,
            "writes": writes,
        })
    }
    /// Returns the commands of the run, and the number of steps up to the selected moment and in all.
    pub(super) fn history(&self) -> Value {
        let (run, live) = (&self.run, self.run.session.live());
        let command = |given: &crate::sim::Given| {
            let (text, breaks) = describe(&given.command);
            json!({ "at": seconds(given.at - run.start), "step": given.after, "text": text, "breaks": breaks })
        };
        json!({
            "time": seconds(run.elapsed()),
            "step": run.cluster().steps,
            "end": { "time": seconds(live.now - run.start), "step": live.steps },
            "commands": run.session.commands().iter().map(command).collect::<Vec<_>>(),
            "forks": run.forks,
        })
    }
}
