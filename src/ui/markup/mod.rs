//! Markup: `html!` in the words of Yew's, made for little machine code.
//!
//! Yew's macro writes out every element as code, which was a tenth of the whole page. Here all that is fixed in a piece of markup becomes one string, read once
//! ([`template`]), and the code is only what fills its holes, one call each ([`sheet`]). What comes out are Yew's own nodes, with the same keys and lists.
//!
//! Known are elements, `<>`, attributes, `{name}` for `name={name}`, `key`, `ref`, the events in [`sheet`], `{ child }`, `{ for nodes }` and
//! `if … { … } else { … }` (in whose condition no brace may stand). A component is put in by [`mount!`]. That every tag is closed by its own name is
//! checked when the page is compiled.

mod sheet;
mod template;

pub use sheet::{Sheet, in_a_row, nothing};
pub use template::Template;

/// Yew's macro, for components.
pub use yew::html as mount;

/// Markup.
macro_rules! html {
    ($($markup:tt)*) => { $crate::ui::markup::read!(@markup sheet [] [] $($markup)*) };
}

/// The names of an element's classes, of which some may be missing.
macro_rules! classes {
    ($($name:expr),* $(,)?) => { $crate::ui::markup::in_a_row(&[$(::core::option::Option::<&str>::from($name)),*]) };
}

