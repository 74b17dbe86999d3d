//! A persistent ordered set: a map without values.

use super::map::OrdMap;
use std::borrow::Borrow;
use std::fmt;
use std::ops::RangeBounds;

/// A persistent set, whose members are sorted.
#[derive(Clone)]
pub struct OrdSet<T> {
    map: OrdMap<T, ()>,
}

impl<T> OrdSet<T> {
    /// Creates an empty set.
    pub const fn new() -> Self {
        OrdSet { map: OrdMap::new() }
    }
    /// Returns the number of members.
    pub fn len(&self) -> usize {
        self.map.len()
    }
    /// Returns true if there are no members.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }
}

impl<T: Ord> OrdSet<T> {
    /// Returns true if a value is a member.
    pub fn contains<Q: Ord + ?Sized>(&self, member: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.map.contains_key(member)
    }
    /// Returns the least member.
    pub fn get_min(&self) -> Option<&T> {
        self.map.get_min().map(|(t, ())| t)
    }
    /// Returns all members in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> + Clone {
        self.map.keys()
    }
    /// Returns the members in a range, in order.
    pub fn range<'a, R: RangeBounds<T> + 'a>(&'a self, range: R) -> impl Iterator<Item = &'a T> {
        self.map.range(range).map(|(t, ())| t)
    }
}

impl<T: Ord + Clone> OrdSet<T> {
    /// Inserts a value. Returns `false` if it was a member already.
    pub fn insert(&mut self, member: T) -> bool {
        self.map.insert(member, ()).is_none()
    }
    /// Removes a value. Returns `false` if it was not a member.
    pub fn remove<Q: Ord + ?Sized>(&mut self, member: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.map.remove(member).is_some()
    }
}

impl<T> Default for OrdSet<T> {
    fn default() -> Self {
        OrdSet::new()
    }
}

impl<T: Ord + Clone> FromIterator<T> for OrdSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(members: I) -> Self {
        OrdSet { map: members.into_iter().map(|t| (t, ())).collect() }
    }
}

impl<T: Ord> PartialEq for OrdSet<T> {
    fn eq(&self, other: &Self) -> bool {
        self.map == other.map
    }
}

impl<T: Ord + fmt::Debug> fmt::Debug for OrdSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
