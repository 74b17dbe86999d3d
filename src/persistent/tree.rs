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
    pub(super) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let leaf = self.root.as_deref()?.leaf_of(key);
        leaf.get(place(leaf, key).ok()?).map(|(_, value)| value)
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
        let leaf = leaf_mut(self.root.as_mut()?, key);
        let i = place(leaf, key).ok()?;
        Some(&mut leaf[i].1)
    }
    /// Puts an entry, and gives the value that was there.
    pub(super) fn insert(&mut self, key: K, value: V) -> Option<V> {
        loop {
            let root = self.root.get_or_insert_with(|| Arc::new(Node::Leaf(Vec::new())));
            let leaf = leaf_mut(root, &key);
            match place(leaf, &key) {
                Ok(i) => return Some(mem::replace(&mut leaf[i].1, value)),
                Err(i) if leaf.len() < MOST => {
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
    /// Takes an entry out.
    pub(super) fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let root = self.root.as_mut()?;
        let leaf = leaf_mut(root, key);
        let (_, taken) = leaf.remove(place(leaf, key).ok()?);
        if matches!(leaf.len(), 0 | FEW) {
            tidy(root, key);
            self.lower_root();
        }
        Some(taken)
    }
    /// Drops all entries before a key.
    pub(super) fn remove_before(&mut self, key: &K) {
        if let Some(root) = &mut self.root {
            own(root).remove_before(key);
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

impl<K: Clone, V: Clone> Clone for Node<K, V> {
    fn clone(&self) -> Self {
        match self {
            Node::Leaf(entries) => Node::Leaf(copy(entries)),
            Node::Branch(children) => Node::Branch(copy(children)),
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
    fn remove_before(&mut self, key: &K) {
        match self {
            Node::Leaf(entries) => {
                let (Ok(i) | Err(i)) = place(entries, key);
                entries.drain(..i);
            }
            Node::Branch(children) => {
                children.drain(..child_of(children, key));
                let first = own(&mut children[0].1);
                first.remove_before(key);
                if first.len() == 0 {
                    children.remove(0);
                }
            }
        }
    }
}

/// A block that is no one else's: itself or a copy. `Arc::make_mut` in fewer words of machine code, for no one holds weak pointers here.
fn own<T: Clone>(block: &mut Arc<T>) -> &mut T {
    if Arc::strong_count(block) != 1 {
        *block = Arc::new(T::clone(block));
    }
    Arc::get_mut(block).expect("it was no one else's or has just been made")
}

/// The leaf where a key is, or would be put, on a way that is no one else's.
fn leaf_mut<'a, K: Ord + Clone + Borrow<Q>, V: Clone, Q: Ord + ?Sized>(root: &'a mut Arc<Node<K, V>>, key: &Q) -> &'a mut Vec<(K, V)> {
    let mut node = root;
    loop {
        match own(node) {
            Node::Leaf(entries) => return entries,
            Node::Branch(children) => {
                let i = child_of(children, key);
                node = &mut children[i].1;
            }
        }
    }
}

/// Makes room where a key would be put: splits its leaf, and the branches above that are full then. The upper half of the root, if that is one of them,
/// is given back. A leaf that grows at its end stays nearly whole, so that keys that only grow fill theirs.
fn split<K: Ord + Clone, V: Clone>(node: &mut Arc<Node<K, V>>, key: &K) -> Option<(K, Arc<Node<K, V>>)> {
    let upper = match own(node) {
        Node::Leaf(entries) => {
            let grows = entries.last().is_some_and(|(last, _)| last < key);
            Node::Leaf(cut(entries, if grows { MOST - 1 } else { MOST / 2 }))
        }
        Node::Branch(children) => {
            let i = child_of(children, key);
            let upper = split(&mut children[i].1, key)?;
            children.insert(i + 1, upper);
            if children.len() < MOST {
                return None;
            }
            Node::Branch(cut(children, if i + 2 == MOST { MOST - 1 } else { MOST / 2 }))
        }
    };
    let first = match &upper {
        Node::Leaf(entries) => entries.first()?.0.clone(),
        Node::Branch(children) => children.first()?.0.clone(),
    };
    Some((first, Arc::new(upper)))
}

/// After something was taken at a key: blocks that are empty go, small ones join a neighbour. Gives the length of the block.
fn tidy<K: Ord + Clone + Borrow<Q>, V: Clone, Q: Ord + ?Sized>(node: &mut Arc<Node<K, V>>, key: &Q) -> usize {
    match own(node) {
        Node::Leaf(entries) => entries.len(),
        Node::Branch(children) => {
            let i = child_of(children, key);
            let len = tidy(&mut children[i].1, key);
            if len == 0 {
                children.remove(i);
            } else if len <= FEW {
                join(children, i.saturating_sub(1));
            }
            children.len()
        }
    }
}

/// Joins a block with the next one, if both fit.
fn join<K: Clone, V: Clone>(children: &mut Vec<(K, Arc<Node<K, V>>)>, lower: usize) {
    if children.get(lower + 1).is_none_or(|(_, upper)| upper.len() + children[lower].1.len() > JOINED) {
        return;
    }
    let (_, mut upper) = children.remove(lower + 1);
    match (own(&mut children[lower].1), own(&mut upper)) {
        (Node::Leaf(lower), Node::Leaf(upper)) => append(lower, upper),
        (Node::Branch(lower), Node::Branch(upper)) => append(lower, upper),
        _ => unreachable!("all leaves are equally deep"),
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

// What is done to whole blocks stands in functions of its own: for types of the same shape, as branches mostly have, the compiler makes them one.

#[inline(never)]
fn copy<T: Clone>(block: &[T]) -> Vec<T> {
    block.to_vec()
}

#[inline(never)]
fn cut<T>(block: &mut Vec<T>, at: usize) -> Vec<T> {
    block.split_off(at)
}

#[inline(never)]
fn append<T>(lower: &mut Vec<T>, upper: &mut Vec<T>) {
    lower.append(upper);
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
