//! Requests by path: `kubectl get --raw`, and any request that a script makes by hand. Counterpart: `kubectl/pkg/rawhttp`.

use super::errors::Stop;
use super::{Cx, Run};
use crate::api::json;
use crate::api::request::{Answer, Listing, Request};
use crate::api::time::Time;
use crate::api::value::Value;
use crate::apiserver::{HttpRequest, route};
use crate::map;
use crate::sim::{Next, Output, Program, Progress, Reply, ReplyBody, Start, Wait};
use std::any::Any;

/// Prints the answer to a path.
pub fn get(cx: &mut Cx, path: &str) -> Run {
    if !path.starts_with('/') {
        let text = format!("--raw must be a valid URL path: parse \"{path}\": invalid URI for request");
        return Err(Stop::usage("get", &text));
    }
    if let Some(text) = unrouted(path) {
        cx.print(&text);
        return Ok(());
    }
    let http = HttpRequest { method: "GET".to_owned(), path: path.to_owned(), ..HttpRequest::default() };
    let request = route(&cx.env.kinds, &http).map_err(|mut status| {
        // For a group that is not served the server sends no Status, and the client uses a message of its own.
        if status.message.is_empty() {
            status.message = "the server could not find the requested resource".to_owned();
        }
        Stop::server(&status)
    })?;
    match body(&request, cx.request(request.clone())?) {
        Ok(tree) => cx.println(json::to_string(&tree)),
        Err(text) => cx.print(&text),
    }
    Ok(())
}

/// A request by method and path. Its output is the body of the answer, its exit code 1 if the server refuses it.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpCall(pub HttpRequest);

impl Program for HttpCall {
    fn run(&self, start: &Start, _now: Time, replies: &[Reply]) -> Progress {
        let mut output = Output::default();
        let next = match (route(&start.kinds, &self.0), unrouted(&self.0.path).filter(|_| self.0.method == "GET")) {
            (_, Some(text)) => {
                output.out(&text);
                Next::Exit(0)
            }
            (Err(status), None) => {
                output.out(&json::to_string(&status.to_map().into()));
                Next::Exit(1)
            }
            (Ok(request), None) => match replies.first().map(|reply| &reply.body) {
                None => Next::Wait(Wait::Request { request, why: "to do what was asked" }),
                Some(ReplyBody::Response(response)) => {
                    response.warnings.iter().for_each(|warning| output.err(&format!("Warning: {warning}\n")));
                    let text = match &response.result {
                        Ok(answer) => body(&request, answer).map_or_else(|text| text, |tree| json::to_string(&tree)),
                        Err(status) => json::to_string(&status.to_map().into()),
                    };
                    output.out(&text);
                    Next::Exit(i32::from(response.result.is_err()))
                }
                Some(_) => Next::Exit(1),
            },
        };
        Progress { output, effects: Vec::new(), next }
    }
    fn title(&self) -> String {
        format!("{} {}", self.0.method, self.0.path)
    }
    fn source(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

/// The answer to a path that leads to no resource.
fn unrouted(path: &str) -> Option<String> {
    Some(match path.split('?').next().unwrap_or(path).trim_end_matches('/') {
        "/healthz" | "/livez" | "/readyz" => "ok".to_owned(),
        "/version" => {
            let version = map! { "major" => "1", "minor" => "36", "gitVersion" => super::info::VERSION, "platform" => "linux/amd64" };
            json::pretty(&version.into(), 2)
        }
        _ => return None,
    })
}

/// The body of an answer as a tree, or as plain text.
fn body(request: &Request, answer: &Answer) -> Result<Value, String> {
    Ok(match answer {
        Answer::Object { object, .. } => Value::Map(object.to_full_map()),
        Answer::List(list) => listing(request, list),
        Answer::Tree(tree) => (**tree).clone(),
        Answer::Text(text) => return Err(text.clone()),
        Answer::Done => Value::Map(map! { "apiVersion" => "v1", "kind" => "Status", "status" => "Success" }),
    })
}

fn listing(request: &Request, list: &Listing) -> Value {
    let row = request.kind.row();
    // Items of a list have no `apiVersion` and `kind` of their own.
    let items = list.items.iter().map(|object| {
        let mut tree = object.to_full_map();
        tree.remove("apiVersion");
        tree.remove("kind");
        Value::Map(tree)
    });
    let mut metadata = map! { "resourceVersion" => list.revision.to_string() };
    if !list.continue_token.is_empty() {
        metadata.insert("continue", list.continue_token.as_str());
        metadata.insert("remainingItemCount", list.remaining as i64);
    }
    map! { "apiVersion" => row.api_version, "kind" => format!("{}List", row.name), "metadata" => metadata, "items" => items.collect::<Vec<_>>() }.into()
}
