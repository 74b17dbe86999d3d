//! The parameters of the page's URL: `?embed=1&panels=cluster,loop&controls=minimal&nodes=5`.
//!
//! The page ignores a parameter that is unknown or has an invalid value, and warns in the console; reading a URL never fails.
//!
//! **To add a parameter**: an arm in [`take`]; a row in `static/embed-contract.json` and a value in `PARAMETERS` of `tests/page/embed/contract.rs`; its name
//! among the `PARAMETERS` of `static/loop-scope.js`, and its type in `loop-scope.d.ts`. A preference of a person becomes a parameter by its row in
//! `page/preferences.rs`.
//!
//! Simplification: from a thousand nodes on, the page lifts the rate limits of the controllers and the scheduler to what people set on clusters of that size.

use crate::api::float;
use crate::api::time::Span;
use crate::page::preferences::{PREFERENCES, Preference};
use crate::page::{Controls, SPEEDS, Start};
use crate::sim::Config;
use crate::sim::config::ClientConfig;
use crate::view::examples::examples;
use crate::view::share::link;
use crate::view::{Choice, Layout, Panel};

/// The maximum number of nodes that a URL may ask for.
const MOST_NODES: u32 = 5_000;
/// The number of nodes from which on `LIFTED` replaces the rate limits of the controllers and the scheduler.
const LARGE: u32 = 1_000;
/// The rate limits of the controllers and the scheduler in a large cluster, as people set them there.
const LIFTED: ClientConfig = ClientConfig { per_second: 1_000, burst: 1_000 };
/// The longest span of virtual time that a URL (`goal`, `at`) or a request of the host may name, in seconds: thirty days.
const LONGEST_S: f64 = 2_592_000.0;

/// The browser storage for the runs, texts and preferences that the page keeps between visits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Persist {
    /// No storage: a returning learner sees what the teacher published.
    None,
    /// The browser's session storage, which ends with the tab.
    Session,
    /// The browser's local storage.
    #[default]
    Local,
}

/// The parameters of the page's URL.
#[derive(Clone, Debug, Default)]
pub struct Parameters {
    /// The settings with which the page starts.
    pub start: Start,
    /// The origin that the host, the page around an embed, must have exactly; `None` for any.
    pub origin: Option<String>,
    /// The browser storage for what the page keeps between visits.
    pub persist: Persist,
    /// The URL of a manifest to load, relative to the page's own.
    pub manifest_url: Option<String>,
    /// The text of a share state to open, or the reason why the URL's share state cannot be read.
    pub state: Option<Result<String, String>>,
    /// `true` if the URL wants the run to be paused at first; `None` if the URL does not say.
    pub paused: Option<bool>,
    /// The language of the page, a tag that begins with `en`; `None` for plain `en`.
    pub lang: Option<String>,
    /// The preferences in the URL, which win over stored ones.
    pub preferences: Vec<Preference>,
    /// The parameters that were ignored, each as `name=value`.
    pub passed_over: Vec<String>,
}

/// Reads the parameters of a URL in their order. Of several with the same name the last wins.
pub fn read<'a>(given: impl IntoIterator<Item = (&'a str, &'a str)>) -> Parameters {
    let (mut read, mut controls, mut persist) = (Parameters::default(), None, None);
    for (name, value) in given {
        let taken = match name {
            "controls" => set(&mut controls, Controls::ALL.into_iter().find(|(_, name)| *name == value).map(|(controls, _)| controls)),
            "persist" => set(&mut persist, persist_of(value)),
            _ => take(&mut read, name, value),
        };
        if taken.is_none() {
            read.passed_over.push(format!("{name}={}", shortened(value)));
        }
    }
    let embedding = &mut read.start.embedding;
    let is_embed = embedding.is_embed;
    embedding.controls = controls.unwrap_or(if is_embed { Controls::Minimal } else { Controls::Full });
    read.persist = persist.unwrap_or(if is_embed { Persist::None } else { Persist::Local });
    read
}

/// Sets a field if there is a value for it. Returns `None` if there is no value.
fn set<T>(field: &mut Option<T>, value: Option<T>) -> Option<()> {
    value.map(|value| *field = Some(value))
}

/// Applies one parameter of the URL. Returns `None` if it is unknown or its value is invalid.
fn take(read: &mut Parameters, name: &str, value: &str) -> Option<()> {
    let start = &mut read.start;
    match name {
        "embed" => is_on(value).map(|on| start.embedding.is_embed = on),
        "readonly" => is_on(value).map(|on| start.embedding.is_readonly = on),
        "autoheight" => is_on(value).map(|on| start.embedding.is_autoheight = on),
        "goal" => seconds(value).map(|within| start.embedding.goal = Some(within)),
        "panels" => {
            let (known, unknown) = panels_of(value);
            read.passed_over.extend(unknown.iter().filter(|_| !known.is_empty()).map(|name| format!("panels={name}")));
            (!known.is_empty()).then(|| start.panels = known)
        }
        "seed" => value.parse().ok().map(|seed| start.config.seed = seed),
        "nodes" => value.parse().ok().and_then(|count| set_nodes(&mut start.config, count)),
        "speed" => set(&mut start.speed, speed_of(value)),
        "paused" => is_on(value).map(|on| (start.paused, read.paused) = (on, Some(on))),
        "autoplay" => is_on(value).map(|on| (start.paused, read.paused) = (!on, Some(!on))),
        // Only the page's own language is known.
        "lang" => is_english(value).then(|| read.lang = Some(value.to_owned())),
        "at" => set(&mut start.at, seconds(value)),
        "layout" => set(&mut start.layout, Layout::ALL.iter().copied().find(|layout| layout.name().eq_ignore_ascii_case(value))),
        "example" => set(&mut start.manifest, example_manifest(value).map(str::to_owned)),
        "manifest" if is_address(value) => set(&mut read.manifest_url, is_relative(value).then(|| value.to_owned())),
        "manifest" => set(&mut start.manifest, Some(value.to_owned())),
        "state" => set(&mut read.state, Some(link::unpack(value).map_err(str::to_owned))),
        "origin" => set(&mut read.origin, is_origin(value).then(|| value.to_owned())),
        other => preference(other, value).map(|preference| read.preferences.push(preference)),
    }
}

