//! What the page says about one object, the store and causes, without a page. Tests name the claims that they hold.

use loopscope::api::kind::Kind;
use loopscope::api::time::Span;
use loopscope::sim::{Fault, ProcessName};
use loopscope::view::object::{ObjectTab, ObjectView, Page};
use loopscope::view::store_log::{Diff, StoreView};
use loopscope::view::why::{Opens, Sort, WhyView};
use loopscope::view::{self, Desk, Drawer, Frame, Look, Side, Subject};

const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - name: nginx
        image: nginx:1.25
";

fn run(desk: &mut Desk, seconds: i64) {
    let until = desk.now() + Span::secs(seconds);
    while !desk.advance(until, 1_000) {}
}

fn settled() -> Desk {
    let mut desk = Desk::first_visit();
    run(&mut desk, 10);
    desk
}

/// The same, applied to a cluster that is already up.
fn applied() -> Desk {
    let mut desk = Desk::new(Default::default());
    run(&mut desk, 1);
    desk.apply(view::FIRST_MANIFEST);
    run(&mut desk, 10);
    desk
}

fn deployed() -> Desk {
    let mut desk = Desk::new(Default::default());
    desk.apply(DEPLOYMENT);
    run(&mut desk, 10);
    desk
}

fn frame(desk: &Desk, look: &Look) -> Frame {
    view::frame(desk, look, &Frame::default())
}

fn opened(kind: Kind, name: &str) -> Look {
    let mut look = Look::default();
    look.open(Subject::new(kind, if kind.row().namespaced { "default" } else { "" }, name));
    look
}

fn object(desk: &Desk, look: &Look) -> ObjectView {
    assert_eq!(look.side, Side::Object);
    (*frame(desk, look).object).clone()
}

fn page(desk: &Desk, look: &Look, page: ObjectTab) -> Page {
    object(desk, &Look { page, ..look.clone() }).page
}

fn overview(desk: &Desk, look: &Look) -> view::object::overview::Overview {
    match page(desk, look, ObjectTab::Overview) {
        Page::Overview(overview) => overview,
        other => panic!("no overview: {other:?}"),
    }
}

fn history(desk: &Desk, look: &Look) -> view::object::History {
    match page(desk, look, ObjectTab::History) {
        Page::History(history) => history,
        other => panic!("no history: {other:?}"),
    }
}

fn store(desk: &Desk, look: &Look) -> StoreView {
    (*frame(desk, &Look { drawer: Drawer::Store, ..look.clone() }).store).clone()
}

fn why(desk: &Desk, look: &Look) -> WhyView {
    (*frame(desk, &Look { drawer: Drawer::Why, ..look.clone() }).why).clone()
}

/// The sentences of the first story.
fn told(desk: &Desk, look: &Look) -> String {
    let why = why(desk, look);
    let story = why.stories.first().expect("a story");
    let sentences: Vec<&str> = story.links.iter().map(|link| link.sentence.as_str()).collect();
    sentences.join("\n")
}

fn pods(desk: &Desk) -> Vec<String> {
    let mut names: Vec<String> = desk.cluster().api.store.all(Kind::POD).map(|o| o.meta.name.to_string()).collect();
    names.sort();
    names
}

fn value<'a>(fields: &'a [view::object::fields::Field], path: &str) -> &'a str {
    &fields.iter().find(|f| f.path == path).unwrap_or_else(|| panic!("no {path} in {fields:?}")).value
}

fn text(diff: &Diff) -> String {
    diff.lines.iter().map(|l| format!("{}{}\n", l.sign, l.text)).collect()
}

