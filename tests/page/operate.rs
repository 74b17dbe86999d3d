//! Operating a cluster: the table of objects, the menus' items, branches that were left behind, and runs that contain only an
//! example.

use crate::model::wall_ms;
use loopscope::api::Kind;
use loopscope::api::time::Span;
use loopscope::page::time::REAL_TIME;
use loopscope::page::{Action, Found, Offer, Overlay, OverlayAction, Pace, Page, Pane, RunAction, Screen, Select, Start, Tick, Travel};
use loopscope::sim::{Config, Fault};
use loopscope::view::branches::MOST_BRANCHES;
use loopscope::view::examples::examples;
use loopscope::view::menus::{self, Effect, Thing};
use loopscope::view::object::ObjectTab;
use loopscope::view::object_table::MOST_ROWS;
use loopscope::view::terminal::Tone;
use loopscope::view::{Drawer, Layout, Side, Stage, Subject};

fn wait(page: &mut Page, seconds: u32) -> Screen {
    for _ in 0..seconds * 60 {
        page.update(Action::Tick(Tick { elapsed_ms: 1_000.0 / 60.0, budget_ms: 1_000.0, draw: true }));
    }
    page.screen()
}

fn converged() -> Page {
    let mut page = Page::new(Start { speed: Some(REAL_TIME), layout: Some(Layout::Inspect), ..Start::default() }, wall_ms);
    assert!(wait(&mut page, 10).frame.bar.converged);
    page
}

fn kubectl(page: &mut Page, words: &str) {
    page.update(RunAction::Effect(Effect::Kubectl(words.split(' ').map(str::to_owned).collect())).into());
}

fn commands(page: &Page) -> Vec<String> {
    page.run().session.commands().iter().map(|given| format!("{:?}", given.command)).collect()
}

fn lines(page: &mut Page) -> Vec<(u32, String)> {
    page.update(OverlayAction::Branches.into());
    let Overlay::Branches(lines, _) = page.screen().overlay else { panic!("no list of branches") };
    page.update(OverlayAction::Close.into());
    lines.iter().map(|line| (line.number, line.text.clone())).collect()
}

#[test]
fn what_acting_in_the_past_replaces_is_kept_as_a_branch_and_can_be_had_again() {
    let mut page = converged();
    let at = page.run().start + Span::secs(9);
    kubectl(&mut page, "scale rs my-app --replicas=5");
    wait(&mut page, 10);
    page.update(RunAction::Fault(Fault::CrashNode { node: "node-1".to_owned() }).into());
    wait(&mut page, 5);
    let (first, hash, steps) = (commands(&page), page.run().cluster().hash, page.run().cluster().steps);
    assert_eq!(page.screen().frame.bar.branches, 0);
    page.update(Travel::To(at).into());
    kubectl(&mut page, "scale rs my-app --replicas=1");
    page.update(Travel::Toggle.into());
    wait(&mut page, 5);
    let second = (commands(&page), page.run().cluster().hash);
    let [(number, text)] = lines(&mut page).try_into().expect("one branch");
    assert!(text.starts_with("Branch left at 0:09.000: 2 later commands: scale rs my-app --replicas=5, "), "{text}");
    assert_eq!((page.screen().frame.bar.branches, page.screen().frame.timeline.branches), (1, 1));
    page.update(Action::OpenBranch(number));
    assert_eq!((commands(&page), page.run().cluster().hash, page.run().cluster().steps), (first, hash, steps));
    assert_eq!((page.screen().pace, page.run().forks), (Pace::Paused, 2));
    // The run that was present until now has become a branch, which can be reopened in turn.
    let [(other, text)] = lines(&mut page).try_into().expect("one branch");
    assert_eq!(text, "Branch left at 0:09.000: 1 later command: scale rs my-app --replicas=1");
    page.update(Action::OpenBranch(other));
    assert_eq!((commands(&page), page.run().cluster().hash), second);
    assert_eq!(lines(&mut page).len(), 1);
    page.update(Action::OpenBranch(99));
    assert_eq!(commands(&page), second.0, "a branch that is not there changes nothing");
}

