//! A persistent sequence: a search tree whose keys are consecutive numbers.

use super::tree::Tree;
use std::fmt;
use std::ops::{Bound, Index};

/// A persistent sequence, which grows at its end and shrinks at both.
#[derive(Clone)]
pub struct Vector<T> {
    tree: Tree<u64, T>,
    /// The key of the first item in the tree.
    first: u64,
    /// The key of the last item in the tree, plus one.
    end: u64,
}

impl<T> Vector<T> {
    /// Creates an empty sequence.
    pub const fn new() -> Self {
        Vector { tree: Tree::new(), first: 0, end: 0 }
    }
    /// Returns the number of items.
    pub fn len(&self) -> usize {
        (self.end - self.first) as usize
    }
    /// Returns true if there are no items.
    pub fn is_empty(&self) -> bool {
        self.tree.is_empty()
    }
    /// Returns the item at a position, counted from 0.
    pub fn get(&self, at: usize) -> Option<&T> {
        self.tree.get(&(self.first.saturating_add(at as u64)))
    }
    /// Returns the first item.
    pub fn head(&self) -> Option<&T> {
        self.get(0)
    }
    /// Returns the last item.
    pub fn last(&self) -> Option<&T> {
        self.tree.get(&self.end.checked_sub(1)?)
    }
    /// Returns all items in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> + Clone {
        self.tree.iter().map(|(_, item)| item)
    }
    /// Returns the items in order, beginning at a position.
    pub fn iter_from(&self, at: usize) -> impl Iterator<Item = &T> {
        self.tree.iter_from(Bound::Included(&(self.first.saturating_add(at as u64)))).map(|(_, item)| item)
    }
}

impl<T: Clone> Vector<T> {
    /// Returns the item at a position for writing.
    pub fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        self.tree.get_mut(&(self.first.saturating_add(at as u64)))
    }
    /// Adds an item at the end.
    pub fn push_back(&mut self, item: T) {
        self.tree.insert(self.end, item);
        self.end += 1;
    }
    /// Removes and returns the first item.
    pub fn pop_front(&mut self) -> Option<T> {
        let item = self.tree.remove(&self.first)?;
        self.first += 1;
        Some(item)
    }
    /// Removes and returns the last item.
    pub fn pop_back(&mut self) -> Option<T> {
        let item = self.tree.remove(&self.end.checked_sub(1)?)?;
        self.end -= 1;
        Some(item)
    }
    /// Removes the first `count` items, or all if there are fewer.
    pub fn drop_front(&mut self, count: usize) {
        self.first = self.end.min(self.first.saturating_add(count as u64));
        if self.first == self.end {
            self.tree = Tree::new();
        } else {
            self.tree.remove_before(&self.first);
        }
    }
}

impl<T> Default for Vector<T> {
    fn default() -> Self {
        Vector::new()
    }
}

impl<T> Index<usize> for Vector<T> {
    type Output = T;
    fn index(&self, at: usize) -> &T {
        self.get(at).expect("the position is within the sequence")
    }
}

impl<T: fmt::Debug> fmt::Debug for Vector<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
