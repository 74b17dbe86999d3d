//! The parameters in the page's address.

use crate::model::wait;
use loopscope::api::time::Span;
use loopscope::embed::parameters::{Parameters, Persist, example_name, read};
use loopscope::page::preferences::{Motion, Theme};
use loopscope::page::{Action, Controls, Pace, Page, Preference, Select};
use loopscope::view::convergence::Standing;
use loopscope::view::examples::examples;
use loopscope::view::share::link;
use loopscope::view::{Drawer, Layout, Panel, Subject};

/// Reads the query of an address as a person may write it.
pub(crate) fn asked(query: &str) -> Parameters {
    read(query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, ""))))
}

/// Creates a page with these parameters.
pub(crate) fn page(query: &str) -> Page {
    let asked = asked(query);
    assert_eq!(asked.passed_over, [""; 0], "every parameter makes sense");
    Page::new(asked.start, || 0.0)
}

#[test]
fn every_parameter_of_a_page_by_itself_has_its_default() {
    let plain = asked("paused=0");
    assert_eq!((plain.start.embedding.controls, plain.persist), (Controls::Full, Persist::Local));
    assert!(plain.start.panels.is_empty() && !plain.start.embedding.is_embed && !plain.start.embedding.is_readonly);
}

#[test]
fn an_embed_has_a_small_bar_and_keeps_nothing() {
    let embed = asked("embed=1");
    assert_eq!((embed.start.embedding.controls, embed.persist), (Controls::Minimal, Persist::None));
    let asking = asked("embed&controls=none&persist=session&readonly&autoheight=true&goal=90");
    let embedding = asking.start.embedding;
    assert_eq!((embedding.controls, asking.persist, embedding.goal), (Controls::None, Persist::Session, Some(Span::secs(90))));
    assert!(embedding.is_embed && embedding.is_readonly && embedding.is_autoheight);
}

#[test]
fn the_order_of_parameters_does_not_matter() {
    for query in ["embed=1&controls=full&persist=local", "persist=local&controls=full&embed=1"] {
        let asked = asked(query);
        assert_eq!((asked.start.embedding.controls, asked.persist), (Controls::Full, Persist::Local), "{query}");
    }
}

#[test]
fn the_rest_of_the_parameters_reach_the_page() {
    let asked = asked("seed=7&nodes=5&speed=10&paused=1&layout=operate&at=2.5&theme=dark&motion=less&origin=https://course.example");
    assert_eq!((asked.start.config.seed, asked.start.config.nodes.count, asked.start.paused), (7, 5, true));
    assert_eq!((asked.start.speed, asked.start.layout, asked.start.at), (Some(4), Some(Layout::Operate), Some(Span(2_500_000))));
    assert_eq!(asked.preferences, [Preference::Theme(Theme::Dark), Preference::Motion(Motion::Less)]);
    assert_eq!(asked.origin.as_deref(), Some("https://course.example"));
    assert_eq!(asked.passed_over, [""; 0]);
}

#[test]
fn what_makes_no_sense_is_passed_over_and_named() {
    let nonsense = "seed=x&nodes=0&nodes=99999&speed=3&paused=perhaps&at=-1&at=NaN&layout=round&theme=pink&controls=some&persist=for-ever&origin=*\
                    &origin=https://a/b&manifest=https://elsewhere.example/a.yaml&manifest=//elsewhere.example/a.yaml&example=none&goal=soon&lesson=1&__proto__=1";
    let given = nonsense.split('&').count();
    let asked = asked(nonsense);
    assert_eq!(asked.passed_over.len(), given, "{:?}", asked.passed_over);
    assert!(asked.origin.is_none() && asked.manifest_url.is_none() && asked.start.at.is_none() && asked.start.manifest.is_none());
}

#[test]
fn panels_stand_in_the_order_given_and_unknown_ones_are_named() {
    let asked = asked("panels=time,cluster,%,time");
    assert_eq!(asked.start.panels, [Panel::Time, Panel::Cluster]);
    assert_eq!(asked.passed_over, ["panels=%"]);
    assert_eq!(super::parameters::asked("panels=lesson").passed_over, ["panels=lesson"]);
}

