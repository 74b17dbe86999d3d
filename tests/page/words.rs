//! The texts of the page: the glossary, the table of preferences, the help and the introduction.

use loopscope::page::experiments::Experiment;
use loopscope::page::introduction::Step;
use loopscope::page::preferences::{Keys, Motion, PREFERENCES, Theme};
use loopscope::page::{
    Action, HelpPart, IntroductionAction, Overlay, OverlayAction, Page, Preference, Preferences, RunAction, Start, Tick, Travel,
};
use loopscope::view::glossary::{LONGEST, find, glossary, matching};
use loopscope::view::loops::detail::Part;
use std::collections::BTreeSet;

fn page(introduces: bool) -> Page {
    Page::new(Start { introduces, ..Start::default() }, || 0.0)
}

fn wait(page: &mut Page, seconds: u32) {
    for _ in 0..seconds * 60 {
        page.update(Action::Tick(Tick { elapsed_ms: 1_000.0 / 60.0, budget_ms: 1_000.0, draw: true }));
    }
}

#[test]
fn every_word_has_one_meaning_that_can_be_read_at_the_pointer() {
    let mut names = BTreeSet::new();
    for entry in glossary() {
        for name in std::iter::once(&entry.term).chain(&entry.aliases) {
            assert!(names.insert(name.to_lowercase()), "{name} stands for two things");
            assert_eq!(find(name), Some(entry));
        }
        assert!(entry.sentence.ends_with('.'), "{}", entry.term);
        assert!(entry.sentence.chars().count() <= LONGEST, "{} is {} long", entry.term, entry.sentence.chars().count());
        assert!(entry.sentence.starts_with(|c: char| c.is_uppercase()), "{}", entry.term);
    }
    let terms: Vec<String> = glossary().iter().map(|entry| entry.term.to_lowercase()).collect();
    assert!(terms.is_sorted(), "{terms:?}");
}

#[test]
fn the_words_of_the_loop_are_explained() {
    let words = [
        "desired",
        "actual",
        "drift",
        "converged",
        "stuck",
        "observe",
        "diff",
        "act",
        "pass",
        "reconcile",
        "controller",
        "scheduler",
        "kubelet",
        "API server",
        "etcd",
        "store",
        "revision",
        "resourceVersion",
        "watch",
        "cache",
        "informer",
        "queue",
        "back-off",
        "resync",
        "expectation",
        "lease",
        "leader",
        "event",
        "finalizer",
        "owner",
        "taint",
        "twin",
        "fork",
        "branch",
        "breakpoint",
        "virtual time",
        "auto",
        "drifting",
    ];
    for word in words {
        assert!(find(word).is_some(), "{word}");
    }
    for part in [Part::Api, Part::Etcd, Part::Watch, Part::Cache, Part::Queue, Part::Controller] {
        assert!(find(part.name()).is_some(), "{}", part.name());
    }
}

#[test]
fn a_word_is_found_by_its_beginning_first() {
    assert_eq!(matching("dri").first().map(|entry| entry.term), Some("drift"));
    assert_eq!(matching("etcd").first().map(|entry| entry.term), Some("store"));
    assert_eq!(matching("").len(), glossary().len());
    assert!(matching("xyzzy").is_empty());
}

#[test]
fn the_table_of_preferences_reads_what_it_writes() {
    let mut names = BTreeSet::new();
    for row in PREFERENCES {
        assert!(names.insert(row.name), "{} stands twice", row.name);
        let default = row.chosen(&Preferences::default()).expect("a default");
        assert_eq!(row.values.first(), Some(default), "the default of {} stands first", row.name);
        assert!(row.help.ends_with('.'), "{}", row.name);
        for value in row.values {
            // boot.js puts only such values on the page.
            assert!(value.name.chars().all(|c| c.is_ascii_lowercase()), "{}", value.name);
            let mut preferences = Preferences::default();
            preferences.set(value.preference);
            assert_eq!(row.chosen(&preferences), Some(value));
            assert_eq!(Preferences::read(|other| (other.name == row.name).then(|| value.name.to_owned())), preferences);
        }
    }
    assert_eq!(Preferences::read(|_| Some("nonsense".to_owned())), Preferences::default());
}

