//! The search tree under all persistent collections: entries in sorted blocks (leaves), blocks of pointers to them above (branches).
//!
//! Simplification against a textbook B-tree: a block that becomes small joins a neighbour if both fit into one, and otherwise stays small until it is empty.

use std::borrow::Borrow;
use std::mem;
use std::ops::Bound;
use std::sync::Arc;

/// Entries sorted by key. The tree does not keep their number.
#[derive(Clone)]
pub(super) struct Tree<K, V> {
    /// The topmost block; `None` if there are no entries.
    root: Option<Arc<Node<K, V>>>,
}

/// A block of the tree. It is never empty, except while it is being changed.
enum Node<K, V> {
    Leaf(Vec<(K, V)>),
    /// The children, each with a key that is not greater than any key in the child, and greater than all keys in the child before it. The first child's key
    /// is ignored.
    Branch(Vec<(K, Arc<Node<K, V>>)>),
}

/// The greatest number of entries in a leaf, and of children in a branch.
const MAX_LEN: usize = 32;
/// The capacity for further entries that the copy of a leaf gets.
const SPARE: usize = 2;
/// The length at which a shrinking block tries to join a neighbour.
const JOIN_AT: usize = MAX_LEN / 4;
/// The greatest length of two joined blocks. It is less than `MAX_LEN`, so that the next insertion does not split the block again.
const MAX_JOINED: usize = MAX_LEN * 3 / 4;

impl<K, V> Tree<K, V> {
    pub(super) const fn new() -> Self {
        Tree { root: None }
    }
    pub(super) fn is_empty(&self) -> bool {
        self.root.is_none()
    }
    /// Returns all entries in the order of their keys.
    pub(super) fn iter(&self) -> Iter<'_, K, V> {
        let root = self.root.as_deref();
        Iter { root, leaf: root.map_or(&[], Node::first_leaf), at: 0 }
    }
}

impl<K: Ord, V> Tree<K, V> {
    pub(super) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let leaf = self.root.as_deref()?.leaf_of(key);
        leaf.get(search(leaf, key).ok()?).map(|(_, value)| value)
    }
    /// Returns the entries in the order of their keys, beginning at a bound.
    pub(super) fn iter_from(&self, from: Bound<&K>) -> Iter<'_, K, V> {
        let (Bound::Included(key) | Bound::Excluded(key), Some(root)) = (from, self.root.as_deref()) else { return self.iter() };
        let leaf = root.leaf_of(key);
        let at = match search(leaf, key) {
            Ok(i) => i + usize::from(matches!(from, Bound::Excluded(_))),
            Err(i) => i,
        };
        Iter { root: Some(root), leaf, at }
    }
}

impl<K: Ord + Clone, V: Clone> Tree<K, V> {
    pub(super) fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let leaf = leaf_mut(self.root.as_mut()?, key);
        let i = search(leaf, key).ok()?;
        Some(&mut leaf[i].1)
    }
    /// Inserts an entry and returns the value that the key had before, if any.
    pub(super) fn insert(&mut self, key: K, value: V) -> Option<V> {
        loop {
            let root = self.root.get_or_insert_with(|| Arc::new(Node::Leaf(Vec::new())));
            let leaf = leaf_mut(root, &key);
            match search(leaf, &key) {
                Ok(i) => return Some(mem::replace(&mut leaf[i].1, value)),
                Err(i) if leaf.len() < MAX_LEN => {
                    leaf.insert(i, (key, value));
                    return None;
                }
                Err(_) => {}
            }
            if let Some(upper) = split(root, &key) {
                let lower = (key.clone(), root.clone());
                *root = Arc::new(Node::Branch(vec![lower, upper]));
            }
        }
    }
    /// Removes an entry by its key and returns its value, if there was one.
    pub(super) fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let root = self.root.as_mut()?;
        let leaf = leaf_mut(root, key);
        let (_, taken) = leaf.remove(search(leaf, key).ok()?);
        if matches!(leaf.len(), 0 | JOIN_AT) {
            rebalance(root, key);
            self.lower_root();
        }
        Some(taken)
    }
    /// Removes and returns the first entry.
    pub(super) fn pop_first(&mut self) -> Option<(K, V)> {
        let root = self.root.as_mut()?;
        let mut node = &mut *root;
        let leaf = loop {
            match Arc::make_mut(node) {
                Node::Leaf(entries) => break entries,
                Node::Branch(children) => node = &mut children.first_mut()?.1,
            }
        };
        let first = leaf.remove(0);
        if matches!(leaf.len(), 0 | JOIN_AT) {
            rebalance(root, &first.0);
            self.lower_root();
        }
        Some(first)
    }
    /// Removes all entries before a key.
    pub(super) fn remove_before(&mut self, key: &K) {
        if let Some(root) = &mut self.root {
            Arc::make_mut(root).remove_before(key);
            self.lower_root();
        }
    }
    /// Replaces a root branch with one child by that child, and an empty root by none.
    fn lower_root(&mut self) {
        while let Some(root) = &self.root {
            self.root = match &**root {
                Node::Branch(children) if children.len() <= 1 => children.first().map(|(_, child)| child.clone()),
                Node::Leaf(entries) if entries.is_empty() => None,
                _ => return,
            };
        }
    }
}

