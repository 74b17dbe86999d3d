//! Tells a host the height that the page needs in a frame, in the message formats that hosts understand already: those of Embedly and Medium, of Canvas, and
//! of H5P. A host that holds the port gets an event there instead.

use loopscope::api::json;
use serde::Serialize;
use wasm_bindgen::JsValue;
use web_sys::Window;

/// Embedly's message, which is a text.
#[derive(Serialize)]
struct Embedly {
    context: &'static str,
    src: String,
    height: u32,
}

/// Canvas' message, which is a text.
#[derive(Serialize)]
struct Canvas {
    subject: &'static str,
    height: u32,
}

/// H5P's messages, which are objects.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Lesson {
    context: &'static str,
    action: &'static str,
    scroll_height: u32,
    client_height: u32,
}

/// Posts the height that the page needs to the parent window.
pub fn tell(parent: &Window, target: &str, height: u32, shown: u32) {
    let src = web_sys::window().and_then(|w| w.location().href().ok()).unwrap_or_default();
    let texts =
        [json::text_of(&Embedly { context: "iframe.resize", src, height }), json::text_of(&Canvas { subject: "lti.frameResize", height })];
    for text in texts {
        let _ = parent.post_message(&JsValue::from_str(&text), target);
    }
    for action in ["hello", "prepareResize", "resize"] {
        let lesson = Lesson { context: "h5p", action, scroll_height: height, client_height: shown };
        if let Ok(message) = serde_wasm_bindgen::to_value(&lesson) {
            let _ = parent.post_message(&message, target);
        }
    }
}

/// Remembers the last heights that were posted, so that a host that changes the height in turn does not cause an endless loop.
#[derive(Debug, Default)]
pub struct Told {
    last: u32,
    before: u32,
}

impl Told {
    /// Returns whether a height has to be posted. A return to a slightly smaller height of before is not: of the two that
    /// host and page alternate between, the larger one stays.
    pub fn is_news(&mut self, height: u32) -> bool {
        let quarrels = height == self.before && height < self.last && self.last - height < 40;
        if height == self.last || quarrels {
            return false;
        }
        (self.before, self.last) = (self.last, height);
        true
    }
    /// Returns the height that was posted last; `None` before the first.
    pub fn last(&self) -> Option<u32> {
        (self.last > 0).then_some(self.last)
    }
}
