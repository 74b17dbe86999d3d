//! The text in the editor is never lost: `kubectl edit` gives the previous manifest back, and an example or a new visit keeps text that was not
//! applied. Also tests the texts of terminal and banner about this.

use crate::model::{converged, enter, page, pods, wait};
use loopscope::page::{Action, Found, Offer, Page, RunAction, Screen, Select, TerminalAction, Travel};
use loopscope::sim::Fault;
use loopscope::view::Drawer;
use loopscope::view::breakpoints::Breakpoint;
use loopscope::view::examples::examples;
use loopscope::view::notes::passes::Phase;
use loopscope::view::terminal::Tone;

const MINE: &str = "# mine, not applied\nkind: Pod\n";

fn type_in(page: &mut Page, text: &str) {
    page.update(Action::Edit(text.to_owned()));
}

/// Returns everything that the terminal shows.
fn said(page: &mut Page) -> Vec<(Tone, String)> {
    page.update(Select::Drawer(Drawer::Terminal).into());
    page.screen().frame.terminal.entries.iter().flat_map(|entry| entry.pieces.clone()).collect()
}

fn answer(screen: &Screen) -> String {
    screen.frame.answer.as_ref().map(|answer| format!("{}{}", answer.stdout, answer.stderr)).unwrap_or_default()
}

fn begin_edit(what: &str) -> (Page, Screen) {
    let mut page = converged();
    type_in(&mut page, MINE);
    enter(&mut page, what);
    let screen = wait(&mut page, 1);
    assert!(screen.is_draft && screen.unapplied.as_deref() == Some(MINE));
    (page, screen)
}

#[test]
fn an_edit_that_is_given_up_changes_nothing_and_gives_the_manifest_back() {
    let ways: [fn(&mut Page) -> bool; 3] = [
        |page| page.update(Action::CancelEdit),
        |page| page.update(TerminalAction::Interrupt.into()),
        // Saved as it was.
        |page| page.update(Action::Apply),
    ];
    for way in ways {
        let (mut page, before) = begin_edit("kubectl edit rs my-app");
        let revision = before.frame.bar.revision;
        way(&mut page);
        let screen = page.screen();
        assert!(!screen.is_draft && &*screen.text == MINE && screen.text != screen.applied);
        assert_eq!(answer(&screen), "Edit cancelled, no changes made.\n");
        assert_eq!(said(&mut page), [(Tone::Plain, "Edit cancelled, no changes made.\n".to_owned())]);
        assert!(page.screen().frame.bar.revision <= revision + 1, "nothing was written but a lease");
    }
}

#[test]
fn a_saved_edit_gives_the_manifest_back_and_a_refused_one_stays_open() {
    let (mut page, screen) = begin_edit("kubectl edit rs my-app");
    let original = screen.text.clone();
    type_in(&mut page, &original.replace("replicas: 3", "replicas: -1"));
    page.update(Action::Apply);
    let screen = wait(&mut page, 1);
    assert!(answer(&screen).contains("is invalid"), "{}", answer(&screen));
    assert!(screen.is_draft && screen.text.contains("replicas: -1"), "the text is still there");
    type_in(&mut page, &screen.text.replace("replicas: -1", "replicas: 4"));
    page.update(Action::Apply);
    let screen = wait(&mut page, 10);
    assert!(!screen.is_draft && &*screen.text == MINE);
    assert_eq!((answer(&screen).as_str(), pods(&screen).len()), ("replicaset.apps/my-app edited\n", 4));
}

#[test]
fn several_objects_are_edited_one_after_the_other() {
    let (mut page, first) = begin_edit("kubectl edit node/node-1 node/node-2");
    assert_eq!(first.draft_title.as_deref(), Some("Node node-1"));
    type_in(&mut page, &first.text.replace("labels:", "labels:\n    seen: \"yes\""));
    page.update(Action::Apply);
    let second = wait(&mut page, 1);
    assert_eq!(second.draft_title.as_deref(), Some("Node node-2"));
    page.update(Action::CancelEdit);
    assert_eq!((page.screen().is_draft, &*page.screen().text), (false, MINE));
}

