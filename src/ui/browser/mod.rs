//! The edges to the browser. Every value that crosses one is a serde type or a plain text.
//!
//! | file | what |
//! | --- | --- |
//! | `address` | the page's parameters and links |
//! | `storage` | what is kept from one visit to the next |
//! | `clipboard`, `files` | copying, exporting, importing |
//! | `focus` | the keyboard focus |
//! | `host_port` | the connection to the page around this one |
//! | `height` | the height that the page needs in a frame |
//! | `recovery` | the message of a panic, and a new start after one |
//! | `resize` | elements whose size changes |
//! | `visibility` | whether anybody can see the page |

pub mod address;
pub mod clipboard;
pub mod files;
pub mod focus;
pub mod height;
pub mod host_port;
pub mod recovery;
pub mod resize;
pub mod storage;
pub mod visibility;

/// Returns the wall clock in milliseconds since the page was opened. Only the page reads it, never the engine.
pub fn wall_ms() -> f64 {
    web_sys::window().and_then(|w| w.performance()).map_or(0.0, |p| p.now())
}