#[test]
fn branches_are_few_and_hold_what_somebody_did() {
    let mut page = converged();
    page.update(Travel::To(page.run().start + Span::secs(5)).into());
    kubectl(&mut page, "scale rs my-app --replicas=2");
    assert!(lines(&mut page).is_empty(), "nobody had done anything after that moment");
    for n in 0..MOST_BRANCHES + 3 {
        page.update(Travel::Converge.into());
        wait(&mut page, 2);
        page.update(Travel::Undo.into());
        kubectl(&mut page, &format!("scale rs my-app --replicas={}", n % 4 + 1));
    }
    let all = lines(&mut page);
    assert_eq!(all.len(), MOST_BRANCHES);
    assert!(all.windows(2).all(|pair| pair[0].0 > pair[1].0), "the newest first");
}

#[test]
fn branches_come_back_with_the_run_of_an_earlier_visit() {
    let mut page = converged();
    for replicas in [5, 4] {
        kubectl(&mut page, &format!("scale rs my-app --replicas={replicas}"));
        wait(&mut page, 5);
        page.update(Travel::Undo.into());
        page.update(Travel::Toggle.into());
    }
    kubectl(&mut page, "delete rs my-app");
    wait(&mut page, 5);
    let (before, saved, branches) = (lines(&mut page), page.share().write(), page.run().write_branches());
    assert_eq!((before.len(), branches.len()), (2, 2));
    let visit = |found: Found| {
        let mut page = Page::new(Start { paused: true, ..Start::default() }, wall_ms);
        page.take_up(found);
        page
    };
    let found = Found { saved: Some(saved.clone()), branches: Some(branches.join("\n")), ..Found::default() };
    let mut again = visit(found.clone());
    assert!(lines(&mut again).is_empty(), "they belong to the run that is offered");
    again.update(Action::Accept(Offer::Resume));
    assert_eq!(lines(&mut again), before);
    let bar = &again.screen().frame.bar;
    assert_eq!((bar.branches, bar.forks), (2, 2));
    again.update(Action::OpenBranch(before[0].0));
    assert_eq!(again.run().session.live_notes().balance.desired, 4, "{before:?}");
    assert_eq!(lines(&mut again)[0].0, before[0].0 + 1, "numbers go on");
    // A page that recovers from an error loads the saved run by itself.
    let found = Found { state: Some(saved), recovers: true, ..found };
    assert_eq!(lines(&mut visit(found.clone())), before);
    // A damaged branch is left out.
    let damaged = format!("{}\n1 2 {{\n{}", &branches[0][..branches[0].len() - 9], branches[1]);
    assert_eq!(lines(&mut visit(Found { branches: Some(damaged), ..found })), before[..1]);
}

#[test]
fn a_new_run_holds_only_the_example_and_the_settings_and_the_run_before_can_be_had_back() {
    let mut config = Config { seed: 7, ..Config::default() };
    config.nodes.count = 2;
    let mut page = Page::new(Start { config: config.clone(), speed: Some(REAL_TIME), ..Start::default() }, wall_ms);
    wait(&mut page, 5);
    kubectl(&mut page, "scale rs my-app --replicas=2");
    let before = page.share().write();
    let example = examples().iter().find(|example| example.title == "Deployment web").expect("an example");
    page.update(Action::StartExample(example.manifest()));
    let screen = wait(&mut page, 10);
    assert_eq!((&*screen.text, &*screen.applied), (example.manifest(), example.manifest()));
    assert_eq!((screen.pace, &*page.run().cluster().config), (Pace::Playing, &config));
    let store = &page.run().cluster().api.store;
    assert_eq!(store.all(Kind::DEPLOYMENT).map(|o| o.meta.name.to_string()).collect::<Vec<_>>(), ["web"]);
    assert!(store.all(Kind::REPLICA_SET).all(|o| o.meta.name.starts_with("web-")));
    assert_eq!(screen.notice.and_then(|notice| notice.offer), Some(Offer::GoBack));
    page.update(Action::Accept(Offer::GoBack));
    assert_eq!(page.share().write(), before);
}

fn table(page: &mut Page) -> Screen {
    page.update(Select::Stage(Stage::Objects).into());
    page.screen()
}

fn column(screen: &Screen, name: &str) -> Vec<String> {
    let place = screen.frame.table.columns.iter().position(|column| column == name).expect("a column");
    screen.frame.table.rows.iter().map(|row| row.cells[place].clone()).collect()
}

