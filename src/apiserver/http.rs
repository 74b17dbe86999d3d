//! The bodies of HTTP answers. Counterpart: `apiserver/pkg/endpoints/handlers/responsewriters`.

use crate::api::json;
use crate::api::kind::Kinds;
use crate::api::request::{Answer, Listing, Request};
use crate::api::value::Value;
use crate::map;

/// The API server's address and port, as it reports them.
pub const ADDRESS: &str = "kubernetes.example:6443";
/// The Kubernetes version that the server reports.
pub const VERSION: &str = "v1.36.4";

/// Returns the answer to a path that is not a resource, such as `/version` or a discovery document; `None` for any other path.
pub fn unrouted(kinds: &Kinds, path: &str) -> Option<String> {
    let path = path.split('?').next().unwrap_or(path).trim_end_matches('/');
    if let Some(document) = super::discovery::document(kinds, path) {
        return Some(json::to_string(&document) + "\n");
    }
    Some(match path {
        "/healthz" | "/livez" | "/readyz" => "ok".to_owned(),
        "/version" => {
            let version = map! { "major" => "1", "minor" => "36", "gitVersion" => VERSION, "platform" => "linux/amd64" };
            json::pretty(&version.into(), 2)
        }
        _ => return None,
    })
}

/// Returns the body of an answer: a tree, or as the error case plain text.
pub fn body(request: &Request, answer: &Answer) -> Result<Value, String> {
    Ok(match answer {
        Answer::Object { object, .. } => Value::Map(object.to_full_map()),
        Answer::List(list) => listing(request, list),
        Answer::Tree(tree) | Answer::Created(tree) => (**tree).clone(),
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
