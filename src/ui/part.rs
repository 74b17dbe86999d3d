//! A part of the page: plain data that can be drawn, and is drawn again only when it is no longer equal to what it was.
//!
//! All parts are one Yew component, since each component of its own costs some 2 kB of machine code. What keeps state of its own is a component still.

use super::markup::mount;
use std::any::Any;
use std::rc::Rc;
use yew::virtual_dom::Key;
use yew::{Component, Context, Html, Properties};

/// What a part shows.
pub trait Part: PartialEq + 'static {
    /// Draws it.
    fn draw(&self) -> Html;
}

/// A part in its place. Parts of two sorts in the same place have nothing in common.
pub fn part<P: Part>(part: P) -> Html {
    place(Key::from(std::any::type_name::<P>()), Rc::new(part))
}

/// A part that is known among its siblings.
pub fn keyed_part<P: Part>(key: impl Into<Key>, part: P) -> Html {
    place(key.into(), Rc::new(part))
}

#[inline(never)]
fn place(key: Key, shown: Rc<dyn Shown>) -> Html {
    mount! { <Place {key} {shown} /> }
}

/// A part, whatever it is.
trait Shown: Any {
    fn draw(&self) -> Html;
    fn is(&self, other: &dyn Any) -> bool;
}

impl<P: Part> Shown for P {
    fn draw(&self) -> Html {
        Part::draw(self)
    }

    fn is(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}

#[derive(Properties)]
struct PlaceProps {
    shown: Rc<dyn Shown>,
}

impl PartialEq for PlaceProps {
    fn eq(&self, other: &Self) -> bool {
        let other: &dyn Any = &*other.shown;
        self.shown.is(other)
    }
}

struct Place;

impl Component for Place {
    type Message = ();
    type Properties = PlaceProps;

    fn create(_: &Context<Self>) -> Self {
        Place
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        ctx.props().shown.draw()
    }
}
