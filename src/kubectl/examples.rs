//! Manifests at addresses that the Kubernetes documentation uses. The page loads nothing from elsewhere, so the well-known ones are here, written anew, and
//! every other address is refused. Counterpart: `resource.URLVisitor`.

use super::errors::Stop;

/// The folders under which the documentation keeps its examples.
const ROOTS: &[&str] = &[
    "https://k8s.io/examples/",
    "https://kubernetes.io/examples/",
    "https://raw.githubusercontent.com/kubernetes/website/main/content/en/examples/",
];

macro_rules! documents {
    ($($path:literal),* $(,)?) => { &[$(($path, include_str!(concat!("documents/", $path)))),*] };
}

/// The examples: path and text.
const DOCUMENTS: &[(&str, &str)] = documents![
    "admin/namespace-dev.yaml",
    "admin/namespace-prod.yaml",
    "admin/dns/dnsutils.yaml",
    "application/deployment.yaml",
    "application/deployment-update.yaml",
    "application/deployment-scale.yaml",
    "application/nginx-app.yaml",
    "application/shell-demo.yaml",
    "application/simple_deployment.yaml",
    "application/update_deployment.yaml",
    "controllers/frontend.yaml",
    "controllers/nginx-deployment.yaml",
    "debug/counter-pod.yaml",
    "debug/termination.yaml",
    "pods/commands.yaml",
    "pods/init-containers.yaml",
    "pods/lifecycle-events.yaml",
    "pods/simple-pod.yaml",
    "pods/pod-nginx.yaml",
    "pods/inject/envars.yaml",
    "pods/inject/dependent-envars.yaml",
    "pods/probe/exec-liveness.yaml",
    "pods/probe/http-liveness.yaml",
    "pods/probe/tcp-liveness-readiness.yaml",
    "pods/qos/qos-pod.yaml",
    "pods/resource/cpu-request-limit.yaml",
    "pods/resource/memory-request-limit.yaml",
    "pods/resource/memory-request-limit-2.yaml",
    "pods/storage/redis.yaml",
    "service/access/hello-application.yaml",
    "service/load-balancer-example.yaml",
    "service/networking/curlpod.yaml",
    "service/networking/nginx-svc.yaml",
    "service/networking/run-my-nginx.yaml",
];

/// Tells whether a path is an address.
pub fn is_address(path: &str) -> bool {
    path.starts_with("http://") || path.starts_with("https://")
}

/// Returns the text at an address.
pub fn fetch(address: &str) -> Result<&'static str, Stop> {
    let path = ROOTS.iter().find_map(|root| address.strip_prefix(root));
    let found = path.and_then(|path| DOCUMENTS.iter().find(|(known, _)| *known == path.trim_start_matches('/')));
    match (found, path) {
        (Some((_, text)), _) => Ok(text),
        (None, Some(path)) => Err(Stop::plain(format!(
            "unable to read URL \"{address}\": there is no network here, and {path} is not among the examples that came with the page"
        ))),
        (None, None) => Err(Stop::plain(format!("unable to read URL \"{address}\": there is no network here; paste the manifest instead"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::yaml;

    #[test]
    fn every_example_is_a_manifest() {
        for (path, text) in DOCUMENTS {
            let documents = yaml::parse_documents(text);
            assert!(!documents.is_empty() && documents.iter().all(Result::is_ok), "{path}");
        }
    }
}
