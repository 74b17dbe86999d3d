//! "Images": names of images that do not exist, and the programs that images run by default.

use super::Page;

#[test]
fn a_misspelt_repository_is_denied() {
    let mut page = Page::open();
    page.run("run web --image=ngnix");
    page.pass(5);
    assert!(["ErrImagePull", "ImagePullBackOff"].contains(&page.status("web").as_str()));
    let events = page.events("web");
    assert!(events.contains("pull access denied, repository does not exist or may require authorization"), "{events}");
    page.run("run mine --image=playground/shop:2 -- --listen=8080");
    page.pass(5);
    assert_eq!(page.status("mine"), "Running");
}

#[test]
fn images_without_a_command_do_what_their_entry_point_does() {
    let mut page = Page::open();
    page.run("run bb --image=busybox");
    page.run("run db --image=mysql:8.0");
    page.run("run good --image=mysql:8.0 --env=MYSQL_ROOT_PASSWORD=secret");
    page.pass(60);
    let (status, restarts) = page.pod("bb");
    assert!(
        ["Completed", "CrashLoopBackOff"].contains(&status.as_str()) && restarts != "0",
        "a shell without input ends at once: {status} {restarts}"
    );
    assert_eq!(page.status("good"), "Running");
    assert!(page.pod("db").1.parse::<u32>().is_ok_and(|restarts| restarts > 0) || page.status("db") == "CrashLoopBackOff");
    assert!(page.run("logs db").contains("Database is uninitialized and password option is not specified"));
}

#[test]
fn a_private_registry_wants_a_secret_with_a_login() {
    let mut page = Page::open();
    let pod = |name: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec:\n  containers: [{{name: c, image: 'registry.example.com/team/app:1.0'}}]\n  imagePullSecrets: [{{name: regcred}}]\n"
        )
    };
    page.apply(&pod("early"));
    page.pass(15);
    assert!(["ErrImagePull", "ImagePullBackOff"].contains(&page.status("early").as_str()), "{}", page.status("early"));
    let events = page.events("early");
    assert!(events.contains("FailedToRetrieveImagePullSecret: Unable to retrieve some image pull secrets (regcred)"), "{events}");
    assert!(events.contains("pull access denied"), "{events}");
    page.run("create secret docker-registry regcred --docker-server=other.example.com --docker-username=me --docker-password=x");
    page.apply(&pod("other"));
    page.pass(15);
    assert_ne!(page.status("other"), "Running", "the login is for another registry");
    page.run("delete secret regcred");
    page.run("create secret docker-registry regcred --docker-server=registry.example.com --docker-username=me --docker-password=x");
    page.apply(&pod("late"));
    page.pass(15);
    assert_eq!(page.status("late"), "Running", "{}", page.events("late"));
    page.pass(400);
    assert_eq!(page.status("early"), "Running", "the kubelet has seen the secret");
}

#[test]
fn a_status_names_images_as_the_runtime_does() {
    let mut page = Page::open();
    page.run("run web --image=nginx:1.25");
    page.pass(8);
    assert_eq!(page.field("pod/web", ".spec.containers[0].image"), "nginx:1.25");
    assert_eq!(page.field("pod/web", ".status.containerStatuses[0].image"), "docker.io/library/nginx:1.25");
    let id = page.field("pod/web", ".status.containerStatuses[0].imageID");
    let digest = id.strip_prefix("docker.io/library/nginx@sha256:").unwrap_or_default();
    assert!(digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit()), "{id}");
    let described = page.run("describe pod web");
    assert!(described.contains(&format!("    Image:          nginx:1.25\n    Image ID:       {id}\n")), "{described}");
}

#[test]
fn an_image_that_is_present_is_only_checked() {
    let mut page = Page::open();
    let pod = |name: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{nodeName: node-1, containers: [{{name: c, image: nginx}}]}}\n"
        )
    };
    page.apply(&pod("first"));
    page.pass(10);
    page.apply(&pod("second"));
    page.pass(10);
    let said = page.events("second");
    assert!(said.contains("Successfully pulled image \"nginx\" in 300ms (300ms including waiting)."), "{said}");
}

#[test]
fn a_name_in_another_form_is_no_image() {
    let mut page = Page::open();
    page.apply("apiVersion: v1\nkind: Pod\nmetadata: {name: private-reg}\nspec:\n  containers:\n  - {name: c, image: <your-private-image>}\n  imagePullSecrets:\n  - name: regcred\n");
    page.pass(5);
    assert_eq!(page.status("private-reg"), "InvalidImageName");
    let events = page.events("private-reg");
    assert!(events.contains("couldn't parse image name \"<your-private-image>\": invalid reference format"), "{events}");
}
