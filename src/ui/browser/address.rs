//! The page's address: parameters such as `?seed=7&nodes=20&speed=10&paused=1&manifest=…`, and links such as `#s=…`.
//!
//! A parameter that is unknown or makes no sense is passed over with a warning in the console; it never fails.
//!
//! Where it simplifies: from a thousand nodes on the rate limits of the controllers and the scheduler are lifted to what people set on clusters of
//! that size.

use crate::ui::dispatch::Dispatch;
use loopscope::page::preferences::PREFERENCES;
use loopscope::page::{Action, SPEEDS, Start};
use loopscope::sim::config::ClientConfig;
use loopscope::view::share::link;
use loopscope::view::{Choice, Layout};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::UrlSearchParams;
use yew::{hook, use_effect_with};

/// The maximum number of nodes that an address may ask for.
const MOST_NODES: u32 = 5_000;
/// The number of nodes from which on the rate limits are lifted, and the limits that then apply.
const LARGE: u32 = 1_000;
const LIFTED: ClientConfig = ClientConfig { per_second: 1_000, burst: 1_000 };

/// Reads the parameters of the page's address.
pub fn start() -> Start {
    let search = web_sys::window().and_then(|w| w.location().search().ok()).unwrap_or_default();
    let mut start = Start::default();
    let Ok(given) = UrlSearchParams::new_with_str(&search) else { return start };
    let names = js_sys::try_iter(&given.keys()).ok().flatten().into_iter().flatten().flatten();
    for name in names.filter_map(|name| name.as_string()) {
        let value = given.get(&name).unwrap_or_default();
        if !take(&mut start, &name, &value) {
            web_sys::console::warn_1(&format!("Loopscope: the parameter {name}={value} is passed over").into());
        }
    }
    start
}

/// Returns the value of a parameter of the page's address.
pub fn parameter(name: &str) -> Option<String> {
    let search = web_sys::window()?.location().search().ok()?;
    UrlSearchParams::new_with_str(&search).ok()?.get(name)
}

/// Tells whether a person opened the plain page: its address has neither parameters nor a link to a run, and it is in no frame.
pub fn is_plain() -> bool {
    let Some(window) = web_sys::window() else { return false };
    let location = window.location();
    let is_empty = |part: Result<String, _>| part.is_ok_and(|text: String| text.is_empty());
    let is_alone = window.parent().ok().flatten().is_some_and(|parent| parent == window);
    is_alone && is_empty(location.search()) && is_empty(location.hash())
}

/// Applies one parameter of the address to `start`. Returns `false` if the parameter is unknown or its value is invalid.
fn take(start: &mut Start, name: &str, value: &str) -> bool {
    match name {
        "seed" => value.parse().map(|seed| start.config.seed = seed).is_ok(),
        "nodes" => match value.parse().ok().filter(|n| (1..=MOST_NODES).contains(n)) {
            Some(count) => {
                start.config.nodes.count = count;
                if count >= LARGE {
                    start.config.manager.client = LIFTED;
                    start.config.scheduler = LIFTED;
                }
                true
            }
            None => false,
        },
        "speed" => {
            start.speed = SPEEDS.iter().position(|speed| speed.name.trim_end_matches('×') == value);
            start.speed.is_some()
        }
        "paused" => {
            start.paused = !["0", "false"].contains(&value);
            true
        }
        "layout" => {
            start.layout = Layout::ALL.iter().copied().find(|layout| layout.name().eq_ignore_ascii_case(value));
            start.layout.is_some()
        }
        "manifest" => {
            start.manifest = Some(value.to_owned());
            true
        }
        // `storage` reads preferences; a host page may mark a frame of its own as an embed.
        other => other == "embed" || PREFERENCES.iter().any(|row| row.in_address && row.name == other),
    }
}

/// Tells whether the address has a `manifest` parameter.
pub fn has_manifest() -> bool {
    let search = web_sys::window().and_then(|w| w.location().search().ok()).unwrap_or_default();
    UrlSearchParams::new_with_str(&search).is_ok_and(|given| given.has("manifest"))
}

/// The run in the page's address: its text, or the reason why it cannot be read; none if there is no link.
pub fn linked_run() -> Option<Result<String, String>> {
    let hash = web_sys::window()?.location().hash().ok()?;
    Some(link::unpack(hash.strip_prefix(link::PREFIX)?).map_err(str::to_owned))
}

/// Returns the address that opens a run, given the encoded run.
pub fn link_of(payload: &str) -> String {
    let href = web_sys::window().and_then(|w| w.location().href().ok()).unwrap_or_default();
    format!("{}{}{payload}", href.split('#').next().unwrap_or_default(), link::PREFIX)
}

/// Opens links that are followed in the running page.
#[hook]
pub fn use_links(dispatch: Dispatch) {
    use_effect_with((), move |()| {
        let open = Closure::<dyn FnMut()>::new(move || {
            if let Some(text) = linked_run() {
                dispatch.send(Action::OpenRun { what: "This link", text });
            }
        });
        if let Some(window) = web_sys::window() {
            window.set_onhashchange(Some(open.as_ref().unchecked_ref()));
        }
        move || {
            if let Some(window) = web_sys::window() {
                window.set_onhashchange(None);
            }
            drop(open);
        }
    });
}
