//! A piece of markup being drawn: the steps of its template are gone from hole to hole, and each hole is filled by one call.
//!
//! The functions that fill are few, not generic and never inlined, because there are a thousand holes on the page.

use super::template::{Step, Template};
use wasm_bindgen::JsCast;
use yew::html::IntoEventCallback;
use yew::virtual_dom::{AttributeOrProperty, Attributes, Key, Listener, ListenerKind, VList, VTag, VText};
use yew::{AttrValue, Callback, Html, NodeRef};

/// Markup, drawn up to a hole.
pub struct Sheet {
    steps: std::slice::Iter<'static, Step>,
    /// The tags that are open, the inmost last.
    open: Vec<Open>,
    /// The inmost of all.
    here: Open,
}

#[derive(Default)]
struct Open {
    tag: Option<VTag>,
    children: Vec<Html>,
}

impl Sheet {
    /// The template from its beginning. A sheet is one pointer from there to its end.
    #[inline(never)]
    pub fn of(template: &'static Template) -> Box<Self> {
        Box::new(Sheet { steps: template.steps().iter(), open: Vec::new(), here: Open::default() })
    }

    /// Goes on to the next hole, or to the end.
    #[inline(never)]
    fn go_on(&mut self) -> Option<&'static Step> {
        for step in self.steps.by_ref() {
            match step {
                Step::Open(tag) => {
                    // All that are made of a template share its reference, which nobody reads. With one of its own for each, Yew would set it at every drawing.
                    let outer = std::mem::replace(&mut self.here, Open { tag: tag.clone(), children: Vec::new() });
                    self.open.push(outer);
                }
                Step::Text(text) => self.here.children.push(VText::new(*text).into()),
                Step::Close(many) => {
                    let outer = self.open.pop().unwrap_or_default();
                    let done = std::mem::replace(&mut self.here, outer).close(*many);
                    self.here.children.push(done);
                }
                hole => return Some(hole),
            }
        }
        None
    }

    /// A child.
    pub fn child(&mut self, child: impl Child) {
        child.fill(self);
    }

    /// Any number of children.
    pub fn nodes(&mut self, nodes: impl IntoIterator<Item = Html>) {
        self.go_on();
        for node in nodes {
            self.here.children.push(node);
        }
    }

    /// The value of an attribute, or of a field.
    pub fn attribute(&mut self, value: impl Value) {
        value.fill(self);
    }

    #[inline(never)]
    fn value(&mut self, value: Option<AttrValue>) {
        match (self.go_on(), &mut self.here.tag) {
            (Some(Step::Attribute(place)), Some(VTag { attributes: Attributes::Dynamic { values, .. }, .. })) => {
                if let Some(hole) = values.get_mut(*place) {
                    *hole = value.map(AttributeOrProperty::Attribute);
                }
            }
            (_, Some(tag)) => tag.set_value(value),
            _ => {}
        }
    }

    #[inline(never)]
    fn flag(&mut self, is: bool) {
        match (self.go_on(), &mut self.here.tag) {
            (Some(Step::Attribute(place)), Some(VTag { attributes: Attributes::Dynamic { values, keys }, .. })) => {
                let (Some(hole), Some(name)) = (values.get_mut(*place), keys.get(*place)) else { return };
                let word = if name.starts_with("aria-") { Some(if is { "true" } else { "false" }) } else { is.then_some("") };
                *hole = word.map(AttributeOrProperty::Static);
            }
            (_, Some(tag)) => tag.set_checked(is),
            _ => {}
        }
    }

    /// By what the node is known among its siblings.
    pub fn key(&mut self, key: impl Into<Key>) {
        self.known_by(key.into());
    }

    #[inline(never)]
    fn known_by(&mut self, key: Key) {
        self.go_on();
        if let Some(tag) = &mut self.here.tag {
            tag.key = Some(key);
        }
    }

    /// Where the element can be found later.
    #[inline(never)]
    pub fn place(&mut self, place: NodeRef) {
        self.go_on();
        if let Some(tag) = &mut self.here.tag {
            tag.node_ref = place;
        }
    }

    #[inline(never)]
    fn listen<E: JsCast + 'static>(&mut self, kind: fn() -> ListenerKind, act: Option<Callback<E>>) {
        self.go_on();
        if let (Some(tag), Some(act)) = (&mut self.here.tag, act) {
            tag.add_listener(std::rc::Rc::new(On { kind, act }));
        }
    }
}

/// The whole, when all holes are filled.
impl From<Box<Sheet>> for Html {
    #[inline(never)]
    fn from(mut sheet: Box<Sheet>) -> Html {
        sheet.go_on();
        sheet.here.children.pop().unwrap_or_default()
    }
}

