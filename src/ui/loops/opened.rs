//! What of the diagram is open: the messages on their way, one of them, or a box.

use crate::ui::markup::{classes, html};
use crate::ui::state::Dispatch;
use loopscope::view::look::Look;
use loopscope::view::loops::detail::{Detail, DetailLine};
use loopscope::view::loops::letter::Letter;
use loopscope::view::loops::wires::{Flight, Wires};
use yew::Html;

/// Messages on their way, as a list for the keyboard and for those who do not see dots.
pub fn flights(wires: &Wires, look: &Look, dispatch: &Dispatch) -> Html {
    let line = |flight: &Flight| {
        let id = flight.id;
        let open = look.wire.message == Some(id);
        let onclick = dispatch.on_look(move |look| look.wire.message = (!open).then_some(id));
        html! {
            <li><button type="button" class={classes!("flight", flight.line.class())} aria-pressed={open} {onclick} title={format!("arrives in {}", flight.left)}>{ &flight.text }</button></li>
        }
    };
    html! {
        <div class="flights">
            <span class="soft">{ format!("in flight: {}", wires.flights.len()) }</span>
            if !wires.flights.is_empty() { <ul aria-label="Messages in flight">{ for wires.flights.iter().map(line) }</ul> }
        </div>
    }
}

fn close(dispatch: &Dispatch, name: &'static str, shut: fn(&mut Look)) -> Html {
    let onclick = dispatch.on_look(shut);
    html! { <button type="button" class="quiet" aria-label={["Close ", name].concat()} {onclick}>{ "close" }</button> }
}

/// A message.
pub fn letter(letter: &Letter, dispatch: &Dispatch) -> Html {
    html! {
        <section class="opened" aria-label="The message that is open">
            <header><h3 class="mono">{ &letter.title }</h3>{ close(dispatch, "the message", |look| look.wire.message = None) }</header>
            <p>{ &letter.way }<span class="soft">{ " · " }{ &letter.times }</span></p>
            if !letter.why.is_empty() { <p class="soft">{ "because " }{ &letter.why }</p> }
            { text("body", &letter.body) }{ text("answer", &letter.answer) }
        </section>
    }
}

/// YAML, if there is any.
pub fn text(name: &'static str, yaml: &str) -> Html {
    if yaml.is_empty() {
        return Html::default();
    }
    html! { <figure class="letter-text"><figcaption class="soft">{ name }</figcaption><pre tabindex="0" role="group" aria-label={name}>{ yaml }</pre></figure> }
}

/// A box of the diagram.
pub fn detail(detail: &Detail, dispatch: &Dispatch) -> Html {
    let line = |l: &DetailLine| {
        html! { <li class={classes!(l.warns.then_some("warns"))}><span class="mono">{ &l.what }</span><span class="soft">{ &l.how }</span></li> }
    };
    html! {
        <section class="opened" aria-label={detail.part.name()}>
            <header><h3>{ detail.part.name() }</h3>{ close(dispatch, "the box", |look| look.wire.part = None) }</header>
            <p>{ &detail.words }</p>
            if !detail.lines.is_empty() { <ul>{ for detail.lines.iter().map(line) }</ul> }
        </section>
    }
}