/// The parts of a text stand in it in this order.
#[track_caller]
fn in_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("no `{part}`, or not there, in:\n{text}"));
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn s1_the_store_shows_keys_revisions_and_who_wrote_what() {
    let desk = settled();
    let store = store(&desk, &Look::default());
    assert_eq!(store.revision, desk.cluster().api.store.revision());
    assert!(store.kinds.contains(&("pods", 3)) && store.kinds.contains(&("nodes", 3)), "{:?}", store.kinds);
    let find = |key: &str, became: &str| {
        store.rows.iter().find(|r| r.key.starts_with(key) && r.became == became).unwrap_or_else(|| panic!("{key} {became}"))
    };
    let set = find("/registry/replicasets/default/my-app", "new");
    assert_eq!((set.who.as_str(), set.verb.as_str()), ("kubectl apply", "create"));
    let pod = find("/registry/pods/default/my-app-", "new");
    assert_eq!((pod.who.as_str(), pod.verb.as_str()), ("replicaset-controller", "create"));
    let binds = store.rows.iter().find(|r| r.verb == "bind").expect("a binding");
    assert_eq!(binds.who, "scheduler");
    assert!(binds.change.starts_with("spec.nodeName node-"), "{}", binds.change);
    let kubelet = store.rows.iter().find(|r| r.verb == "patch status" && r.key.contains("/pods/")).expect("a status");
    assert!(kubelet.who.starts_with("kubelet node-"), "{}", kubelet.who);
    assert!(store.rows.iter().all(|r| !r.key.contains("/leases/")), "heartbeats are hidden");
    assert!(store.rows.windows(2).all(|w| w[0].number > w[1].number), "newest first");
}

#[test]
fn s1_heartbeats_are_shown_on_demand_and_can_be_opened() {
    let mut desk = settled();
    run(&mut desk, 30);
    let mut look = Look::default();
    look.store.leases = true;
    let rows = store(&desk, &look).rows;
    let lease = rows.iter().find(|r| r.key == "/registry/leases/kube-node-lease/node-1").expect("a heartbeat");
    assert_eq!(lease.who, "kubelet node-1");
    assert!(rows.windows(2).all(|w| w[0].number > w[1].number));
    look.revision = Some(lease.number);
    let diff = store(&desk, &look).open.expect("a diff");
    assert!(text(&diff).contains("+  renewTime:"), "{}", text(&diff));
}

#[test]
fn s1_an_invalid_manifest_never_reaches_the_store_and_is_shown_as_refused() {
    let mut desk = settled();
    let before = desk.cluster().api.store.count(Kind::REPLICA_SET);
    desk.apply(&view::FIRST_MANIFEST.replace("my-app", "other").replace("replicas: 3", "replicas: -1"));
    run(&mut desk, 2);
    let store = store(&desk, &Look::default());
    assert_eq!(desk.cluster().api.store.count(Kind::REPLICA_SET), before);
    assert!(store.rows.iter().all(|r| !r.key.contains("other")));
    let refusal = store.refused.first().expect("a refusal");
    assert_eq!((refusal.code, refusal.who.as_str(), refusal.asked.as_str()), (422, "kubectl apply", "create replicaset"));
    assert!(refusal.message.contains("must be greater than or equal to 0"), "{}", refusal.message);
}

#[test]
fn s7_an_unchanged_apply_makes_no_revision() {
    let mut desk = settled();
    let look = opened(Kind::REPLICA_SET, "my-app");
    let (rows, revisions) = (history(&desk, &look).rows.len(), store(&desk, &Look::default()).rows[0].number);
    desk.apply(view::FIRST_MANIFEST);
    run(&mut desk, 2);
    assert_eq!(frame(&desk, &look).answer.as_ref().unwrap().stdout, "replicaset.apps/my-app unchanged\n");
    assert_eq!((history(&desk, &look).rows.len(), store(&desk, &Look::default()).rows[0].number), (rows, revisions));
}

#[test]
fn revisions_are_found_by_text_and_by_kind() {
    let desk = settled();
    let mut look = Look::default();
    look.store.kind = Some(Kind::REPLICA_SET);
    let sets = store(&desk, &look).rows;
    assert!(!sets.is_empty() && sets.iter().all(|r| r.subject.kind == Kind::REPLICA_SET));
    look.store.kind = None;
    look.store.text = "SCHEDULER".to_owned();
    let by_scheduler = store(&desk, &look).rows;
    assert!(by_scheduler.iter().filter(|r| r.verb == "bind").count() == 3, "{by_scheduler:?}");
}

