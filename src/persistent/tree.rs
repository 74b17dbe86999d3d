//! The search tree under all persistent collections: entries in sorted blocks (leaves), blocks of pointers to them above (branches).
//!
//! Each pair of key and value types gets its own machine code, so keys and values are kept apart: what is done to a row of keys, of values or of children
//! is then the same code in many trees. Changes split and join blocks on the way down, which needs no way back up.
//!
//! Where it simplifies: blocks that have become small join a neighbour when someone next removes something there and both fit into one.

use std::borrow::Borrow;
use std::mem;
use std::ops::Bound;
use std::sync::Arc;

/// Entries by key. It does not count them.
#[derive(Clone)]
pub(super) struct Tree<K, V> {
    /// `None` if there is no entry.
    root: Option<Arc<Node<K, V>>>,
}

/// A block with at least one key.
#[derive(Clone)]
struct Node<K, V> {
    /// In a branch, a key is not above any of its child's, and above all of the child before. A branch's first key does not matter.
    keys: Vec<K>,
    under: Under<K, V>,
}

/// What is under the keys.
#[derive(Clone)]
enum Under<K, V> {
    Values(Vec<V>),
    Children(Vec<Arc<Node<K, V>>>),
}

/// A block with so many keys is split before one is added.
const MOST: usize = 32;
/// A block with fewer joins a neighbour if it can.
const FEW: usize = MOST / 4;
/// Two blocks with at most so many keys together become one. Less than what fits, so that the next insertion does not split it again.
const JOINED: usize = MOST * 3 / 4;

impl<K, V> Tree<K, V> {
    pub(super) const fn new() -> Self {
        Tree { root: None }
    }
    pub(super) fn is_empty(&self) -> bool {
        self.root.is_none()
    }
    /// All entries in order.
    pub(super) fn iter(&self) -> Iter<'_, K, V> {
        let root = self.root.as_deref();
        Iter { root, leaf: root.map(Node::first_leaf), at: 0 }
    }
}

impl<K: Ord, V> Tree<K, V> {
    pub(super) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let leaf = self.root.as_deref()?.leaf_of(key);
        let i = place(&leaf.keys, key).ok()?;
        leaf.entry(i).map(|(_, value)| value)
    }
    /// Entries in order from a key on.
    pub(super) fn iter_from(&self, from: Bound<&K>) -> Iter<'_, K, V> {
        let (Bound::Included(key) | Bound::Excluded(key), Some(root)) = (from, self.root.as_deref()) else { return self.iter() };
        let leaf = root.leaf_of(key);
        let at = match place(&leaf.keys, key) {
            Ok(i) => i + usize::from(matches!(from, Bound::Excluded(_))),
            Err(i) => i,
        };
        Iter { root: Some(root), leaf: Some(leaf), at }
    }
}

impl<K: Ord + Clone, V: Clone> Tree<K, V> {
    pub(super) fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let mut node = own(self.root.as_mut()?);
        loop {
            match &mut node.under {
                Under::Values(values) => return values.get_mut(place(&node.keys, key).ok()?),
                Under::Children(children) => node = own(&mut children[child_of(&node.keys, key)]),
            }
        }
    }
    /// Puts an entry, and gives the value that was there.
    pub(super) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let Some(root) = &mut self.root else {
            self.root = Some(Arc::new(Node { keys: vec![key], under: Under::Values(vec![value]) }));
            return None;
        };
        if root.keys.len() >= MOST {
            *root = Arc::new(Node { keys: vec![key.clone()], under: Under::Children(vec![root.clone()]) });
        }
        let mut node = own(root);
        loop {
            let at = place(&node.keys, &key);
            match (&mut node.under, at) {
                (Under::Values(values), Ok(i)) => return Some(mem::replace(&mut values[i], value)),
                (Under::Values(values), Err(i)) => {
                    node.keys.insert(i, key);
                    values.insert(i, value);
                    return None;
                }
                (Under::Children(children), at) => {
                    let mut i = before(at);
                    if children[i].keys.len() >= MOST {
                        let upper = own(&mut children[i]).split(&key);
                        i += 1;
                        node.keys.insert(i, upper.keys[0].clone());
                        children.insert(i, Arc::new(upper));
                        i -= usize::from(key < node.keys[i]);
                    }
                    node = own(&mut children[i]);
                }
            }
        }
    }
    /// Takes an entry out.
    pub(super) fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let mut node = own(self.root.as_mut()?);
        let value = loop {
            let mut i = child_of(&node.keys, key);
            if node.join(i) {
                i = child_of(&node.keys, key);
            }
            match &mut node.under {
                Under::Children(children) => node = own(&mut children[i]),
                Under::Values(values) => {
                    let i = place(&node.keys, key).ok()?;
                    node.keys.remove(i);
                    break values.remove(i);
                }
            }
        };
        self.lower_root();
        Some(value)
    }
    /// Drops all entries before a key that is there.
    pub(super) fn remove_before(&mut self, key: &K) {
        if let Some(root) = &mut self.root {
            own(root).remove_before(key);
            self.lower_root();
        }
    }
    /// A branch with one child stands for that child, and an empty block for nothing.
    fn lower_root(&mut self) {
        while let Some(root) = &self.root
            && root.keys.len() <= 1
        {
            match &root.under {
                Under::Children(children) => self.root = children.first().cloned(),
                Under::Values(values) if values.is_empty() => self.root = None,
                _ => return,
            }
        }
    }
}

