//! What lies over the page, one thing at a time, and the banners. Whoever had the focus before gets it back.
//!
//! | file | what |
//! | --- | --- |
//! | `menu_overlay` | the menu of a thing |
//! | `modal_dialog`, `dialog_head` | the frame of every dialog |
//! | `palette_dialog` | everything by its name |
//! | `shortcuts_dialog` | all keys |
//! | `settings_dialog` | a new run |
//! | `share_dialog` | the run as a link or a file |
//! | `branches_dialog` | branches that were left behind |
//! | `loading_dialog` | the progress of a run that is being loaded |
//! | `banners` | the place of the two below |
//! | `stop_banner` | why time stands still |
//! | `notice_bar` | a sentence of the page itself |

mod banners;
mod branches_dialog;
mod dialog_head;
mod loading_dialog;
mod menu_overlay;
mod modal_dialog;
mod notice_bar;
mod palette_dialog;
mod settings_dialog;
mod share_dialog;
mod shortcuts_dialog;
mod stop_banner;

pub use banners::Banners;

use crate::ui::browser::focus::{focus_on, focused};
use branches_dialog::BranchesDialog;
use dialog_head::DialogHead;
use loading_dialog::LoadingDialog;
use loopscope::page::{Overlay, Preferences};
use menu_overlay::MenuOverlay;
use modal_dialog::ModalDialog;
use palette_dialog::PaletteDialog;
use settings_dialog::SettingsDialog;
use share_dialog::ShareDialog;
use shortcuts_dialog::ShortcutsDialog;
use web_sys::HtmlElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct OverlayLayerProps {
    pub overlay: Overlay,
    pub preferences: Preferences,
}

/// What lies over the page.
#[component]
pub fn OverlayLayer(props: &OverlayLayerProps) -> Html {
    use_focus_return(props.overlay != Overlay::None);
    match &props.overlay {
        Overlay::None => Html::default(),
        Overlay::Menu(menu) => html! { <MenuOverlay menu={menu.clone()} /> },
        Overlay::Palette(palette) => html! { <PaletteDialog palette={palette.clone()} /> },
        Overlay::Shortcuts => {
            html! { <ShortcutsDialog keys={props.preferences.keys} motion={props.preferences.motion} size={props.preferences.size} /> }
        }
        Overlay::Settings(form) => html! { <SettingsDialog form={form.clone()} /> },
        Overlay::Share(sharing) => html! { <ShareDialog sharing={sharing.clone()} /> },
        Overlay::Branches(lines) => html! { <BranchesDialog lines={lines.clone()} /> },
        Overlay::Loading(replayed, all) => html! { <LoadingDialog replayed={*replayed} all={*all} /> },
    }
}

/// Gives the focus back, when nothing is open any more, to the element that had it before.
#[hook]
fn use_focus_return(is_open: bool) {
    let before = use_mut_ref(|| None::<HtmlElement>);
    // This has to be read while drawing: the effects of what opens, which take the focus, run before the one below.
    if is_open && before.borrow().is_none() {
        *before.borrow_mut() = focused();
    }
    use_effect_with(is_open, move |is_open| {
        if *is_open {
            return;
        }
        if let Some(element) = before.borrow_mut().take() {
            focus_on(&element);
        }
    });
}
