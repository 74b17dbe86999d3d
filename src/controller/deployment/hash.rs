//! pod-template-hash.

use crate::api::json;
use crate::api::kind::template::PodTemplate;
use smol_str::{SmolStr, SmolStrBuilder};

/// The hash of a template; a collision count makes it another one.
pub fn of(template: &PodTemplate, collisions: Option<i32>) -> SmolStr {
    let mut hash = 0x811c_9dc5u32;
    let mut feed = |bytes: &[u8]| bytes.iter().for_each(|b| hash = (hash ^ u32::from(*b)).wrapping_mul(0x0100_0193));
    feed(json::to_string(&template.to_value()).as_bytes());
    if let Some(n) = collisions {
        feed(&u64::from(n as u32).to_le_bytes());
    }
    encode(hash)
}

fn encode(hash: u32) -> SmolStr {
    let mut text = SmolStrBuilder::new();
    for digit in hash.to_string().bytes() {
        text.push(char::from(b"456789bcdf"[usize::from(digit - b'0') % 10]));
    }
    text.finish()
}