#[test]
fn giving_up_an_edit_while_looking_back_replaces_nothing() {
    let (mut page, _) = begin_edit("kubectl edit rs my-app");
    page.update(Travel::Undo.into());
    let later = page.screen().frame.bar.later;
    assert!(later > 0);
    page.update(Action::CancelEdit);
    let screen = page.screen();
    assert_eq!((screen.frame.bar.later, screen.frame.bar.forks, &*screen.text), (later, 0, MINE));
}

#[test]
fn an_example_in_the_place_of_text_that_was_not_applied_can_be_undone() {
    let manifest = |title: &str| examples().iter().find(|example| example.title == title).expect(title).manifest();
    let (deployment, service) = (manifest("Deployment web"), manifest("Deployment and Service"));
    let mut page = converged();
    page.update(Action::Example(deployment));
    assert_eq!(page.screen().notice, None, "what was applied is not lost");
    page.update(Action::Example(service));
    assert_eq!(page.screen().notice, None, "an example is not lost either");
    type_in(&mut page, MINE);
    page.update(Action::Example(deployment));
    assert_eq!(page.screen().notice.and_then(|notice| notice.offer), Some(Offer::RestoreText));
    page.update(Action::Accept(Offer::RestoreText));
    assert_eq!(&*page.screen().text, MINE);
}

#[test]
fn text_that_was_not_applied_outlives_the_visit() {
    let mut first = converged();
    assert_eq!(first.screen().unapplied, None);
    type_in(&mut first, MINE);
    let unapplied = first.screen().unapplied.map(|text| text.to_string());
    let mut second = page();
    second.take_up(Found { unapplied: unapplied.clone(), ..Found::default() });
    assert_eq!((&*second.screen().text, second.screen().notice.and_then(|notice| notice.offer)), (MINE, Some(Offer::RestoreText)));
    let mut linked = page();
    linked.take_up(Found { state: Some(page().share().write()), unapplied, ..Found::default() });
    assert_ne!(&*linked.screen().text, MINE, "a link is shown as it is");
    assert_eq!(linked.screen().unapplied.as_deref(), Some(MINE), "and nothing is lost by it");
    enter(&mut first, "kubectl scale rs my-app --replicas=2");
    wait(&mut first, 5);
    let saved = Some(first.share().write());
    let mut third = page();
    third.take_up(Found { saved, unapplied: Some(format!("{MINE}# and more\n")), ..Found::default() });
    third.update(Action::Accept(Offer::Resume));
    assert_eq!((third.screen().text.to_string(), pods(&third.screen()).len()), (format!("{MINE}# and more\n"), 2));
}

#[test]
fn a_stop_is_told_with_its_reason_and_what_comes_next() {
    let mut page = converged();
    assert_eq!(page.screen().stop, None);
    page.update(RunAction::ToggleBreakpoint(Breakpoint { controller: None, object: "my-app".to_owned(), phase: Phase::Act }).into());
    let pod = pods(&page.screen()).remove(0);
    page.update(RunAction::DeletePod { namespace: "default".into(), name: pod }.into());
    let stop = wait(&mut page, 10).stop.expect("a breakpoint was reached");
    assert!(stop.words.starts_with("Stopped before act of "), "{stop:?}");
    assert_eq!(stop.next, "Next the API server handles this request.");
    page.update(RunAction::ToggleBreakpoint(Breakpoint { controller: None, object: "my-app".to_owned(), phase: Phase::Act }).into());
    page.update(Travel::Toggle.into());
    assert_eq!(page.screen().stop, None);
    page.update(Travel::Toggle.into());
    assert_eq!(page.screen().stop, None, "a person who pauses knows why");
    page.update(Travel::Converge.into());
    let stop = wait(&mut page, 2).stop.expect("converged");
    assert!(stop.words.starts_with("Stopped at ") && stop.words.ends_with(": desired and actual agree."), "{stop:?}");
    page.update(Travel::Event.into());
    assert_eq!(page.screen().stop, None, "another moment has another reason");
}

