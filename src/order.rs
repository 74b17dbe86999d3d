//! Sorting with little machine code. The standard library's sorts are made for long lists, and each type of item and each comparison gets some
//! kilobytes of its own. Here one merge sort arranges positions; what is left for each type is to swap items.
//!
//! All sorts are stable. Where long lists are sorted often, the standard library's are still right.

use std::cmp::Ordering;

/// Sorts by the items' own order.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// Sorts by a key.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts by a comparison.
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let swaps = swaps(items.len(), &|a, b| compare(&items[a as usize], &items[b as usize]).is_gt());
    for (a, b) in swaps {
        items.swap(a as usize, b as usize);
    }
}

/// Which swaps, one after the other, bring items into order. Items are named by their first positions.
fn swaps(count: usize, above: &dyn Fn(u32, u32) -> bool) -> Vec<(u32, u32)> {
    let end = count as u32;
    if (1..end).all(|i| !above(i - 1, i)) {
        return Vec::new();
    }
    let mut order: Vec<u32> = (0..end).collect();
    let mut width = 1;
    while width < count {
        let mut merged = Vec::with_capacity(count);
        for pair in order.chunks(2 * width) {
            let (mut low, mut high) = pair.split_at(width.min(pair.len()));
            while let ([a, low_rest @ ..], [b, high_rest @ ..]) = (low, high) {
                if above(*a, *b) {
                    merged.push(*b);
                    high = high_rest;
                } else {
                    merged.push(*a);
                    low = low_rest;
                }
            }
            merged.extend_from_slice(low);
            merged.extend_from_slice(high);
        }
        order = merged;
        width *= 2;
    }
    in_place(&order)
}

/// The swaps that bring each item of an order to its place, following the circles in which they stand in each other's way.
fn in_place(order: &[u32]) -> Vec<(u32, u32)> {
    let mut place = vec![0; order.len()];
    (0..).zip(order).for_each(|(to, from)| place[*from as usize] = to);
    let mut swaps = Vec::new();
    for i in 0..order.len() {
        while place[i] as usize != i {
            let to = place[i];
            swaps.push((i as u32, to));
            place.swap(i, to as usize);
        }
    }
    swaps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_into_order_and_equal_ones_stay_as_they_were() {
        let mut state = 1u64;
        for count in [0, 1, 2, 3, 7, 8, 9, 100, 1000] {
            let mut items: Vec<(u64, usize)> = (0..count)
                .map(|i| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    ((state >> 33) % 50, i)
                })
                .collect();
            let mut model = items.clone();
            model.sort_by_key(|(key, _)| *key);
            sort_by_key(&mut items, |(key, _)| *key);
            assert_eq!(items, model);
            sort_by(&mut items, |a, b| b.cmp(a));
            model.sort_by(|a, b| b.cmp(a));
            assert_eq!(items, model);
            sort(&mut items);
            assert!(items.is_sorted());
        }
    }
}
