//! The difference between the manifest and the live objects, document by document.

use crate::ui::dispatch::{Dispatch, use_dispatch};
use gloo_timers::callback::{Interval, Timeout};
use loopscope::view::compare::{Comparison, DiffLine, Mark, Verdict, compare};
use std::cell::Cell;
use std::rc::Rc;
use yew::prelude::*;

/// The time between two checks whether the store has changed, in milliseconds.
const COMPARE_MS: u32 = 500;

#[derive(Properties, PartialEq)]
pub struct ComparisonsProps {
    pub text: Rc<str>,
}

/// All changes that applying the manifest would make, kept up to date while they are shown.
#[component]
pub fn Comparisons(ComparisonsProps { text }: &ComparisonsProps) -> Html {
    let dispatch = use_dispatch();
    let found = use_state_eq(|| None::<Vec<Comparison>>);
    let setter = found.setter();
    use_effect_with(text.clone(), move |text| {
        let timers = watch_live(text.clone(), setter, dispatch);
        move || drop(timers)
    });
    html! {
        <section class="comparison" aria-label="Diff against live" tabindex="0">
            if let Some(found) = &*found {
                if found.is_empty() { <p class="soft">{ "There is no object in the manifest." }</p> }
                { for found.iter().map(comparison) }
            }
        </section>
    }
}

/// Compares the manifest with the live objects now, and again whenever the store has changed.
fn watch_live(text: Rc<str>, found: UseStateSetter<Option<Vec<Comparison>>>, dispatch: Dispatch) -> (Timeout, Interval) {
    let compared_at = Cell::new(None::<u64>);
    let look = Rc::new(move || {
        let now = dispatch.read(|run| {
            let cluster = run.session.cluster();
            let revision = Some(cluster.api.store.revision());
            (compared_at.replace(revision) != revision).then(|| compare(&text, cluster))
        });
        if now.is_some() {
            found.set(now);
        }
    });
    let again = look.clone();
    (Timeout::new(0, move || look()), Interval::new(COMPARE_MS, move || again()))
}

fn comparison(one: &Comparison) -> Html {
    // In a new object all fields are new, so their list would say nothing.
    let lines: &[DiffLine] = if one.verdict == Verdict::New { &[] } else { &one.lines };
    html! {
        <>
            <p><strong>{ &one.title }</strong>{ ": " }<span class="soft">{ one.verdict.words().to_owned() }</span></p>
            if let Verdict::Refused(words) = &one.verdict { <pre class="refusal">{ words }</pre> }
            if !lines.is_empty() { <pre>{ for lines.iter().map(diff_line) }</pre> }
        </>
    }
}

fn diff_line(line: &DiffLine) -> Html {
    let sign = if line.mark == Mark::Gap { "" } else { line.mark.sign() };
    html! { <span class={line.mark.class()}>{ format!("{sign}{}", line.text) }{ "\n" }</span> }
}
