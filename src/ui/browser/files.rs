//! Files: exporting and importing a run.

use gloo_timers::callback::Timeout;
use loopscope::view::share::LONGEST;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, HtmlInputElement, Url};

/// The time after which the memory of a downloaded file is freed, in milliseconds; the browser has begun to write it long before.
const FORGET_MS: u32 = 10_000;

/// Offers a file to the person for download. `kind` is its media type.
pub fn download(name: &str, kind: &str, content: &[u8]) -> Result<(), JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(content).into());
    let blob = Blob::new_with_u8_array_sequence_and_options(&parts, &options)?;
    let address = Url::create_object_url_with_blob(&blob)?;
    let document = web_sys::window().and_then(|w| w.document()).ok_or(JsValue::NULL)?;
    let link = document.create_element("a")?.unchecked_into::<HtmlAnchorElement>();
    link.set_href(&address);
    link.set_download(name);
    link.click();
    Timeout::new(FORGET_MS, move || drop(Url::revoke_object_url(&address))).forget();
    Ok(())
}

/// Reads the file that a person chose in an input element, and calls `done` with its text or the reason why it cannot be read.
pub fn read(input: &HtmlInputElement, done: impl FnOnce(Result<String, String>) + 'static) {
    let Some(file) = input.files().and_then(|files| files.get(0)) else { return };
    if file.size() > LONGEST as f64 {
        return done(Err("it is longer than 1 MB".to_owned()));
    }
    spawn_local(async move {
        let read = JsFuture::from(file.text()).await;
        done(read.map(|text| text.as_string().unwrap_or_default()).map_err(|error| format!("{error:?}")));
    });
}
