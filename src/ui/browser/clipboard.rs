//! The clipboard.

use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Puts a text on the clipboard, and calls `told` with whether it succeeded. A page in a frame may not be allowed to.
pub fn copy(text: String, told: impl FnOnce(bool) + 'static) {
    spawn_local(async move {
        // Where the page is not served over https there is no clipboard at all.
        let has_clipboard = web_sys::window().is_some_and(|w| w.is_secure_context());
        let is_copied = match web_sys::window().filter(|_| has_clipboard) {
            Some(window) => JsFuture::from(window.navigator().clipboard().write_text(&text)).await.is_ok(),
            None => false,
        };
        told(is_copied);
    });
}
