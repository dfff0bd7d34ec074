//! Recomputation of the inverse, which removes accumulated rounding errors.

use super::{ARTIFICIAL, Simplex};

impl Simplex {
    /// Recomputes the inverse and all derived values from the basis.
    pub(crate) fn reinvert(&mut self) {
        let (count, stride, rows) = (self.state.columns.len(), self.state.stride, self.rows());
        let old = std::mem::replace(
            &mut self.state.basis,
            (ARTIFICIAL..ARTIFICIAL + rows).collect(),
        );
        self.state.inverse.fill(0.0);
        for row in 0..rows {
            self.state.inverse[row * stride + row] = 1.0;
        }
        self.state.norm.fill(1.0);
        let mut free = vec![true; rows];
        let mut columns = Vec::new();
        for variable in old {
            if variable < count {
                columns.push((self.entries(variable).len(), variable));
            } else {
                let row = if variable >= ARTIFICIAL {
                    variable - ARTIFICIAL
                } else {
                    variable - count
                };
                free[row] = false;
                self.state.basis[row] = variable;
            }
        }
        columns.sort_unstable();
        for (_, variable) in columns {
            self.compute_pivot_column(variable);
            let mut position = None;
            for at in (0..rows).filter(|&at| free[at]) {
                if position.is_none_or(|position: usize| {
                    self.pivot_column[at].abs() > self.pivot_column[position].abs()
                }) {
                    position = Some(at);
                }
            }
            let Some(position) =
                position.filter(|&position| self.pivot_column[position].abs() > 1e-9)
            else {
                // The column depends on the others, except for rounding: it becomes non-basic and
                // the row keeps its artificial variable.
                self.state.columns[variable].basic = false;
                continue;
            };
            free[position] = false;
            self.state.basis[position] = variable;
            self.pivot_row.clear();
            self.pivot_row.extend_from_slice(
                &self.state.inverse[position * stride..position * stride + rows],
            );
            self.update_inverse(position, self.pivot_column[position]);
        }
        self.state.age = 0;
        self.recompute_values();
    }

    /// Recomputes prices, reduced costs and values from the inverse.
    fn recompute_values(&mut self) {
        let (count, stride, rows) = (self.state.columns.len(), self.state.stride, self.rows());
        self.state.duals.fill(0.0);
        self.displaced.clear();
        self.moved = false;
        for (position, &variable) in self.state.basis.iter().enumerate() {
            let cost = match self.state.columns.get(variable) {
                Some(column) => column.cost,
                None if variable >= ARTIFICIAL => self.artificial_costs[variable - ARTIFICIAL],
                None => continue,
            };
            for (dual, entry) in self
                .state
                .duals
                .iter_mut()
                .zip(&self.state.inverse[position * stride..])
            {
                *dual += cost * entry;
            }
        }
        let mut left = self.rhs.clone();
        for index in 0..count {
            let entries = &self.entries[self.starts[index]..self.starts[index + 1]];
            let column = &mut self.state.columns[index];
            if column.basic {
                continue;
            }
            column.reduced = column.cost
                - entries
                    .iter()
                    .map(|&(row, entry)| entry * self.state.duals[row])
                    .sum::<f64>();
            column.at_high = column.reduced < 0.0;
            let at = column.bound_value();
            if at != 0.0 {
                entries
                    .iter()
                    .for_each(|&(row, entry)| left[row] -= entry * at);
            }
        }
        for (value, line) in self
            .state
            .value
            .iter_mut()
            .zip(self.state.inverse.chunks_exact(stride))
        {
            *value = line
                .iter()
                .zip(&left)
                .map(|(entry, left)| entry * left)
                .sum();
        }
        self.work += 3 * (rows * rows) as u64;
    }
}
