//! A persistent ordered map: copying it copies a pointer.

use super::tree::{Iter, Tree};
use std::borrow::Borrow;
use std::fmt;
use std::ops::{Bound, RangeBounds};

/// A persistent map, sorted by its keys.
#[derive(Clone)]
pub struct OrdMap<K, V> {
    tree: Tree<K, V>,
    len: usize,
}

impl<K, V> OrdMap<K, V> {
    /// Creates an empty map.
    pub const fn new() -> Self {
        OrdMap { tree: Tree::new(), len: 0 }
    }
    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.len
    }
    /// Returns true if there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl<K: Ord, V> OrdMap<K, V> {
    /// Returns the value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.tree.get(key)
    }
    /// Returns true if the map has a key.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.tree.get(key).is_some()
    }
    /// Returns the entry with the least key.
    pub fn get_min(&self) -> Option<(&K, &V)> {
        self.tree.iter().next()
    }
    /// Returns all entries in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> + Clone {
        self.tree.iter()
    }
    /// Returns all keys in order.
    pub fn keys(&self) -> impl Iterator<Item = &K> + Clone {
        self.tree.iter().map(|(k, _)| k)
    }
    /// Returns all values in the order of their keys.
    pub fn values(&self) -> impl Iterator<Item = &V> + Clone {
        self.tree.iter().map(|(_, v)| v)
    }
    /// Returns the entries of a range of keys in order.
    pub fn range<'a, R: RangeBounds<K> + 'a>(&'a self, range: R) -> impl Iterator<Item = (&'a K, &'a V)> {
        self.tree.iter_from(range.start_bound()).take_while(move |(k, _)| match range.end_bound() {
            Bound::Included(end) => *k <= end,
            Bound::Excluded(end) => *k < end,
            Bound::Unbounded => true,
        })
    }
}

impl<K: Ord + Clone, V: Clone> OrdMap<K, V> {
    /// Returns the value of a key for writing.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.tree.get_mut(key)
    }
    /// Inserts an entry and returns the value that the key had before, if any.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let old = self.tree.insert(key, value);
        self.len += usize::from(old.is_none());
        old
    }
    /// Removes an entry by its key and returns its value, if there was one.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let old = self.tree.remove(key)?;
        self.len -= 1;
        Some(old)
    }
    /// Removes and returns the entry with the least key.
    pub fn pop_first(&mut self) -> Option<(K, V)> {
        let first = self.tree.pop_first()?;
        self.len -= 1;
        Some(first)
    }
    /// Keeps the entries for which `keep` returns `true`.
    pub fn retain(&mut self, keep: impl Fn(&K, &V) -> bool) {
        let gone: Vec<K> = self.iter().filter(|(k, v)| !keep(k, v)).map(|(k, _)| k.clone()).collect();
        gone.iter().for_each(|key| drop(self.remove(key)));
    }
    /// Calls `change` on every value.
    pub fn change_all(&mut self, change: impl Fn(&mut V)) {
        let keys: Vec<K> = self.keys().cloned().collect();
        keys.iter().for_each(|key| self.get_mut(key).into_iter().for_each(&change));
    }
    /// Returns the entry of a key, which may be vacant.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        Entry { map: self, key }
    }
}

/// The entry of a key in a map, which may be vacant.
pub struct Entry<'a, K, V> {
    map: &'a mut OrdMap<K, V>,
    key: K,
}

impl<'a, K: Ord + Clone, V: Clone> Entry<'a, K, V> {
    /// Returns the value for writing; inserts `value` first if there is none.
    pub fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }
    /// Returns the value for writing; inserts the result of `value` first if there is none.
    pub fn or_insert_with(self, value: impl FnOnce() -> V) -> &'a mut V {
        if !self.map.contains_key(&self.key) {
            self.map.insert(self.key.clone(), value());
        }
        self.map.get_mut(&self.key).expect("the entry existed or was just inserted")
    }
    /// Returns the value for writing; inserts the default first if there is none.
    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}

impl<K, V> Default for OrdMap<K, V> {
    fn default() -> Self {
        OrdMap::new()
    }
}

impl<K: Ord + Clone, V: Clone> FromIterator<(K, V)> for OrdMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = OrdMap::new();
        entries.into_iter().for_each(|(key, value)| drop(map.insert(key, value)));
        map
    }
}

impl<'a, K: Ord, V> IntoIterator for &'a OrdMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;
    fn into_iter(self) -> Self::IntoIter {
        self.tree.iter()
    }
}

impl<K: Ord + PartialEq, V: PartialEq> PartialEq for OrdMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.tree.iter().eq(other.tree.iter())
    }
}

impl<K: Ord + fmt::Debug, V: fmt::Debug> fmt::Debug for OrdMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
