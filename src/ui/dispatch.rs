//! [`Dispatch`], by which components send actions and read the run. [`App`](super::App) provides it as a context.
//!
//! The page's model cannot be copied with every action, as a reducer would do (a run may hold 150,000 pods), so it is kept beside Yew's state in a cell of
//! its own. Yew's state is the [`Screen`] that the model made last.

use loopscope::page::{Action, Page, Screen};
use loopscope::view::Run;
use std::cell::RefCell;
use std::rc::Rc;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::{Callback, Event, InputEvent, TargetCast, UseStateSetter, hook, use_context};

/// Sends actions to the page's model, and renders the resulting screen.
#[derive(Clone)]
pub struct Dispatch {
    page: Rc<RefCell<Page>>,
    screen: UseStateSetter<Rc<Screen>>,
}

/// Two values are equal if they refer to the same model, so that passing one on never causes a rendering.
impl PartialEq for Dispatch {
    fn eq(&self, other: &Dispatch) -> bool {
        Rc::ptr_eq(&self.page, &other.page)
    }
}

impl Dispatch {
    /// Connects a model to the Yew state that is rendered.
    pub fn new(page: Rc<RefCell<Page>>, screen: UseStateSetter<Rc<Screen>>) -> Dispatch {
        Dispatch { page, screen }
    }
    /// Carries out an action, and renders the page if the model says so.
    pub fn send(&self, action: impl Into<Action>) {
        let draws = self.page.borrow_mut().update(action.into());
        if draws {
            self.screen.set(Rc::new(self.page.borrow().screen()));
        }
    }
    /// Changes the model other than by an action of a person, and renders the page.
    pub fn act<T>(&self, change: impl FnOnce(&mut Page) -> T) -> T {
        let done = change(&mut self.page.borrow_mut());
        self.screen.set(Rc::new(self.page.borrow().screen()));
        done
    }
    /// Returns a listener that carries out an action, whatever the event contains.
    pub fn on<E>(&self, action: impl Into<Action>) -> Callback<E> {
        let (dispatch, action) = (self.clone(), action.into());
        Callback::from(move |_| dispatch.send(action.clone()))
    }
    /// Returns a listener that carries out an action made from the text of an input field.
    pub fn on_text<A: Into<Action>>(&self, make: impl Fn(String) -> A + 'static) -> Callback<InputEvent> {
        let dispatch = self.clone();
        Callback::from(move |event: InputEvent| dispatch.send(make(event.target_unchecked_into::<HtmlInputElement>().value())))
    }
    /// Returns a listener that carries out an action made from the index of the chosen option of a `<select>`.
    pub fn on_option<A: Into<Action>>(&self, make: impl Fn(usize) -> A + 'static) -> Callback<Event> {
        let dispatch = self.clone();
        Callback::from(move |event: Event| {
            let place = event.target_unchecked_into::<HtmlSelectElement>().selected_index();
            dispatch.send(make(usize::try_from(place).unwrap_or(0)));
        })
    }
    /// Reads the run, without rendering anything.
    pub fn read<T>(&self, question: impl FnOnce(&Run) -> T) -> T {
        question(self.page.borrow().run())
    }
    /// Reads the page's model, without rendering anything.
    pub fn page<T>(&self, question: impl FnOnce(&Page) -> T) -> T {
        question(&self.page.borrow())
    }
}

/// Returns the [`Dispatch`] that `App` provides.
#[hook]
pub fn use_dispatch() -> Dispatch {
    use_context().expect("App provides Dispatch")
}
