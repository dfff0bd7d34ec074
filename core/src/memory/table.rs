//! A map whose changes since the last commit can be undone.

use std::collections::BTreeMap;

/// Rows by key, with the old value of every row that was changed since the last commit or rollback.
#[derive(Debug)]
pub(super) struct Table<K, V> {
    rows: BTreeMap<K, V>,
    touched: Vec<(K, Option<V>)>,
}

impl<K, V> Default for Table<K, V> {
    fn default() -> Table<K, V> {
        Table {
            rows: BTreeMap::new(),
            touched: Vec::new(),
        }
    }
}

impl<K: Ord + Clone, V: Clone> Table<K, V> {
    pub(super) fn rows(&self) -> &BTreeMap<K, V> {
        &self.rows
    }

    pub(super) fn get(&self, key: &K) -> Option<&V> {
        self.rows.get(key)
    }

    pub(super) fn put(&mut self, key: K, value: V) {
        let old = self.rows.insert(key.clone(), value);
        self.touched.push((key, old));
    }

    pub(super) fn remove(&mut self, key: &K) {
        if let Some(old) = self.rows.remove(key) {
            self.touched.push((key.clone(), Some(old)));
        }
    }
}

/// The operations that end a transaction, which are the same for all tables.
pub(super) trait Transactional {
    /// Makes the changes permanent.
    fn commit(&mut self);
    /// Undoes the changes, newest first.
    fn roll_back(&mut self);
}

impl<K: Ord, V> Transactional for Table<K, V> {
    fn commit(&mut self) {
        self.touched.clear();
    }

    fn roll_back(&mut self) {
        while let Some((key, old)) = self.touched.pop() {
            match old {
                Some(value) => self.rows.insert(key, value),
                None => self.rows.remove(&key),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rollback_undoes_uncommitted_changes_in_order() {
        let mut table = Table::default();
        table.put(1, 'a');
        table.commit();
        table.put(1, 'b');
        table.remove(&1);
        table.put(1, 'c');
        table.put(2, 'd');
        table.roll_back();
        assert_eq!(table.rows().iter().collect::<Vec<_>>(), [(&1, &'a')]);
    }
}
