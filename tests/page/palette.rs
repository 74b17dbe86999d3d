//! The command palette finds everything by the words that people use, in any order.

use crate::model::{converged, pods, wait};
use loopscope::page::{Action, Overlay, OverlayAction, Page, TerminalAction};
use loopscope::sim::Config;
use loopscope::view::Drawer;

fn labels(page: &mut Page, query: &str) -> Vec<String> {
    page.update(OverlayAction::Search(query.to_owned()).into());
    let Overlay::Palette(palette) = page.screen().overlay else { panic!("no palette") };
    palette.items.iter().map(|item| item.label.clone()).collect()
}

#[test]
fn what_people_look_for_is_found_by_their_own_words() {
    let mut page = converged();
    let pod = pods(&page.screen()).remove(0);
    for (query, wanted) in [
        ("help", "Help: this page, its keys, its words"),
        ("logs", "Logs of pod my-app-"),
        ("controller manager", "Controller manager: Crash it now"),
        ("crash replicaset", "Controller manager: Crash it now"),
        ("replicaset crash", "Controller manager: Crash it now"),
        ("describe", "Describe "),
        ("yaml", "YAML of "),
        ("delete", ": Delete"),
        ("slow", "Slower"),
        ("theme", "Theme: light"),
        ("pause", "Play or pause"),
        ("apply", "Apply the manifest"),
        ("edit", "Edit "),
        ("speed", "Speed: 0.1×"),
        ("kubectl", "To the terminal"),
        ("etcd", "Drawer: Store"),
        ("breakpoint act replicaset", "Break before act of replicaset"),
        ("kubelet node-2", "Kubelet of node-2: Crash it now"),
        ("shutdown", ""),
        (&format!("logs {pod}"), &format!("Logs of pod {pod}")),
        (&format!("{pod} logs"), &format!("Logs of pod {pod}")),
        ("my-app scale", "ReplicaSet my-app: Scale up to 4"),
    ] {
        let found = labels(&mut page, query);
        match wanted {
            "" => assert_eq!(found, [] as [&str; 0], "{query}"),
            _ => assert!(found.iter().any(|label| label.contains(wanted)), "{query}: {found:?}"),
        }
    }
}

#[test]
fn the_best_comes_first() {
    let mut page = converged();
    let first = |page: &mut Page, query: &str| labels(page, query).remove(0);
    for (query, wanted) in [
        ("pause", "Play or pause"),
        ("apply", "Apply the manifest"),
        ("slow", "Slower"),
        ("help", "Help: this page, its keys, its words"),
        ("theme dark", "Theme: dark"),
        ("open replicaset my-app", "Open ReplicaSet my-app"),
        ("node-2 power", "Node node-2: Cut its power"),
        ("loop of deployment", "Loop of deployment"),
        ("controller manager", "Controller manager: Crash it now"),
    ] {
        assert_eq!(first(&mut page, query), wanted, "{query}");
    }
    assert!(first(&mut page, "logs").starts_with("Logs of pod my-app-"));
    assert!(first(&mut page, "describe").starts_with("Describe "));
}

#[test]
fn a_loop_that_was_picked_stays() {
    let mut page = converged();
    assert_eq!(labels(&mut page, "loop of deployment")[0], "Loop of deployment");
    page.update(OverlayAction::Pick(0).into());
    assert_eq!(wait(&mut page, 2).frame.side.name, "deployment");
}

#[test]
fn nodes_are_in_the_order_of_their_numbers() {
    let mut config = Config::default();
    config.nodes.count = 12;
    let mut page = Page::new(loopscope::page::Start { config, ..Default::default() }, || 0.0);
    let nodes: Vec<String> = labels(&mut page, "open node-").into_iter().filter(|label| label.starts_with("Open Node")).collect();
    let wanted: Vec<String> = (1..=12).map(|n| format!("Open Node node-{n}")).collect();
    assert_eq!(nodes, wanted);
}

#[test]
fn logs_are_shown_in_the_terminal() {
    let mut page = converged();
    let pod = pods(&page.screen()).remove(0);
    let place = labels(&mut page, &format!("logs {pod}")).iter().position(|label| *label == format!("Logs of pod {pod}"));
    page.update(OverlayAction::Pick(place.expect("logs")).into());
    let screen = wait(&mut page, 1);
    assert_eq!(screen.selection.drawer, Drawer::Terminal);
    let entry = screen.frame.terminal.entries.last().expect("an entry").clone();
    assert_eq!((entry.text.as_str(), entry.exit), (format!("kubectl logs {pod} -n default").as_str(), Some(0)));
    // What runs for ever makes room.
    page.update(TerminalAction::Run("kubectl get pods -w".to_owned()).into());
    wait(&mut page, 1);
    page.update(TerminalAction::Run("echo next".to_owned()).into());
    assert_eq!(wait(&mut page, 1).frame.terminal.entries.last().map(|entry| entry.text.clone()).as_deref(), Some("echo next"));
}

#[test]
fn every_entry_can_be_picked() {
    let mut page = converged();
    for query in ["", "open", "node-1", "my-app", "break", "speed"] {
        for place in 0..labels(&mut page, query).len() {
            labels(&mut page, query);
            page.update(OverlayAction::Pick(place).into());
            page.update(OverlayAction::Close.into());
            page.update(Action::CancelEdit);
        }
    }
}