impl<K, V> Node<K, V> {
    fn first_leaf(&self) -> &Self {
        let mut node = self;
        while let Under::Children(children) = &node.under {
            node = &children[0];
        }
        node
    }
    /// An entry of a leaf.
    fn entry(&self, i: usize) -> Option<(&K, &V)> {
        match &self.under {
            Under::Values(values) => self.keys.get(i).zip(values.get(i)),
            Under::Children(_) => None,
        }
    }
}

impl<K: Ord, V> Node<K, V> {
    /// The leaf where a key is, or would be put.
    fn leaf_of<Q: Ord + ?Sized>(&self, key: &Q) -> &Self
    where
        K: Borrow<Q>,
    {
        let mut node = self;
        while let Under::Children(children) = &node.under {
            node = &children[child_of(&node.keys, key)];
        }
        node
    }
    /// The leaf after the one where a key is.
    fn leaf_after(&self, key: &K) -> Option<&Self> {
        let (mut node, mut next) = (self, None);
        while let Under::Children(children) = &node.under {
            let i = child_of(&node.keys, key);
            next = children.get(i + 1).or(next);
            node = &children[i];
        }
        next.map(|node| node.first_leaf())
    }
}

impl<K: Ord + Clone, V: Clone> Node<K, V> {
    /// Gives away the upper half. If the key to be added is above all, it is only the last: keys that only grow then fill their blocks.
    fn split(&mut self, key: &K) -> Self {
        let grows = self.keys.last().is_some_and(|last| last < key);
        let cut = if grows { self.keys.len() - 1 } else { self.keys.len() / 2 };
        let under = match &mut self.under {
            Under::Values(values) => Under::Values(values.split_off(cut)),
            Under::Children(children) => Under::Children(children.split_off(cut)),
        };
        Node { keys: self.keys.split_off(cut), under }
    }
    /// If a child is small, joins it with a neighbour. No child has a single key after this, unless it has no neighbour.
    fn join(&mut self, i: usize) -> bool {
        let Under::Children(children) = &mut self.under else { return false };
        let size = children[i].keys.len();
        if size >= FEW || children.len() < 2 {
            return false;
        }
        let i = i.saturating_sub(1);
        if size > 1 && children[i].keys.len() + children[i + 1].keys.len() > JOINED {
            return false;
        }
        self.keys.remove(i + 1);
        let upper = Arc::unwrap_or_clone(children.remove(i + 1));
        let lower = own(&mut children[i]);
        lower.keys.extend(upper.keys);
        match (&mut lower.under, upper.under) {
            (Under::Values(lower), Under::Values(upper)) => lower.extend(upper),
            (Under::Children(lower), Under::Children(upper)) => lower.extend(upper),
            _ => unreachable!("all leaves are equally deep"),
        }
        true
    }
    /// Drops all entries before a key that is there.
    fn remove_before(&mut self, key: &K) {
        match &mut self.under {
            Under::Values(values) => {
                let (Ok(i) | Err(i)) = place(&self.keys, key);
                self.keys.drain(..i);
                values.drain(..i);
            }
            Under::Children(children) => {
                let i = child_of(&self.keys, key);
                self.keys.drain(..i);
                children.drain(..i);
                own(&mut children[0]).remove_before(key);
            }
        }
    }
}

/// A block that is no one else's: itself or a copy. `Arc::make_mut` in fewer words of machine code, for no one holds weak pointers here.
fn own<T: Clone>(block: &mut Arc<T>) -> &mut T {
    if Arc::get_mut(block).is_none() {
        *block = Arc::new(T::clone(block));
    }
    Arc::get_mut(block).expect("it was no one else's or has just been made")
}

/// Where a key is in a row, or would be put.
fn place<K: Borrow<Q>, Q: Ord + ?Sized>(keys: &[K], key: &Q) -> Result<usize, usize> {
    keys.binary_search_by(|k| k.borrow().cmp(key))
}

/// Which child has a key, or would get it.
fn child_of<K: Borrow<Q>, Q: Ord + ?Sized>(keys: &[K], key: &Q) -> usize {
    before(place(keys, key))
}

fn before(place: Result<usize, usize>) -> usize {
    place.unwrap_or_else(|i| i.saturating_sub(1))
}

/// Entries in order. From leaf to leaf it finds its way from the root.
pub struct Iter<'a, K, V> {
    root: Option<&'a Node<K, V>>,
    leaf: Option<&'a Node<K, V>>,
    at: usize,
}

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Iter { root: self.root, leaf: self.leaf, at: self.at }
    }
}

impl<'a, K: Ord, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);
    fn next(&mut self) -> Option<Self::Item> {
        let mut leaf = self.leaf?;
        if self.at >= leaf.keys.len() {
            leaf = self.root?.leaf_after(leaf.keys.last()?)?;
            (self.leaf, self.at) = (Some(leaf), 0);
        }
        self.at += 1;
        leaf.entry(self.at - 1)
    }
}
