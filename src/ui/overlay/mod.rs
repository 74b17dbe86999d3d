//! Overlays, of which one is open at a time, and the banners. When an overlay closes, the focus returns to the element that had it before.
//!
//! | file | what |
//! | --- | --- |
//! | `menu_overlay` | context menus |
//! | `modal_dialog`, `dialog_head` | the frame of every dialog |
//! | `palette_dialog` | finds every action by its name |
//! | `help_dialog`, `about`, `key_list`, `word_list` | the idea of the page, all keys, the glossary |
//! | `preferences_dialog` | theme, motion and other choices that are kept between visits |
//! | `introduction` | the three steps of a first visit |
//! | `new_run_dialog` | the settings of a new run |
//! | `share_dialog` | the run as a link or a file |
//! | `branches_dialog` | branches that were left behind |
//! | `loading_dialog` | the progress while a run is loaded |
//! | `banners` | the place of `stop_banner` and `notice_bar` |
//! | `stop_banner` | the reason why virtual time stands still |
//! | `notice_bar` | a message from the page to the person |

mod about;
mod banners;
mod branches_dialog;
mod dialog_head;
mod help_dialog;
mod introduction;
mod key_list;
mod loading_dialog;
mod menu_overlay;
mod modal_dialog;
mod new_run_dialog;
mod notice_bar;
mod palette_dialog;
mod preferences_dialog;
mod share_dialog;
mod stop_banner;
mod word_list;

pub use banners::Banners;

use crate::ui::browser::focus::{focus_on, focused};
use branches_dialog::BranchesDialog;
use dialog_head::DialogHead;
use help_dialog::HelpDialog;
use introduction::IntroductionBubble;
use loading_dialog::LoadingDialog;
use loopscope::page::{Introduction, Overlay, Preferences};
use menu_overlay::MenuOverlay;
use modal_dialog::ModalDialog;
use new_run_dialog::NewRunDialog;
use palette_dialog::PaletteDialog;
use preferences_dialog::PreferencesDialog;
use share_dialog::ShareDialog;
use web_sys::HtmlElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct OverlayLayerProps {
    pub overlay: Overlay,
    pub preferences: Preferences,
    /// The current step of the introduction, if it is shown.
    pub introduction: Option<Introduction>,
}

/// The open overlay, or the introduction.
#[component]
pub fn OverlayLayer(props: &OverlayLayerProps) -> Html {
    use_focus_return(props.overlay != Overlay::None);
    let overlay = match &props.overlay {
        Overlay::None => Html::default(),
        Overlay::Menu(menu) => html! { <MenuOverlay menu={menu.clone()} /> },
        Overlay::Palette(palette) => html! { <PaletteDialog palette={palette.clone()} /> },
        Overlay::Help(help) => html! { <HelpDialog help={help.clone()} /> },
        Overlay::Preferences => html! { <PreferencesDialog preferences={props.preferences} /> },
        Overlay::Settings(form) => html! { <NewRunDialog form={form.clone()} /> },
        Overlay::Share(sharing) => html! { <ShareDialog sharing={sharing.clone()} /> },
        Overlay::Branches(lines, unkept) => html! { <BranchesDialog lines={lines.clone()} unkept={*unkept} /> },
        Overlay::Loading(replayed, all) => html! { <LoadingDialog replayed={*replayed} all={*all} /> },
    };
    html! {
        <>
            if let Some(introduction) = &props.introduction { <IntroductionBubble introduction={introduction.clone()} /> }
            { overlay }
        </>
    }
}

/// Gives the focus back to the element that had it before, when the overlay closes.
#[hook]
fn use_focus_return(is_open: bool) {
    let before = use_mut_ref(|| None::<HtmlElement>);
    // The focus has to be read while rendering: the overlay's own effects, which take the focus, run before the effect below.
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
