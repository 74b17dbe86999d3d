//! The texts of `static/content`: the field table of the API and its help, layouts of Go structs, the images that exist, kubectl's help, time zones, the
//! glossary, the examples of the documentation.
//!
//! Programs and tests have them compiled in. The page fetches them as one file beside its wasm (feature `fetched-content`) and hands that over before
//! anything else runs.

/// Returns the content of the file at a path below `static/content`. Panics if there is no such file.
pub fn text(path: &str) -> &'static str {
    find(path).unwrap_or_else(|| panic!("static/content has no {path}"))
}

/// Returns the content of the file at a path below `static/content`; `None` if there is no such file.
pub fn find(path: &str) -> Option<&'static str> {
    all().iter().find(|(known, _)| *known == path).map(|(_, text)| *text)
}

/// Returns the lines `name: words` of the file at a path below `static/content` as pairs. Other lines are skipped.
pub fn rows(path: &str) -> Vec<(&'static str, &'static str)> {
    text(path).lines().filter_map(|line| line.split_once(": ")).collect()
}

/// Returns all files of `static/content` as pairs of path and content.
#[cfg(not(feature = "fetched-content"))]
fn all() -> &'static [(&'static str, &'static str)] {
    COMPILED
}

#[cfg(feature = "fetched-content")]
mod fetched {
    use std::sync::OnceLock;

    static ALL: OnceLock<Vec<(&'static str, &'static str)>> = OnceLock::new();

    /// Sets the texts from the one file that the build makes of `static/content`, in which each text follows a line with its path.
    pub fn provide(file: String) {
        let file: &'static str = file.leak();
        let parts = file.split("=== ").filter_map(|part| part.split_once('\n'));
        let _ = ALL.set(parts.collect());
    }

    pub(super) fn all() -> &'static [(&'static str, &'static str)] {
        ALL.get().expect("the page hands over its content before it starts")
    }
}
#[cfg(feature = "fetched-content")]
use fetched::all;
#[cfg(feature = "fetched-content")]
pub use fetched::provide;

#[cfg(not(feature = "fetched-content"))]
macro_rules! compiled {
    ($($path:literal),* $(,)?) => { &[$(($path, include_str!(concat!("../../static/content/", $path)))),*] };
}