/// Parses a parameter that is on or off, and on if it has no value. Returns `None` for any other value.
fn is_on(value: &str) -> Option<bool> {
    match value {
        "" | "1" | "true" => Some(true),
        "0" | "false" => Some(false),
        _ => None,
    }
}

/// Returns whether a language tag stands for English: `en`, `en-GB`.
fn is_english(tag: &str) -> bool {
    tag.split('-').next().is_some_and(|language| language.eq_ignore_ascii_case("en"))
}

/// Parses a span of virtual time in seconds, with an optional fraction and an optional `s`.
pub(super) fn seconds(value: &str) -> Option<Span> {
    span(float::parse(value.trim_end_matches('s'))?)
}

/// Converts seconds to a span of virtual time. Returns `None` below zero and above `LONGEST_S`.
pub(super) fn span(seconds: f64) -> Option<Span> {
    (0.0..=LONGEST_S).contains(&seconds).then_some(Span((seconds * 1_000_000.0) as i64))
}

/// Returns the index in `SPEEDS` of a speed, by its name with or without the sign `×`.
pub(super) fn speed_of(value: &str) -> Option<usize> {
    SPEEDS.iter().position(|speed| speed.name == value || speed.name.trim_end_matches('×') == value)
}

fn persist_of(value: &str) -> Option<Persist> {
    match value {
        "none" => Some(Persist::None),
        "session" => Some(Persist::Session),
        "local" => Some(Persist::Local),
        _ => None,
    }
}

/// Parses a list of panels. Returns the panels, each once, and the names that no panel has: a host may be newer than the page.
fn panels_of(value: &str) -> (Vec<Panel>, Vec<&str>) {
    let (mut panels, mut unknown) = (Vec::new(), Vec::new());
    for name in value.split(',').map(str::trim) {
        match Panel::named(name) {
            Some(panel) if panels.contains(&panel) => {}
            Some(panel) => panels.push(panel),
            None => unknown.push(name),
        }
    }
    (panels, unknown)
}

/// Sets the number of nodes of the cluster, and lifts the rate limits of a large one. Returns `None` if a URL may not ask for this number.
pub(super) fn set_nodes(config: &mut Config, count: u32) -> Option<()> {
    if !(1..=MOST_NODES).contains(&count) {
        return None;
    }
    config.nodes.count = count;
    if count >= LARGE {
        config.manager.client = LIFTED;
        config.scheduler = LIFTED;
    }
    Some(())
}

/// Returns the manifest of an example, by the example's name in a URL.
pub(super) fn example_manifest(name: &str) -> Option<&'static str> {
    examples().iter().find(|example| example_name(example.title) == name).map(|example| example.manifest())
}

/// Returns the name of an example in a URL: its title in small letters, with `-` between the words.
pub fn example_name(title: &str) -> String {
    title.split_whitespace().map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

/// Returns whether the parameter `manifest` holds a file's URL and not a manifest: a manifest has blanks or braces and does not end like a file name.
fn is_address(value: &str) -> bool {
    let is_file = [".yaml", ".yml", ".json"].iter().any(|end| value.ends_with(end));
    is_file && !value.contains(char::is_whitespace) && !value.contains('{')
}

/// Returns whether a URL is relative to the page's, so that it leads to the page's own origin.
fn is_relative(value: &str) -> bool {
    !value.contains(':') && !value.contains('\\') && !value.starts_with("//")
}

/// Returns whether a text is an origin as browsers write it: `https://course.example`, or `null` for an opaque one.
fn is_origin(value: &str) -> bool {
    let host = value.strip_prefix("https://").or_else(|| value.strip_prefix("http://"));
    value == "null" || host.is_some_and(|host| !host.is_empty() && !host.contains(['/', '?', '#', '*', ' ']))
}

fn preference(name: &str, value: &str) -> Option<Preference> {
    let row = PREFERENCES.iter().find(|row| row.in_address && row.name == name)?;
    row.find(value).map(|value| value.preference)
}

/// Returns the beginning of a long value, for a warning.
fn shortened(value: &str) -> String {
    const MOST: usize = 60;
    if value.chars().count() <= MOST { value.to_owned() } else { format!("{}…", value.chars().take(MOST).collect::<String>()) }
}
