//! The page's view of one object, of the store and of causes, without a page. The tests name the claims that they check.

mod causes;

use loopscope::api::kind::Kind;
use loopscope::api::meta::Key;
use loopscope::api::time::Span;
use loopscope::sim::{Fault, ProcessName};
use loopscope::view::object::{ObjectTab, ObjectView, Page};
use loopscope::view::store_log::{Diff, StoreView};
use loopscope::view::why::{Opens, Sort, WhyView};
use loopscope::view::{self, Drawer, Frame, Run, Selection, Side, Subject};
use std::rc::Rc;

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

fn run_for(run: &mut Run, seconds: i64) {
    let until = run.now() + Span::secs(seconds);
    while !run.advance(until, 1_000) {}
}

fn settled() -> Run {
    let mut run = Run::first_visit();
    run_for(&mut run, 10);
    run
}

/// Creates a run in which the first manifest is applied to a cluster that is already up.
fn applied() -> Run {
    let mut run = Run::new(Default::default());
    run_for(&mut run, 1);
    run.apply(view::FIRST_MANIFEST);
    run_for(&mut run, 10);
    run
}

fn deployed() -> Run {
    let mut run = Run::new(Default::default());
    run.apply(DEPLOYMENT);
    run_for(&mut run, 10);
    run
}

fn frame(run: &Run, selection: &Selection) -> Frame {
    view::frame(run, selection, &Frame::default())
}

fn opened(kind: Kind, name: &str) -> Selection {
    let mut selection = Selection::default();
    selection.open(Subject::new(kind, if kind.row().namespaced { "default" } else { "" }, name));
    selection
}

fn object(run: &Run, selection: &Selection) -> ObjectView {
    assert_eq!(selection.side, Side::Object);
    (*frame(run, selection).object).clone()
}

fn page(run: &Run, selection: &Selection, page: ObjectTab) -> Page {
    object(run, &Selection { page, ..selection.clone() }).page
}

fn overview(run: &Run, selection: &Selection) -> view::object::overview::Overview {
    match page(run, selection, ObjectTab::Overview) {
        Page::Overview(overview) => Rc::unwrap_or_clone(overview),
        other => panic!("no overview: {other:?}"),
    }
}

fn history(run: &Run, selection: &Selection) -> view::object::History {
    match page(run, selection, ObjectTab::History) {
        Page::History(history) => Rc::unwrap_or_clone(history),
        other => panic!("no history: {other:?}"),
    }
}

fn store(run: &Run, selection: &Selection) -> StoreView {
    (*frame(run, &Selection { drawer: Drawer::Store, ..selection.clone() }).store).clone()
}

fn why(run: &Run, selection: &Selection) -> WhyView {
    (*frame(run, &Selection { drawer: Drawer::Why, ..selection.clone() }).why).clone()
}

/// Returns the sentences of the first story.
fn told(run: &Run, selection: &Selection) -> String {
    let why = why(run, selection);
    // The reasons for the pod's state come first, then those for its being there.
    let story = why.stories.iter().find(|story| !story.question.ends_with(" Running?")).expect("a story");
    let sentences: Vec<&str> = story.links.iter().map(|link| link.sentence.as_str()).collect();
    sentences.join("\n")
}

fn pods(run: &Run) -> Vec<String> {
    let mut names: Vec<String> = run.cluster().api.store.all(Kind::POD).map(|o| o.meta.name.to_string()).collect();
    names.sort();
    names
}

fn value<'a>(fields: &'a [view::object::fields::Field], path: &str) -> &'a str {
    &fields.iter().find(|f| f.path == path).unwrap_or_else(|| panic!("no {path} in {fields:?}")).value
}

fn text(diff: &Diff) -> String {
    diff.lines.iter().map(|l| format!("{}{}\n", l.sign, l.text)).collect()
}