#[test]
fn every_panel_has_a_name_and_can_stand_alone() {
    for panel in Panel::ALL {
        let mut page = page(&format!("embed=1&speed=1&panels={}", panel.name()));
        let screen = wait(&mut page, 1);
        assert_eq!(&*screen.selection.panels.shown, [panel]);
        assert!(screen.selection.looks_at(panel));
        let others = Panel::ALL.into_iter().filter(|other| *other != panel);
        assert!(others.into_iter().all(|other| !screen.selection.looks_at(other)), "only {} is made", panel.name());
    }
}

#[test]
fn two_panels_of_the_same_pane_are_both_made() {
    let mut page = page("embed=1&speed=1&panels=cluster,owners,events,time");
    let screen = wait(&mut page, 2);
    assert_eq!(screen.frame.cluster.nodes.len(), 3);
    assert!(!screen.frame.owners.rows.is_empty() && !screen.frame.events.is_empty());
}

#[test]
fn what_is_asked_for_and_not_shown_lies_over_the_panels_until_it_is_closed() {
    let mut page = page("embed=1&speed=1&panels=cluster,events");
    wait(&mut page, 2);
    let node = Subject::new(loopscope::api::Kind::NODE, "", "node-1");
    page.update(Select::Open(node).into());
    assert_eq!(page.screen().selection.panels.guest, Some(Panel::Object));
    page.update(Select::Drawer(Drawer::Terminal).into());
    assert_eq!(page.screen().selection.panels.guest, Some(Panel::Terminal));
    page.update(Select::Drawer(Drawer::Events).into());
    assert_eq!(page.screen().selection.panels.guest, None, "what is shown needs no place over the others");
    page.update(Select::Why(None).into());
    page.update(Action::DismissGuest);
    assert_eq!(page.screen().selection.panels.guest, None);
    assert_eq!(&*page.screen().selection.panels.shown, [Panel::Cluster, Panel::Events]);
}

#[test]
fn a_moment_is_reached_before_the_page_is_shown_and_the_run_goes_on_from_there() {
    let playing = page("at=30&speed=1");
    let screen = playing.screen();
    assert_eq!((screen.frame.bar.clock.as_str(), screen.pace), ("0:30.000", Pace::Playing));
    assert_eq!(screen.frame.bar.standing, Standing::Converged);
    let paused = page("at=0.5&paused=1");
    assert_eq!((paused.run().elapsed(), paused.screen().pace), (Span::millis(500), Pace::Paused));
}

#[test]
fn every_example_has_a_name_in_the_address() {
    for example in examples() {
        let name = example_name(example.title);
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{name} needs no escapes");
        assert_eq!(asked(&format!("example={name}")).start.manifest.as_deref(), Some(example.manifest()));
    }
}

#[test]
fn a_manifest_is_inline_or_the_relative_address_of_a_file() {
    assert_eq!(asked("manifest=apps/web.yaml").manifest_url.as_deref(), Some("apps/web.yaml"));
    assert_eq!(asked("manifest=/a/web.json").manifest_url.as_deref(), Some("/a/web.json"));
    let inline = "kind: Pod\nmetadata: {name: a.yaml}";
    assert_eq!(asked(&format!("manifest={inline}")).start.manifest.as_deref(), Some(inline));
}

#[test]
fn a_state_is_unpacked_or_the_reason_is_kept() {
    assert_eq!(asked(&format!("state={}", link::pack("{\"v\":1}"))).state, Some(Ok("{\"v\":1}".to_owned())));
    assert!(asked("state=???").state.is_some_and(|state| state.is_err()));
}

#[test]
fn autoplay_is_the_opposite_of_paused_and_the_last_of_the_two_wins() {
    for (query, paused) in
        [("autoplay=0", true), ("autoplay=1", false), ("autoplay", false), ("paused=1&autoplay=1", false), ("autoplay=1&paused=1", true)]
    {
        let asked = asked(query);
        assert_eq!((asked.start.paused, asked.paused), (paused, Some(paused)), "{query}");
    }
    assert_eq!(asked("autoplay=later").passed_over, ["autoplay=later"]);
}

#[test]
fn only_english_is_a_language_of_the_page() {
    assert_eq!((asked("lang=en").lang.as_deref(), asked("lang=en-GB").lang.as_deref()), (Some("en"), Some("en-GB")));
    for other in ["lang=de", "lang=", "lang=enx"] {
        let asked = asked(other);
        assert_eq!((asked.lang, asked.passed_over), (None, vec![other.to_owned()]));
    }
}
