//! Compares the persistent collections with those of the standard library over long random runs. Copies made during a run must not change.

use super::{OrdMap, OrdSet, Vector};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::RangeBounds;

/// A linear congruential generator of random numbers, so that a run is the same each time.
struct Rng(u64);

impl Rng {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

fn same<R: RangeBounds<u64> + Clone>(map: &OrdMap<u64, u64>, model: &BTreeMap<u64, u64>, range: R) {
    assert!(map.range(range.clone()).eq(model.range(range)));
}

#[test]
fn a_map_behaves_like_btreemap_and_its_copies_do_not_change() {
    // With few keys the tree often becomes empty, with many it becomes deep.
    for (seed, keys, steps) in [(1, 20, 3_000), (2, 400, 20_000), (3, 20_000, 120_000)] {
        let (mut rng, mut map, mut model) = (Rng(seed), OrdMap::new(), BTreeMap::new());
        let mut copies: Vec<(OrdMap<u64, u64>, BTreeMap<u64, u64>)> = Vec::new();
        for step in 0..steps {
            let (key, removing) = (rng.below(keys), rng.below(10) < if step / (steps / 6) % 2 == 0 { 2 } else { 8 });
            if removing && key % 5 == 0 {
                assert_eq!(map.pop_first(), model.pop_first());
            } else if removing {
                assert_eq!(map.remove(&key), model.remove(&key));
            } else if key % 3 == 0 {
                *map.entry(key).or_default() += 1;
                *model.entry(key).or_default() += 1;
            } else if key % 3 == 1 && model.contains_key(&key) {
                map.get_mut(&key).into_iter().for_each(|v| *v += 7);
                model.get_mut(&key).into_iter().for_each(|v| *v += 7);
            } else {
                assert_eq!(map.insert(key, step), model.insert(key, step));
            }
            assert_eq!((map.len(), map.get(&key)), (model.len(), model.get(&key)));
            if step % (steps / 12) == 0 {
                copies.push((map.clone(), model.clone()));
            }
        }
        copies.push((map, model));
        for (map, model) in &copies {
            assert!(map.iter().eq(model.iter()) && map.keys().eq(model.keys()) && map.values().eq(model.values()));
            assert_eq!(map.get_min(), model.first_key_value());
            assert_eq!(map, &model.iter().map(|(k, v)| (*k, *v)).collect());
            for _ in 0..50 {
                let (from, to) = (rng.below(keys), rng.below(keys));
                same(map, model, from..);
                same(map, model, ..to);
                same(map, model, from.min(to)..=from.max(to));
                same(map, model, from.min(to)..from.max(to));
            }
        }
    }
}

#[test]
fn ascending_and_descending_insertions_keep_all_entries() {
    let up: OrdMap<u64, u64> = (0..10_000).map(|i| (i, i)).collect();
    let down: OrdMap<u64, u64> = (0..10_000).rev().map(|i| (i, i)).collect();
    assert_eq!(up, down);
    assert!(up.keys().copied().eq(0..10_000));
}

#[test]
fn a_set_behaves_like_btreeset() {
    let (mut rng, mut set, mut model) = (Rng(5), OrdSet::new(), BTreeSet::new());
    for _ in 0..20_000 {
        let member = (rng.below(40), rng.below(40).to_string());
        match rng.below(2) {
            0 => assert_eq!(set.insert(member.clone()), model.insert(member)),
            _ => assert_eq!(set.remove(&member), model.remove(&member)),
        }
        assert_eq!((set.len(), set.get_min()), (model.len(), model.first()));
    }
    assert!(set.iter().eq(model.iter()));
    assert_eq!(set, model.into_iter().collect());
}

#[test]
fn a_sequence_behaves_like_vecdeque_and_its_copies_do_not_change() {
    let (mut rng, mut sequence, mut model) = (Rng(9), Vector::new(), VecDeque::new());
    let mut copies: Vec<(Vector<u64>, VecDeque<u64>)> = Vec::new();
    for step in 0..50_000 {
        match rng.below(if step / 10_000 % 2 == 0 { 6 } else { 3 }) {
            0 => assert_eq!(sequence.pop_front(), model.pop_front()),
            1 => assert_eq!(sequence.pop_back(), model.pop_back()),
            2 if rng.below(500) == 0 => {
                let count = rng.below(300) as usize;
                sequence.drop_front(count);
                model.drain(..count.min(model.len()));
            }
            2 => {
                let at = rng.below(100) as usize;
                assert_eq!(sequence.get(at), model.get(at));
                sequence.get_mut(at).into_iter().for_each(|v| *v += 1);
                model.get_mut(at).into_iter().for_each(|v| *v += 1);
            }
            _ => {
                sequence.push_back(step);
                model.push_back(step);
            }
        }
        assert_eq!((sequence.len(), sequence.is_empty()), (model.len(), model.is_empty()));
        assert_eq!((sequence.head(), sequence.last()), (model.front(), model.back()));
        if step % 4_000 == 0 {
            copies.push((sequence.clone(), model.clone()));
        }
    }
    copies.push((sequence, model));
    for (sequence, model) in &copies {
        assert!(sequence.iter().eq(model));
        let from = rng.below(1 + model.len() as u64) as usize;
        assert!(sequence.iter_from(from).eq(model.range(from..)));
    }
}
