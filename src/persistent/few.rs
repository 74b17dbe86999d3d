//! An ordered map for few entries, or for a short while: one sorted list, of which a copy copies all. Its machine code is a third of the tree's.

use std::borrow::Borrow;
use std::fmt;
use std::mem;

/// A map in the order of its keys, for few entries.
#[derive(Clone, PartialEq)]
pub struct FewMap<K, V>(Vec<(K, V)>);

impl<K, V> FewMap<K, V> {
    /// An empty map.
    pub const fn new() -> Self {
        FewMap(Vec::new())
    }
    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }
    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// All entries in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> {
        self.0.iter().map(|(key, value)| (key, value))
    }
    /// All keys in order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.iter().map(|(key, _)| key)
    }
    /// All values in the order of their keys.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }
    /// All values in the order of their keys, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.0.iter_mut().map(|(_, value)| value)
    }
    /// Keeps only some of the entries.
    pub fn retain(&mut self, keep: impl Fn(&K, &V) -> bool) {
        self.0.retain(|(key, value)| keep(key, value));
    }
}

impl<K: Ord, V> FewMap<K, V> {
    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.0.binary_search_by(|(k, _)| k.borrow().cmp(key))
    }
    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.0.get(self.place(key).ok()?).map(|(_, value)| value)
    }
    /// Whether a key is there.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place(key).is_ok()
    }
    /// The value of a key, to be changed.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let i = self.place(key).ok()?;
        self.0.get_mut(i).map(|(_, value)| value)
    }
    /// The value of a key, which is this one if there was none.
    pub fn get_or(&mut self, key: K, value: V) -> &mut V {
        let i = match self.place(&key) {
            Ok(i) => i,
            Err(i) => {
                self.0.insert(i, (key, value));
                i
            }
        };
        &mut self.0[i].1
    }
    /// Gives a key a value; the answer is the value it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.place(&key) {
            Ok(i) => Some(mem::replace(&mut self.0[i].1, value)),
            Err(i) => {
                self.0.insert(i, (key, value));
                None
            }
        }
    }
    /// Removes a key; the answer is the value it had.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        Some(self.0.remove(self.place(key).ok()?).1)
    }
}

impl<K, V> Default for FewMap<K, V> {
    fn default() -> Self {
        FewMap::new()
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for FewMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = FewMap::new();
        entries.into_iter().for_each(|(key, value)| drop(map.insert(key, value)));
        map
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for FewMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
