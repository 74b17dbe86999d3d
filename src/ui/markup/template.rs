//! The fixed part of a piece of markup: one string, checked when the page is compiled and read when it is first drawn.
//!
//! A part begins with a byte that no text has: 1 opens a tag, 2 is an attribute and 3 its value, 4 is text, 5 closes a tag (`/` is any), 6 is an attribute
//! whose value comes later, 7 a child that comes later, 8 any number of them.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use yew::virtual_dom::{AttributeOrProperty, Attributes, VTag};

/// A piece of markup with holes.
pub struct Template {
    text: &'static str,
    /// Its place among those that have been read, from one; zero before.
    place: AtomicUsize,
}

/// A step on the way from the beginning of the markup to its end. The last four are holes.
pub enum Step {
    /// A tag as it is, or none for `<>`.
    Open(Option<VTag>),
    Text(&'static str),
    /// Whether its children are a list even if there is one.
    Close(bool),
    /// The attribute at this place.
    Attribute(usize),
    /// What a person types or ticks: not an attribute but a property.
    Field,
    /// A listener, a key, a reference: where they are is enough to know.
    Aside,
    Child,
}

thread_local! {
    static READ: RefCell<Vec<&'static [Step]>> = const { RefCell::new(Vec::new()) };
}

impl Template {
    /// Of this text. Does not compile if a tag is closed by another name than it was opened by.
    pub const fn new(text: &'static str) -> Self {
        check(text.as_bytes());
        Template { text, place: AtomicUsize::new(0) }
    }

    /// Its steps, the last of which closes the whole.
    pub fn steps(&self) -> &'static [Step] {
        READ.with_borrow_mut(|read| {
            let place = self.place.load(Ordering::Relaxed);
            if let Some(steps) = place.checked_sub(1).and_then(|place| read.get(place)) {
                return *steps;
            }
            // There are as many templates as pieces of markup in the source, and they are needed as long as the page lives.
            let steps: &'static [Step] = Reader::default().read(self.text).leak();
            read.push(steps);
            self.place.store(read.len(), Ordering::Relaxed);
            steps
        })
    }
}

const fn check(text: &[u8]) {
    let mut open = [0; 32];
    let (mut depth, mut i) = (0, 0);
    while i < text.len() {
        if text[i] == 1 {
            open[depth] = i + 1;
            depth += 1;
        }
        if text[i] == 5 {
            assert!(depth > 0, "a tag is closed that is not open");
            depth -= 1;
            let (name, mut at) = (open[depth], 0);
            let is_any = i + 1 < text.len() && text[i + 1] == b'/';
            while !is_any && i + 1 + at < text.len() && text[i + 1 + at] > 8 {
                assert!(text[i + 1 + at] == text[name + at], "a tag is closed by another name");
                at += 1;
            }
            assert!(is_any || text[name + at] <= 8, "a tag is closed by the beginning of its name");
        }
        i += 1;
    }
    assert!(depth == 0, "a tag is not closed");
}

/// What is known of a tag whose children are being read.
#[derive(Default)]
struct Open {
    /// Where it was opened.
    place: usize,
    attributes: Vec<(&'static str, Option<&'static str>)>,
    children: usize,
    many: bool,
}

#[derive(Default)]
struct Reader {
    steps: Vec<Step>,
    open: Vec<Open>,
}

impl Reader {
    fn read(mut self, text: &'static str) -> Vec<Step> {
        self.open.push(Open::default());
        let (mut rest, mut name) = (text, "");
        while let Some(sort) = rest.bytes().next() {
            let end = rest.char_indices().skip(1).find(|(_, c)| *c <= '\x08').map_or(rest.len(), |(i, _)| i);
            let (part, after) = rest.split_at(end);
            let words = part.trim_start_matches(|c| c <= '\x08');
            match sort {
                2 => name = words,
                _ => self.part(sort, words, name),
            }
            rest = after;
        }
        let many = self.open.pop().is_some_and(|root| root.many || root.children != 1);
        self.steps.push(Step::Close(many));
        self.steps
    }

    fn part(&mut self, sort: u8, words: &'static str, name: &'static str) {
        if let (1 | 4 | 7 | 8, Some(parent)) = (sort, self.open.last_mut()) {
            parent.children += 1;
            parent.many |= sort == 8;
        }
        match sort {
            1 => {
                self.open.push(Open { place: self.steps.len(), ..Open::default() });
                self.steps.push(Step::Open((!words.is_empty()).then(|| VTag::new(words))));
            }
            3 => self.attribute(name, Some(words)),
            4 => self.steps.push(Step::Text(words)),
            5 => self.close(),
            6 => self.attribute(words, None),
            _ => self.steps.push(Step::Child),
        }
    }

    fn attribute(&mut self, name: &'static str, value: Option<&'static str>) {
        let Some(open) = self.open.last_mut() else { return };
        let Some(Step::Open(Some(tag))) = self.steps.get(open.place) else { return };
        if value.is_none() && (matches!(name, "key" | "ref") || name.starts_with("on")) {
            self.steps.push(Step::Aside);
        } else if value.is_none() && matches!((tag.tag(), name), ("input" | "textarea", "value") | ("input", "checked")) {
            self.steps.push(Step::Field);
        } else {
            if value.is_none() {
                self.steps.push(Step::Attribute(open.attributes.len()));
            }
            open.attributes.push((name, value));
        }
    }

    fn close(&mut self) {
        let Some(open) = self.open.pop() else { return };
        if let Some(Step::Open(Some(tag))) = self.steps.get_mut(open.place) {
            tag.attributes = attributes(open.attributes);
        }
        self.steps.push(Step::Close(open.many || open.children > 1));
    }
}

/// In the two forms which Yew compares by their address.
fn attributes(all: Vec<(&'static str, Option<&'static str>)>) -> Attributes {
    let fixed: Option<Vec<_>> = all.iter().map(|(name, value)| Some((*name, AttributeOrProperty::Static((*value)?)))).collect();
    match fixed {
        Some(fixed) => Attributes::Static(fixed.leak()),
        None => Attributes::Dynamic {
            keys: all.iter().map(|(name, _)| *name).collect::<Vec<_>>().leak(),
            values: all.iter().map(|(_, value)| value.map(AttributeOrProperty::Static)).collect(),
        },
    }
}
