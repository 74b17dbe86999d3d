//! An embed in which a learner may look at everything and may change nothing.

use super::parameters::page;
use crate::model::wait;
use loopscope::api::time::Span;
use loopscope::page::{Action, Overlay, OverlayAction, Page, RunAction, Select, TerminalAction, Travel};
use loopscope::sim::Fault;
use loopscope::view::menus::{Effect, Thing};
use loopscope::view::{Panel, Subject};

fn looked_at() -> Page {
    let mut page = page("embed=1&readonly=1&speed=1&panels=cluster,terminal");
    wait(&mut page, 3);
    page
}

fn commands(page: &Page) -> usize {
    page.run().session.commands().len()
}

#[test]
fn nothing_that_changes_the_run_is_done_and_the_page_says_so() {
    let actions = [
        Action::Apply,
        Action::Edit("kind: Pod".to_owned()),
        Action::Run(RunAction::DeletePod { namespace: "default".into(), name: "x".to_owned() }),
        Action::Run(RunAction::Fault(Fault::CrashNode { node: "node-1".to_owned() })),
        Action::Run(RunAction::Effect(Effect::Kubectl(vec!["delete".to_owned(), "node".to_owned(), "node-1".to_owned()]))),
        Action::StartExample("kind: Pod"),
        Action::Overlay(OverlayAction::Settings),
        Action::Terminal(TerminalAction::Run("kubectl delete pods --all".to_owned())),
    ];
    for action in actions {
        let mut page = looked_at();
        let before = (commands(&page), page.screen().text);
        page.update(action.clone());
        wait(&mut page, 1);
        assert_eq!((commands(&page), page.screen().text), before, "{action:?}");
        let says = page.screen().notice.is_some_and(|notice| notice.text.contains("read-only"));
        assert_eq!(says, !matches!(action, Action::Edit(_)), "{action:?}");
    }
}

#[test]
fn reading_and_moving_in_time_are_allowed() {
    let mut page = looked_at();
    page.update(Action::Terminal(TerminalAction::Run("kubectl get pods".to_owned())));
    let terminal = page.screen().frame.terminal.clone();
    assert!(format!("{terminal:?}").contains("my-app-"), "the line is answered");
    page.update(Travel::By(Span::secs(-1)).into());
    assert!(page.run().elapsed() < Span::secs(2), "a second back");
    page.update(Select::Open(Subject::new(loopscope::api::Kind::NODE, "", "node-1")).into());
    assert_eq!(page.screen().selection.panels.guest, Some(Panel::Object));
    assert!(page.screen().notice.is_none());
}

#[test]
fn menus_offer_only_ways_to_look() {
    let mut page = looked_at();
    let node = Thing::Object(Subject::new(loopscope::api::Kind::NODE, "", "node-1"));
    page.update(Action::Overlay(OverlayAction::Menu { thing: node, at: (0, 0) }));
    let Overlay::Menu(menu) = page.screen().overlay else { panic!("there is a menu") };
    assert!(!menu.entries.is_empty());
    assert!(menu.entries.iter().all(|entry| !matches!(entry.effect, Effect::Fault(_) | Effect::Kubectl(_) | Effect::Edit(_))));
}
