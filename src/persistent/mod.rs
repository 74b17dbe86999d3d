//! Collections whose copies are pointer copies: an ordered map, an ordered set and a sequence. A copy shares everything with the original; a change
//! copies only the few blocks on the way to it, and only those that are shared. `FewMap` is for what is small: there a copy is a copy.
//!
//! No counterpart in Kubernetes. The three stand on one search tree (`tree`), because each pair of key and value types gets its own machine code: the tree
//! does with few and small functions, where a library made for everyone comes with many large ones.

mod few;
mod map;
mod sequence;
mod set;
mod tree;

pub use few::FewMap;
pub use map::OrdMap;
pub use sequence::Vector;
pub use set::OrdSet;

#[cfg(test)]
mod tests;
