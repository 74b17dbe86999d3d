//! A part of an object that copies of the object share until one of them changes it. Requests, the store and caches hold copies of the same Events and
//! Leases, of which a cluster writes more than of anything else.

use serde::{Deserialize, Serialize};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A value that several owners share. Writing to it copies it first if there is another owner.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Shared<T>(Arc<T>);

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Shared(Arc::new(value))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || *self.0 == *other.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_does_not_change_with_the_original() {
        let mut one = Shared::from(vec![1]);
        let copy = one.clone();
        one.push(2);
        assert_eq!((one.as_slice(), copy.as_slice()), (&[1, 2][..], &[1][..]));
        assert!(one != copy && copy == Shared::from(vec![1]));
    }
}