/// Checks that a text contains these parts in this order.
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
    let run = settled();
    let store = store(&run, &Selection::default());
    assert_eq!(store.revision, run.cluster().api.store.revision());
    assert!(["3 pods", "3 nodes", "1 replicaset"].iter().all(|key| store.kinds.iter().any(|kind| kind == key)), "{:?}", store.kinds);
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
fn l10_the_chain_of_a_pod_names_everybody_who_changed_it() {
    let run = settled();
    let name = pods(&run).remove(0);
    let mut selection = Selection::default();
    selection.open(Subject { kind: Kind::POD, key: Key::new("default", name.as_str()) });
    let (created, bound) = (format!("It created Pod {name}."), format!("It bound Pod {name} to node-"));
    let decided = format!("The scheduler looked at Pod {name}: it looked at 3 of 3 nodes, and 3 fit");
    in_order(
        &told(&run, &selection),
        &["The replicaset controller looked at ReplicaSet my-app", &created, &decided, &bound, "The kubelet of node-"],
    );
}

#[test]
fn s1_heartbeats_are_shown_on_demand_and_can_be_opened() {
    let mut run = settled();
    run_for(&mut run, 30);
    let mut selection = Selection::default();
    selection.store.leases = true;
    let rows = store(&run, &selection).rows;
    let lease = rows.iter().find(|r| r.key == "/registry/leases/kube-node-lease/node-1").expect("a heartbeat");
    assert_eq!(lease.who, "kubelet node-1");
    assert!(rows.windows(2).all(|w| w[0].number > w[1].number));
    selection.revision = Some(lease.number);
    let diff = store(&run, &selection).open.expect("a diff");
    assert!(text(&diff).contains("+  renewTime:"), "{}", text(&diff));
}

#[test]
fn s1_an_invalid_manifest_never_reaches_the_store_and_is_shown_as_refused() {
    let mut run = settled();
    let before = run.cluster().api.store.count(Kind::REPLICA_SET);
    run.apply(&view::FIRST_MANIFEST.replace("my-app", "other").replace("replicas: 3", "replicas: -1"));
    run_for(&mut run, 2);
    let store = store(&run, &Selection::default());
    assert_eq!(run.cluster().api.store.count(Kind::REPLICA_SET), before);
    assert!(store.rows.iter().all(|r| !r.key.contains("other")));
    let refusal = store.refused.first().expect("a refusal");
    assert_eq!((refusal.code, refusal.who.as_str(), refusal.asked.as_str()), (422, "kubectl apply", "create replicaset"));
    assert!(refusal.message.contains("must be greater than or equal to 0"), "{}", refusal.message);
}

#[test]
fn s7_an_unchanged_apply_makes_no_revision() {
    let mut run = settled();
    let selection = opened(Kind::REPLICA_SET, "my-app");
    let (rows, revisions) = (history(&run, &selection).rows.len(), store(&run, &Selection::default()).rows[0].number);
    run.apply(view::FIRST_MANIFEST);
    run_for(&mut run, 2);
    assert_eq!(frame(&run, &selection).answer.as_ref().unwrap().stdout, "replicaset.apps/my-app unchanged\n");
    assert_eq!((history(&run, &selection).rows.len(), store(&run, &Selection::default()).rows[0].number), (rows, revisions));
}

#[test]
fn revisions_are_found_by_text_and_by_kind() {
    let run = settled();
    let mut selection = Selection::default();
    selection.store.kind = Some(Kind::REPLICA_SET);
    let sets = store(&run, &selection).rows;
    assert!(!sets.is_empty() && sets.iter().all(|r| r.subject.kind == Kind::REPLICA_SET));
    selection.store.kind = None;
    selection.store.text = "SCHEDULER".to_owned();
    let by_scheduler = store(&run, &selection).rows;
    assert!(by_scheduler.iter().filter(|r| r.verb == "bind").count() == 3, "{by_scheduler:?}");
}

#[test]
fn a_revision_opens_as_its_difference_to_the_one_before() {
    let mut run = settled();
    run.kubectl(&["scale", "rs/my-app", "--replicas=5"], "");
    run_for(&mut run, 5);
    let mut selection = opened(Kind::REPLICA_SET, "my-app");
    let scaled = history(&run, &selection).rows.iter().find(|r| r.who == "kubectl scale").expect("the scaling").clone();
    assert!(scaled.change.starts_with("spec.replicas 3 → 5"), "{}", scaled.change);
    selection.revision = Some(scaled.number);
    let diff = history(&run, &selection).open.expect("a diff");
    in_order(&text(&diff), &["-  replicas: 3", "+  replicas: 5"]);
    assert_eq!(store(&run, &selection).open.map(|d| d.to), Some(scaled.number), "the store shows the same");
    // Two revisions that do not follow one another, chosen in any order.
    let first = history(&run, &selection).rows.last().unwrap().number;
    selection.store.base = Some(first);
    let far = history(&run, &selection).open.expect("a diff");
    assert_eq!((far.from, far.to), (first, scaled.number));
    selection.revision = Some(first);
    selection.store.base = Some(scaled.number);
    assert_eq!(history(&run, &selection).open.map(|d| (d.from, d.to)), Some((first, scaled.number)));
}

