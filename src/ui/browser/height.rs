//! The height that the page would like to have in a frame, in the dialects that hosts listen to already: Embedly's and Medium's, Canvas', and H5P's.
//! A host that holds the port is told there instead.

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

/// Tells the window around the page how high it would like to be.
pub fn tell(parent: &Window, target: &str, height: u32, shown: u32) {
    let src = web_sys::window().and_then(|w| w.location().href().ok()).unwrap_or_default();
    let texts = [
        serde_json::to_string(&Embedly { context: "iframe.resize", src, height }),
        serde_json::to_string(&Canvas { subject: "lti.frameResize", height }),
    ];
    for text in texts.into_iter().flatten() {
        let _ = parent.post_message(&JsValue::from_str(&text), target);
    }
    for action in ["hello", "prepareResize", "resize"] {
        let lesson = Lesson { context: "h5p", action, scroll_height: height, client_height: shown };
        if let Ok(message) = serde_wasm_bindgen::to_value(&lesson) {
            let _ = parent.post_message(&message, target);
        }
    }
}

/// Remembers the heights that were told, so that a host whose answer changes the height again does not lead to a quarrel without end.
#[derive(Debug, Default)]
pub struct Told {
    last: u32,
    before: u32,
}

impl Told {
    /// Whether a height is news. Back to the height before the last is not, unless it is larger: the larger of two stays.
    pub fn is_news(&mut self, height: u32) -> bool {
        let quarrels = height == self.before && height < self.last && self.last - height < 40;
        if height == self.last || quarrels {
            return false;
        }
        (self.before, self.last) = (self.last, height);
        true
    }
    /// The height that was told last; none before the first.
    pub fn last(&self) -> Option<u32> {
        (self.last > 0).then_some(self.last)
    }
}