#[test]
fn the_table_has_the_columns_and_cells_of_kubectl_for_every_kind() {
    let mut page = converged();
    page.update(Travel::Toggle.into());
    let kinds = table(&mut page).frame.table.kinds.clone();
    assert_eq!(kinds[0], (Kind::POD, 3));
    assert!(kinds.iter().all(|(kind, _)| !kind.row().is_event_or_lease), "Events have a tab, and Leases are hidden");
    for (kind, count) in kinds.iter() {
        for wide in ["", " -o wide"] {
            page.update(Select::TableKind(*kind).into());
            if wide.is_empty() == page.screen().frame.table.selection.wide {
                page.update(Select::ToggleWide.into());
            }
            let all = if kind.row().namespaced { " -A" } else { "" };
            page.update(RunAction::Effect(Effect::Terminal(format!("kubectl get {}{all}{wide}", kind.row().plural))).into());
            let screen = page.screen();
            let said: String = screen
                .frame
                .terminal
                .entries
                .last()
                .unwrap()
                .pieces
                .iter()
                .filter(|(tone, _)| *tone == Tone::Plain)
                .map(|(_, t)| t.as_str())
                .collect();
            let split =
                |line: &str| line.split("   ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect::<Vec<_>>();
            let mut expected = said.lines().filter(|line| !line.starts_with("No resources found")).map(split);
            let table = &screen.frame.table;
            assert_eq!(table.rows.len(), *count);
            if *count > 0 {
                assert_eq!(Some(table.columns.clone()), expected.next());
            }
            let shown: Vec<Vec<String>> =
                table.rows.iter().map(|row| row.cells.iter().filter(|c| !c.is_empty()).cloned().collect()).collect();
            assert_eq!(shown, expected.collect::<Vec<_>>(), "{}", kind.row().plural);
        }
    }
    page.update(Select::ToggleTableLeases.into());
    assert!(page.screen().frame.table.kinds.iter().any(|(kind, count)| kind.row().is_heartbeat && *count > 0));
}

#[test]
fn the_table_is_filtered_and_sorted() {
    let mut page = converged();
    kubectl(&mut page, "create deployment other --image=nginx:1.25 --replicas=12");
    kubectl(&mut page, "create namespace else");
    wait(&mut page, 15);
    let screen = table(&mut page);
    assert_eq!(screen.frame.table.words(), "15 pods");
    assert_eq!(screen.frame.table.columns[..2], ["NAMESPACE", "NAME"]);
    let names = column(&screen, "NAME");
    assert!(names.is_sorted());
    page.update(Select::TableText("MY-app running".to_owned()).into());
    assert_eq!(page.screen().frame.table.words(), "3 pods");
    page.update(Select::TableText("nothing".to_owned()).into());
    assert!(page.screen().frame.table.rows.is_empty());
    page.update(Select::TableText(String::new()).into());
    page.update(Select::TableNamespace(Some("else".into())).into());
    assert_eq!((page.screen().frame.table.rows.len(), page.screen().frame.table.columns[0].as_str()), (0, "NAME"));
    page.update(Select::TableNamespace(None).into());
    // By age: the youngest first, then the other way round, then by name again.
    let age = page.screen().frame.table.columns.iter().position(|column| column == "AGE").unwrap();
    let is_first = |page: &Page| page.screen().frame.table.rows[0].subject.key.name.starts_with("my-app");
    page.update(Select::TableSort(age).into());
    assert!(!is_first(&page));
    page.update(Select::TableSort(age).into());
    assert!(is_first(&page));
    page.update(Select::TableSort(age).into());
    assert_eq!(column(&page.screen(), "NAME"), names);
    page.update(Select::TableKind(Kind::REPLICA_SET).into());
    let desired = page.screen().frame.table.columns.iter().position(|column| column == "DESIRED").unwrap();
    page.update(Select::TableSort(desired).into());
    assert_eq!(column(&page.screen(), "DESIRED"), ["3", "12"], "numbers are sorted as numbers");
}

#[test]
fn the_keyboard_stays_at_its_place_when_its_row_goes() {
    let mut page = converged();
    let screen = table(&mut page);
    let second = screen.frame.table.rows[1].subject.clone();
    page.update(Select::TableRow(second.clone()).into());
    assert_eq!(page.screen().frame.table.current, 1);
    kubectl(&mut page, &format!("delete pod {} --force --grace-period=0", second.key.name));
    let screen = wait(&mut page, 5);
    assert!(screen.frame.table.rows.iter().all(|row| row.subject != second));
    assert_eq!(screen.frame.table.current, 1);
}

#[test]
fn a_table_of_very_many_shows_the_first_and_costs_nothing_unseen() {
    let mut config = Config::default();
    config.nodes.count = 20;
    let mut page = Page::new(Start { config, speed: Some(REAL_TIME + 2), ..Start::default() }, wall_ms);
    kubectl(&mut page, "create deployment many --image=nginx:1.25 --replicas=700");
    let screen = wait(&mut page, 3);
    assert!(screen.frame.table.rows.is_empty(), "nobody looks at it");
    let screen = table(&mut page);
    let count = page.run().cluster().api.store.count(Kind::POD);
    assert!(count > 700);
    assert_eq!(screen.frame.table.rows.len(), MOST_ROWS);
    assert_eq!(screen.frame.table.words(), format!("first 300 of {count} pods; filter to see the others"));
    assert!(column(&screen, "NAME").is_sorted());
    page.update(Select::TableText("my-app".to_owned()).into());
    assert_eq!(page.screen().frame.table.words(), "3 pods");
}

#[test]
fn every_object_can_be_looked_at_from_its_menu() {
    let mut page = converged();
    kubectl(&mut page, "create deployment web --image=nginx:1.25");
    kubectl(&mut page, "expose deployment web --port=80");
    wait(&mut page, 10);
    page.update(Travel::Toggle.into());
    let kinds: Vec<Kind> = page.run().cluster().api.kinds.all().collect();
    let first =
        |page: &Page, kind: Kind| page.run().cluster().api.store.range(kind, "", None).next().map(|o| Subject { kind, key: o.key() });
    let subjects: Vec<Subject> = kinds.into_iter().filter_map(|kind| first(&page, kind)).collect();
    for subject in subjects {
        let entries = menus::menu_entries(page.run(), &Thing::Object(subject.clone()));
        let effect = |label: &str| entries.iter().find(|entry| entry.label == label).map(|entry| entry.effect.clone());
        let steps = page.run().cluster().steps;
        page.update(Select::Drawer(Drawer::Time).into());
        page.update(RunAction::Effect(effect("YAML").expect("YAML")).into());
        let screen = page.screen();
        assert_eq!((screen.selection.side, screen.selection.page, screen.pane), (Side::Object, ObjectTab::Yaml, Pane::Loop));
        assert_eq!(screen.selection.object.as_ref(), Some(&subject));
        for label in ["Describe", "Logs"] {
            let Some(effect) = effect(label) else {
                assert!(label == "Logs" && subject.kind.row().pod_spec.is_empty(), "{subject:?} has no {label}");
                continue;
            };
            page.update(RunAction::Effect(effect).into());
            let screen = page.screen();
            assert_eq!((screen.selection.drawer, screen.pane), (Drawer::Terminal, Pane::Terminal));
            let last = screen.frame.terminal.entries.last().unwrap();
            assert_eq!(last.exit, Some(0), "{}: {:?}", last.text, last.pieces);
            assert!(!last.pieces.is_empty(), "{}", last.text);
        }
        page.update(RunAction::Effect(effect("Edit").expect("Edit")).into());
        let screen = page.screen();
        assert!(screen.is_draft && screen.text.contains(subject.key.name.as_str()) && screen.pane == Pane::Desired, "{subject:?}");
        assert_eq!(page.run().cluster().steps, steps, "to look moves no time");
        page.update(Action::CancelEdit);
    }
}

#[test]
fn a_menu_for_deleting_begins_at_the_entry_that_deletes() {
    let mut page = converged();
    let subject = table(&mut page).frame.table.rows[0].subject.clone();
    page.update(OverlayAction::DeleteMenu { subject, at: (1, 2) }.into());
    let Overlay::Menu(menu) = page.screen().overlay else { panic!("no menu") };
    assert_eq!(menu.entries[menu.first].label, "Delete");
}
