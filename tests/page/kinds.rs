//! Every kind and every controller has its own texts, menu, example and pseudocode, so that the page never falls back to bare YAML or to the loop that
//! all controllers have in common.

use loopscope::api::kind::Kind;
use loopscope::api::time::Span;
use loopscope::controller::Pseudocode;
use loopscope::controller::registry::Controllers;
use loopscope::view::examples::examples;
use loopscope::view::menus::{Effect, Thing, menu_entries};
use loopscope::view::notes::passes::scheduler_index;
use loopscope::view::object::{ObjectTab, Page};
use loopscope::view::{self, Frame, Run, Selection, Subject, glossary};
use std::collections::BTreeMap;

/// The kinds whose objects nobody writes by hand, because components create them.
const MADE_BY_COMPONENTS: [Kind; 5] = [Kind::NODE, Kind::ENDPOINT_SLICE, Kind::LEASE, Kind::EVENT, Kind::CONTROLLER_REVISION];

/// Creates a run in which every example has been applied, and some time has passed since.
fn everything() -> Run {
    let mut run = Run::first_visit();
    let pass = |run: &mut Run, seconds| while !run.advance(run.now() + Span::secs(seconds), 10_000_000) {};
    for example in examples() {
        run.apply(example.manifest());
        pass(&mut run, 5);
    }
    pass(&mut run, 70);
    run
}

fn frame(run: &Run, selection: &Selection) -> Frame {
    view::frame(run, selection, &Frame::default())
}

fn kinds_in(manifest: &str) -> Vec<String> {
    manifest.lines().filter_map(|line| line.strip_prefix("kind: ")).map(str::to_owned).collect()
}

#[test]
fn every_kind_that_people_write_stands_in_an_example() {
    let shown: Vec<String> = examples().iter().flat_map(|example| kinds_in(example.manifest())).collect();
    for kind in Kind::built_in().filter(|kind| !MADE_BY_COMPONENTS.contains(kind)) {
        assert!(shown.iter().any(|name| name == kind.row().name), "no example has a {}", kind.row().name);
    }
}

#[test]
fn every_kind_is_a_word_that_the_page_explains() {
    for kind in Kind::built_in() {
        assert!(glossary::find(kind.row().name).is_some(), "{} is not explained", kind.row().name);
    }
}

#[test]
fn every_object_says_how_it_is_and_what_can_be_done_to_it() {
    let run = everything();
    let mut seen: BTreeMap<&str, (String, String)> = BTreeMap::new();
    for kind in Kind::built_in() {
        let row = kind.row();
        // The youngest is the one of the examples, not one that came with the cluster.
        let objects: Vec<_> = run.cluster().api.store.all(kind).cloned().collect();
        let Some(object) = objects.iter().max_by_key(|o| (!o.meta.is_deleting(), o.meta.uid)) else { panic!("there is no {}", row.name) };
        let subject = Subject { kind, key: object.key() };
        let mut selection = Selection::default();
        selection.open(subject.clone());
        let shown = frame(&run, &Selection { page: ObjectTab::Overview, ..selection });
        let head = &shown.object.head;
        assert!(!head.state.is_empty(), "{} {} has no words for its state", row.name, subject.key);
        let Page::Overview(overview) = &shown.object.page else { panic!("no overview of {}", row.name) };
        assert!(
            !overview.wanted.fields.is_empty() || overview.observed.is_some() || kind == Kind::SERVICE_ACCOUNT,
            "{} {} shows no fields",
            row.name,
            subject.key
        );
        let entries = menu_entries(&run, &Thing::Object(subject.clone()));
        let does = |word: &str| entries.iter().any(|e| matches!(&e.effect, Effect::Kubectl(words) if words.iter().any(|w| w == word)));
        assert!(entries.iter().any(|e| matches!(e.effect, Effect::Open(_))), "{} cannot be opened", row.name);
        assert!(does("delete") || kind == Kind::NODE, "{} cannot be deleted by its menu", row.name);
        seen.insert(row.name, (subject.key.name.to_string(), head.state.clone()));
    }
    let state = |kind: &str| seen[kind].1.as_str();
    let quota = state("ResourceQuota");
    assert!(quota.starts_with("pods ") && quota.contains(" of 4, requests.cpu ") && !quota.starts_with("pods 0"), "{quota}");
    assert_eq!(state("LimitRange"), "Container: default cpu 1, request cpu 200m, at most cpu 1");
    assert_eq!(state("Role"), "get, list, watch pods");
    assert_eq!(state("RoleBinding"), "Role reader for User jane");
    assert_eq!(state("ClusterRoleBinding"), "ClusterRole node-reader for ServiceAccount robot");
    assert_eq!(state("Ingress"), "shop.example/ to shop:80");
    assert_eq!(state("NetworkPolicy"), "pods with app=db: reached by 1 rule");
    assert_eq!(state("CustomResourceDefinition"), "adds the kind Backup to example.com");
    assert_eq!(state("Secret"), "Opaque, 1 key");
}

#[test]
fn every_controller_has_its_own_loop_and_thinks_aloud() {
    let run = everything();
    for (index, controller) in Controllers::default().iter().enumerate() {
        let (name, code) = (controller.name(), controller.pseudocode());
        assert_ne!(code, Pseudocode::of("any"), "{name} has no loop of its own");
        let places = [code.observe, code.gone, code.diff, code.nothing, code.create, code.change, code.write_status, code.answered];
        assert!(places.iter().chain(&[code.refused, code.done]).all(|place| *place < code.lines.len()), "{name}: {code:?}");
        assert!((8..=14).contains(&code.lines.len()), "{name}: about a dozen lines");
        assert!(code.lines.iter().all(|line| line.chars().count() <= 60), "{name}: {:?}", code.lines);
        let shown = frame(&run, &Selection { controller: index, ..Selection::default() });
        assert_eq!(shown.side.code.lines, code.lines, "{name}");
        assert!(shown.side.rings.iter().any(|ring| ring.name == shown.side.name), "{name} has no ring");
        if let Some(pass) = &shown.side.pass {
            assert!(!pass.monologue.is_empty() && pass.monologue.iter().all(|line| line.ends_with('.')), "{name}: {:?}", pass.monologue);
        }
    }
    let scheduler = frame(&run, &Selection { controller: scheduler_index(), ..Selection::default() });
    assert!(scheduler.side.verdicts.is_some() && !scheduler.side.code.lines.is_empty());
}

#[test]
fn the_tree_of_owners_has_words_for_every_object_in_it() {
    let run = everything();
    let owners = frame(&run, &Selection { stage: view::Stage::Owners, ..Selection::default() }).owners;
    let silent: Vec<String> =
        owners.rows.iter().filter(|row| row.more == 0 && row.numbers.is_empty()).map(|row| row.subject.text()).collect();
    assert!(silent.is_empty(), "{silent:?}");
}