#[cfg(not(feature = "fetched-content"))]
const COMPILED: &[(&str, &str)] = compiled![
    "documents/admin/dns/dnsutils.yaml",
    "documents/admin/namespace-dev.yaml",
    "documents/admin/namespace-prod.yaml",
    "documents/admin/resource/cpu-constraints-pod-2.yaml",
    "documents/admin/resource/cpu-constraints-pod-3.yaml",
    "documents/admin/resource/cpu-constraints-pod-4.yaml",
    "documents/admin/resource/cpu-constraints-pod.yaml",
    "documents/admin/resource/cpu-constraints.yaml",
    "documents/admin/resource/cpu-defaults-pod-2.yaml",
    "documents/admin/resource/cpu-defaults-pod-3.yaml",
    "documents/admin/resource/cpu-defaults-pod.yaml",
    "documents/admin/resource/cpu-defaults.yaml",
    "documents/admin/resource/memory-constraints-pod-2.yaml",
    "documents/admin/resource/memory-constraints-pod-3.yaml",
    "documents/admin/resource/memory-constraints-pod-4.yaml",
    "documents/admin/resource/memory-constraints-pod.yaml",
    "documents/admin/resource/memory-constraints.yaml",
    "documents/admin/resource/memory-defaults-pod-2.yaml",
    "documents/admin/resource/memory-defaults-pod-3.yaml",
    "documents/admin/resource/memory-defaults-pod.yaml",
    "documents/admin/resource/memory-defaults.yaml",
    "documents/admin/resource/quota-mem-cpu-pod-2.yaml",
    "documents/admin/resource/quota-mem-cpu-pod.yaml",
    "documents/admin/resource/quota-mem-cpu.yaml",
    "documents/admin/resource/quota-objects.yaml",
    "documents/admin/resource/quota-pod-deployment.yaml",
    "documents/admin/resource/quota-pod.yaml",
    "documents/application/deployment-scale.yaml",
    "documents/application/deployment-update.yaml",
    "documents/application/deployment.yaml",
    "documents/application/job/cronjob.yaml",
    "documents/application/nginx-app.yaml",
    "documents/application/php-apache.yaml",
    "documents/application/shell-demo.yaml",
    "documents/application/simple_deployment.yaml",
    "documents/application/update_deployment.yaml",
    "documents/application/web/web-parallel.yaml",
    "documents/application/web/web.yaml",
    "documents/configmap/configmap-multikeys.yaml",
    "documents/configmap/configmaps.yaml",
    "documents/controllers/daemonset.yaml",
    "documents/controllers/fluentd-daemonset.yaml",
    "documents/controllers/frontend.yaml",
    "documents/controllers/job.yaml",
    "documents/controllers/nginx-deployment.yaml",
    "documents/debug/counter-pod.yaml",
    "documents/debug/termination.yaml",
    "documents/pods/commands.yaml",
    "documents/pods/init-containers.yaml",
    "documents/pods/inject/dependent-envars.yaml",
    "documents/pods/inject/envars.yaml",
    "documents/pods/inject/secret-pod.yaml",
    "documents/pods/inject/secret.yaml",
    "documents/pods/lifecycle-events.yaml",
    "documents/pods/pod-configmap-envFrom.yaml",
    "documents/pods/pod-configmap-volume.yaml",
    "documents/pods/pod-nginx-preferred-affinity.yaml",
    "documents/pods/pod-nginx-required-affinity.yaml",
    "documents/pods/pod-nginx-specific-node.yaml",
    "documents/pods/pod-nginx.yaml",
    "documents/pods/pod-single-configmap-env-variable.yaml",
    "documents/pods/pod-with-node-affinity.yaml",
    "documents/pods/pod-with-pod-affinity.yaml",
    "documents/pods/pod-with-toleration.yaml",
    "documents/pods/probe/exec-liveness.yaml",
    "documents/pods/probe/http-liveness.yaml",
    "documents/pods/probe/tcp-liveness-readiness.yaml",
    "documents/pods/qos/qos-pod-2.yaml",
    "documents/pods/qos/qos-pod-3.yaml",
    "documents/pods/qos/qos-pod.yaml",
    "documents/pods/resource/cpu-request-limit-2.yaml",
    "documents/pods/resource/cpu-request-limit.yaml",
    "documents/pods/resource/memory-request-limit-2.yaml",
    "documents/pods/resource/memory-request-limit-3.yaml",
    "documents/pods/resource/memory-request-limit.yaml",
    "documents/pods/resource/pod-resize.yaml",
    "documents/pods/security/security-context.yaml",
    "documents/pods/simple-pod.yaml",
    "documents/pods/storage/pv-claim.yaml",
    "documents/pods/storage/pv-pod.yaml",
    "documents/pods/storage/pv-volume.yaml",
    "documents/pods/storage/redis.yaml",
    "documents/pods/topology-spread-constraints/one-constraint.yaml",
    "documents/pods/topology-spread-constraints/two-constraints.yaml",
    "documents/policy/zookeeper-pod-disruption-budget-maxunavailable.yaml",
    "documents/policy/zookeeper-pod-disruption-budget-minavailable.yaml",
    "documents/service/access/hello-application.yaml",
    "documents/service/load-balancer-example.yaml",
    "documents/service/networking/curlpod.yaml",
    "documents/service/networking/minimal-ingress.yaml",
    "documents/service/networking/networkpolicy.yaml",
    "documents/service/networking/nginx-policy.yaml",
    "documents/service/networking/nginx-svc.yaml",
    "documents/service/networking/run-my-nginx.yaml",
    "enums.txt",
    "examples.txt",
    "examples/access.yaml",
    "examples/agent.yaml",
    "examples/autoscaler.yaml",
    "examples/bad-image.yaml",
    "examples/budget.yaml",
    "examples/claim.yaml",
    "examples/crash-loop.yaml",
    "examples/db.yaml",
    "examples/definition.yaml",
    "examples/deployment.yaml",
    "examples/every-minute.yaml",
    "examples/finalizer.yaml",
    "examples/ingress.yaml",
    "examples/job.yaml",
    "examples/legacy.yaml",
    "examples/namespace.yaml",
    "examples/pod.yaml",
    "examples/policy.yaml",
    "examples/priority.yaml",
    "examples/quota.yaml",
    "examples/readiness.yaml",
    "examples/service.yaml",
    "examples/settings.yaml",
    "examples/spread.yaml",
    "examples/too-large.yaml",
    "examples/volume.yaml",
    "field_help.txt",
    "glossary.txt",
    "go_structs.txt",
    "hash_layout.txt",
    "images.txt",
    "kinds_not_simulated.txt",
    "kubectl_help.txt",
    "pseudocode.txt",
    "schema.txt",
    "zones.txt",
];

#[cfg(all(test, not(feature = "fetched-content")))]
mod tests {
    use super::*;
    use crate::api::yaml;
    use std::path::Path;

    #[test]
    fn every_file_is_there_and_no_text_looks_like_the_start_of_the_next() {
        fn count(folder: &Path) -> usize {
            let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
            entries.map(|path| if path.is_dir() { count(&path) } else { 1 }).sum()
        }
        assert_eq!(count(Path::new("static/content")), COMPILED.len());
        for (path, text) in COMPILED {
            assert!(!text.contains("=== ") && text.ends_with('\n'), "{path}");
        }
    }

    #[test]
    fn every_example_of_the_documentation_is_a_manifest() {
        for (path, text) in COMPILED.iter().filter(|(path, _)| path.starts_with("documents/")) {
            let documents = yaml::parse_documents(text);
            assert!(!documents.is_empty() && documents.iter().all(Result::is_ok), "{path}");
        }
    }
}
