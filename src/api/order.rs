//! Sorts slices of any type by one instance of std's stable sort.
//!
//! std's sort is compiled again for every type and every comparison. With more than a hundred of them it was a thirteenth of the page's code, 440 kB before
//! compression. Here the indexes of the items are sorted, by a comparison that is called through a pointer, and the items are then moved to their places.
//! Sorts of numbers and those on the engine's hot paths call std's directly.

use std::cmp::Ordering;

/// Stable sorting. Each method has a name like the method of slices that it replaces.
pub trait Order<T> {
    /// Sorts as `slice::sort` does.
    fn order(&mut self)
    where
        T: Ord;
    /// Sorts as `slice::sort_by` does.
    fn order_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);
    /// Sorts as `slice::sort_by_key` does.
    fn order_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
    /// Sorts as `slice::sort_by_cached_key` does.
    fn order_by_cached_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
}

impl<T> Order<T> for [T] {
    fn order(&mut self)
    where
        T: Ord,
    {
        self.order_by(T::cmp);
    }
    fn order_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let sources = sorted_indexes(self.len(), &mut |a, b| compare(&self[a], &self[b]));
        arrange(self, sources);
    }
    fn order_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.order_by(|a, b| key(a).cmp(&key(b)));
    }
    fn order_by_cached_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K) {
        let keys: Vec<K> = self.iter().map(key).collect();
        let sources = sorted_indexes(self.len(), &mut |a, b| keys[a].cmp(&keys[b]));
        arrange(self, sources);
    }
}

/// Returns the numbers below `len` in the order of the items that have them as their indexes.
fn sorted_indexes(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut indexes: Vec<usize> = (0..len).collect();
    indexes.sort_by(|a, b| compare(*a, *b));
    indexes
}

/// Moves items to their places: the item at `sources[i]` goes to `i`.
fn arrange<T>(items: &mut [T], mut sources: Vec<usize>) {
    for start in 0..sources.len() {
        // Walks one cycle of the permutation: each swap brings one item to its place.
        let mut place = start;
        while sources[place] != start {
            let source = sources[place];
            items.swap(place, source);
            sources[place] = place;
            place = source;
        }
        sources[place] = place;
    }
}

#[cfg(test)]
mod tests {
    use super::Order;
    use crate::api::random::Rng;

    #[test]
    fn items_are_ordered_as_by_std_and_equal_ones_stay_in_their_order() {
        let mut rng = Rng::new(3, 1);
        for len in 0..200_u64 {
            let items: Vec<(u64, u64)> = (0..len).map(|place| (rng.below(1 + len / 3), place)).collect();
            let (mut own, mut cached, mut std) = (items.clone(), items.clone(), items);
            own.order_by_key(|item| item.0);
            cached.order_by_cached_key(|item| item.0);
            std.sort_by_key(|item| item.0);
            assert_eq!((&own, &cached), (&std, &std));
        }
    }
}
