//! The connection to the host, the page around this page's frame: a port that carries requests, answers and events (`loopscope::embed`).
//!
//! The page posts the message hello to the parent window until that hands over a port; from then on it uses only the port. It ignores messages from any
//! other window, and from origins other than the one that the address names.

use super::address;
use super::height::{self, Told};
use super::resize::use_resize;
use crate::ui::dispatch::Dispatch;
use gloo_timers::callback::Timeout;
use loopscope::api::value::Value;
use loopscope::embed::message::{Connect, Event, Hello, Outgoing};
use loopscope::embed::port::Port;
use loopscope::page::Screen;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, MessageEvent, MessagePort, Window};
use yew::{Callback, NodeRef, hook, use_effect_with, use_mut_ref};

/// The times between hello messages in milliseconds: often at first, and none after the last. A host that starts later posts the message connect by
/// itself.
const HELLOS_MS: [u32; 9] = [0, 100, 200, 400, 800, 1_500, 3_000, 6_000, 12_000];

/// Connects to the host, if the page is embedded in one. `page` is the element whose height is reported to the host, if the frame follows the content.
#[hook]
pub fn use_host(page: &NodeRef, screen: Rc<Screen>, dispatch: Dispatch) {
    let host = use_mut_ref(|| None::<Rc<Host>>);
    {
        let host = host.clone();
        let is_embed = screen.embedding.is_embed && address::is_framed();
        use_effect_with(is_embed, move |is_embed| {
            *host.borrow_mut() = is_embed.then(|| Host::start(dispatch));
            move || {
                if let Some(host) = host.borrow_mut().take() {
                    host.stop();
                }
            }
        });
    }
    let is_autoheight = screen.embedding.is_autoheight;
    {
        let (host, element) = (host.clone(), page.clone());
        let resized = Callback::from(move |()| {
            if let (Some(host), Some(page)) = (&*host.borrow(), element.cast::<Element>().filter(|_| is_autoheight)) {
                host.resized(&page);
            }
        });
        use_resize(page, resized);
    }
    use_effect_with(screen, move |_| {
        if let Some(host) = &*host.borrow() {
            host.look();
        }
    });
}

struct Host {
    dispatch: Dispatch,
    /// The exact origin of the host; `None` if any origin is accepted.
    origin: Option<String>,
    port: RefCell<Port>,
    channel: RefCell<Option<MessagePort>>,
    hello: RefCell<Option<Timeout>>,
    told: RefCell<Told>,
    listeners: RefCell<Option<Listeners>>,
}

/// The id of a request from the host, whatever its other fields are.
#[derive(Deserialize)]
struct Numbered {
    id: f64,
}

/// The functions that the browser calls with messages from the host.
struct Listeners {
    of_window: Closure<dyn FnMut(MessageEvent)>,
    of_port: Closure<dyn FnMut(MessageEvent)>,
}

