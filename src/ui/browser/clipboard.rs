//! Copying to the clipboard.

use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Puts a text on the clipboard, and calls `told` with `true` if that succeeded. A browser may forbid it to a page in a frame.
pub fn copy(text: String, told: impl FnOnce(bool) + 'static) {
    spawn_local(async move {
        // Browsers have no clipboard for pages that are not served over https.
        let has_clipboard = web_sys::window().is_some_and(|w| w.is_secure_context());
        let is_copied = match web_sys::window().filter(|_| has_clipboard) {
            Some(window) => JsFuture::from(window.navigator().clipboard().write_text(&text)).await.is_ok(),
            None => false,
        };
        told(is_copied);
    });
}