#[test]
fn a_preference_is_made_by_one_action_and_found_by_the_palette() {
    let mut page = page(false);
    page.update(Preference::Theme(Theme::Dark).into());
    page.update(Preference::Keys(Keys::Off).into());
    let preferences = page.screen().preferences;
    assert_eq!((preferences.theme, preferences.keys, preferences.motion), (Theme::Dark, Keys::Off, Motion::Auto));
    page.update(OverlayAction::Search("reading time long".to_owned()).into());
    page.update(OverlayAction::Pick(0).into());
    assert_eq!(page.screen().preferences.reading, loopscope::page::auto::Reading::Long);
}

#[test]
fn the_palette_knows_what_drift_is() {
    let mut page = page(false);
    page.update(OverlayAction::Search("what is drift".to_owned()).into());
    let Overlay::Palette(palette) = page.screen().overlay else { panic!("no palette") };
    assert_eq!(palette.items.first().map(|item| item.label.as_str()), Some("What is drift?"));
    page.update(OverlayAction::Pick(0).into());
    let Overlay::Help(help) = page.screen().overlay else { panic!("no help") };
    assert_eq!((help.part, help.query.as_str()), (HelpPart::Glossary, "drift"));
}

#[test]
fn what_help_offers_to_try_really_happens() {
    let mut page = page(false);
    wait(&mut page, 40);
    assert!(page.screen().frame.bar.converged);
    let offers = |page: &mut Page| {
        page.update(OverlayAction::Help(HelpPart::About).into());
        let Overlay::Help(help) = page.screen().overlay else { panic!("no help") };
        help.experiments.clone()
    };
    let labels: Vec<String> = offers(&mut page).iter().map(|offered| offered.label.clone()).collect();
    assert_eq!(labels, ["Delete a pod", "Crash node-2", "Change replicas"]);
    page.update(Travel::Toggle.into());
    page.update(OverlayAction::Try(Experiment::ChangeReplicas).into());
    assert_eq!(page.screen().overlay, Overlay::None);
    assert!(page.screen().text.contains("replicas: 5"), "{}", page.screen().text);
    wait(&mut page, 60);
    assert_eq!(page.run().notes().balance.ready, 5, "time goes on by itself");
    page.update(OverlayAction::Try(Experiment::CrashNode).into());
    assert!(page.screen().frame.hint.contains("node-2 is silent"), "{}", page.screen().frame.hint);
    assert_eq!(offers(&mut page).get(1).map(|offered| offered.label.clone()), Some("Crash node-1".to_owned()));
    let before = page.run().session.commands().len();
    page.update(OverlayAction::Try(Experiment::DeletePod).into());
    assert_eq!(page.run().session.commands().len(), before + 1);
}

#[test]
fn what_cannot_be_tried_says_why() {
    let mut page = Page::new(Start { manifest: Some(String::new()), paused: true, ..Start::default() }, || 0.0);
    page.update(OverlayAction::Help(HelpPart::About).into());
    let Overlay::Help(help) = page.screen().overlay else { panic!("no help") };
    let impossible: Vec<&str> =
        help.experiments.iter().filter(|offered| !offered.is_possible).map(|offered| offered.words.as_str()).collect();
    assert!(
        impossible.contains(&"No pod is ready now.") && impossible.contains(&"The manifest has no line with replicas."),
        "{impossible:?}"
    );
    page.update(OverlayAction::Try(Experiment::DeletePod).into());
    page.update(OverlayAction::Try(Experiment::ChangeReplicas).into());
}

#[test]
fn the_introduction_points_at_nothing_that_is_not_there() {
    let mut page = page(true);
    assert!(page.screen().introduces);
    assert_eq!(page.screen().introduction, None, "nothing has been asked for yet");
    wait(&mut page, 40);
    let told = |page: &Page| page.screen().introduction.map(|told| (told.step, told.words));
    assert_eq!(told(&page), Some((Step::Asked, "This is what you asked for: 3 pods.".to_owned())));
    page.update(IntroductionAction::Next.into());
    assert_eq!(told(&page).map(|(step, _)| step), Some(Step::Compared));
    page.update(IntroductionAction::Next.into());
    assert_eq!(told(&page), Some((Step::There, "This is what is there: 3 pods, 3 ready. Delete a pod and watch.".to_owned())));
    page.update(RunAction::DeletePod { namespace: "default".into(), name: "my-app".to_owned() }.into());
    assert!(!page.screen().introduces, "whoever has followed the last step needs it no more");
}

#[test]
fn the_introduction_can_be_ended_at_any_step() {
    let mut page = page(true);
    page.update(IntroductionAction::End.into());
    assert!(!page.screen().introduces);
    page.update(IntroductionAction::Next.into());
    assert!(!page.screen().introduces && page.screen().introduction.is_none());
}
