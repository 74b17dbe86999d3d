//! The revisions of the store, the cache and a pass, one below the other.

use loopscope::view::clock::count;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct RevisionsProps {
    /// The position of the left end of the first line, in units of the diagram.
    pub at: (i32, i32),
    /// The newest revision of the watched kinds in the store.
    pub store: u64,
    /// The revision that the cache has reached, and in `cache_behind` the number of changes that it has not received.
    pub cache: u64,
    pub cache_behind: usize,
    /// The name of the pass that is shown, or of the last one.
    pub pass: String,
    /// The revision that the pass read, 0 if there was none, and in `view_behind` the number of changes that it did not see.
    pub view: u64,
    pub view_behind: usize,
}

/// The revisions of the store, the cache and the pass, the latter two with the number of changes by which they lag behind.
#[component]
pub fn Revisions(props: &RevisionsProps) -> Html {
    let RevisionsProps { at, store, cache, cache_behind, pass, view, view_behind } = props;
    let behind = |n: usize| if n == 0 { "nothing missed".to_owned() } else { format!("{} behind", count(n, "change", "changes")) };
    let cached = format!("Of what it watches: store at revision {store}, cache at {cache}, {}", behind(*cache_behind));
    let words = if *view > 0 { format!("{cached}; {pass} read {view}, {}", behind(*view_behind)) } else { cached };
    html! {
        <g class="numbers" role="img" aria-label={words}>
            { row(*at, 0, "store", *store, 0) }
            { row(*at, 14, "cache", *cache, *cache_behind) }
            if *view > 0 { { row(*at, 28, pass, *view, *view_behind) } }
        </g>
    }
}

fn row((x, y): (i32, i32), down: i32, name: &str, revision: u64, lag: usize) -> Html {
    let revision = if revision == 0 { "–".to_owned() } else { revision.to_string() };
    let y = (y + down).to_string();
    let behind = if lag == 0 { String::new() } else { format!("{lag} behind") };
    html! {
        <>
            <text class="label" x={x.to_string()} y={y.clone()}>{ name.to_owned() }</text>
            <text class="at-revision" x={(x + 94).to_string()} y={y.clone()}>{ revision }</text>
            <text class={classes!("lag", (lag > 0).then_some("late"))} x={(x + 100).to_string()} {y}>{ behind }</text>
        </>
    }
}
