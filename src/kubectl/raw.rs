//! `kubectl get --raw`: prints the server's answer to a path. Counterpart: `kubectl/pkg/rawhttp`.

use super::errors::Stop;
use super::{Cx, Run};
use crate::api::json;
use crate::api::request::{Answer, Listing, Request};
use crate::api::value::Value;
use crate::apiserver::{HttpRequest, route};
use crate::map;

/// Prints the answer to a path.
pub fn get(cx: &mut Cx, path: &str) -> Run {
    if !path.starts_with('/') {
        let text = format!("--raw must be a valid URL path: parse \"{path}\": invalid URI for request");
        return Err(Stop::usage("get", &text));
    }
    match path.split('?').next().unwrap_or(path).trim_end_matches('/') {
        "/healthz" | "/livez" | "/readyz" => {
            cx.print("ok");
            return Ok(());
        }
        "/version" => {
            let version = map! { "major" => "1", "minor" => "36", "gitVersion" => super::info::VERSION, "platform" => "linux/amd64" };
            cx.print(&json::pretty(&version.into(), 2));
            return Ok(());
        }
        _ => {}
    }
    let http = HttpRequest { method: "GET".to_owned(), path: path.to_owned(), ..HttpRequest::default() };
    let request = route(&cx.env.kinds, &http).map_err(|mut status| {
        // For a group that is not served the server sends no Status, and the client uses a message of its own.
        if status.message.is_empty() {
            status.message = "the server could not find the requested resource".to_owned();
        }
        Stop::server(&status)
    })?;
    let tree = match cx.request(request.clone())? {
        Answer::Object { object, .. } => Value::Map(object.to_full_map()),
        Answer::List(list) => listing(&request, list),
        Answer::Tree(tree) => (**tree).clone(),
        Answer::Text(text) | Answer::Ran(text, ..) => {
            cx.print(text);
            return Ok(());
        }
        Answer::Done => Value::Map(map! { "apiVersion" => "v1", "kind" => "Status", "status" => "Success" }),
    };
    cx.println(json::to_string(&tree));
    Ok(())
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
    let metadata = map! { "resourceVersion" => list.revision.to_string() };
    map! { "apiVersion" => row.api_version, "kind" => format!("{}List", row.name), "metadata" => metadata, "items" => items.collect::<Vec<_>>() }.into()
}
