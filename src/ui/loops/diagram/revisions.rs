//! The revisions of the store, the cache and a pass, one below the other.

use loopscope::view::clock::count;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct RevisionsProps {
    /// The position of the left end of the first line, in units of the diagram.
    pub at: (i32, i32),
    /// Set if there is room for long labels.
    pub wide: bool,
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
    let RevisionsProps { at, wide, store, cache, cache_behind, pass, view, view_behind } = props;
    let words = |n: usize, how: &str| if n == 0 { "nothing missed".to_owned() } else { lag(n, how) };
    let (unheard, unread) = (words(*cache_behind, UNHEARD), words(*view_behind, UNREAD));
    let cached = format!("Of what it watches: newest revision {store}, in its cache {cache}, {unheard}");
    let words = if *view > 0 { format!("{cached}; {pass} read {view}, {unread}") } else { cached };
    let (newest, cached, column) = if *wide { ("newest for it", "in its cache", 118) } else { ("newest", "its cache", 94) };
    let late = |n: usize, how: &str| match n {
        0 => String::new(),
        _ if *wide => lag(n, how),
        _ => format!("{n} new"),
    };
    // A watch also tells how far the store is when nothing in it concerns the watcher.
    let since = match late(*view_behind, UNREAD) {
        lag if lag.is_empty() && *wide && view < cache => format!("nothing{UNREAD}"),
        lag => lag,
    };
    let row = |down: i32, name: &str, revision: u64, lag: String| row((at.0, at.1 + down), column, name, revision, lag);
    html! {
        <g class="numbers" role="img" aria-label={words.clone()}>
            <title>{ &words }</title>
            { row(0, newest, *store, String::new()) }
            { row(14, cached, *cache, late(*cache_behind, UNHEARD)) }
            if *view > 0 { { row(28, pass, *view, since) } }
        </g>
    }
}

/// The words about changes that the cache has not received.
const UNHEARD: &str = " not heard yet";
/// The words about changes that the pass has not seen.
const UNREAD: &str = " since";

fn lag(n: usize, how: &str) -> String {
    format!("{}{how}", count(n, "change", "changes"))
}

fn row((x, y): (i32, i32), column: i32, name: &str, revision: u64, lag: String) -> Html {
    let revision = if revision == 0 { "–".to_owned() } else { revision.to_string() };
    let y = y.to_string();
    html! {
        <>
            <text class="label" x={x.to_string()} y={y.clone()}>{ name.to_owned() }</text>
            <text class="at-revision" x={(x + column).to_string()} y={y.clone()}>{ revision }</text>
            <text class={classes!("lag", lag.starts_with(|c: char| c.is_ascii_digit()).then_some("late"))} x={(x + column + 6).to_string()} {y}>{ lag }</text>
        </>
    }
}