/// Reads markup from left to right: `[the fixed parts so far] [what fills the holes so far] the rest`.
macro_rules! read {
    // The end.
    (@markup $s:ident [$($fixed:expr,)*] [$($fill:tt)*]) => {{
        static TEMPLATE: $crate::ui::markup::Template = $crate::ui::markup::Template::new(concat!($($fixed),*));
        #[allow(unused_mut)]
        let mut $s = $crate::ui::markup::Sheet::of(&TEMPLATE);
        $($fill)*
        ::yew::Html::from($s)
    }};

    // Between tags.
    (@markup $s:ident [$($fixed:expr,)*] $fill:tt < / $($name:ident)? > $($rest:tt)*) => {
        $crate::ui::markup::read!(@markup $s [$($fixed,)* "\x05", $(stringify!($name),)?] $fill $($rest)*)
    };
    (@markup $s:ident [$($fixed:expr,)*] $fill:tt < > $($rest:tt)*) => {
        $crate::ui::markup::read!(@markup $s [$($fixed,)* "\x01",] $fill $($rest)*)
    };
    (@markup $s:ident [$($fixed:expr,)*] $fill:tt < $name:ident $($rest:tt)*) => {
        $crate::ui::markup::read!(@tag $s [$($fixed,)* "\x01", stringify!($name),] $fill $($rest)*)
    };
    (@markup $s:ident [$($fixed:expr,)*] $fill:tt { $text:literal } $($rest:tt)*) => {
        $crate::ui::markup::read!(@markup $s [$($fixed,)* "\x04", $text,] $fill $($rest)*)
    };
    (@markup $s:ident [$($fixed:expr,)*] [$($fill:tt)*] { for $($nodes:tt)* } $($rest:tt)*) => {
        $crate::ui::markup::read!(@markup $s [$($fixed,)* "\x08",] [$($fill)* $s.nodes({ $($nodes)* });] $($rest)*)
    };
    (@markup $s:ident [$($fixed:expr,)*] [$($fill:tt)*] { $($child:tt)* } $($rest:tt)*) => {
        $crate::ui::markup::read!(@markup $s [$($fixed,)* "\x07",] [$($fill)* $s.child({ $($child)* });] $($rest)*)
    };
    (@markup $s:ident [$($fixed:expr,)*] $fill:tt if $($rest:tt)*) => {
        $crate::ui::markup::read!(@if $s [$($fixed,)* "\x07",] $fill [if] $($rest)*)
    };

    // A condition, up to its braces.
    (@if $s:ident $fixed:tt $fill:tt [$($so_far:tt)*] { $($then:tt)* } else if $($rest:tt)*) => {
        $crate::ui::markup::read!(@if $s $fixed $fill [$($so_far)* { $crate::ui::markup::html!($($then)*) } else if] $($rest)*)
    };
    (@if $s:ident $fixed:tt [$($fill:tt)*] [$($so_far:tt)*] { $($then:tt)* } else { $($other:tt)* } $($rest:tt)*) => {
        $crate::ui::markup::read!(@markup $s $fixed [$($fill)* $s.child(
            $($so_far)* { $crate::ui::markup::html!($($then)*) } else { $crate::ui::markup::html!($($other)*) }
        );] $($rest)*)
    };
    (@if $s:ident $fixed:tt [$($fill:tt)*] [$($so_far:tt)*] { $($then:tt)* } $($rest:tt)*) => {
        $crate::ui::markup::read!(@markup $s $fixed [$($fill)* $s.child(
            $($so_far)* { $crate::ui::markup::html!($($then)*) } else { $crate::ui::markup::nothing() }
        );] $($rest)*)
    };
    (@if $s:ident $fixed:tt $fill:tt [$($so_far:tt)*] $next:tt $($rest:tt)*) => {
        $crate::ui::markup::read!(@if $s $fixed $fill [$($so_far)* $next] $($rest)*)
    };

    // Inside a tag.
    (@tag $s:ident $fixed:tt $fill:tt > $($rest:tt)*) => { $crate::ui::markup::read!(@markup $s $fixed $fill $($rest)*) };
    (@tag $s:ident [$($fixed:expr,)*] $fill:tt / > $($rest:tt)*) => {
        $crate::ui::markup::read!(@markup $s [$($fixed,)* "\x05/",] $fill $($rest)*)
    };
    (@tag $s:ident $fixed:tt $fill:tt { $name:ident } $($rest:tt)*) => {
        $crate::ui::markup::read!(@tag $s $fixed $fill $name = { $name } $($rest)*)
    };
    (@tag $s:ident [$($fixed:expr,)*] $fill:tt $name:ident $(- $more:ident)* = $text:literal $($rest:tt)*) => {
        $crate::ui::markup::read!(@tag $s [$($fixed,)* "\x02", stringify!($name), $("-", stringify!($more),)* "\x03", $text,] $fill $($rest)*)
    };
    (@tag $s:ident [$($fixed:expr,)*] [$($fill:tt)*] $name:ident $(- $more:ident)* = { $($value:tt)* } $($rest:tt)*) => {
        $crate::ui::markup::read!(@tag $s
            [$($fixed,)* "\x06", stringify!($name), $("-", stringify!($more),)*]
            [$($fill)* $crate::ui::markup::read!(@value $s $name { $($value)* });]
            $($rest)*)
    };

    // What fills a hole in a tag.
    (@value $s:ident key $value:tt) => { $s.key($value) };
    (@value $s:ident ref $value:tt) => { $s.place($value) };
    (@value $s:ident onchange $value:tt) => { $s.onchange($value) };
    (@value $s:ident onclick $value:tt) => { $s.onclick($value) };
    (@value $s:ident onclose $value:tt) => { $s.onclose($value) };
    (@value $s:ident oncontextmenu $value:tt) => { $s.oncontextmenu($value) };
    (@value $s:ident onfocus $value:tt) => { $s.onfocus($value) };
    (@value $s:ident oninput $value:tt) => { $s.oninput($value) };
    (@value $s:ident onkeydown $value:tt) => { $s.onkeydown($value) };
    (@value $s:ident onpointercancel $value:tt) => { $s.onpointercancel($value) };
    (@value $s:ident onpointerdown $value:tt) => { $s.onpointerdown($value) };
    (@value $s:ident onpointermove $value:tt) => { $s.onpointermove($value) };
    (@value $s:ident onpointerup $value:tt) => { $s.onpointerup($value) };
    (@value $s:ident onsubmit $value:tt) => { $s.onsubmit($value) };
    (@value $s:ident $name:ident $value:tt) => { $s.attribute($value) };
}

pub(crate) use {classes, html, read};