impl<K: Clone, V: Clone> Clone for Node<K, V> {
    fn clone(&self) -> Self {
        match self {
            // A copied leaf usually gets another entry next, for which an exact copy would have to grow.
            Node::Leaf(entries) => {
                let mut copy = Vec::with_capacity((entries.len() + SPARE).min(MAX_LEN));
                copy.extend_from_slice(entries);
                Node::Leaf(copy)
            }
            Node::Branch(children) => Node::Branch(children.clone()),
        }
    }
}

impl<K, V> Node<K, V> {
    fn len(&self) -> usize {
        match self {
            Node::Leaf(entries) => entries.len(),
            Node::Branch(children) => children.len(),
        }
    }
    fn first_leaf(&self) -> &[(K, V)] {
        let mut node = self;
        loop {
            match node {
                Node::Leaf(entries) => return entries,
                Node::Branch(children) => node = &children[0].1,
            }
        }
    }
}

impl<K: Ord, V> Node<K, V> {
    /// Returns the leaf that contains a key, or would contain it.
    fn leaf_of<Q: Ord + ?Sized>(&self, key: &Q) -> &[(K, V)]
    where
        K: Borrow<Q>,
    {
        let mut node = self;
        loop {
            match node {
                Node::Leaf(entries) => return entries,
                Node::Branch(children) => {
                    let children = children.as_slice();
                    node = &children[child_of(children, key)].1;
                }
            }
        }
    }
    /// Returns the leaf after the one that contains a key, or would contain it.
    fn leaf_after(&self, key: &K) -> Option<&[(K, V)]> {
        let (mut node, mut next) = (self, None);
        while let Node::Branch(children) = node {
            let i = child_of(children, key);
            next = children.get(i + 1).or(next);
            node = &children[i].1;
        }
        next.map(|(_, node)| node.first_leaf())
    }
}

impl<K: Ord + Clone, V: Clone> Node<K, V> {
    fn remove_before(&mut self, key: &K) {
        match self {
            Node::Leaf(entries) => {
                let (Ok(i) | Err(i)) = search(entries, key);
                entries.drain(..i);
            }
            Node::Branch(children) => {
                children.drain(..child_of(children, key));
                let first = Arc::make_mut(&mut children[0].1);
                first.remove_before(key);
                if first.len() == 0 {
                    children.remove(0);
                }
            }
        }
    }
}

/// Returns the leaf that contains a key, or would contain it, for writing. Copies the shared blocks on the way to it.
fn leaf_mut<'a, K: Ord + Clone + Borrow<Q>, V: Clone, Q: Ord + ?Sized>(root: &'a mut Arc<Node<K, V>>, key: &Q) -> &'a mut Vec<(K, V)> {
    let mut node = root;
    loop {
        match Arc::make_mut(node) {
            Node::Leaf(entries) => return entries,
            Node::Branch(children) => {
                // As a slice, because indexing a vector is a function call where code is optimised for size.
                let children = children.as_mut_slice();
                node = &mut children[child_of(children, key)].1;
            }
        }
    }
}

