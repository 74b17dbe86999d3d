//! The page's model, which receives actions and returns a screen.

use loopscope::api::Kind;
use loopscope::page::preferences::{Motion, Theme};
use loopscope::page::shortcuts::{SHORTCUTS, of_key};
use loopscope::page::time::REAL_TIME;
use loopscope::page::{
    Action, FocusTarget, Found, Offer, Overlay, OverlayAction, Pace, Page, Pane, Preference, RunAction, Screen, Select, Start,
    TerminalAction, Tick, Travel,
};
use loopscope::sim::Fault;
use loopscope::view::menus::Thing;
use loopscope::view::{Drawer, Layout, Side, Subject};
use std::cell::Cell;

thread_local! {
    static WALL: Cell<f64> = const { Cell::new(0.0) };
}

/// Returns the time of a simulated wall clock that advances by a hundredth of a millisecond at each call.
pub(crate) fn wall_ms() -> f64 {
    WALL.with(|wall| wall.replace(wall.get() + 0.01))
}

/// Creates a page that runs at real-time speed. The speed *auto* has tests of its own.
pub(crate) fn page() -> Page {
    Page::new(Start { speed: Some(REAL_TIME), layout: Some(Layout::Inspect), ..Start::default() }, wall_ms)
}

fn tick(page: &mut Page, elapsed_ms: f64) {
    page.update(Action::Tick(Tick { elapsed_ms, budget_ms: 1_000.0, draw: true }));
}

/// Lets some seconds of real time pass, divided into frames as a browser would.
pub(crate) fn wait(page: &mut Page, seconds: u32) -> Screen {
    for _ in 0..seconds * 60 {
        tick(page, 1_000.0 / 60.0);
    }
    page.screen()
}

pub(crate) fn converged() -> Page {
    let mut page = page();
    assert!(wait(&mut page, 10).frame.bar.converged);
    page
}

pub(crate) fn pods(screen: &Screen) -> Vec<String> {
    screen.frame.cluster.nodes.iter().flat_map(|node| node.pods.iter().map(|pod| pod.name())).collect()
}

pub(crate) fn enter(page: &mut Page, line: &str) {
    page.update(TerminalAction::Line(line.to_owned()).into());
    page.update(TerminalAction::Enter.into());
}

