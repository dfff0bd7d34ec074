//! A table that needs memory only for the parts of it that are used.

/// The values that are allocated together.
const PAGE: usize = 64;

/// A table of values by rank. Ranks of connected edges are close to each other, so a search uses
/// few pages of millions of edges.
pub(crate) struct SparseTable<T> {
    /// The number of each page from 1, or 0 if it is unused.
    pages: Vec<u32>,
    values: Vec<T>,
}

impl<T: Copy + Default> SparseTable<T> {
    pub(crate) fn new(length: usize) -> SparseTable<T> {
        SparseTable {
            pages: vec![0; length.div_ceil(PAGE)],
            values: vec![T::default(); PAGE],
        }
    }

    pub(crate) fn get(&self, at: u32) -> T {
        let page = self.pages[at as usize / PAGE] as usize;
        // The first page has only default values.
        self.values[page * PAGE + at as usize % PAGE]
    }

    pub(crate) fn get_mut(&mut self, at: u32) -> &mut T {
        let page = &mut self.pages[at as usize / PAGE];
        if *page == 0 {
            *page = u32::try_from(self.values.len() / PAGE).unwrap_or(0);
            self.values.resize(self.values.len() + PAGE, T::default());
        }
        &mut self.values[*page as usize * PAGE + at as usize % PAGE]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unset_values_are_default() {
        let mut table = SparseTable::new(1_000);
        for at in [999, 0, 64, 63] {
            *table.get_mut(at) = at + 1;
        }
        assert_eq!(
            [0, 1, 63, 64, 65, 998, 999].map(|at| table.get(at)),
            [1, 0, 64, 65, 0, 0, 1_000]
        );
        assert_eq!(table.values.len(), PAGE * 4);
    }
}
