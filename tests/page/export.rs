//! The export of a run as a folder for a real cluster: the manifests in order, and a script with all other commands.

use loopscope::api::Span;
use loopscope::engine::Engine;
use loopscope::sim::{Config, Fault};
use loopscope::view::export::folder;
use loopscope::view::share::Share;
use loopscope::view::{FIRST_MANIFEST, Run};
use serde_json::json;

/// Returns the files of the folder: their paths, without the folder's own name, and their texts.
fn members(run: &Run) -> Vec<(String, String)> {
    folder(run).into_iter().map(|m| (m.path.strip_prefix("loopscope/").expect("one folder").to_owned(), m.text)).collect()
}

fn text<'m>(members: &'m [(String, String)], path: &str) -> &'m str {
    &members.iter().find(|(name, _)| name == path).unwrap_or_else(|| panic!("{path}: {members:#?}")).1
}

/// Returns the commands of the script, without comments and pauses.
fn commands(members: &[(String, String)]) -> Vec<&str> {
    let lines = text(members, "run.sh").lines().skip_while(|line| !line.starts_with("pause()")).skip(1);
    lines.filter(|line| !line.is_empty() && !line.starts_with(['#']) && !line.starts_with("pause ")).collect()
}

#[test]
fn manifests_and_commands_come_along_in_order() {
    let mut run = Run::new(Config::default());
    run.apply(FIRST_MANIFEST);
    run.advance(run.start + Span::secs(12), 100_000);
    run.enter("kubectl scale rs my-app --replicas=5 && kubectl get pods | grep my-app");
    run.fault(Fault::CrashNode { node: "node-2".into() });
    run.kubectl(&["annotate", "rs", "my-app", "note=it's here"], "");
    run.apply("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: other\n");
    let members = members(&run);
    assert_eq!(
        commands(&members),
        [
            "kubectl apply -f manifests/01-replicaset-my-app.yaml",
            "kubectl scale rs my-app --replicas=5 && kubectl get pods | grep my-app",
            r"kubectl annotate rs my-app 'note=it'\''s here'",
            "kubectl apply -f manifests/02-namespace-other.yaml",
        ]
    );
    assert_eq!(text(&members, "manifests/01-replicaset-my-app.yaml"), FIRST_MANIFEST);
    let script = text(&members, "run.sh");
    assert!(script.contains("\npause 12.0\n") && script.contains("\n# You crashed node-2.\n"), "{script}");
    assert_eq!(text(&members, "kind.yaml").matches("role: worker").count(), 3);
    let executable: Vec<String> = folder(&run).into_iter().filter(|m| m.executable).map(|m| m.path).collect();
    assert_eq!(executable, ["loopscope/run.sh"]);
}

#[test]
fn files_that_a_line_reads_come_along_and_those_it_makes_do_not() {
    let mut run = Run::new(Config::default());
    for line in ["printf 'kind: Namespace\\napiVersion: v1\\nmetadata: {name: a}\\n' > a.yaml", "kubectl apply -f a.yaml"] {
        run.enter(line);
        run.advance(run.now() + Span::secs(2), 10_000);
    }
    let members = members(&run);
    assert_eq!(commands(&members).last(), Some(&"kubectl apply -f a.yaml"));
    assert!(!members.iter().any(|(path, _)| path == "a.yaml"), "the first line of the script makes it");
}

#[test]
fn requests_of_scripts_become_commands() {
    let mut engine = Engine::new("{}").expect("a cluster");
    let path = "/apis/apps/v1/namespaces/default/deployments/web";
    for (method, input) in [
        ("kubectl", json!({ "command": "create deployment web --image=nginx:1.25", "namespace": "default" })),
        (
            "request",
            json!({ "verb": "PATCH", "path": path, "body": { "spec": { "replicas": 2 } }, "contentType": "application/merge-patch+json" }),
        ),
        ("request", json!({ "verb": "PATCH", "path": format!("{path}/scale"), "body": { "spec": { "replicas": 3 } } })),
        ("request", json!({ "verb": "DELETE", "path": path, "query": { "propagationPolicy": "Orphan" } })),
        (
            "apply",
            json!({ "manifest": { "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "c" } }, "namespace": "kube-public" }),
        ),
    ] {
        engine.call(method, &input.to_string()).expect(method);
    }
    let shared: serde_json::Value = serde_json::from_str(&engine.call("share", "{}").expect("a state")).expect("JSON");
    let run = Run::from_share(Share::read(&shared["state"].to_string()).expect("a state"));
    let members = members(&run);
    assert_eq!(
        commands(&members),
        [
            "kubectl create deployment web --image=nginx:1.25",
            "kubectl patch deployments.apps web -n default --type=merge --patch-file=input/01-deployments-web.json",
            "kubectl patch deployments.apps web -n default --subresource=scale --type=strategic --patch-file=input/02-web-scale.json",
            "kubectl delete --raw '/apis/apps/v1/namespaces/default/deployments/web?propagationPolicy=Orphan'",
            "kubectl --namespace=kube-public apply -f manifests/03-configmap-c.yaml",
        ]
    );
}

#[test]
fn every_shared_run_can_be_taken_along() {
    for json in [
        include_str!("old_runs/everything_a_person_does.json"),
        include_str!("old_runs/every_fault.json"),
        include_str!("old_runs/terminal.json"),
    ] {
        let run = Run::from_share(Share::read(json.trim_ascii_end()).expect("a state"));
        let members = members(&run);
        assert!(members.len() >= 3);
        let paths: std::collections::BTreeSet<&String> = members.iter().map(|(path, _)| path).collect();
        assert_eq!(paths.len(), members.len(), "every path once");
        assert!(paths.iter().all(|path| !path.starts_with('/') && !path.contains("..")), "{paths:?}");
        // An edited object does not carry the identity that this cluster gave it.
        assert!(members.iter().filter(|(path, _)| path.contains("-edit-")).all(|(_, text)| !text.contains("resourceVersion")));
    }
}