#[test]
fn complaints_have_the_tone_of_what_they_are() {
    let mut page = converged();
    for line in ["kubectl get pods -n nowhere", "kubectl delete pods --all --force --grace-period=0 --wait=false", "kubectl get pod nobody"]
    {
        enter(&mut page, line);
        wait(&mut page, 1);
    }
    let tones: Vec<(Tone, String)> = said(&mut page);
    let tone_of = |words: &str| tones.iter().find(|(_, text)| text.contains(words)).map(|(tone, _)| *tone);
    assert_eq!(tone_of("No resources found"), Some(Tone::Plain));
    assert_eq!(tone_of("Warning: Immediate deletion"), Some(Tone::Warning));
    assert_eq!(tone_of("NotFound"), Some(Tone::Error));
}

#[test]
fn of_a_very_long_answer_the_head_and_the_end_are_kept_and_the_gap_is_told() {
    let mut page = converged();
    enter(&mut page, "echo first-line; seq 100000 109000");
    wait(&mut page, 2);
    let text: String = said(&mut page).into_iter().map(|(_, text)| text).collect();
    assert!(text.starts_with("first-line\n") && text.trim_end().ends_with("\n109000"), "{}", &text[..200.min(text.len())]);
    assert!(text.contains(" lines are left out here …]\n"));
}

#[test]
fn after_undo_the_answer_is_that_of_then() {
    let mut page = converged();
    page.update(RunAction::Fault(Fault::CrashNode { node: "node-1".to_owned() }).into());
    let text = page.screen().text.replace("replicas: 3", "replicas: 4");
    type_in(&mut page, &text);
    page.update(Action::Apply);
    assert_eq!(answer(&wait(&mut page, 2)), "replicaset.apps/my-app configured\n");
    page.update(Travel::Undo.into());
    assert_eq!(answer(&page.screen()), "replicaset.apps/my-app created\n");
    page.update(Travel::Undo.into());
    page.update(Travel::Undo.into());
    assert_eq!(answer(&page.screen()), "");
}

#[test]
fn s8_a_field_that_was_changed_in_the_cluster_is_told_beside_the_manifest_until_it_is_applied_again() {
    let mut page = converged();
    assert_eq!(page.screen().overruled, None);
    enter(&mut page, "kubectl scale rs my-app --replicas=5");
    let screen = wait(&mut page, 5);
    assert_eq!(
        screen.overruled.as_deref(),
        Some("Changed since it was applied: ReplicaSet my-app has replicas 5 in the cluster, and 3 in this text. Apply sets it back.")
    );
    enter(&mut page, "kubectl edit rs my-app");
    assert_eq!(wait(&mut page, 1).overruled, None, "the text is the live object now");
    page.update(Action::CancelEdit);
    let text = page.screen().applied.to_string();
    page.update(Action::Edit(text.replace("my-app", "other")));
    assert_eq!(wait(&mut page, 1).overruled, None, "the text does not name that object");
    page.update(Action::Edit(text));
    page.update(Action::Apply);
    let screen = wait(&mut page, 5);
    assert_eq!((screen.overruled.as_deref(), pods(&screen).len()), (None, 3));
    // Another file for the same object: the text in the editor still says 3.
    let other = page.screen().applied.replace("replicas: 3", "replicas: 2");
    enter(&mut page, &format!("kubectl apply -f - <<EOF\n{other}\nEOF"));
    let words = wait(&mut page, 5).overruled.unwrap_or_default().to_string();
    assert!(words.contains("has replicas 2 in the cluster, and 3 in this text"), "{words}");
}
