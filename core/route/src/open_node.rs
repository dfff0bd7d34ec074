//! Open nodes of a search tree.

use core::cmp::Ordering;

/// An open node in a heap. The lowest bound comes first, and the latest among equals.
pub(super) struct OpenNode<T> {
    pub(super) bound: i64,
    pub(super) serial: u64,
    pub(super) data: T,
}

impl<T> PartialEq for OpenNode<T> {
    fn eq(&self, other: &OpenNode<T>) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T> Eq for OpenNode<T> {}

impl<T> PartialOrd for OpenNode<T> {
    fn partial_cmp(&self, other: &OpenNode<T>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for OpenNode<T> {
    fn cmp(&self, other: &OpenNode<T>) -> Ordering {
        other
            .bound
            .cmp(&self.bound)
            .then(self.serial.cmp(&other.serial))
    }
}
