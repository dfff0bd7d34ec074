//! Recomputes the inverse and everything derived from it, against rounding errors.

use super::{ARTIFICIAL, Simplex};
use crate::sort::sort;

/// Against rounding errors.
impl Simplex {
    /// Recomputes the inverse and everything derived from it from the basis.
    pub(crate) fn renew(&mut self) {
        let (count, stride, rows) = (self.now.columns.len(), self.now.stride, self.rows());
        let old = std::mem::replace(&mut self.now.basis, (ARTIFICIAL..ARTIFICIAL + rows).collect());
        self.now.inverse.fill(0.0);
        for row in 0..rows {
            self.now.inverse[row * stride + row] = 1.0;
        }
        self.now.norm.fill(1.0);
        let mut free = vec![true; rows];
        let mut columns = Vec::new();
        for variable in old {
            if variable < count {
                columns.push((self.entries(variable).len(), variable));
            } else {
                let row = if variable >= ARTIFICIAL { variable - ARTIFICIAL } else { variable - count };
                free[row] = false;
                self.now.basis[row] = variable;
            }
        }
        sort(&mut columns, |a, b| a < b);
        for (_, variable) in columns {
            self.project(variable);
            let mut place = None;
            for at in (0..rows).filter(|&at| free[at]) {
                if place.is_none_or(|place: usize| self.image[at].abs() > self.image[place].abs()) {
                    place = Some(at);
                }
            }
            let Some(place) = place.filter(|&place| self.image[place].abs() > 1e-9) else {
                // Except for rounding it depends on the others: it waits at its bound and the row stays empty.
                self.now.columns[variable].basic = false;
                continue;
            };
            free[place] = false;
            self.now.basis[place] = variable;
            self.edge.clear();
            self.edge.extend_from_slice(&self.now.inverse[place * stride..place * stride + rows]);
            self.invert(place, self.image[place]);
        }
        self.now.age = 0;
        self.settle();
    }

    /// Recomputes prices, reduced costs and values from the inverse.
    fn settle(&mut self) {
        let (count, stride, rows) = (self.now.columns.len(), self.now.stride, self.rows());
        self.now.duals.fill(0.0);
        self.displaced.clear();
        self.moved = false;
        for (place, &variable) in self.now.basis.iter().enumerate() {
            let cost = match self.now.columns.get(variable) {
                Some(column) => column.cost,
                None if variable >= ARTIFICIAL => self.unfilled[variable - ARTIFICIAL],
                None => continue,
            };
            for (dual, entry) in self.now.duals.iter_mut().zip(&self.now.inverse[place * stride..]) {
                *dual += cost * entry;
            }
        }
        let mut left = self.rhs.clone();
        for index in 0..count {
            let entries = &self.entries[self.starts[index]..self.starts[index + 1]];
            let column = &mut self.now.columns[index];
            if column.basic {
                continue;
            }
            column.reduced = column.cost - entries.iter().map(|&(row, entry)| entry * self.now.duals[row]).sum::<f64>();
            column.at_high = column.reduced < 0.0;
            let at = column.at();
            if at != 0.0 {
                entries.iter().for_each(|&(row, entry)| left[row] -= entry * at);
            }
        }
        for (value, line) in self.now.value.iter_mut().zip(self.now.inverse.chunks_exact(stride)) {
            *value = line.iter().zip(&left).map(|(entry, left)| entry * left).sum();
        }
        self.work += 3 * (rows * rows) as u64;
    }
}