#[test]
fn s2_spec_and_status_stand_apart_each_with_its_last_writer() {
    let mut run = deployed();
    let selection = opened(Kind::DEPLOYMENT, "web");
    let now = overview(&run, &selection);
    assert_eq!(value(&now.wanted.fields, "spec.replicas"), "2");
    assert_eq!(value(&now.wanted.fields, "spec.template.spec.containers[nginx].image"), "nginx:1.25");
    let observed = now.observed.expect("a status");
    assert_eq!(value(&observed.fields, "status.availableReplicas"), "2");
    assert!(now.wanted.fields.iter().all(|f| f.path.starts_with("spec")) && observed.fields.iter().all(|f| f.path.starts_with("status")));
    assert!(now.wanted.by.starts_with("kubectl apply, create at 0.0 s"), "{}", now.wanted.by);
    assert!(observed.by.starts_with("deployment-controller, update status at "), "{}", observed.by);
    // A person's status is dropped, and so nobody but the controller has written it.
    let status = &DEPLOYMENT.replace("  replicas: 2", "  replicas: 3").to_owned();
    run.apply(&format!("{status}status:\n  replicas: 99\n"));
    run_for(&mut run, 5);
    let now = overview(&run, &selection);
    assert_eq!(value(&now.observed.as_ref().unwrap().fields, "status.replicas"), "3");
    assert!(now.observed.unwrap().by.starts_with("deployment-controller"));
    assert!(now.wanted.by.starts_with("kubectl apply, patch"), "{}", now.wanted.by);
}

#[test]
fn s3_generation_and_observed_generation_tell_whether_the_controller_has_seen_it() {
    let mut run = deployed();
    let selection = opened(Kind::DEPLOYMENT, "web");
    assert_eq!(object(&run, &selection).head.progress(), "1, observed by its controller");
    run.fault(Fault::CrashProcess { process: ProcessName::ControllerManager(0) });
    run.kubectl(&["scale", "deployment/web", "--replicas=4"], "");
    run_for(&mut run, 1);
    assert_eq!(object(&run, &selection).head.progress(), "2, its controller has observed 1");
    run.fault(Fault::RestartProcess { process: ProcessName::ControllerManager(0) });
    run_for(&mut run, 30);
    assert_eq!(object(&run, &selection).head.progress(), "2, observed by its controller");
}

#[test]
fn s4_conditions_carry_their_reasons_and_messages() {
    let run = deployed();
    let conditions = overview(&run, &opened(Kind::DEPLOYMENT, "web")).conditions;
    let available = conditions.iter().find(|c| c.name == "Available").expect("Available");
    assert_eq!((available.status.as_str(), available.reason.as_str()), ("True", "MinimumReplicasAvailable"));
    assert_eq!(available.message, "Deployment has minimum availability.");
    let progressing = conditions.iter().find(|c| c.name == "Progressing").expect("Progressing");
    assert_eq!(progressing.reason, "NewReplicaSetAvailable");
    let ready = overview(&run, &opened(Kind::NODE, "node-1")).conditions;
    assert!(ready.iter().any(|c| c.name == "Ready" && c.reason == "KubeletReady"), "{ready:?}");
}

#[test]
fn every_kind_of_object_can_be_opened_on_every_page() {
    let run = deployed();
    for kind in Kind::built_in() {
        for stored in run.cluster().api.store.all(kind) {
            let mut selection = Selection::default();
            selection.open(Subject { kind, key: stored.key() });
            let Page::Yaml(parts) = page(&run, &selection, ObjectTab::Yaml) else { panic!("{kind:?}") };
            let whole: String = parts.iter().map(|(_, text)| text.as_str()).collect();
            assert_eq!(whole, loopscope::api::yaml::emit(&stored.to_map().into()), "as kubectl get -o yaml gives it");
            assert!(!overview(&run, &selection).wanted.by.is_empty());
            history(&run, &selection);
            assert!(!why(&run, &selection).stories.is_empty(), "{kind:?}");
        }
    }
}

