//! The page's view of the store and of causes.

use super::*;

#[test]
fn f3_a_container_that_keeps_ending_shows_its_restarts_and_its_back_off() {
    let mut run = Run::new(Default::default());
    run.apply(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: crashing\nspec:\n  containers:\n  - name: main\n    image: busybox\n    command: [\"sh\", \"-c\", \"exit 3\"]\n",
    );
    run_for(&mut run, 30);
    let selection = opened(Kind::POD, "crashing");
    let container = overview(&run, &selection).containers.remove(0);
    assert!(container.restarts > 0 && container.last_exit.starts_with("exit code 3"), "{container:?}");
    assert!(container.next_try.starts_with("tries again in "), "{container:?}");
    let mut ask = selection.clone();
    ask.field = Some("status.containerStatuses[main].restartCount".to_owned());
    let story = told(&run, &ask);
    in_order(
        &story,
        &["You applied the manifest", "stored Pod crashing", "ended by itself with exit code 3", "wrote the status of Pod crashing"],
    );
}

#[test]
fn l10_why_a_pod_exists_goes_back_to_the_apply() {
    let run = applied();
    let pod = &pods(&run)[0];
    let story = told(&run, &opened(Kind::POD, pod));
    in_order(
        &story,
        &[
            "You applied the manifest (0:01.000).",
            "The API server stored ReplicaSet my-app at revision ",
            "The watch told the replicaset controller of ReplicaSet my-app, of whose pods it wanted 3 and saw 0",
            &format!("It created Pod {pod}. The API server stored that at revision "),
            &format!("It bound Pod {pod} to node-"),
            "The kubelet of node-",
            "wrote the status of Pod",
        ],
    );
    let links = &why(&run, &opened(Kind::POD, pod)).stories[1].links;
    assert_eq!(links.iter().take(4).map(|l| l.sort).collect::<Vec<_>>(), [Sort::Person, Sort::Write, Sort::Pass, Sort::Write]);
    assert!(matches!(&links[2].opens, Opens::Pass(..)), "the reconcile can be opened");
    assert!(matches!(&links[3].opens, Opens::Object(subject, _) if subject.key.name == pod.as_str()));
}

#[test]
fn l10_all_pods_of_one_reconcile_have_the_same_cause() {
    let run = applied();
    for pod in pods(&run) {
        let why = why(&run, &opened(Kind::POD, &pod));
        let links = &why.stories[1].links;
        assert_eq!(links[0].sort, Sort::Person, "{pod}");
        assert_eq!(links[1].title, "ReplicaSet my-app", "{pod}: not by way of its sisters");
        assert_eq!(links[3].title, format!("Pod {pod}"));
    }
}

#[test]
fn l10_what_a_new_leader_found_was_wanted_by_who_wrote_it() {
    let run = settled();
    in_order(
        &told(&run, &opened(Kind::POD, &pods(&run)[0])),
        &[
            "You applied the manifest (0:00.000).",
            "The API server stored ReplicaSet my-app",
            "A controller manager took the lease and read everything anew",
            "The replicaset controller looked at ReplicaSet my-app, of whose pods it wanted 3 and saw 0",
            "It created Pod my-app-",
        ],
    );
    let links = &why(&run, &opened(Kind::POD, &pods(&run)[0])).stories[1].links;
    let at: Vec<&str> = links.iter().map(|link| link.at.as_str()).collect();
    assert!(at.is_sorted(), "no cause is later than what it led to: {at:?}");
}

#[test]
fn l10_why_a_replacement_exists_goes_back_to_the_deletion() {
    let mut run = settled();
    let (before, gone) = (pods(&run), pods(&run).remove(0));
    run.delete_pod("default", &gone);
    run_for(&mut run, 60);
    let new = pods(&run).into_iter().find(|p| !before.contains(p)).expect("a replacement");
    in_order(
        &told(&run, &opened(Kind::POD, &new)),
        &[
            &format!("You ran “kubectl delete pod {gone}”"),
            &format!("marked Pod {gone} for deletion, with up to 30 s to stop in"),
            &format!(
                "The watch told the replicaset controller of Pod {gone}, and so it looked at ReplicaSet my-app, of whose pods it wanted 3 and saw 2"
            ),
            &format!("It created Pod {new}"),
        ],
    );
    let gone = why(&run, &opened(Kind::POD, &gone));
    assert!(gone.stories[0].question.ends_with("gone?") && gone.stories[1].question.ends_with("exist?"), "{:?}", gone.stories);
}

#[test]
fn l10_why_a_pod_was_replaced_after_a_crash_goes_back_to_the_crash() {
    let mut run = settled();
    let before = pods(&run);
    let node = run.cluster().api.store.all(Kind::POD).next().unwrap().pod().unwrap().node.to_string();
    run.fault(Fault::CrashNode { node: node.clone() });
    run_for(&mut run, 420);
    let new = pods(&run).into_iter().find(|p| !before.contains(p)).expect("a replacement");
    in_order(
        &told(&run, &opened(Kind::POD, &new)),
        &[
            &format!("You crashed {node} ("),
            &format!(
                "{node} gave no sign of life any more: the node controller, which looks at all nodes every 5 s, had seen no new heartbeat"
            ),
            "Its lease was renewed last at ",
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
fn a_node_that_reports_again_is_called_ready() {
    let mut run = settled();
    run.fault(Fault::CrashNode { node: "node-1".to_owned() });
    run_for(&mut run, 90);
    let mut ask = opened(Kind::NODE, "node-1");
    ask.field = Some("spec.taints".to_owned());
    let titles = |run: &Run| -> Vec<String> {
        let stories = &why(run, &ask).stories;
        stories.iter().flat_map(|story| &story.links).filter(|link| link.sort == Sort::Clock).map(|link| link.title.clone()).collect()
    };
    assert_eq!(titles(&run), ["node-1 silent"]);
    run.fault(Fault::RestartNode { node: "node-1".to_owned() });
    run_for(&mut run, 90);
    assert_eq!(titles(&run), ["node-1 ready"], "{}", told(&run, &ask));
    in_order(&told(&run, &ask), &["found node-1 as it reports itself", "It changed Node node-1"]);
}

#[test]
fn l10_why_a_scaled_replicaset_wants_so_many_goes_back_through_its_deployment() {
    let mut run = deployed();
    run.kubectl(&["scale", "deployment/web", "--replicas=4"], "");
    run_for(&mut run, 10);
    let set = run.cluster().api.store.all(Kind::REPLICA_SET).next().unwrap().meta.name.to_string();
    let mut selection = opened(Kind::REPLICA_SET, &set);
    selection.field = Some("spec.replicas".to_owned());
    assert_eq!(why(&run, &selection).stories[0].question, format!("Why is spec.replicas of ReplicaSet {set} 4?"));
    in_order(
        &told(&run, &selection),
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
    let mut run = deployed();
    let selection = opened(Kind::DEPLOYMENT, "web");
    assert_eq!(object(&run, &selection).head.stuck, None);
    run.kubectl(&["rollout", "pause", "deployment/web"], "");
    run.kubectl(&["set", "image", "deployment/web", "nginx=nginx:1.26"], "");
    run_for(&mut run, 5);
    let stuck = object(&run, &selection).head.stuck.expect("a reason");
    assert!(stuck.starts_with("The rollout is paused"), "{stuck}");
    assert_eq!(why(&run, &selection).stuck, Some(stuck));
}

#[test]
fn f10_a_rollout_whose_pods_fail_names_the_pod_and_the_reason() {
    let mut run = deployed();
    let selection = opened(Kind::DEPLOYMENT, "web");
    run.kubectl(&["set", "image", "deployment/web", "nginx=nginx:nosuch"], "");
    run_for(&mut run, 30);
    let stuck = object(&run, &selection).head.stuck.expect("a reason");
    assert!(stuck.contains("does not become ready") || stuck.contains("do not become ready"), "{stuck}");
    assert!(stuck.contains("ImagePullBackOff") || stuck.contains("ErrImagePull"), "{stuck}");
    run_for(&mut run, 620);
    let stuck = object(&run, &selection).head.stuck.expect("a reason");
    assert!(stuck.starts_with("The rollout is past its deadline"), "{stuck}");
}

#[test]
fn f10_a_controller_that_is_down_or_cut_off_is_named_as_the_reason() {
    let manager = || ProcessName::ControllerManager(0);
    let mut run = deployed();
    let selection = opened(Kind::DEPLOYMENT, "web");
    run.fault(Fault::CrashProcess { process: manager() });
    run.kubectl(&["scale", "deployment/web", "--replicas=4"], "");
    run_for(&mut run, 2);
    let stuck = object(&run, &selection).head.stuck.expect("a reason");
    assert!(
        stuck.starts_with("The controller manager is down") && stuck.contains("you crashed the controller manager at 10.0 s"),
        "{stuck}"
    );
    run.fault(Fault::RestartProcess { process: manager() });
    run_for(&mut run, 1);
    assert!(object(&run, &selection).head.stuck.expect("a reason").starts_with("No controller manager leads"));
    run_for(&mut run, 40);
    assert_eq!(object(&run, &selection).head.stuck, None);
    run.fault(Fault::Partition { process: manager() });
    run.kubectl(&["scale", "deployment/web", "--replicas=1"], "");
    run_for(&mut run, 2);
    let stuck = object(&run, &selection).head.stuck.expect("a reason");
    assert!(stuck.starts_with("The controller manager is cut off"), "{stuck}");
}

#[test]
fn f10_a_watch_that_is_behind_is_named_as_the_reason() {
    let mut run = deployed();
    let selection = opened(Kind::DEPLOYMENT, "web");
    run.fault(Fault::SlowLink { process: ProcessName::ControllerManager(0), extra_ms: 8_000 });
    run.kubectl(&["scale", "deployment/web", "--replicas=4"], "");
    run_for(&mut run, 3);
    let stuck = object(&run, &selection).head.stuck.expect("a reason");
    assert!(stuck.starts_with("The watch has not told the controller yet") && stuck.contains("slowed down by 8.0 s"), "{stuck}");
}

#[test]
fn f10_a_desired_state_that_fits_nowhere_is_named_in_the_schedulers_words() {
    let mut run = Run::new(Default::default());
    run.apply(&DEPLOYMENT.replace("image: nginx:1.25", "image: nginx:1.25\n        resources:\n          requests:\n            cpu: 64"));
    run_for(&mut run, 10);
    let stuck = object(&run, &opened(Kind::DEPLOYMENT, "web")).head.stuck.expect("a reason");
    assert!(stuck.contains("has no node: 0/3 nodes are available: 3 Insufficient cpu."), "{stuck}");
}

#[test]
fn events_are_found_by_text_and_by_sort_and_lead_to_their_object() {
    let mut run = deployed();
    run.kubectl(&["set", "image", "deployment/web", "nginx=nginx:nosuch"], "");
    run_for(&mut run, 30);
    let mut selection = Selection { drawer: Drawer::Events, ..Selection::default() };
    let all = frame(&run, &selection).events.len();
    selection.events.warnings = true;
    let warnings = frame(&run, &selection).events.clone();
    assert!(!warnings.is_empty() && warnings.len() < all && warnings.iter().all(|e| e.warning));
    selection.events.text = "NOSUCH".to_owned();
    assert!(frame(&run, &selection).events.iter().all(|e| e.message.contains("nosuch")));
    assert_eq!(warnings[0].subject.as_ref().map(|s| s.kind), Some(Kind::POD));
}

#[test]
fn rows_that_have_not_changed_stay_the_very_same() {
    let run = settled();
    let selection = Selection { drawer: Drawer::Store, ..Selection::default() };
    let first = frame(&run, &selection);
    let second = view::frame(&run, &selection, &first);
    assert!(std::rc::Rc::ptr_eq(&first.store, &second.store));
    let selection = opened(Kind::REPLICA_SET, "my-app");
    let first = frame(&run, &selection);
    assert!(std::rc::Rc::ptr_eq(&first.object, &view::frame(&run, &selection, &first).object));
}
