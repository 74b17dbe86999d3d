//! The moment of the run that the page shows: the virtual clock, forks, and the way back to the newest moment.

use crate::ui::dispatch::use_dispatch;
use crate::ui::widgets::Icon;
use loopscope::page::{OverlayAction, Travel};
use yew::prelude::*;

const REDO: &str = "M10 2l4 4-4 4V7.500H6a2.500 2.500 0 0 0 0 5h5V14H6a4 4 0 0 1 0-8h4z";
const FORK: &str = "M4.250 1.500h1.500v6C7 6.500 10.250 6.500 10.250 4V3L8.750 4.500 7.700 3.450 11 .15l3.300 3.300L13.250 4.500 11.750 3v1c0 4-6 3.500-6 6v5.500h-1.500z";

#[derive(Properties, PartialEq)]
pub struct MomentProps {
    pub clock: String,
    /// The number of times that a person has acted in the past of the run.
    pub forks: u32,
    /// The number of branches that forks have left behind.
    pub branches: usize,
    /// The time between the shown moment and the newest, as text; empty at the newest.
    pub behind: String,
    /// A sentence about what acting at the shown moment does.
    pub words: String,
}

/// The virtual clock, the number of forks, and the button that returns to the newest moment.
#[component]
pub fn Moment(props: &MomentProps) -> Html {
    html! {
        <div class="moment">
            <span class="clock" aria-label="Virtual time" role="timer">{ &props.clock }</span>
            if props.branches > 0 {
                <BranchesButton forks={props.forks} branches={props.branches} />
            } else if props.forks > 0 {
                { fork_mark(props.forks) }
            }
            if !props.behind.is_empty() { <ReturnButton behind={props.behind.clone()} words={props.words.clone()} /> }
        </div>
    }
}

fn fork_mark(forks: u32) -> Html {
    let words = if forks == 1 { "1 fork".to_owned() } else { format!("{forks} forks") };
    let title = format!("{words}: something was done in the past, and the run went another way");
    html! { <span class="forks" {title}><Icon path={FORK} /><span aria-hidden="true">{ forks }</span><span class="hidden">{ words }</span></span> }
}

#[derive(Properties, PartialEq)]
struct BranchesButtonProps {
    forks: u32,
    branches: usize,
}

/// A button with the number of forks, which opens the list of the branches that these have left behind.
#[component]
fn BranchesButton(BranchesButtonProps { forks, branches }: &BranchesButtonProps) -> Html {
    let onclick = use_dispatch().on(OverlayAction::Branches);
    let words = if *branches == 1 { "1 branch was left behind".to_owned() } else { format!("{branches} branches were left behind") };
    let label = format!("{}: {words}", if *forks == 1 { "1 fork".to_owned() } else { format!("{forks} forks") });
    html! {
        <button type="button" class="forks" aria-haspopup="dialog" aria-label={label.clone()} title={label} {onclick}>
            <Icon path={FORK} /><span aria-hidden="true">{ forks }</span>
        </button>
    }
}

#[derive(Properties, PartialEq)]
struct ReturnButtonProps {
    behind: String,
    words: String,
}

/// A button that returns to the newest moment: a redo, as long as nobody has acted in the past.
#[component]
fn ReturnButton(ReturnButtonProps { behind, words }: &ReturnButtonProps) -> Html {
    let onclick = use_dispatch().on(Travel::Live);
    let title = format!("Return to now. {words}");
    html! {
        <button type="button" class="past" {title} {onclick}>
            <Icon path={REDO} /><span class="more">{ "return " }</span>{ "to now" }<span class="more">{ format!(", {behind} later") }</span>
        </button>
    }
}
