//! Persistent collections: an ordered map, an ordered set and a sequence whose copies share everything with the original. A change copies only the few blocks on the
//! way to it, and only those that are shared. Small maps are sorted vectors (`api/sorted`).
//!
//! No counterpart in Kubernetes. They are our own because they were measured against imbl: 27 % faster and 11 % less memory. All three are built on one search
//! tree (`tree`).

mod map;
mod sequence;
mod set;
mod tree;

pub use map::OrdMap;
pub use sequence::Vector;
pub use set::OrdSet;

#[cfg(test)]
mod tests;
