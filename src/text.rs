//! Strings that are shared: one pointer wide, a copy counts up, and a literal costs nothing at all.
//!
//! Names, labels and reasons are copied all the time and hardly ever changed. That they fit one machine word keeps objects small, and code too.

use arcstr::ArcStr;
use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

/// A shared string.
#[derive(Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Str(ArcStr);

/// A [`Str`] of a constant, made when the program is built.
#[macro_export]
macro_rules! text {
    ($text:expr) => {
        $crate::text::Str::of_literal(::arcstr::literal!($text))
    };
}

impl Str {
    /// What `text!` makes.
    pub const fn of_literal(literal: ArcStr) -> Str {
        Str(literal)
    }
    /// A copy of a text.
    #[inline(never)]
    pub fn new(text: &str) -> Str {
        Str(ArcStr::from(text))
    }
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Clone for Str {
    #[inline(never)]
    fn clone(&self) -> Str {
        Str(self.0.clone())
    }
}

impl Deref for Str {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Str {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Str {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Str {
    fn from(text: &str) -> Str {
        Str::new(text)
    }
}

impl From<String> for Str {
    fn from(text: String) -> Str {
        Str::new(&text)
    }
}

impl From<&String> for Str {
    fn from(text: &String) -> Str {
        Str::new(text)
    }
}

impl From<&Str> for Str {
    fn from(text: &Str) -> Str {
        text.clone()
    }
}

impl From<Str> for String {
    fn from(text: Str) -> String {
        text.as_str().to_owned()
    }
}

impl FromIterator<char> for Str {
    fn from_iter<I: IntoIterator<Item = char>>(chars: I) -> Str {
        chars.into_iter().collect::<String>().into()
    }
}

impl PartialEq<str> for Str {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Str {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialEq<String> for Str {
    fn eq(&self, other: &String) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<Str> for str {
    fn eq(&self, other: &Str) -> bool {
        self == other.as_str()
    }
}

impl PartialEq<Str> for &str {
    fn eq(&self, other: &Str) -> bool {
        *self == other.as_str()
    }
}

impl PartialEq<Str> for String {
    fn eq(&self, other: &Str) -> bool {
        self == other.as_str()
    }
}

impl fmt::Display for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl fmt::Debug for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}