#[test]
fn a_revision_opens_as_its_difference_to_the_one_before() {
    let mut desk = settled();
    desk.kubectl(&["scale", "rs/my-app", "--replicas=5"], "");
    run(&mut desk, 5);
    let mut look = opened(Kind::REPLICA_SET, "my-app");
    let scaled = history(&desk, &look).rows.iter().find(|r| r.who == "kubectl scale").expect("the scaling").clone();
    assert!(scaled.change.starts_with("spec.replicas 3 → 5"), "{}", scaled.change);
    look.revision = Some(scaled.number);
    let diff = history(&desk, &look).open.expect("a diff");
    in_order(&text(&diff), &["-  replicas: 3", "+  replicas: 5"]);
    assert_eq!(store(&desk, &look).open.map(|d| d.to), Some(scaled.number), "the store shows the same");
    // Two revisions that do not follow one another, chosen in any order.
    let first = history(&desk, &look).rows.last().unwrap().number;
    look.store.base = Some(first);
    let far = history(&desk, &look).open.expect("a diff");
    assert_eq!((far.from, far.to), (first, scaled.number));
    look.revision = Some(first);
    look.store.base = Some(scaled.number);
    assert_eq!(history(&desk, &look).open.map(|d| (d.from, d.to)), Some((first, scaled.number)));
}

#[test]
fn s2_spec_and_status_stand_apart_each_with_its_last_writer() {
    let mut desk = deployed();
    let look = opened(Kind::DEPLOYMENT, "web");
    let now = overview(&desk, &look);
    assert_eq!(value(&now.wanted.fields, "spec.replicas"), "2");
    assert_eq!(value(&now.wanted.fields, "spec.template.spec.containers[nginx].image"), "nginx:1.25");
    let observed = now.observed.expect("a status");
    assert_eq!(value(&observed.fields, "status.availableReplicas"), "2");
    assert!(now.wanted.fields.iter().all(|f| f.path.starts_with("spec")) && observed.fields.iter().all(|f| f.path.starts_with("status")));
    assert!(now.wanted.by.starts_with("kubectl apply, create at 0.0 s"), "{}", now.wanted.by);
    assert!(observed.by.starts_with("deployment-controller, update status at "), "{}", observed.by);
    // A person's status is dropped, and so nobody but the controller has written it.
    let status = &DEPLOYMENT.replace("  replicas: 2", "  replicas: 3").to_owned();
    desk.apply(&format!("{status}status:\n  replicas: 99\n"));
    run(&mut desk, 5);
    let now = overview(&desk, &look);
    assert_eq!(value(&now.observed.as_ref().unwrap().fields, "status.replicas"), "3");
    assert!(now.observed.unwrap().by.starts_with("deployment-controller"));
    assert!(now.wanted.by.starts_with("kubectl apply, patch"), "{}", now.wanted.by);
}

#[test]
fn s3_generation_and_observed_generation_tell_whether_the_controller_has_seen_it() {
    let mut desk = deployed();
    let look = opened(Kind::DEPLOYMENT, "web");
    assert_eq!(object(&desk, &look).head.progress(), "1 1 reconciled");
    desk.fault(Fault::CrashProcess { process: ProcessName::ControllerManager(0) });
    desk.kubectl(&["scale", "deployment/web", "--replicas=4"], "");
    run(&mut desk, 1);
    assert_eq!(object(&desk, &look).head.progress(), "2 1 in progress");
    desk.fault(Fault::RestartProcess { process: ProcessName::ControllerManager(0) });
    run(&mut desk, 30);
    assert_eq!(object(&desk, &look).head.progress(), "2 2 reconciled");
}

#[test]
fn s4_conditions_carry_their_reasons_and_messages() {
    let desk = deployed();
    let conditions = overview(&desk, &opened(Kind::DEPLOYMENT, "web")).conditions;
    let available = conditions.iter().find(|c| c.name == "Available").expect("Available");
    assert_eq!((available.status.as_str(), available.reason.as_str()), ("True", "MinimumReplicasAvailable"));
    assert_eq!(available.message, "Deployment has minimum availability.");
    let progressing = conditions.iter().find(|c| c.name == "Progressing").expect("Progressing");
    assert_eq!(progressing.reason, "NewReplicaSetAvailable");
    let ready = overview(&desk, &opened(Kind::NODE, "node-1")).conditions;
    assert!(ready.iter().any(|c| c.name == "Ready" && c.reason == "KubeletReady"), "{ready:?}");
}