impl Host {
    fn start(dispatch: Dispatch) -> Rc<Host> {
        let origin = address::parameters().origin.clone();
        let host = Rc::new(Host {
            dispatch,
            origin,
            port: RefCell::default(),
            channel: RefCell::default(),
            hello: RefCell::default(),
            told: RefCell::default(),
            listeners: RefCell::default(),
        });
        let listen = |hear: fn(&Rc<Host>, &MessageEvent)| {
            let weak = Rc::downgrade(&host);
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                if let Some(host) = weak.upgrade() {
                    hear(&host, &event);
                }
            })
        };
        let listeners = Listeners { of_window: listen(Host::hear_window), of_port: listen(Host::hear_port) };
        if let Some(window) = web_sys::window() {
            let _ = window.add_event_listener_with_callback("message", listeners.of_window.as_ref().unchecked_ref());
        }
        *host.listeners.borrow_mut() = Some(listeners);
        host.say_hello(0);
        host
    }
    fn stop(&self) {
        drop(self.hello.borrow_mut().take());
        if let Some(channel) = self.channel.borrow_mut().take() {
            channel.close();
        }
        if let (Some(window), Some(listeners)) = (web_sys::window(), self.listeners.borrow_mut().take()) {
            let _ = window.remove_event_listener_with_callback("message", listeners.of_window.as_ref().unchecked_ref());
        }
    }
    /// Posts hello to the parent window after the wait at index `place`, and again later if nobody answers.
    fn say_hello(self: &Rc<Self>, place: usize) {
        let Some(wait_ms) = HELLOS_MS.get(place) else { return };
        let weak = Rc::downgrade(self);
        *self.hello.borrow_mut() = Some(Timeout::new(*wait_ms, move || {
            let Some(host) = weak.upgrade().filter(|host| host.channel.borrow().is_none()) else { return };
            if let (Some(parent), Some(words)) = (parent(), to_js(&Hello::WORDS)) {
                let _ = parent.post_message(&words, host.target());
            }
            host.say_hello(place + 1);
        }));
    }
    /// Returns the target origin for messages to the parent window. An opaque origin cannot be named.
    fn target(&self) -> &str {
        self.origin.as_deref().filter(|origin| *origin != "null").unwrap_or("*")
    }
    /// Reports the height that the page needs to the host, if it has changed.
    fn resized(&self, page: &Element) {
        let height = page.scroll_height().unsigned_abs();
        if !self.told.borrow_mut().is_news(height) {
            return;
        }
        if self.channel.borrow().is_some() {
            return self.send(vec![Outgoing::Event(Event::Resize { height })]);
        }
        let shown = web_sys::window().and_then(|w| w.inner_height().ok()).and_then(|height| height.as_f64()).unwrap_or_default();
        if let Some(parent) = parent() {
            height::tell(&parent, self.target(), height, shown as u32);
        }
    }
    /// Handles a message to the window: it must come from the parent, from the origin that the address names, and carry a port.
    fn hear_window(self: &Rc<Self>, event: &MessageEvent) {
        let is_parent = parent().is_some_and(|parent| event.source().is_some_and(|source| JsValue::from(source) == JsValue::from(parent)));
        let is_right = self.origin.as_deref().is_none_or(|origin| origin == event.origin());
        if !is_parent || !is_right {
            return;
        }
        let is_meant = serde_wasm_bindgen::from_value::<Connect>(event.data()).is_ok_and(|connect| connect.is_meant());
        let Some(channel) = event.ports().get(0).dyn_into::<MessagePort>().ok().filter(|_| is_meant) else { return };
        if let Some(listeners) = &*self.listeners.borrow() {
            channel.set_onmessage(Some(listeners.of_port.as_ref().unchecked_ref()));
        }
        if let Some(before) = self.channel.borrow_mut().replace(channel) {
            before.close();
        }
        let mut first = self.dispatch.page(|page| self.port.borrow_mut().open(page));
        first.extend(self.told.borrow().last().map(|height| Outgoing::Event(Event::Resize { height })));
        self.send(first);
    }
    fn hear_port(self: &Rc<Self>, event: &MessageEvent) {
        let text = text_of(&event.data());
        let known = serde_wasm_bindgen::from_value::<Numbered>(event.data()).map_or(Value::Null, |numbered| Value::Float(numbered.id));
        let answers = self.dispatch.act(|page| self.port.borrow_mut().receive_as(page, &text, known));
        self.send(answers);
    }
    /// Sends the host the answers and events since the last call.
    fn look(&self) {
        if self.channel.borrow().is_some() {
            let news = self.dispatch.page(|page| self.port.borrow_mut().look(page));
            self.send(news);
        }
    }
    fn send(&self, messages: Vec<Outgoing>) {
        let channel = self.channel.borrow();
        let Some(channel) = &*channel else { return };
        for message in messages.iter().filter_map(to_js) {
            // A port whose other end is closed drops the message.
            let _ = channel.post_message(&message);
        }
    }
}

/// Returns the parent window of the page's frame.
fn parent() -> Option<Window> {
    web_sys::window()?.parent().ok().flatten()
}

/// Returns a message as a plain JavaScript object.
fn to_js(message: &impl Serialize) -> Option<JsValue> {
    message.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).ok()
}

/// Returns a request as JSON text. The browser's own `JSON.stringify` writes it, because that refuses an object that contains itself or is nested without
/// end. For a value that cannot be written the text is empty, which is refused as a request.
fn text_of(data: &JsValue) -> String {
    js_sys::JSON::stringify(data).ok().and_then(|text| text.as_string()).unwrap_or_default()
}
