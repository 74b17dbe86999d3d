//! Maps and sets whose entries lie in one sorted vector: small ones, and those that are built in the order of their keys.
//!
//! std's `BTreeMap` is compiled again for every pair of types, with all that balances its nodes; with thirty of them it was 20 kB of the page after
//! compression. Insertion in the middle moves what comes after, so maps that are large and grow anywhere are an `OrdMap`. Its methods are named after std's.

use super::order::Order;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Borrow;
use std::fmt::Formatter;
use std::marker::PhantomData;

/// A map whose entries lie in a vector, ordered by their keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortedMap<K, V> {
    entries: Vec<(K, V)>,
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        SortedMap::new()
    }
}

impl<K, V> SortedMap<K, V> {
    /// Returns an empty map.
    pub const fn new() -> Self {
        SortedMap { entries: Vec::new() }
    }
    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }
    /// Returns true if there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
    /// Returns the entries in the order of their keys.
    pub fn iter<'a>(&'a self) -> Iter<'a, K, V> {
        let pair: fn(&'a (K, V)) -> (&'a K, &'a V) = |(key, value)| (key, value);
        self.entries.iter().map(pair)
    }
    /// Returns the keys in their order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator {
        self.entries.iter().map(|(key, _)| key)
    }
    /// Returns the values in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator {
        self.entries.iter().map(|(_, value)| value)
    }
    /// Returns the values in the order of their keys, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.iter_mut().map(|(_, value)| value)
    }
    /// Returns the values in the order of their keys.
    pub fn into_values(self) -> impl DoubleEndedIterator<Item = V> + ExactSizeIterator {
        self.entries.into_iter().map(|(_, value)| value)
    }
    /// Removes the entries for which `keeps` is false.
    pub fn retain(&mut self, mut keeps: impl FnMut(&K, &mut V) -> bool) {
        self.entries.retain_mut(|(key, value)| keeps(key, value));
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    /// Returns the place of a key, or the one where it would be.
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.entries.binary_search_by(|(known, _)| known.borrow().cmp(key))
    }
    /// Returns the value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|place| &self.entries[place].1)
    }
    /// Returns the value of a key, to be changed.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|place| &mut self.entries[place].1)
    }
    /// Returns true if the key is there.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }
    /// Sets the value of a key and returns the one before.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(place) => Some(std::mem::replace(&mut self.entries[place].1, value)),
            Err(place) => {
                self.entries.insert(place, (key, value));
                None
            }
        }
    }
    /// Removes a key and returns its value.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|place| self.entries.remove(place).1)
    }
    /// Returns the value of a key, which is made where there is none.
    pub fn or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let place = match self.find(&key) {
            Ok(place) => place,
            Err(place) => {
                self.entries.insert(place, (key, make()));
                place
            }
        };
        &mut self.entries[place].1
    }
    /// Returns the value of a key, which is the default where there is none.
    pub fn or_default(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        self.or_insert_with(key, V::default)
    }
}

/// The entries of a map.
pub type Iter<'a, K, V> = std::iter::Map<std::slice::Iter<'a, (K, V)>, fn(&'a (K, V)) -> (&'a K, &'a V)>;

impl<'a, K, V> IntoIterator for &'a SortedMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;
    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    /// Collects entries. Of several with the same key the last one stays.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut entries: Vec<(K, V)> = entries.into_iter().collect();
        entries.order_by(|(a, _), (b, _)| a.cmp(b));
        entries.dedup_by(|later, earlier| {
            let is_same = later.0 == earlier.0;
            if is_same {
                std::mem::swap(later, earlier);
            }
            is_same
        });
        SortedMap { entries }
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for SortedMap<K, V> {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<K: Ord, V> Extend<(K, V)> for SortedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        entries.into_iter().for_each(|(key, value)| {
            self.insert(key, value);
        });
    }
}

impl<K: Serialize, V: Serialize> Serialize for SortedMap<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

