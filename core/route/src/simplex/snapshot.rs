//! Snapshots of the program for warm starts. A node restarts from its parent's program. Restarting
//! from the program of an unrelated node took two to three times the work.

use super::{Entries, MAX_POOL, Simplex, State};

/// A copy of the program's state and rows.
pub(crate) struct Snapshot {
    state: State,
    cuts: Vec<Entries>,
    rhs: Vec<f64>,
    artificial_costs: Vec<f64>,
}

impl Simplex {
    /// Returns a snapshot of the current rows with the given state.
    pub(crate) fn snapshot(&mut self, state: &State) -> Snapshot {
        let mut copy = State::default();
        copy.copy(state);
        self.work += 2 * (self.rows() * self.rows()) as u64;
        let (cuts, rhs, artificial_costs) = (
            self.cuts.clone(),
            self.rhs.clone(),
            self.artificial_costs.clone(),
        );
        Snapshot {
            state: copy,
            cuts,
            rhs,
            artificial_costs,
        }
    }

    /// Restores a snapshot. Cuts added since go into the pool, and columns fixed permanently since
    /// remain fixed.
    pub(crate) fn restore(&mut self, snapshot: Snapshot) {
        let Snapshot {
            state,
            cuts,
            rhs,
            artificial_costs,
        } = snapshot;
        self.work += (self.rows() + self.pool.len()) as u64 * 200;
        self.pool.retain(|(entries, _)| !cuts.contains(entries));
        let came = std::mem::replace(&mut self.cuts, cuts)
            .into_iter()
            .zip(self.rhs.drain(self.equations..));
        for (entries, max) in came {
            if self.pool.len() < MAX_POOL && !self.cuts.contains(&entries) {
                self.pool.push((entries, max));
            }
        }
        let removed: Vec<bool> = self
            .state
            .columns
            .iter()
            .map(|column| column.removed)
            .collect();
        (self.state, self.rhs, self.artificial_costs) = (state, rhs, artificial_costs);
        self.index();
        for (column, removed) in removed.into_iter().enumerate() {
            if removed && !self.state.columns[column].removed {
                self.set_bounds(column, 0.0, 0.0);
                self.state.columns[column].removed = true;
            }
        }
        self.update_basic_values();
        self.index();
    }
}
