//! The search tree under all persistent collections: entries in sorted blocks (leaves), blocks of pointers to them above (branches).
//!
//! Where it simplifies: blocks that become small join a neighbour when both fit into one, and are otherwise left as they are until they are empty.

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

/// A block. Only while it is being changed can one be empty.
#[derive(Clone)]
enum Node<K, V> {
    Leaf(Vec<(K, V)>),
    /// Each child is under a key that is not above any of its own, and above all keys of the child before. The first child's key does not matter.
    Branch(Vec<(K, Arc<Node<K, V>>)>),
}

/// The most entries of a leaf, and children of a branch.
const MOST: usize = 32;
/// A block with fewer looks for a neighbour to join.
const FEW: usize = MOST / 4;
/// Two blocks with at most so many together become one. Less than what fits, so that the next insertion does not split it again.
const JOINED: usize = MOST * 3 / 4;

/// What an insertion did.
enum Put<K, V> {
    Replaced(V),
    Added,
    /// Added, and the upper half of the block is now a block of its own.
    Split(K, Arc<Node<K, V>>),
}

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
        Iter { root, leaf: root.map_or(&[], Node::first_leaf), at: 0 }
    }
}

impl<K: Ord, V> Tree<K, V> {
    pub(super) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&(K, V)>
    where
        K: Borrow<Q>,
    {
        let leaf = self.root.as_deref()?.leaf_of(key);
        leaf.get(place(leaf, key).ok()?)
    }
    /// Entries in order from a key on.
    pub(super) fn iter_from(&self, from: Bound<&K>) -> Iter<'_, K, V> {
        let (Bound::Included(key) | Bound::Excluded(key), Some(root)) = (from, self.root.as_deref()) else { return self.iter() };
        let leaf = root.leaf_of(key);
        let at = match place(leaf, key) {
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
        Arc::make_mut(self.root.as_mut()?).get_mut(key)
    }
    /// Puts an entry, and gives the value that was there.
    pub(super) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let Some(root) = &mut self.root else {
            self.root = Some(Arc::new(Node::Leaf(vec![(key, value)])));
            return None;
        };
        match Arc::make_mut(root).put(key, value) {
            Put::Replaced(old) => Some(old),
            Put::Added => None,
            Put::Split(key, upper) => {
                let lower = (key.clone(), root.clone());
                *root = Arc::new(Node::Branch(vec![lower, (key, upper)]));
                None
            }
        }
    }
    /// Takes an entry out.
    pub(super) fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<(K, V)>
    where
        K: Borrow<Q>,
    {
        let taken = Arc::make_mut(self.root.as_mut()?).take(key)?;
        self.lower_root();
        Some(taken)
    }
    /// Drops all entries before a key.
    pub(super) fn remove_before(&mut self, key: &K) {
        if let Some(root) = &mut self.root {
            Arc::make_mut(root).remove_before(key);
            self.lower_root();
        }
    }
    /// A branch with one child stands for that child, and an empty block for nothing.
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
    /// The leaf where a key is, or would be put.
    fn leaf_of<Q: Ord + ?Sized>(&self, key: &Q) -> &[(K, V)]
    where
        K: Borrow<Q>,
    {
        let mut node = self;
        loop {
            match node {
                Node::Leaf(entries) => return entries,
                Node::Branch(children) => node = &children[child_of(children, key)].1,
            }
        }
    }
    /// The leaf after the one where a key is.
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
    fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let mut node = self;
        loop {
            match node {
                Node::Leaf(entries) => {
                    let i = place(entries, key).ok()?;
                    return Some(&mut entries[i].1);
                }
                Node::Branch(children) => {
                    let i = child_of(children, key);
                    node = Arc::make_mut(&mut children[i].1);
                }
            }
        }
    }
    fn put(&mut self, key: K, value: V) -> Put<K, V> {
        match self {
            Node::Leaf(entries) => match place(entries, &key) {
                Ok(i) => Put::Replaced(mem::replace(&mut entries[i].1, value)),
                Err(i) => match add(entries, i, (key, value)) {
                    Some(upper) => Put::Split(upper[0].0.clone(), Arc::new(Node::Leaf(upper))),
                    None => Put::Added,
                },
            },
            Node::Branch(children) => {
                let i = child_of(children, &key);
                match Arc::make_mut(&mut children[i].1).put(key, value) {
                    Put::Split(key, upper) => match add(children, i + 1, (key, upper)) {
                        Some(upper) => Put::Split(upper[0].0.clone(), Arc::new(Node::Branch(upper))),
                        None => Put::Added,
                    },
                    done => done,
                }
            }
        }
    }
    fn take<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<(K, V)>
    where
        K: Borrow<Q>,
    {
        match self {
            Node::Leaf(entries) => place(entries, key).ok().map(|i| entries.remove(i)),
            Node::Branch(children) => {
                let i = child_of(children, key);
                let taken = Arc::make_mut(&mut children[i].1).take(key)?;
                if children[i].1.len() < FEW {
                    join(children, i);
                }
                Some(taken)
            }
        }
    }
    fn remove_before(&mut self, key: &K) {
        match self {
            Node::Leaf(entries) => {
                let (Ok(i) | Err(i)) = place(entries, key);
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

/// Where a key is in a block, or would be put.
fn place<K: Borrow<Q>, T, Q: Ord + ?Sized>(block: &[(K, T)], key: &Q) -> Result<usize, usize> {
    block.binary_search_by(|(k, _)| k.borrow().cmp(key))
}

/// Which child has a key, or would get it.
fn child_of<K: Borrow<Q>, T, Q: Ord + ?Sized>(children: &[(K, T)], key: &Q) -> usize {
    match place(children, key) {
        Ok(i) => i,
        Err(i) => i.saturating_sub(1),
    }
}

/// Inserts into a block. If it is full, its upper half is given back; what is added at the end starts a new block, so that keys that only grow fill theirs.
fn add<T>(block: &mut Vec<T>, at: usize, item: T) -> Option<Vec<T>> {
    if block.len() < MOST {
        block.insert(at, item);
        return None;
    }
    let cut = if at == MOST { MOST } else { MOST / 2 };
    let mut upper = block.split_off(cut);
    if at < cut {
        block.insert(at, item);
    } else {
        upper.insert(at - cut, item);
    }
    Some(upper)
}

/// A child has become small: it goes if it is empty, or joins a neighbour.
fn join<K: Clone, V: Clone>(children: &mut Vec<(K, Arc<Node<K, V>>)>, i: usize) {
    if children[i].1.len() == 0 {
        children.remove(i);
        return;
    }
    let lower = i.saturating_sub(1);
    if children.get(lower + 1).is_none_or(|(_, upper)| upper.len() + children[lower].1.len() > JOINED) {
        return;
    }
    let (_, upper) = children.remove(lower + 1);
    match (Arc::make_mut(&mut children[lower].1), Arc::unwrap_or_clone(upper)) {
        (Node::Leaf(lower), Node::Leaf(upper)) => lower.extend(upper),
        (Node::Branch(lower), Node::Branch(upper)) => lower.extend(upper),
        _ => unreachable!("all leaves are equally deep"),
    }
}

/// Entries in order. From leaf to leaf it finds its way from the root.
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
    type Item = &'a (K, V);
    fn next(&mut self) -> Option<&'a (K, V)> {
        if self.at >= self.leaf.len() {
            self.leaf = self.root?.leaf_after(&self.leaf.last()?.0)?;
            self.at = 0;
        }
        self.at += 1;
        self.leaf.get(self.at - 1)
    }
}
