//! The page: Yew components that draw a [`loopscope::page::Screen`] and send [`loopscope::page::Action`]s. Each folder is a part of the screen.
//! Of the page's three layers this one draws; `page` holds the state and carries out actions, `view` makes the data. `view/panes.rs` says how to add a view to a pane.
//!
//! | folder or file | what |
//! | --- | --- |
//! | `app` | the arrangement of the panes |
//! | `dispatch` | how components send actions and read the run |
//! | `driver` | the clock: frames of the browser become ticks |
//! | `keyboard` | shortcuts, and the long press that opens a menu |
//! | `bar` | the top bar |
//! | `desired` | the manifest and its editor, the API server's answer |
//! | `actual` | nodes and pods, owners, Services, twins |
//! | `learn` | one pass of the loop, large |
//! | `loops` | controllers, the scheduler and kubelets, and their passes |
//! | `object` | an object opened |
//! | `drawer` | along the bottom: time, terminal, events, store … |
//! | `embed` | the panels and the small bar of an embed |
//! | `overlay` | menus, the palette, dialogs, notices |
//! | `room` | the sizes of the panes, folded and maximised ones |
//! | `widgets` | small components that several panes use |
//! | `browser` | the edges to the browser: address, storage, clipboard, files, focus, recovery |

mod actual;
mod app;
mod bar;
pub mod browser;
mod desired;
mod dispatch;
mod drawer;
mod driver;
mod embed;
mod keyboard;
mod learn;
mod loops;
mod object;
mod overlay;
mod room;
mod widgets;

pub use app::App;
