//! Manifests at addresses that the Kubernetes documentation uses. The page loads nothing from elsewhere, so the well-known ones are here, written anew, and
//! every other address is refused. Counterpart: `resource.URLVisitor`.

use super::errors::Stop;
use crate::api::content;

/// The folders under which the documentation keeps its examples.
const ROOTS: &[&str] = &[
    "https://k8s.io/examples/",
    "https://kubernetes.io/examples/",
    "https://raw.githubusercontent.com/kubernetes/website/main/content/en/examples/",
];

/// Returns whether a path is an address.
pub fn is_address(path: &str) -> bool {
    path.starts_with("http://") || path.starts_with("https://")
}

/// Returns the text at an address.
pub fn fetch(address: &str) -> Result<&'static str, Stop> {
    let path = ROOTS.iter().find_map(|root| address.strip_prefix(root));
    let found = path.and_then(|path| content::find(&format!("documents/{}", path.trim_start_matches('/'))));
    match (found, path) {
        (Some(text), _) => Ok(text),
        (None, Some(path)) => Err(Stop::plain(format!(
            "unable to read URL \"{address}\": there is no network here, and {path} is not among the examples that came with the page"
        ))),
        (None, None) => Err(Stop::plain(format!("unable to read URL \"{address}\": there is no network here; paste the manifest instead"))),
    }
}
