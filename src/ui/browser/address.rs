//! The page's address: its parameters (`loopscope::embed::parameters` lists them), and links such as `#s=…`.

use crate::ui::dispatch::Dispatch;
use js_sys::Array;
use loopscope::embed::parameters::{self, Parameters};
use loopscope::page::{Action, Start};
use loopscope::view::share::link;
use std::cell::OnceCell;
use std::rc::Rc;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Response, UrlSearchParams};
use yew::{hook, use_effect_with};

/// The parameters for embeds, which the whole page does not take.
const OF_EMBEDS: &[&str] = &["embed", "panels", "controls", "readonly", "origin", "persist", "autoheight", "goal"];
/// The parameters that describe a run and the moment at which it is shown.
const OF_RUNS: &[&str] = &["example", "manifest", "state", "seed", "nodes", "at", "paused", "autoplay"];
/// The longest manifest that is fetched, in bytes.
const LONGEST_MANIFEST: usize = 1_000_000;

thread_local! {
    /// The parameters of the page's address, which are parsed once.
    static PARAMETERS: OnceCell<Rc<Parameters>> = const { OnceCell::new() };
    /// The manifest at the URL that the address names, or the reason why it could not be fetched.
    static FETCHED: OnceCell<Result<String, String>> = const { OnceCell::new() };
}

/// Returns the parameters of the page's address.
pub fn parameters() -> Rc<Parameters> {
    PARAMETERS.with(|read| read.get_or_init(|| Rc::new(read_parameters())).clone())
}

fn read_parameters() -> Parameters {
    let given: Vec<(String, String)> = UrlSearchParams::new_with_str(&search()).map(|given| pairs(&given)).unwrap_or_default();
    let read = parameters::read(given.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    for parameter in &read.passed_over {
        let why = if parameter.starts_with("lang=") { ": the page is in English only" } else { "" };
        web_sys::console::warn_1(&format!("Loopscope: the parameter {parameter} is passed over{why}").into());
    }
    if let (Some(lang), Some(root)) = (&read.lang, web_sys::window().and_then(|w| w.document()).and_then(|d| d.document_element())) {
        // A document that refuses its language stays as it is.
        let _ = root.set_attribute("lang", lang);
    }
    read
}

fn pairs(given: &UrlSearchParams) -> Vec<(String, String)> {
    let entries = js_sys::try_iter(&given.entries()).ok().flatten().into_iter().flatten().flatten();
    let text = |entry: &Array, place: u32| entry.get(place).as_string();
    entries.map(|entry| entry.unchecked_into::<Array>()).filter_map(|entry| text(&entry, 0).zip(text(&entry, 1))).collect()
}

/// Returns the query string of the page's address.
pub fn search() -> String {
    web_sys::window().and_then(|w| w.location().search().ok()).unwrap_or_default()
}

/// Fetches the manifest at the URL that the address names. The caller awaits this before the page starts.
pub async fn fetch_manifest(url: &str) {
    let text = fetch_text(url).await.and_then(|text| match text.len() {
        0..=LONGEST_MANIFEST => Ok(text),
        _ => Err("it is longer than 1 MB".to_owned()),
    });
    // Nothing else sets the cell; ignore the result.
    let _ = FETCHED.with(|fetched| fetched.set(text));
}

async fn fetch_text(url: &str) -> Result<String, String> {
    let failed = |_: JsValue| "it could not be fetched".to_owned();
    let window = web_sys::window().ok_or("there is no window")?;
    let response: Response = JsFuture::from(window.fetch_with_str(url)).await.map_err(failed)?.unchecked_into();
    if !response.ok() {
        return Err(format!("the server answered with {}", response.status()));
    }
    let text = JsFuture::from(response.text().map_err(failed)?).await.map_err(failed)?;
    text.as_string().ok_or_else(|| "it is no text".to_owned())
}

/// Returns the settings with which the page starts, from the address and the fetched manifest.
pub fn start() -> Start {
    let mut start = parameters().start.clone();
    if let Some(Ok(manifest)) = FETCHED.with(|fetched| fetched.get().cloned()) {
        start.manifest = Some(manifest);
    }
    start
}

/// Returns a sentence about a manifest that the address names and that could not be fetched.
pub fn missing_manifest() -> Option<String> {
    let fetched = FETCHED.with(|fetched| fetched.get().cloned());
    fetched?.err().map(|why| format!("The manifest of this page is missing: {why}."))
}

/// Returns whether a person opened the plain page: its address has neither parameters nor a link to a run, and it is in no frame.
pub fn is_plain() -> bool {
    let Some(window) = web_sys::window() else { return false };
    let location = window.location();
    let is_empty = |part: Result<String, _>| part.is_ok_and(|text: String| text.is_empty());
    !is_framed() && is_empty(location.search()) && is_empty(location.hash())
}

/// Returns whether the page is in a frame of another page.
pub fn is_framed() -> bool {
    let Some(window) = web_sys::window() else { return false };
    window.parent().ok().flatten().is_some_and(|parent| parent != window)
}

/// Returns whether the address gives the manifest with which the run begins.
pub fn has_manifest() -> bool {
    let parameters = parameters();
    parameters.start.manifest.is_some() || parameters.manifest_url.is_some()
}

/// Returns the share state of the run in the page's address, or the reason why it cannot be decoded; `None` if the address has no run.
pub fn linked_run() -> Option<Result<String, String>> {
    let hash = web_sys::window()?.location().hash().ok()?;
    match hash.strip_prefix(link::PREFIX) {
        Some(payload) => Some(link::unpack(payload).map_err(str::to_owned)),
        None => parameters().state.clone(),
    }
}

/// Returns the address that opens a run on the whole page. `payload` is the encoded run, which takes the place of all parameters that describe a run.
pub fn link_of(payload: &str) -> String {
    format!("{}{}{payload}", address_without(OF_EMBEDS.iter().chain(OF_RUNS)), link::PREFIX)
}

/// Returns the address of the whole page with the same run: in an embed, the address without the parameters of embedding.
pub fn whole_page() -> String {
    let hash = web_sys::window().and_then(|window| window.location().hash().ok()).unwrap_or_default();
    format!("{}{hash}", address_without(OF_EMBEDS.iter()))
}

/// Returns the address of this page without its fragment and without some of its parameters.
fn address_without<'a>(names: impl Iterator<Item = &'a &'static str> + Clone) -> String {
    let href = web_sys::window().and_then(|w| w.location().href().ok()).unwrap_or_default();
    let address = href.split('#').next().unwrap_or_default();
    let Ok(given) = UrlSearchParams::new_with_str(&search()) else { return address.to_owned() };
    if !names.clone().any(|name| given.has(name)) {
        return address.to_owned();
    }
    for name in names {
        given.delete(name);
    }
    let (path, rest) = (address.split('?').next().unwrap_or_default(), given.to_string().as_string().unwrap_or_default());
    if rest.is_empty() { path.to_owned() } else { format!("{path}?{rest}") }
}

/// Opens runs by links that a person follows while the page is open.
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
