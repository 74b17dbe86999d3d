//! The page inside other pages: the parameters that a host gives in the page's URL, and the messages between host and page. No browser is needed here;
//! `src/ui/browser/host_port.rs` is the edge to it, and `static/loop-scope.js` is the counterpart in the host's page.
//!
//! The names of parameters, attributes, messages, events and methods are a public interface. They stand in `static/embed-contract.json`, and a test
//! checks that this code, the custom element and that table agree.
//!
//! | file | what |
//! | --- | --- |
//! | `parameters` | the parameters of the page's URL |
//! | `message` | the messages, as data |
//! | `port` | requests carried out on the page's model, and answered |
//! | `watcher` | what happens in the run, as events |

pub mod message;
pub mod parameters;
pub mod port;
mod watcher;