impl<'de, K: Ord + Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for SortedMap<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<K, V>(PhantomData<(K, V)>);
        impl<'de, K: Ord + Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for Entries<K, V> {
            type Value = SortedMap<K, V>;
            fn expecting(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
                f.write_str("a map")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
                let mut map = SortedMap::new();
                while let Some((key, value)) = access.next_entry()? {
                    map.insert(key, value);
                }
                Ok(map)
            }
        }
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

/// A set whose items lie in a sorted vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortedSet<T>(SortedMap<T, ()>);

impl<T> Default for SortedSet<T> {
    fn default() -> Self {
        SortedSet::new()
    }
}

impl<T> SortedSet<T> {
    /// Returns an empty set.
    pub const fn new() -> Self {
        SortedSet(SortedMap::new())
    }
    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.0.len()
    }
    /// Returns true if there are no items.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// Returns the items in their order.
    pub fn iter<'a>(&'a self) -> Items<'a, T> {
        let item: fn(&'a (T, ())) -> &'a T = |(item, ())| item;
        self.0.entries.iter().map(item)
    }
}

impl<T: Ord> SortedSet<T> {
    /// Adds an item. Returns true if it is new.
    pub fn insert(&mut self, item: T) -> bool {
        self.0.insert(item, ()).is_none()
    }
    /// Returns true if the item is there.
    pub fn contains<Q: Ord + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.contains_key(item)
    }
}

/// The items of a set.
pub type Items<'a, T> = std::iter::Map<std::slice::Iter<'a, (T, ())>, fn(&'a (T, ())) -> &'a T>;

impl<'a, T> IntoIterator for &'a SortedSet<T> {
    type Item = &'a T;
    type IntoIter = Items<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> IntoIterator for SortedSet<T> {
    type Item = T;
    type IntoIter = std::iter::Map<std::vec::IntoIter<(T, ())>, fn((T, ())) -> T>;
    fn into_iter(self) -> Self::IntoIter {
        let item: fn((T, ())) -> T = |(item, ())| item;
        self.0.into_iter().map(item)
    }
}

impl<T: Ord> FromIterator<T> for SortedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        SortedSet(items.into_iter().map(|item| (item, ())).collect())
    }
}

impl<T: Ord> Extend<T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|item| {
            self.insert(item);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::random::Rng;
    use std::collections::BTreeMap;

    #[test]
    fn a_sorted_map_behaves_like_btreemap() {
        let (mut rng, mut map, mut model) = (Rng::new(4, 1), SortedMap::new(), BTreeMap::new());
        for value in 0..2_000_u64 {
            let key = rng.below(60);
            match rng.below(5) {
                0 => assert_eq!(map.remove(&key), model.remove(&key)),
                1 => assert_eq!(map.or_default(key), model.entry(key).or_default()),
                2 => assert_eq!(map.get_mut(&key), model.get_mut(&key)),
                3 if rng.below(50) == 0 => {
                    map.retain(|key, _| key % 3 > 0);
                    model.retain(|key, _| key % 3 > 0);
                }
                _ => assert_eq!(map.insert(key, value), model.insert(key, value)),
            }
            assert!(map.iter().eq(model.iter()) && map.len() == model.len());
            assert_eq!((map.get(&key), map.contains_key(&key)), (model.get(&key), model.contains_key(&key)));
        }
    }

    #[test]
    fn of_several_entries_with_the_same_key_the_last_one_is_collected() {
        let entries = [(2, 'a'), (1, 'b'), (2, 'c'), (1, 'd'), (2, 'e')];
        let map: SortedMap<u8, char> = entries.into_iter().collect();
        assert_eq!(map.into_iter().collect::<Vec<_>>(), BTreeMap::from(entries).into_iter().collect::<Vec<_>>());
        let set: SortedSet<u8> = [3, 1, 3, 2].into_iter().collect();
        assert_eq!(set.into_iter().collect::<Vec<_>>(), [1, 2, 3]);
    }
}
