//! A map with one value for each kind: found by index for built-in kinds, by search for the few that were added.

use super::Kind;

/// A map from kinds to values. A kind whose value was never set has the default.
#[derive(Clone, Debug)]
pub struct PerKind<T> {
    built_in: Vec<T>,
    /// The values of kinds that were added at run time, sorted by kind.
    added: Vec<(Kind, T)>,
    none: T,
}

impl<T: Default> Default for PerKind<T> {
    fn default() -> Self {
        PerKind { built_in: Kind::built_in().map(|_| T::default()).collect(), added: Vec::new(), none: T::default() }
    }
}

impl<T: Default> PerKind<T> {
    /// Returns the value of a kind.
    pub fn get(&self, kind: Kind) -> &T {
        match kind.built_in_index() {
            Some(index) => &self.built_in[index],
            None => self.added.iter().find(|(k, _)| *k == kind).map_or(&self.none, |(_, value)| value),
        }
    }
    /// Returns a mutable reference to the value of a kind.
    pub fn get_mut(&mut self, kind: Kind) -> &mut T {
        if let Some(index) = kind.built_in_index() {
            return &mut self.built_in[index];
        }
        let place = match self.added.binary_search_by(|(k, _)| k.cmp(&kind)) {
            Ok(place) => place,
            Err(place) => {
                self.added.insert(place, (kind, T::default()));
                place
            }
        };
        &mut self.added[place].1
    }
    /// Returns all kinds that have a value: the built-in ones in the table's order, then the others.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> + use<'_, T> {
        Kind::built_in().chain(self.added.iter().map(|(kind, _)| *kind))
    }
}
