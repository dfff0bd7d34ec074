//! The parts of a search that wait.

use core::cmp::Ordering;

/// What waits in a heap to be split; the least bound comes out first, the latest among equals.
pub(super) struct Open<T> {
    pub(super) value: i64,
    pub(super) serial: u64,
    pub(super) what: T,
}

impl<T> PartialEq for Open<T> {
    fn eq(&self, other: &Open<T>) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T> Eq for Open<T> {}

impl<T> PartialOrd for Open<T> {
    fn partial_cmp(&self, other: &Open<T>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Open<T> {
    fn cmp(&self, other: &Open<T>) -> Ordering {
        other.value.cmp(&self.value).then(self.serial.cmp(&other.serial))
    }
}