#[test]
fn actions_are_plain_data() {
    let delete = || Action::Run(RunAction::DeletePod { namespace: "default".into(), name: "web".to_owned() });
    assert_eq!(delete(), delete().clone());
    assert_eq!(format!("{:?}", delete()), r#"Run(DeletePod { namespace: "default", name: "web" })"#);
    assert_ne!(Action::from(Travel::Event), Action::from(Travel::Back));
}

#[test]
fn the_same_actions_make_the_same_screen() {
    let play = || {
        let mut page = page();
        wait(&mut page, 5);
        let pod = pods(&page.screen()).remove(0);
        page.update(RunAction::DeletePod { namespace: "default".into(), name: pod }.into());
        page.update(RunAction::Fault(Fault::CrashNode { node: "node-1".to_owned() }).into());
        wait(&mut page, 5)
    };
    assert_eq!(play(), play());
}

#[test]
fn a_pod_deleted_by_a_click_is_replaced() {
    let mut page = converged();
    let before = pods(&page.screen());
    page.update(RunAction::DeletePod { namespace: "default".into(), name: before[0].clone() }.into());
    let after = pods(&wait(&mut page, 10));
    assert_eq!(after.len(), 3);
    assert!(!after.contains(&before[0]) && after.contains(&before[1]) && after.contains(&before[2]));
}

#[test]
fn a_page_at_rest_sleeps_until_something_is_due_and_loses_no_time() {
    let mut page = page();
    assert!(!page.only_clock_changes() && page.rest_ms() == 0.0, "the first pods are on their way");
    wait(&mut page, 10);
    assert!(page.only_clock_changes());
    let (mut slept, before) = (0.0, page.run().now());
    while slept < 60_000.0 {
        let rest = page.rest_ms().max(1.0);
        assert!(rest <= 1_000.0);
        slept += rest;
        tick(&mut page, rest);
    }
    let passed = (page.run().now() - before).0 as f64 / 1_000.0;
    assert!((passed - slept).abs() < 10.0, "{passed} of {slept} ms");
    page.update(Travel::Toggle.into());
    assert!(!page.needs_ticks() && page.rest_ms() == 0.0, "a paused page needs no ticks");
}

#[test]
fn something_done_wakes_a_page_at_rest_at_once() {
    let pod = |page: &Page| pods(&page.screen()).remove(0);
    let actions: [fn(String) -> Action; 3] = [
        |pod| RunAction::DeletePod { namespace: "default".into(), name: pod }.into(),
        |pod| RunAction::Fault(Fault::KillPod { namespace: "default".into(), pod }).into(),
        |_| Action::Apply,
    ];
    for action in actions {
        let mut page = converged();
        let rest = page.screen().rest;
        assert!(rest.is_some());
        page.update(action(pod(&page)));
        assert_ne!(page.screen().rest, rest);
    }
}

#[test]
fn an_opened_object_turns_a_narrow_screen_to_its_pane() {
    let mut page = page();
    page.update(Select::Open(Subject::new(Kind::NODE, "", "node-1")).into());
    let screen = page.screen();
    assert_eq!((screen.pane, screen.selection.side), (Pane::Loop, Side::Object));
    assert_eq!(screen.frame.object.head.name, "node-1");
    page.update(Action::ShowPane(Pane::Terminal));
    assert_eq!(page.screen().selection.drawer, Drawer::Terminal);
    page.update(Action::ShowPane(Pane::Time));
    assert_eq!(page.screen().selection.drawer, Drawer::Time);
}

#[test]
fn what_is_chosen_twice_is_chosen_no_more() {
    let mut page = converged();
    let number = page.screen().frame.bar.revision;
    for wanted in [Some(number), None, Some(number)] {
        page.update(Select::ToggleRevision(number).into());
        assert_eq!(page.screen().selection.revision, wanted);
    }
}

#[test]
fn a_menu_offers_what_can_be_done_and_does_it() {
    let mut page = converged();
    let thing = Thing::Object(Subject::new(Kind::NODE, "", "node-2"));
    page.update(OverlayAction::Menu { thing, at: (10, 20) }.into());
    let Overlay::Menu(menu) = page.screen().overlay else { panic!("no menu") };
    assert_eq!((menu.title.as_str(), menu.at), ("Node node-2", (10, 20)));
    let cordon = menu.entries.iter().find(|entry| entry.label.starts_with("Cordon")).expect("a node can be cordoned");
    page.update(RunAction::Effect(cordon.effect.clone()).into());
    assert_eq!(page.screen().overlay, Overlay::None);
    let screen = wait(&mut page, 2);
    let node = screen.frame.cluster.nodes.iter().find(|node| node.name == "node-2").expect("node-2");
    assert!(node.status.contains("SchedulingDisabled"), "{}", node.status);
}

#[test]
fn the_palette_finds_and_does_what_its_words_say() {
    let mut page = converged();
    page.update(OverlayAction::Search("theme dark".to_owned()).into());
    let Overlay::Palette(palette) = page.screen().overlay else { panic!("no palette") };
    assert_eq!(palette.items.iter().map(|item| item.label.as_str()).collect::<Vec<_>>(), ["Theme: dark"]);
    page.update(OverlayAction::Pick(0).into());
    let screen = page.screen();
    assert_eq!((screen.preferences.theme, screen.overlay), (Theme::Dark, Overlay::None));
    page.update(Action::Prefer(Preference::Motion(Motion::Less)));
    assert_eq!(page.screen().preferences.motion, Motion::Less);
    // Picking or choosing an entry that the list does not have does nothing.
    page.update(OverlayAction::Search("no such thing".to_owned()).into());
    page.update(OverlayAction::Pick(7).into());
    page.update(OverlayAction::Choose(9).into());
}

#[test]
fn every_shortcut_has_a_key_of_its_own() {
    for shortcut in SHORTCUTS {
        let of = of_key(shortcut.key).expect(shortcut.key);
        assert_eq!(of.words, shortcut.words);
    }
    assert_eq!(of_key(" ").map(|shortcut| &shortcut.action), Some(&Action::Travel(Travel::Toggle)));
    assert!(of_key("F13").is_none());
}

#[test]
fn every_shortcut_can_be_pressed_at_any_moment() {
    let mut page = page();
    for round in 0..3 {
        for shortcut in SHORTCUTS {
            page.update(shortcut.action.clone());
            tick(&mut page, 16.0 * f64::from(round));
        }
        page.update(OverlayAction::Close.into());
    }
    assert_eq!(page.screen().overlay, Overlay::None);
}

#[test]
fn a_line_of_the_terminal_is_completed_run_and_recalled() {
    let mut page = converged();
    page.update(TerminalAction::Line("kubectl get no".to_owned()).into());
    page.update(TerminalAction::Complete(14).into());
    assert!(page.screen().line.text.starts_with("kubectl get no"));
    enter(&mut page, "kubectl get nodes -o name");
    page.update(Select::Drawer(Drawer::Terminal).into());
    let screen = wait(&mut page, 1);
    assert_eq!(&*screen.line.text, "");
    let said: String = screen.frame.terminal.entries.iter().flat_map(|entry| entry.pieces.iter().map(|piece| piece.1.clone())).collect();
    assert_eq!(said, "node/node-1\nnode/node-2\nnode/node-3\n");
    page.update(TerminalAction::Recall(-1).into());
    assert_eq!(&*page.screen().line.text, "kubectl get nodes -o name");
    page.update(TerminalAction::Line("for i in 1 2; do".to_owned()).into());
    page.update(TerminalAction::Enter.into());
    assert_eq!(&*page.screen().line.text, "for i in 1 2; do\n", "an unfinished line goes on");
}

#[test]
fn kubectl_edit_hands_its_object_to_the_editor_and_takes_it_back() {
    let mut page = converged();
    enter(&mut page, "kubectl edit rs my-app");
    let screen = wait(&mut page, 1);
    assert!(screen.is_draft && screen.pane == Pane::Desired && screen.text.contains("replicas: 3"));
    assert_eq!(screen.draft_title.as_deref(), Some("ReplicaSet my-app"));
    page.update(Action::Edit(screen.text.replace("replicas: 3", "replicas: 4")));
    page.update(Action::Apply);
    let screen = wait(&mut page, 10);
    assert!(!screen.is_draft);
    assert_eq!(pods(&screen).len(), 4);
}

#[test]
fn a_run_is_shared_opened_elsewhere_and_the_one_before_comes_back() {
    let mut one = converged();
    one.update(Action::Edit(one.screen().text.replace("replicas: 3", "replicas: 5")));
    one.update(Action::Apply);
    wait(&mut one, 10);
    one.update(OverlayAction::Share.into());
    let Overlay::Share(sharing) = one.screen().overlay else { panic!("no dialog") };
    assert_eq!(one.screen().pace, Pace::Paused);

    let mut other = converged();
    other.update(Action::Example("kind: Nonsense"));
    other.update(Action::Apply);
    let text = loopscope::view::share::link::unpack(&sharing.payload).map_err(str::to_owned);
    other.update(Action::OpenRun { what: "This link", text });
    let screen = wait(&mut other, 1);
    assert_eq!(pods(&screen), pods(&one.screen()));
    assert_eq!(screen.notice.as_ref().and_then(|notice| notice.offer), Some(Offer::GoBack));
    other.update(Action::Accept(Offer::GoBack));
    assert_eq!(&*other.screen().text, "kind: Nonsense");
    assert_eq!(pods(&other.screen()).len(), 3);
}

#[test]
fn a_link_that_cannot_be_read_changes_nothing_and_says_why() {
    let mut page = converged();
    let before = page.screen();
    for text in [Err("it is damaged or cut off".to_owned()), Ok("{".to_owned()), Ok(r#"{"v":99}"#.to_owned())] {
        page.update(Action::OpenRun { what: "This link", text });
        let screen = page.screen();
        assert!(screen.notice.expect("a notice").text.starts_with("This link cannot be opened: "));
        assert_eq!(screen.frame, before.frame);
    }
    page.update(Action::DismissNotice);
    assert_eq!(page.screen().notice, None);
}

#[test]
fn an_earlier_visit_is_offered_and_resumed() {
    let mut first = converged();
    enter(&mut first, "kubectl scale rs my-app --replicas=2");
    wait(&mut first, 5);
    let saved = first.share().write();
    let mut second = page();
    second.take_up(Found { saved: Some(saved), ..Found::default() });
    assert_eq!(second.screen().notice.and_then(|notice| notice.offer), Some(Offer::Resume));
    second.update(Action::Accept(Offer::Resume));
    assert_eq!(pods(&second.screen()).len(), 2);
}

#[test]
fn a_new_run_starts_with_the_settings_of_the_form_or_says_what_is_wrong() {
    let mut page = converged();
    page.update(OverlayAction::Settings.into());
    let Overlay::Settings(form) = page.screen().overlay else { panic!("no form") };
    let mut values = form.values.clone();
    let nodes = loopscope::view::settings::SETTINGS.iter().position(|setting| setting.path == "nodes.count").expect("nodes");
    values[nodes] = "many".to_owned();
    page.update(OverlayAction::Start { values: values.clone(), apply: true }.into());
    let Overlay::Settings(form) = page.screen().overlay else { panic!("the form stays") };
    assert!(!form.error.is_empty());
    values[nodes] = "5".to_owned();
    page.update(OverlayAction::Start { values, apply: false }.into());
    let screen = wait(&mut page, 1);
    assert_eq!((screen.frame.cluster.nodes.len(), pods(&screen).len(), screen.overlay), (5, 0, Overlay::None));
}

#[test]
fn the_focus_can_be_sent_to_the_same_place_twice() {
    let mut page = page();
    page.update(FocusTarget::Terminal.into());
    let first = page.screen().focus;
    page.update(FocusTarget::Terminal.into());
    let second = page.screen().focus;
    assert_ne!(first, second);
    assert_eq!((second.target, page.screen().selection.drawer), (Some(FocusTarget::Terminal), Drawer::Terminal));
}