impl Open {
    fn close(self, many: bool) -> Html {
        let Open { tag, mut children } = self;
        let inside = match children.pop() {
            None if !many => Html::default(),
            Some(one) if !many => one,
            last => {
                children.extend(last);
                VList::with_children(children, None).into()
            }
        };
        let Some(mut tag) = tag else { return inside };
        if let Some(children) = tag.children_mut() {
            *children = inside;
        }
        tag.into()
    }
}

/// What listens to an event.
struct On<E> {
    /// A function, as copying the kind itself is a table of a hundred names.
    kind: fn() -> ListenerKind,
    act: Callback<E>,
}

impl<E: JsCast + 'static> Listener for On<E> {
    fn kind(&self) -> ListenerKind {
        (self.kind)()
    }

    fn handle(&self, event: yew::Event) {
        self.act.emit(event.unchecked_into());
    }

    fn passive(&self) -> bool {
        false
    }
}

macro_rules! events {
    ($($name:ident: $event:ident),*) => {
        /// What is done at an event.
        impl Sheet {
            $(
                #[inline(always)]
                pub fn $name(&mut self, act: impl IntoEventCallback<yew::$event>) {
                    self.listen(|| ListenerKind::$name, act.into_event_callback());
                }
            )*
        }
    };
}

events! {
    onchange: Event, onclick: MouseEvent, onclose: Event, oncontextmenu: MouseEvent, onfocus: FocusEvent, oninput: Event, onkeydown: KeyboardEvent,
    onpointercancel: PointerEvent, onpointerdown: PointerEvent, onpointermove: PointerEvent, onpointerup: PointerEvent, onsubmit: SubmitEvent
}

/// What can be a child: a node, words, a number.
pub trait Child {
    fn fill(self, sheet: &mut Sheet);
}

/// What can be the value of an attribute. A bool is `true` or `false` where the name begins with `aria-`, and else an attribute that is there or not.
pub trait Value {
    fn fill(self, sheet: &mut Sheet);
}

macro_rules! fills {
    ($of:ident: $($sort:ty, $value:ident, $sheet:ident => $fill:expr;)*) => {
        $(
            impl $of for $sort {
                #[inline(never)]
                fn fill(self, $sheet: &mut Sheet) {
                    let $value = self;
                    $fill
                }
            }
        )*
    };
}

fills! { Child:
    Html, node, sheet => {
        sheet.go_on();
        sheet.here.children.push(node);
    };
    &AttrValue, text, sheet => sheet.child(text.clone());
    AttrValue, text, sheet => sheet.child(Html::from(VText::new(text)));
    &str, text, sheet => sheet.child(AttrValue::from(text.to_owned()));
    String, text, sheet => sheet.child(AttrValue::from(text));
    &String, text, sheet => sheet.child(text.as_str());
    usize, number, sheet => sheet.child(number.to_string());
    &usize, number, sheet => sheet.child(*number);
    u16, number, sheet => sheet.child(usize::from(number));
    u32, number, sheet => sheet.child(u64::from(number));
    u64, number, sheet => sheet.child(number.to_string());
    i64, number, sheet => sheet.child(number.to_string());
    &i64, number, sheet => sheet.child(*number);
}

fills! { Value:
    bool, is, sheet => sheet.flag(is);
    Option<AttrValue>, text, sheet => sheet.value(text);
    AttrValue, text, sheet => sheet.value(Some(text));
    &'static str, text, sheet => sheet.value(Some(AttrValue::Static(text)));
    Option<&'static str>, text, sheet => sheet.value(text.map(AttrValue::Static));
    String, text, sheet => sheet.value(Some(AttrValue::from(text)));
    Option<String>, text, sheet => sheet.value(text.map(AttrValue::from));
    i64, number, sheet => sheet.value(Some(AttrValue::from(number.to_string())));
    i32, number, sheet => sheet.attribute(i64::from(number));
    u32, number, sheet => sheet.attribute(i64::from(number));
    usize, number, sheet => sheet.attribute(number as i64);
    u64, number, sheet => sheet.attribute(number as i64);
}

/// What stands where a condition does not hold.
#[inline(never)]
pub fn nothing() -> Html {
    Html::default()
}

/// Names of classes in a row.
#[inline(never)]
pub fn in_a_row(names: &[Option<&str>]) -> Option<AttrValue> {
    let mut row = String::new();
    for name in names.iter().flatten().filter(|name| !name.is_empty()) {
        if !row.is_empty() {
            row.push(' ');
        }
        row.push_str(name);
    }
    (!row.is_empty()).then(|| AttrValue::from(row))
}
