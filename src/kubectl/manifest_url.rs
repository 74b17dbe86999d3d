//! Manifests at the URLs that the Kubernetes documentation uses. The page loads nothing from the network, so it contains the well-known ones, written
//! anew, and refuses every other URL. Counterpart: `resource.URLVisitor`.

use super::errors::Stop;
use crate::api::content;

/// The URLs under which the documentation keeps its examples.
const ROOTS: &[&str] = &[
    "https://k8s.io/examples/",
    "https://kubernetes.io/examples/",
    "https://raw.githubusercontent.com/kubernetes/website/main/content/en/examples/",
];

/// Returns whether the argument of `-f` is a URL.
pub fn is_address(path: &str) -> bool {
    path.starts_with("http://") || path.starts_with("https://")
}

/// Returns the manifest at a URL, or the error for a URL that the page does not contain.
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
