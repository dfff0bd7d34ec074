//! Properties of assignments.

use super::instances::Rng;
use crate::{AssignError, Assignment, Costs, UNREACHABLE, assign};

/// Returns the number of unassigned rows (zero if they have a price) and the minimum cost, by
/// exhaustive search.
fn brute_force(
    rows: usize,
    columns: usize,
    entries: &[u32],
    unassigned_price: Option<u64>,
) -> (usize, u64) {
    fn go(
        row: usize,
        used: u32,
        entries: &[u32],
        columns: usize,
        rows: usize,
        unassigned_price: Option<u64>,
    ) -> (usize, u64) {
        if row == rows {
            return (0, 0);
        }
        let unmatched = go(row + 1, used, entries, columns, rows, unassigned_price);
        // Without a price, fewer unassigned rows take precedence over cost.
        let mut best = (
            unmatched.0 + usize::from(unassigned_price.is_none()),
            unmatched.1 + unassigned_price.unwrap_or(0),
        );
        for column in (0..columns).filter(|&column| used & (1 << column) == 0) {
            let cost = entries[row * columns + column];
            if cost != UNREACHABLE {
                let rest = go(
                    row + 1,
                    used | (1 << column),
                    entries,
                    columns,
                    rows,
                    unassigned_price,
                );
                best = best.min((rest.0, rest.1 + u64::from(cost)));
            }
        }
        best
    }
    go(0, 0, entries, columns, rows, unassigned_price)
}

fn check(
    rows: usize,
    columns: usize,
    entries: &[u32],
    unassigned_price: Option<u64>,
    assignment: &Assignment,
) {
    let mut taken = vec![false; columns];
    let mut cost = 0;
    assert_eq!(assignment.columns.len(), rows);
    for (row, column) in assignment.columns.iter().enumerate() {
        match column {
            Some(column) => {
                assert!(
                    !std::mem::replace(&mut taken[*column], true),
                    "a column is assigned twice"
                );
                assert_ne!(
                    entries[row * columns + column],
                    UNREACHABLE,
                    "a pair that is not allowed is assigned"
                );
                cost += u64::from(entries[row * columns + column]);
            }
            None => cost += unassigned_price.unwrap_or(0),
        }
    }
    assert_eq!(assignment.cost, cost);
}

#[test]
fn assignment_equals_exhaustive_search() {
    let mut rng = Rng(7);
    for case in 0..10_000 {
        let (rows, columns) = (rng.index(7), rng.index(7));
        let max = [4, 50, 5_000, u64::from(UNREACHABLE)][rng.index(4)];
        let gaps = [1, 3, 100][rng.index(3)];
        let mut entries = vec![UNREACHABLE; rows * columns];
        for entry in &mut entries {
            if rng.below(gaps + 1) != 0 {
                *entry = u32::try_from(rng.below(max)).unwrap();
            }
        }
        let unassigned_price = (rng.below(2) == 0).then(|| rng.below(max));
        let assignment = assign(
            &Costs::dense(rows, columns, &entries).unwrap(),
            unassigned_price,
        )
        .unwrap();
        check(rows, columns, &entries, unassigned_price, &assignment);
        let unmatched = assignment
            .columns
            .iter()
            .filter(|column| column.is_none() && unassigned_price.is_none())
            .count();
        let expected = brute_force(rows, columns, &entries, unassigned_price);
        assert_eq!(
            (unmatched, assignment.cost),
            expected,
            "case {case}: {rows} {columns} {entries:?} {unassigned_price:?}"
        );
    }
}

#[test]
fn transposed_costs_have_equal_minimum_cost() {
    let mut rng = Rng(8);
    for _ in 0..200 {
        let (rows, columns) = (1 + rng.index(40), 1 + rng.index(40));
        let mut entries = vec![UNREACHABLE; rows * columns];
        for entry in &mut entries {
            if rng.below(3) == 0 {
                *entry = u32::try_from(rng.below(900)).unwrap();
            }
        }
        let mut transposed = vec![0; rows * columns];
        for row in 0..rows {
            for column in 0..columns {
                transposed[column * rows + row] = entries[row * columns + column];
            }
        }
        let one = assign(&Costs::dense(rows, columns, &entries).unwrap(), None).unwrap();
        let other = assign(&Costs::dense(columns, rows, &transposed).unwrap(), None).unwrap();
        check(rows, columns, &entries, None, &one);
        assert_eq!(one.cost, other.cost);
    }
}

#[test]
fn invalid_costs_return_typed_error() {
    assert_eq!(
        Costs::dense(2, 2, &[1; 3]),
        Err(AssignError::NotRectangular {
            entries: 3,
            expected: 4
        })
    );
    assert_eq!(
        Costs::sparse(1, 1, [(0, 1, 5)]),
        Err(AssignError::BadPair { row: 0, column: 1 })
    );
    assert_eq!(
        Costs::sparse(1, 1, [(0, 0, 5), (0, 0, 6)]),
        Err(AssignError::BadPair { row: 0, column: 0 })
    );
    assert_eq!(
        Costs::sparse(2, 1, [(1, 0, 5), (0, 0, 6)]),
        Err(AssignError::BadPair { row: 0, column: 0 })
    );
    assert_eq!(
        Costs::sparse(1, 1, [(0, 0, u64::MAX)]),
        Err(AssignError::Overflow)
    );
    let limit = crate::MAX_SIDE;
    assert_eq!(
        Costs::sparse(limit + 1, 1, []),
        Err(AssignError::TooLarge {
            rows: limit + 1,
            columns: 1,
            limit
        })
    );
}
