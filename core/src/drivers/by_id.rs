//! Values by ID.

use std::collections::BTreeMap;

/// A map from IDs to large values. The tree contains only indices: a tree of orders and one of
/// couriers would add 24 kB to the component. Collecting into a tree would also add a sort, so
/// entries are inserted singly.
pub(super) struct ById<T> {
    values: Vec<Option<T>>,
    index: BTreeMap<u64, usize>,
}

impl<T> Default for ById<T> {
    fn default() -> ById<T> {
        ById {
            values: Vec::new(),
            index: BTreeMap::new(),
        }
    }
}

impl<T> ById<T> {
    /// Creates a map of these values.
    pub(super) fn of(values: impl IntoIterator<Item = T>, id: impl Fn(&T) -> u64) -> ById<T> {
        let mut map = ById::default();
        values
            .into_iter()
            .for_each(|value| map.insert(id(&value), value));
        map
    }

    /// Inserts a value.
    pub(super) fn insert(&mut self, id: u64, value: T) {
        self.index.insert(id, self.values.len());
        self.values.push(Some(value));
    }

    /// Returns a value.
    pub(super) fn get(&self, id: u64) -> Option<&T> {
        self.values.get(*self.index.get(&id)?)?.as_ref()
    }

    /// Returns all values.
    pub(super) fn values(&self) -> impl Iterator<Item = &T> {
        self.values.iter().flatten()
    }

    /// Returns a value to change.
    pub(super) fn get_mut(&mut self, id: u64) -> Option<&mut T> {
        self.values.get_mut(*self.index.get(&id)?)?.as_mut()
    }

    /// Takes a value out of the map.
    pub(super) fn take(&mut self, id: u64) -> Option<T> {
        self.values.get_mut(*self.index.get(&id)?)?.take()
    }
}