/// Makes room for a key: splits the key's leaf, and the branches above it that become full. Returns the upper half of the block, with its key, if the block
/// itself was split. A leaf that grows at its end is split near its end, so that ascending insertions leave full leaves.
fn split<K: Ord + Clone, V: Clone>(node: &mut Arc<Node<K, V>>, key: &K) -> Option<(K, Arc<Node<K, V>>)> {
    let upper = match Arc::make_mut(node) {
        Node::Leaf(entries) => {
            let grows = entries.last().is_some_and(|(last, _)| last < key);
            Node::Leaf(entries.split_off(if grows { MAX_LEN - 1 } else { MAX_LEN / 2 }))
        }
        Node::Branch(children) => {
            let i = child_of(children, key);
            let upper = split(&mut children[i].1, key)?;
            children.insert(i + 1, upper);
            if children.len() < MAX_LEN {
                return None;
            }
            Node::Branch(children.split_off(if i + 2 == MAX_LEN { MAX_LEN - 1 } else { MAX_LEN / 2 }))
        }
    };
    let first = match &upper {
        Node::Leaf(entries) => entries.first()?.0.clone(),
        Node::Branch(children) => children.first()?.0.clone(),
    };
    Some((first, Arc::new(upper)))
}

/// Removes empty blocks and joins small ones on the way to a key that was removed. Returns the new length of the block.
fn rebalance<K: Ord + Clone + Borrow<Q>, V: Clone, Q: Ord + ?Sized>(node: &mut Arc<Node<K, V>>, key: &Q) -> usize {
    match Arc::make_mut(node) {
        Node::Leaf(entries) => entries.len(),
        Node::Branch(children) => {
            let i = child_of(children, key);
            let len = rebalance(&mut children[i].1, key);
            if len == 0 {
                children.remove(i);
            } else if len <= JOIN_AT {
                join(children, i.saturating_sub(1));
            }
            children.len()
        }
    }
}

/// Joins the child with the index `lower` and the one after it, if both fit into one block.
fn join<K: Clone, V: Clone>(children: &mut Vec<(K, Arc<Node<K, V>>)>, lower: usize) {
    if children.get(lower + 1).is_none_or(|(_, upper)| upper.len() + children[lower].1.len() > MAX_JOINED) {
        return;
    }
    let (_, mut upper) = children.remove(lower + 1);
    match (Arc::make_mut(&mut children[lower].1), Arc::make_mut(&mut upper)) {
        (Node::Leaf(lower), Node::Leaf(upper)) => lower.append(upper),
        (Node::Branch(lower), Node::Branch(upper)) => lower.append(upper),
        _ => unreachable!("all leaves are equally deep"),
    }
}

/// Returns the index of a key in a block, or as an error the index at which it would be inserted.
fn search<K: Borrow<Q>, T, Q: Ord + ?Sized>(block: &[(K, T)], key: &Q) -> Result<usize, usize> {
    block.binary_search_by(|(k, _)| k.borrow().cmp(key))
}

/// Returns the index of the child that contains a key, or would contain it.
fn child_of<K: Borrow<Q>, T, Q: Ord + ?Sized>(children: &[(K, T)], key: &Q) -> usize {
    match search(children, key) {
        Ok(i) => i,
        Err(i) => i.saturating_sub(1),
    }
}

/// An iterator over entries in order. At the end of a leaf, it searches the next one from the root.
pub struct Iter<'a, K, V> {
    root: Option<&'a Node<K, V>>,
    leaf: &'a [(K, V)],
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
        if self.at >= self.leaf.len() {
            self.leaf = self.root?.leaf_after(&self.leaf.last()?.0)?;
            self.at = 0;
        }
        self.at += 1;
        self.leaf.get(self.at - 1).map(|(key, value)| (key, value))
    }
}
