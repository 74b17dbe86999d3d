//! "Configure Service Accounts for Pods": tokens that never expire, kept in Secrets.

use super::Page;

const SECRET: &str = "
apiVersion: v1
kind: Secret
metadata:
  name: build-robot-secret
  annotations: {kubernetes.io/service-account.name: build-robot}
type: kubernetes.io/service-account-token
";

#[test]
fn a_token_secret_is_filled_and_goes_with_its_account() {
    let mut page = Page::open();
    page.run("create serviceaccount build-robot");
    page.apply(SECRET);
    page.pass(2);
    let described = page.run("describe secrets/build-robot-secret");
    let uid = page.field("serviceaccount/build-robot", ".metadata.uid");
    assert!(described.contains("Annotations:  kubernetes.io/service-account.name: build-robot\n"), "{described}");
    assert!(described.contains(&format!("kubernetes.io/service-account.uid: {uid}\n")), "{described}");
    assert!(described.contains("\nType:  kubernetes.io/service-account-token\n\nData\n====\n"), "{described}");
    assert!(described.contains("namespace:  7 bytes\n") && described.contains("token:      eyJ"), "{described}");
    assert_eq!(page.field("secret/build-robot-secret", ".data.namespace"), "ZGVmYXVsdA==");
    page.run("delete serviceaccount build-robot");
    page.pass(2);
    assert_eq!(page.run("get secrets"), "No resources found in default namespace.\n");
}

#[test]
fn a_token_secret_of_nobody_is_deleted() {
    let mut page = Page::open();
    page.apply(&SECRET.replace("build-robot}", "nobody}"));
    page.pass(2);
    assert_eq!(page.run("get secrets"), "No resources found in default namespace.\n");
}

#[test]
fn a_service_account_is_described_with_its_pull_secrets() {
    let mut page = Page::open();
    page.run("create serviceaccount build-robot");
    let patch = r#"patch serviceaccount build-robot -p '{"imagePullSecrets":[{"name":"myregistrykey"}]}'"#;
    page.run(patch);
    let described = page.run("describe serviceaccount build-robot");
    assert!(described.contains("Image pull secrets:  myregistrykey\n") && !described.contains("Mountable"), "{described}");
}
