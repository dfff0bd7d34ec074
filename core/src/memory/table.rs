//! A map that can take back what was done to it since the last commit.

use std::collections::BTreeMap;

/// Rows by key, with the old value of every row that was touched since [`Table::keep`] or [`Table::undo`].
#[derive(Debug)]
pub(super) struct Table<K, V> {
    rows: BTreeMap<K, V>,
    touched: Vec<(K, Option<V>)>,
}

impl<K, V> Default for Table<K, V> {
    fn default() -> Table<K, V> {
        Table { rows: BTreeMap::new(), touched: Vec::new() }
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

/// What all tables can do, whatever they hold, so that a transaction ends on all of them.
pub(super) trait Transactional {
    /// Makes what was done since the last end final.
    fn keep(&mut self);
    /// Takes what was done since the last end back, newest first.
    fn undo(&mut self);
}

impl<K: Ord, V> Transactional for Table<K, V> {
    fn keep(&mut self) {
        self.touched.clear();
    }

    fn undo(&mut self) {
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
    fn what_was_not_kept_is_taken_back_in_order() {
        let mut table = Table::default();
        table.put(1, 'a');
        table.keep();
        table.put(1, 'b');
        table.remove(&1);
        table.put(1, 'c');
        table.put(2, 'd');
        table.undo();
        assert_eq!(table.rows().iter().collect::<Vec<_>>(), [(&1, &'a')]);
    }
}