#[test]
fn managed_fields_are_hidden_unless_asked_for() {
    let run = deployed();
    let selection = opened(Kind::DEPLOYMENT, "web");
    let whole = |selection: &Selection| match page(&run, selection, ObjectTab::Yaml) {
        Page::Yaml(parts) => parts.iter().map(|(_, text)| text.as_str()).collect::<String>(),
        other => panic!("{other:?}"),
    };
    assert!(!whole(&selection).contains("managedFields"));
    assert!(whole(&Selection { managed: true, ..selection }).contains("managedFields"));
}

#[test]
fn owners_and_what_is_owned_lead_to_one_another() {
    let run = deployed();
    let head = object(&run, &opened(Kind::DEPLOYMENT, "web")).head;
    let set = head.owned.first().and_then(|o| o.subject.clone()).expect("a ReplicaSet");
    assert_eq!(set.kind, Kind::REPLICA_SET);
    let mut selection = Selection::default();
    selection.open(set);
    let head = object(&run, &selection).head;
    assert_eq!((head.owners[0].text.as_str(), head.owned.len(), head.state.as_str()), ("Deployment web", 2, "2 of 2 ready"));
}

#[test]
fn an_object_that_is_gone_keeps_its_last_state_and_its_history() {
    let mut run = settled();
    let pod = pods(&run).remove(0);
    run.delete_pod("default", &pod);
    run_for(&mut run, 60);
    let selection = opened(Kind::POD, &pod);
    let view = object(&run, &selection);
    assert!(view.head.absent.starts_with("Gone since revision "), "{}", view.head.absent);
    assert_eq!(value(&overview(&run, &selection).wanted.fields, "spec.containers[nginx].image"), "nginx:1.25");
    let rows = history(&run, &selection).rows;
    assert_eq!((rows.first().unwrap().became, rows.last().unwrap().became), ("gone", "new"));
    let Page::Events(events) = page(&run, &selection, ObjectTab::Events) else { panic!() };
    assert!(events.iter().any(|e| e.reason == "Killing") && events.iter().all(|e| e.about == format!("pod/{pod}")));
}

#[test]
fn a_look_at_the_past_finds_the_object_as_it_was() {
    let mut run = settled();
    let selection = opened(Kind::REPLICA_SET, "my-app");
    let then = run.now();
    let rows = history(&run, &selection).rows.len();
    run.kubectl(&["scale", "rs/my-app", "--replicas=5"], "");
    run_for(&mut run, 5);
    assert!(history(&run, &selection).rows.len() > rows);
    run.seek(then);
    assert_eq!(value(&overview(&run, &selection).wanted.fields, "spec.replicas"), "3");
    assert_eq!(history(&run, &selection).rows.len(), rows);
    run.seek(run.start);
    assert!(object(&run, &selection).head.absent.starts_with("It is not there yet"), "{}", object(&run, &selection).head.absent);
}

#[test]
fn g3_a_finalizer_holds_the_deletion_and_the_page_says_so() {
    let mut run = Run::new(Default::default());
    run.apply("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: held\n  finalizers:\n  - example.com/clean-up\n");
    run_for(&mut run, 1);
    run.kubectl(&["delete", "configmap", "held", "--wait=false"], "");
    run_for(&mut run, 1);
    let selection = opened(Kind::CONFIG_MAP, "held");
    let head = object(&run, &selection).head;
    assert!(head.deleting.contains("deletionTimestamp") && head.deleting.contains("example.com/clean-up"), "{}", head.deleting);
    in_order(&told(&run, &selection), &["You ran “kubectl delete configmap held --wait=false”", "That marked ConfigMap held for deletion"]);
    run.kubectl(&["patch", "configmap", "held", "--type=merge", "-p", r#"{"metadata":{"finalizers":null}}"#], "");
    run_for(&mut run, 1);
    assert!(object(&run, &selection).head.absent.starts_with("Gone since revision"));
}
