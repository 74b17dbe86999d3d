//! The buttons at the head of a pane, which fold and maximise it, and the strip of a folded pane.

use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::Icon;
use loopscope::page::{Pane, Room, RoomAction};
use web_sys::HtmlElement;
use yew::prelude::*;

const FOLD: &str = "M2.500 7.250h11v1.500h-11z";
const CLOSE: &str =
    "M3.500 2.400 8 6.900l4.500-4.500 1.100 1.100L9.100 8l4.500 4.500-1.100 1.100L8 9.100l-4.500 4.500-1.100-1.100L6.900 8 2.400 3.500z";
const ALL: &str = "M2 2h5v1.500H3.500V7H2zM9 2h5v5h-1.500V3.500H9zM2 9h1.500v3.500H7V14H2zM12.500 9H14v5H9v-1.500h3.500z";
const BACK: &str = "M5.500 2H7v5H2V5.500h3.500zM9 2h1.500v3.500H14V7H9zM2 9h5v5H5.500v-3.500H2zM9 9h5v1.500h-3.500V14H9z";

#[derive(Properties, PartialEq)]
pub struct PaneToolsProps {
    pub pane: Pane,
    /// The name of the pane's content, for the labels of the buttons.
    pub name: &'static str,
    pub room: Room,
    /// Set if the button that folds the pane closes its content instead.
    #[prop_or_default]
    pub closes: bool,
}

/// The buttons that fold and maximise a pane; if it is folded, the strip that unfolds it.
#[component]
pub fn PaneTools(PaneToolsProps { pane, name, room, closes }: &PaneToolsProps) -> Html {
    let dispatch = use_dispatch();
    let is_folded = room.folded.has(*pane);
    let is_alone = room.maximised == Some(pane.place());
    let (strip, tools) = (use_node_ref(), use_node_ref());
    let was_folded = use_mut_ref(|| is_folded);
    {
        let (strip, tools) = (strip.clone(), tools.clone());
        // The button that was pressed is gone, so its counterpart takes the focus.
        use_effect_with(is_folded, move |is_folded| {
            let before = std::mem::replace(&mut *was_folded.borrow_mut(), *is_folded);
            let has_lost_focus = crate::ui::browser::focus::focused().is_none();
            if before != *is_folded && has_lost_focus {
                let next = if *is_folded { strip.cast::<HtmlElement>() } else { tools.cast::<HtmlElement>() };
                if let Some(next) = next {
                    crate::ui::browser::focus::focus_on(&next);
                }
            }
        });
    }
    if is_folded && !is_alone {
        let label = format!("Unfold {name}");
        let onclick = dispatch.on(RoomAction::Unfold(*pane));
        return html! {
            <button ref={strip} type="button" class="strip" aria-label={label.clone()} title={label} {onclick}><span>{ *name }</span></button>
        };
    }
    let fold = if *closes { ("Close", CLOSE) } else { ("Fold", FOLD) };
    let label = format!("{} {name}", fold.0);
    let all = if is_alone { "Restore panes".to_owned() } else { format!("Maximise {name}") };
    html! {
        <div class="pane-tools">
            if room.folded.may_fold(*pane) && !is_alone {
                <button ref={tools} type="button" aria-label={label.clone()} title={label} onclick={dispatch.on(RoomAction::Fold(*pane))}>
                    <Icon path={fold.1} />
                </button>
            }
            <button type="button" aria-label={all.clone()} title={format!("{all} (f)")} onclick={dispatch.on(RoomAction::Maximise(*pane))}>
                <Icon path={if is_alone { BACK } else { ALL }} />
            </button>
        </div>
    }
}
