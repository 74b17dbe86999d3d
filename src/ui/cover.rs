//! What lies over the page: one thing at a time. Whoever had the focus before gets it back.

use super::menu::{menu, settle};
use super::palette::palette;
use super::share::{make_link, share};
use super::sheet::{settings, sheet};
use super::state::{Dispatch, Notice, Offer, Over, Shown};
use crate::ui::markup::html;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlDialogElement, HtmlElement, ScrollIntoViewOptions, ScrollLogicalPosition};
use yew::{Html, Properties, component, use_effect_with, use_mut_ref, use_node_ref};

#[derive(Properties, PartialEq)]
pub struct CoverProps {
    pub over: Over,
    pub dispatch: Dispatch,
}

/// What lies over the page, and what the page has to say.
#[component]
pub fn Cover(props: &CoverProps) -> Html {
    let (place, before) = (use_node_ref(), use_mut_ref(|| None::<HtmlElement>));
    let (over, dispatch) = (&props.over, &props.dispatch);
    let (drawn, shown, maker) = (place.clone(), over.shown.clone(), dispatch.clone());
    use_effect_with(sort(&over.shown), move |sort| {
        if *sort == 0 {
            // A part of the page that is gone by now cannot have the focus back.
            before.borrow_mut().take().into_iter().for_each(|element| focus_on(&element));
            return;
        }
        let mut before = before.borrow_mut();
        if before.is_none() {
            *before = active();
        }
        if let Shown::Share(sharing) = &shown {
            make_link(&sharing.state, &maker);
        }
        match (&shown, drawn.cast::<HtmlDialogElement>()) {
            (Shown::Menu(view), _) => drawn.cast::<HtmlElement>().into_iter().for_each(|element| settle(&element, view.at)),
            // A dialog that cannot be shown so is still in the page.
            (_, Some(dialog)) if !dialog.open() => drop(dialog.show_modal()),
            _ => {}
        }
    });
    use_effect_with(over.focus, |(_, selector)| focus(selector));
    let chosen = if let Shown::Palette(view) = &over.shown { view.chosen } else { 0 };
    use_effect_with(chosen, |_| scroll_to_chosen());
    let inner = match &over.shown {
        Shown::Nothing => Html::default(),
        Shown::Menu(view) => menu(view, &place, dispatch),
        shown => {
            let (close, class, body) = (dispatch.clone(), class(shown), body(shown, over, dispatch));
            let onclose = move |_| close.page(|state| state.close());
            let label = (class == "palette").then_some("Palette");
            let labelled = (class != "palette").then_some("dialog-title");
            html! { <dialog key={sort(shown)} ref={place} {class} aria-label={label} aria-labelledby={labelled} {onclose}>{ body }</dialog> }
        }
    };
    html! { <>{ over.notice.as_ref().map(|notice| say(notice, dispatch)).unwrap_or_default() }{ inner }</> }
}

fn body(shown: &Shown, over: &Over, dispatch: &Dispatch) -> Html {
    match shown {
        Shown::Palette(view) => palette(view, dispatch),
        Shown::Sheet => sheet(over.taste, dispatch),
        Shown::Settings(form) => settings(form, dispatch),
        Shown::Share(view) => share(view, dispatch),
        Shown::Loading(given, all) => html! {
            <>
                { super::sheet::head("Opening a run", dispatch) }
                <p role="status">{ format!("{given} of {all} commands are done again …") }</p>
            </>
        },
        Shown::Nothing | Shown::Menu(_) => Html::default(),
    }
}

fn class(shown: &Shown) -> &'static str {
    match shown {
        Shown::Palette(_) => "palette",
        Shown::Settings(_) => "wide",
        _ => "narrow",
    }
}

/// Which sort of thing lies over the page: while it stays the same, the focus stays where it is. Every menu is one of its own.
fn sort(shown: &Shown) -> usize {
    match shown {
        Shown::Nothing => 0,
        Shown::Palette(_) => 1,
        Shown::Sheet => 2,
        Shown::Settings(_) => 3,
        Shown::Share(_) => 4,
        Shown::Loading(..) => 5,
        Shown::Menu(view) => std::rc::Rc::as_ptr(view) as usize,
    }
}

fn say(notice: &Notice, dispatch: &Dispatch) -> Html {
    let onhide = dispatch.on_page(|state| state.over.notice = None);
    let offer = notice.offer.map(|offer| {
        let word = if offer == Offer::GoOn { "Go on where you were" } else { "Go back to the run before" };
        let onclick = dispatch.on_page(move |state| state.accept(offer));
        html! { <button type="button" {onclick}>{ word }</button> }
    });
    html! {
        <div class="notice" role="status">
            <p>{ &notice.text }</p>{ offer.unwrap_or_default() }<button type="button" class="quiet" onclick={onhide}>{ "Dismiss" }</button>
        </div>
    }
}

fn active() -> Option<HtmlElement> {
    let element = web_sys::window()?.document()?.active_element()?;
    // Parts of pictures take the focus in the same way.
    Some(element.unchecked_into::<HtmlElement>()).filter(|e| e.tag_name() != "BODY")
}

fn find(selector: &str) -> Option<Element> {
    web_sys::window()?.document()?.query_selector(selector).ok().flatten()
}

fn focus(selector: &str) {
    let Some(element) = Some(selector).filter(|s| !s.is_empty()).and_then(find).and_then(|e| e.dyn_into::<HtmlElement>().ok()) else {
        return;
    };
    if element.tab_index() < 0 && writable_inside(&element).is_none() {
        // A pane takes the focus only when it is sent there.
        drop(element.set_attribute("tabindex", "-1"));
    }
    focus_on(&element);
}

/// Focuses an element, or what is written in inside it. One that cannot be focused is no worse off than before.
fn focus_on(element: &HtmlElement) {
    drop(writable_inside(element).as_ref().unwrap_or(element).focus());
}

/// What is written in inside a shadow root, as that of the editor.
fn writable_inside(element: &HtmlElement) -> Option<HtmlElement> {
    let root = js_sys::Reflect::get(element, &"shadowRoot".into()).ok().filter(|root| root.is_object())?;
    let inside = root.unchecked_ref::<Element>().query_selector("[contenteditable]").ok().flatten()?;
    Some(inside.unchecked_into())
}

fn scroll_to_chosen() {
    if let Some(row) = find("#palette-list [aria-selected=true]") {
        let options = ScrollIntoViewOptions::new();
        options.set_block(ScrollLogicalPosition::Nearest);
        row.scroll_into_view_with_scroll_into_view_options(&options);
    }
}