#[test]
fn every_kind_of_object_can_be_opened_on_every_page() {
    let desk = deployed();
    for kind in Kind::all() {
        for stored in desk.cluster().api.store.all(kind) {
            let mut look = Look::default();
            look.open(Subject { kind, key: stored.key() });
            let Page::Yaml(parts) = page(&desk, &look, ObjectTab::Yaml) else { panic!("{kind:?}") };
            let whole: String = parts.iter().map(|(_, text)| text.as_str()).collect();
            assert_eq!(whole, loopscope::api::yaml::emit(&stored.to_map().into()), "as kubectl get -o yaml gives it");
            assert!(!overview(&desk, &look).wanted.by.is_empty());
            history(&desk, &look);
            assert!(!why(&desk, &look).stories.is_empty(), "{kind:?}");
        }
    }
}

#[test]
fn managed_fields_are_hidden_unless_asked_for() {
    let desk = deployed();
    let look = opened(Kind::DEPLOYMENT, "web");
    let whole = |look: &Look| match page(&desk, look, ObjectTab::Yaml) {
        Page::Yaml(parts) => parts.into_iter().map(|(_, text)| text).collect::<String>(),
        other => panic!("{other:?}"),
    };
    assert!(!whole(&look).contains("managedFields"));
    assert!(whole(&Look { managed: true, ..look }).contains("managedFields"));
}

#[test]
fn owners_and_what_is_owned_lead_to_one_another() {
    let desk = deployed();
    let head = object(&desk, &opened(Kind::DEPLOYMENT, "web")).head;
    let set = head.owned.first().and_then(|o| o.subject.clone()).expect("a ReplicaSet");
    assert_eq!(set.kind, Kind::REPLICA_SET);
    let mut look = Look::default();
    look.open(set);
    let head = object(&desk, &look).head;
    assert_eq!((head.owners[0].text.as_str(), head.owned.len(), head.state.as_str()), ("Deployment web", 2, "2 of 2 ready"));
}

#[test]
fn an_object_that_is_gone_keeps_its_last_state_and_its_history() {
    let mut desk = settled();
    let pod = pods(&desk).remove(0);
    desk.delete_pod("default", &pod);
    run(&mut desk, 60);
    let look = opened(Kind::POD, &pod);
    let view = object(&desk, &look);
    assert!(view.head.absent.starts_with("Gone since revision "), "{}", view.head.absent);
    assert_eq!(value(&overview(&desk, &look).wanted.fields, "spec.containers[nginx].image"), "nginx:1.25");
    let rows = history(&desk, &look).rows;
    assert_eq!((rows.first().unwrap().became, rows.last().unwrap().became), ("gone", "new"));
    let Page::Events(events) = page(&desk, &look, ObjectTab::Events) else { panic!() };
    assert!(events.iter().any(|e| e.reason == "Killing") && events.iter().all(|e| e.about == format!("pod/{pod}")));
}

#[test]
fn a_look_at_the_past_finds_the_object_as_it_was() {
    let mut desk = settled();
    let look = opened(Kind::REPLICA_SET, "my-app");
    let then = desk.now();
    let rows = history(&desk, &look).rows.len();
    desk.kubectl(&["scale", "rs/my-app", "--replicas=5"], "");
    run(&mut desk, 5);
    assert!(history(&desk, &look).rows.len() > rows);
    desk.seek(then);
    assert_eq!(value(&overview(&desk, &look).wanted.fields, "spec.replicas"), "3");
    assert_eq!(history(&desk, &look).rows.len(), rows);
    desk.seek(desk.start);
    assert!(object(&desk, &look).head.absent.starts_with("It is not there yet"), "{}", object(&desk, &look).head.absent);
}

