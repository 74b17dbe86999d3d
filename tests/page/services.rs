//! The view of Services: requests to them, the endpoints that answer, and steady load.

use super::nodes::{DEPLOYMENT, run_for, run_with, see};
use loopscope::sim::Fault;
use loopscope::view::{Run, Selection, Stage};

fn web_card(run: &Run) -> std::rc::Rc<loopscope::view::services::ServiceCard> {
    let selection = Selection { stage: Stage::Services, ..Selection::default() };
    see(run, &selection).services.services.iter().find(|s| s.key.name == "web").unwrap().clone()
}

#[test]
fn requests_to_a_service_go_to_its_ready_pods() {
    let mut run = run_with(3);
    run.apply(DEPLOYMENT);
    run_for(&mut run, 20);
    let card = web_card(&run);
    assert_eq!((card.type_.as_str(), card.open, card.all, card.request.is_none()), ("NodePort", 3, 3, true));
    assert_eq!(card.ports, ["80, TCP; port 31000 of every node"]);
    assert_eq!(card.outlook, "A request would go to one of 3 ready endpoints.");
    let mut answered = std::collections::BTreeSet::new();
    for n in 1..=20 {
        run.send_request(&card.key);
        let card = web_card(&run);
        let request = card.request.clone().unwrap();
        assert_eq!((request.number, request.answered), (n, true), "{}", request.words);
        assert!(card.slices.iter().any(|s| s.on_the_way));
        let reached: Vec<String> = card.slices.iter().flat_map(|s| &s.endpoints).filter(|e| e.reached).map(|e| e.pod.clone()).collect();
        assert!(request.words.starts_with(&format!("{} answers", reached[0])), "{}", request.words);
        assert!(request.way[0].starts_with("DNS: web.default.svc.cluster.local is 10.96."), "{:?}", request.way);
        answered.insert(reached[0].clone());
    }
    assert_eq!(answered.len(), 3);
}

#[test]
fn a_request_fails_where_no_endpoint_is_ready_and_where_a_node_died_unnoticed() {
    let mut run = run_with(2);
    run.apply(DEPLOYMENT);
    run_for(&mut run, 20);
    let key = web_card(&run).key.clone();
    run.fault(Fault::CrashNode { node: "node-2".to_owned() });
    let lost = (0..40).any(|_| {
        run.send_request(&key);
        run_for(&mut run, 6);
        web_card(&run).request.clone().is_some_and(|request| !request.answered && request.words.starts_with("Lost: no answer from web-"))
    });
    assert!(lost, "some requests go to the dead node");
    run.kubectl(&["scale", "deployment", "web", "--replicas=0"], "");
    run_for(&mut run, 120);
    assert_eq!(web_card(&run).outlook, "A request would be refused: no endpoint is ready.");
    run.send_request(&key);
    assert!(web_card(&run).request.clone().unwrap().words.starts_with("Refused"));
}

#[test]
fn a_steady_load_shows_its_success_on_the_timeline_and_travels_in_links() {
    let mut run = Run::new(loopscope::sim::Config::default());
    run.apply(DEPLOYMENT);
    run_for(&mut run, 20);
    let key = web_card(&run).key.clone();
    run.toggle_load(&key);
    run_for(&mut run, 15);
    let card = web_card(&run);
    assert!(card.load && card.rate.starts_with("100 % of ") && card.rate.ends_with("requests answered in the last 10 s"), "{}", card.rate);
    let again = Run::from_share(
        loopscope::view::share::Share::read(&loopscope::view::share::Share::of(&run, &Selection::default(), "").write()).unwrap(),
    );
    assert_eq!(
        again.cluster().traffic().seconds.iter().copied().collect::<Vec<_>>(),
        run.cluster().traffic().seconds.iter().copied().collect::<Vec<_>>()
    );
    run.kubectl(&["scale", "deployment", "web", "--replicas=0"], "");
    run_for(&mut run, 15);
    let timeline = loopscope::view::timeline::timeline(&run, &Selection::default().time);
    assert!(timeline.requests.iter().any(|(_, _, failed)| *failed) && timeline.requests.iter().any(|(_, _, failed)| !failed));
    assert!(timeline.words.contains("0 % of "), "{}", timeline.words);
    run.toggle_load(&key);
    run_for(&mut run, 15);
    assert!(!web_card(&run).load && web_card(&run).rate.is_empty());
}

#[test]
fn a_load_that_was_stopped_has_not_failed() {
    let mut run = run_with(3);
    run.apply(DEPLOYMENT);
    run_for(&mut run, 20);
    let key = web_card(&run).key.clone();
    for _ in 0..2 {
        run.toggle_load(&key);
        run_for(&mut run, 5);
    }
    let told = loopscope::view::story::story(&run, &loopscope::view::story::StorySelection::default()).text();
    assert!(told.contains("You ran “load http://web") && told.contains("”, and stopped it.") && !told.contains("failed"), "{told}");
}
