//! What is done when something is pressed, typed or chosen: listeners for the reducer. However many there are, each is one small function and shares the rest.

use super::state::{Action, Dispatch, State};
use loopscope::view::{Desk, Look};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::{Callback, Event, MouseEvent};

impl Dispatch {
    /// A press makes a person look at something else.
    pub fn on_look(&self, change: impl Fn(&mut Look) + 'static) -> Callback<MouseEvent> {
        self.pressed(Deed::Look(Rc::new(change)))
    }
    /// A press does something to the run.
    pub fn on_desk(&self, deed: impl Fn(&mut Desk) + 'static) -> Callback<MouseEvent> {
        self.pressed(Deed::Desk(Rc::new(deed)))
    }
    /// A press does something to the page.
    pub fn on_page(&self, deed: impl Fn(&mut State) + 'static) -> Callback<MouseEvent> {
        self.pressed(Deed::Page(Rc::new(deed)))
    }
    /// What is typed is looked for.
    #[inline(never)]
    pub fn on_text(&self, change: fn(&mut Look, String)) -> Callback<Event> {
        let dispatch = self.clone();
        Callback::from(move |event: Event| {
            let text = typed(&event);
            dispatch.look(move |look| change(look, text));
        })
    }
    #[inline(never)]
    fn pressed(&self, deed: Deed) -> Callback<MouseEvent> {
        let dispatch = self.clone();
        Callback::from(move |_| dispatch.send(deed.action()))
    }
}

/// What a press does, any number of times.
enum Deed {
    Look(Rc<dyn Fn(&mut Look)>),
    Desk(Rc<dyn Fn(&mut Desk)>),
    Page(Rc<dyn Fn(&mut State)>),
}

impl Deed {
    fn action(&self) -> Action {
        match self {
            Deed::Look(change) => {
                let change = change.clone();
                Action::Look(Box::new(move |look| change(look)))
            }
            Deed::Desk(deed) => {
                let deed = deed.clone();
                Action::Do(Box::new(move |desk| deed(desk)))
            }
            Deed::Page(deed) => {
                let deed = deed.clone();
                Action::Page(Box::new(move |state| deed(state)))
            }
        }
    }
}

/// The text in the field that an event is about. Fields of all sorts have it under the same name.
#[inline(never)]
pub fn typed(event: &Event) -> String {
    event.target().map(|field| field.unchecked_into::<HtmlInputElement>().value()).unwrap_or_default()
}

/// Which one was chosen, in a list from which one is.
#[inline(never)]
pub fn chosen(event: &Event) -> usize {
    event.target().map_or(0, |list| list.unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize)
}
