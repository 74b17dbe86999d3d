//! Reports the height that the page needs to the host, the page around its frame, in the message formats that hosts understand already: those of Embedly
//! and Medium, of Canvas, and of H5P. A host that is connected by a port receives an event there instead.

use loopscope::api::json;
use serde::Serialize;
use wasm_bindgen::JsValue;
use web_sys::Window;

/// Embedly's message, which is posted as JSON text.
#[derive(Serialize)]
struct Embedly {
    context: &'static str,
    src: String,
    height: u32,
}

/// Canvas' message, which is posted as JSON text.
#[derive(Serialize)]
struct Canvas {
    subject: &'static str,
    height: u32,
}

/// H5P's messages, which are posted as objects.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Lesson {
    context: &'static str,
    action: &'static str,
    scroll_height: u32,
    client_height: u32,
}

/// Posts the height that the page needs to the parent window. `shown` is the present height of the frame.
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

/// The last two heights that were posted. They show when the page and its host would change the height back and forth without end.
#[derive(Debug, Default)]
pub struct Told {
    last: u32,
    before: u32,
}

impl Told {
    /// Returns whether a height has to be posted. The height before the last one is not posted again if it is only slightly smaller than the last one: if
    /// page and host alternate between two heights, the larger one stays.
    pub fn is_news(&mut self, height: u32) -> bool {
        let quarrels = height == self.before && height < self.last && self.last - height < 40;
        if height == self.last || quarrels {
            return false;
        }
        (self.before, self.last) = (self.last, height);
        true
    }
    /// Returns the height that was posted last; `None` before the first post.
    pub fn last(&self) -> Option<u32> {
        (self.last > 0).then_some(self.last)
    }
}
