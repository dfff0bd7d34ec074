//! A program as it was: a part is gone on with from where what it is a part of was split. From the program of another part, which
//! may have little in common with it, the way there took two to three times the work.

use super::{Entries, SHELF, Simplex, State};

/// A copy of the changing part of a program.
pub(crate) struct Snapshot {
    state: State,
    cuts: Vec<Entries>,
    rhs: Vec<f64>,
    unfilled: Vec<f64>,
}

impl Simplex {
    /// The program with a state of the present rows.
    pub(crate) fn snapshot(&mut self, state: &State) -> Snapshot {
        let mut copy = State::default();
        copy.copy(state);
        self.work += 2 * (self.rows() * self.rows()) as u64;
        let (cuts, rhs, unfilled) = (self.cuts.clone(), self.rhs.clone(), self.unfilled.clone());
        Snapshot { state: copy, cuts, rhs, unfilled }
    }

    /// Goes back to a program as it was; limits that came since are put on the shelf, and columns that were ruled out for good since
    /// stay so.
    pub(crate) fn restore(&mut self, snapshot: Snapshot) {
        let Snapshot { state, cuts, rhs, unfilled } = snapshot;
        self.work += (self.rows() + self.shelf.len()) as u64 * 200;
        self.shelf.retain(|(entries, _)| !cuts.contains(entries));
        let came = std::mem::replace(&mut self.cuts, cuts).into_iter().zip(self.rhs.drain(self.equations..));
        for (entries, max) in came {
            if self.shelf.len() < SHELF && !self.cuts.contains(&entries) {
                self.shelf.push((entries, max));
            }
        }
        let gone: Vec<bool> = self.now.columns.iter().map(|column| column.gone).collect();
        (self.now, self.rhs, self.unfilled) = (state, rhs, unfilled);
        self.index();
        for (column, gone) in gone.into_iter().enumerate() {
            if gone && !self.now.columns[column].gone {
                self.bound(column, 0.0, 0.0);
                self.now.columns[column].gone = true;
            }
        }
        self.shift();
        self.index();
    }
}