#[test]
fn g3_a_finalizer_holds_the_deletion_and_the_page_says_so() {
    let mut desk = Desk::new(Default::default());
    desk.apply("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: held\n  finalizers:\n  - example.com/clean-up\n");
    run(&mut desk, 1);
    desk.kubectl(&["delete", "configmap", "held", "--wait=false"], "");
    run(&mut desk, 1);
    let look = opened(Kind::CONFIG_MAP, "held");
    let head = object(&desk, &look).head;
    assert!(head.deleting.contains("deletionTimestamp") && head.deleting.contains("example.com/clean-up"), "{}", head.deleting);
    in_order(&told(&desk, &look), &["You ran “kubectl delete configmap held --wait=false”", "That marked ConfigMap held for deletion"]);
    desk.kubectl(&["patch", "configmap", "held", "--type=merge", "-p", r#"{"metadata":{"finalizers":null}}"#], "");
    run(&mut desk, 1);
    assert!(object(&desk, &look).head.absent.starts_with("Gone since revision"));
}

#[test]
fn f3_a_container_that_keeps_ending_shows_its_restarts_and_its_back_off() {
    let mut desk = Desk::new(Default::default());
    desk.apply(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: crashing\nspec:\n  containers:\n  - name: main\n    image: busybox\n    command: [\"sh\", \"-c\", \"exit 3\"]\n",
    );
    run(&mut desk, 30);
    let look = opened(Kind::POD, "crashing");
    let container = overview(&desk, &look).containers.remove(0);
    assert!(container.restarts > 0 && container.last_exit.starts_with("exit code 3"), "{container:?}");
    assert!(container.next_try.starts_with("tries again in "), "{container:?}");
    let mut ask = look.clone();
    ask.field = Some("status.containerStatuses[main].restartCount".to_owned());
    let story = told(&desk, &ask);
    in_order(
        &story,
        &["You applied the manifest", "stored Pod crashing", "ended by itself with exit code 3", "wrote the status of Pod crashing"],
    );
}

#[test]
fn l10_why_a_pod_exists_goes_back_to_the_apply() {
    let desk = applied();
    let pod = &pods(&desk)[0];
    let story = told(&desk, &opened(Kind::POD, pod));
    in_order(
        &story,
        &[
            "You applied the manifest (1.0 s).",
            "The API server stored ReplicaSet my-app at revision ",
            "The watch told the replicaset controller of ReplicaSet my-app, of whose pods it wanted 3 and saw 0",
            &format!("It created Pod {pod}. The API server stored that at revision "),
            &format!("It bound Pod {pod} to node-"),
            "The kubelet of node-",
            "wrote the status of Pod",
        ],
    );
    let links = &why(&desk, &opened(Kind::POD, pod)).stories[0].links;
    assert_eq!(links.iter().take(4).map(|l| l.sort).collect::<Vec<_>>(), [Sort::Person, Sort::Write, Sort::Pass, Sort::Write]);
    assert!(matches!(&links[2].opens, Opens::Pass(..)), "the reconcile can be opened");
    assert!(matches!(&links[3].opens, Opens::Object(subject, _) if subject.key.name == pod.as_str()));
}

#[test]
fn l10_all_pods_of_one_reconcile_have_the_same_cause() {
    let desk = applied();
    for pod in pods(&desk) {
        let why = why(&desk, &opened(Kind::POD, &pod));
        let links = &why.stories[0].links;
        assert_eq!(links[0].sort, Sort::Person, "{pod}");
        assert_eq!(links[1].title, "ReplicaSet my-app", "{pod}: not by way of its sisters");
        assert_eq!(links[3].title, format!("Pod {pod}"));
    }
}

#[test]
fn l10_what_a_new_leader_found_was_wanted_by_who_wrote_it() {
    let desk = settled();
    in_order(
        &told(&desk, &opened(Kind::POD, &pods(&desk)[0])),
        &[
            "You applied the manifest (0.0 s).",
            "The API server stored ReplicaSet my-app",
            "A controller manager took the lease and read everything anew",
            "The replicaset controller looked at ReplicaSet my-app, of whose pods it wanted 3 and saw 0",
            "It created Pod my-app-",
        ],
    );
}

#[test]
fn l10_why_a_replacement_exists_goes_back_to_the_deletion() {
    let mut desk = settled();
    let (before, gone) = (pods(&desk), pods(&desk).remove(0));
    desk.delete_pod("default", &gone);
    run(&mut desk, 60);
    let new = pods(&desk).into_iter().find(|p| !before.contains(p)).expect("a replacement");
    in_order(
        &told(&desk, &opened(Kind::POD, &new)),
        &[
            &format!("You ran “kubectl delete pod {gone}”"),
            &format!("marked Pod {gone} for deletion, with 30 s to stop in"),
            &format!(
                "The watch told the replicaset controller of Pod {gone}, and so it looked at ReplicaSet my-app, of whose pods it wanted 3 and saw 2"
            ),
            &format!("It created Pod {new}"),
        ],
    );
    let gone = why(&desk, &opened(Kind::POD, &gone));
    assert!(gone.stories[0].question.ends_with("gone?") && gone.stories[1].question.ends_with("exist?"), "{:?}", gone.stories);
}

#[test]
fn l10_why_a_pod_was_replaced_after_a_crash_goes_back_to_the_crash() {
    let mut desk = settled();
    let before = pods(&desk);
    let node = desk.cluster().api.store.all(Kind::POD).next().unwrap().pod().unwrap().node.to_string();
    desk.fault(Fault::CrashNode { node: node.clone() });
    run(&mut desk, 420);
    let new = pods(&desk).into_iter().find(|p| !before.contains(p)).expect("a replacement");
    in_order(
        &told(&desk, &opened(Kind::POD, &new)),
        &[
            &format!("You crashed {node} ("),
            &format!("{node} gave no sign of life any more. Its lease was renewed last at "),
            "found that its lease had run out",
            "The node controller looked at Node",
            "It changed Node",
            "taint eviction controller",
            "marked Pod my-app-",
            "of whose pods it wanted 3 and saw",
            &format!("It created Pod {new}"),
        ],
    );
}

#[test]
fn l10_why_a_scaled_replicaset_wants_so_many_goes_back_through_its_deployment() {
    let mut desk = deployed();
    desk.kubectl(&["scale", "deployment/web", "--replicas=4"], "");
    run(&mut desk, 10);
    let set = desk.cluster().api.store.all(Kind::REPLICA_SET).next().unwrap().meta.name.to_string();
    let mut look = opened(Kind::REPLICA_SET, &set);
    look.field = Some("spec.replicas".to_owned());
    assert_eq!(why(&desk, &look).stories[0].question, format!("Why is spec.replicas of ReplicaSet {set} 4?"));
    in_order(
        &told(&desk, &look),
        &[
            "You ran “kubectl scale deployment/web --replicas=4”",
            "That changed Deployment web: spec.replicas 2 → 4",
            "The watch told the deployment controller of Deployment web",
            &format!("It changed ReplicaSet {set}: spec.replicas 2 → 4"),
        ],
    );
}

#[test]
fn f10_a_paused_rollout_says_so() {
    let mut desk = deployed();
    let look = opened(Kind::DEPLOYMENT, "web");
    assert_eq!(object(&desk, &look).head.stuck, None);
    desk.kubectl(&["rollout", "pause", "deployment/web"], "");
    desk.kubectl(&["set", "image", "deployment/web", "nginx=nginx:1.26"], "");
    run(&mut desk, 5);
    let stuck = object(&desk, &look).head.stuck.expect("a reason");
    assert!(stuck.starts_with("The rollout is paused"), "{stuck}");
    assert_eq!(why(&desk, &look).stuck, Some(stuck));
}

#[test]
fn f10_a_rollout_whose_pods_fail_names_the_pod_and_the_reason() {
    let mut desk = deployed();
    let look = opened(Kind::DEPLOYMENT, "web");
    desk.kubectl(&["set", "image", "deployment/web", "nginx=nginx:nosuch"], "");
    run(&mut desk, 30);
    let stuck = object(&desk, &look).head.stuck.expect("a reason");
    assert!(stuck.contains("does not become ready") || stuck.contains("do not become ready"), "{stuck}");
    assert!(stuck.contains("ImagePullBackOff") || stuck.contains("ErrImagePull"), "{stuck}");
    run(&mut desk, 620);
    let stuck = object(&desk, &look).head.stuck.expect("a reason");
    assert!(stuck.starts_with("The rollout is past its deadline"), "{stuck}");
}

#[test]
fn f10_a_controller_that_is_down_or_cut_off_is_named_as_the_reason() {
    let manager = || ProcessName::ControllerManager(0);
    let mut desk = deployed();
    let look = opened(Kind::DEPLOYMENT, "web");
    desk.fault(Fault::CrashProcess { process: manager() });
    desk.kubectl(&["scale", "deployment/web", "--replicas=4"], "");
    run(&mut desk, 2);
    let stuck = object(&desk, &look).head.stuck.expect("a reason");
    assert!(
        stuck.starts_with("The controller manager is down") && stuck.contains("you crashed the controller manager at 10.0 s"),
        "{stuck}"
    );
    desk.fault(Fault::RestartProcess { process: manager() });
    run(&mut desk, 1);
    assert!(object(&desk, &look).head.stuck.expect("a reason").starts_with("No controller manager leads"));
    run(&mut desk, 40);
    assert_eq!(object(&desk, &look).head.stuck, None);
    desk.fault(Fault::Partition { process: manager() });
    desk.kubectl(&["scale", "deployment/web", "--replicas=1"], "");
    run(&mut desk, 2);
    let stuck = object(&desk, &look).head.stuck.expect("a reason");
    assert!(stuck.starts_with("The controller manager is cut off"), "{stuck}");
}

#[test]
fn f10_a_watch_that_is_behind_is_named_as_the_reason() {
    let mut desk = deployed();
    let look = opened(Kind::DEPLOYMENT, "web");
    desk.fault(Fault::SlowLink { process: ProcessName::ControllerManager(0), extra_ms: 8_000 });
    desk.kubectl(&["scale", "deployment/web", "--replicas=4"], "");
    run(&mut desk, 3);
    let stuck = object(&desk, &look).head.stuck.expect("a reason");
    assert!(stuck.starts_with("The watch has not told the controller yet") && stuck.contains("slowed down by 8.0 s"), "{stuck}");
}

#[test]
fn f10_a_desired_state_that_fits_nowhere_is_named_in_the_schedulers_words() {
    let mut desk = Desk::new(Default::default());
    desk.apply(&DEPLOYMENT.replace("image: nginx:1.25", "image: nginx:1.25\n        resources:\n          requests:\n            cpu: 64"));
    run(&mut desk, 10);
    let stuck = object(&desk, &opened(Kind::DEPLOYMENT, "web")).head.stuck.expect("a reason");
    assert!(stuck.contains("has no node: 0/3 nodes are available: 3 Insufficient cpu."), "{stuck}");
}

#[test]
fn events_are_found_by_text_and_by_sort_and_lead_to_their_object() {
    let mut desk = deployed();
    desk.kubectl(&["set", "image", "deployment/web", "nginx=nginx:nosuch"], "");
    run(&mut desk, 30);
    let mut look = Look { drawer: Drawer::Events, ..Look::default() };
    let all = frame(&desk, &look).events.len();
    look.events.warnings = true;
    let warnings = frame(&desk, &look).events.clone();
    assert!(!warnings.is_empty() && warnings.len() < all && warnings.iter().all(|e| e.warning));
    look.events.text = "NOSUCH".to_owned();
    assert!(frame(&desk, &look).events.iter().all(|e| e.message.contains("nosuch")));
    assert_eq!(warnings[0].subject.as_ref().map(|s| s.kind), Some(Kind::POD));
}

#[test]
fn rows_that_have_not_changed_stay_the_very_same() {
    let desk = settled();
    let look = Look { drawer: Drawer::Store, ..Look::default() };
    let first = frame(&desk, &look);
    let second = view::frame(&desk, &look, &first);
    assert!(std::rc::Rc::ptr_eq(&first.store, &second.store));
    let look = opened(Kind::REPLICA_SET, "my-app");
    let first = frame(&desk, &look);
    assert!(std::rc::Rc::ptr_eq(&first.object, &view::frame(&desk, &look, &first).object));
}
