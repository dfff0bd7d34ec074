//! Properties of the assignment.

use super::deck::Dice;
use crate::{AssignFault, Assignment, Costs, UNREACHABLE, assign};

/// The least cost by trying everything: most pairs first where staying alone has no price.
fn brute_force(rows: usize, columns: usize, entries: &[u32], alone: Option<u64>) -> (usize, u64) {
    fn go(row: usize, used: u32, entries: &[u32], columns: usize, rows: usize, alone: Option<u64>) -> (usize, u64) {
        if row == rows {
            return (0, 0);
        }
        let lonely = go(row + 1, used, entries, columns, rows, alone);
        // Without a price every row alone counts before any cost.
        let mut best = (lonely.0 + usize::from(alone.is_none()), lonely.1 + alone.unwrap_or(0));
        for column in (0..columns).filter(|&column| used & (1 << column) == 0) {
            let cost = entries[row * columns + column];
            if cost != UNREACHABLE {
                let rest = go(row + 1, used | (1 << column), entries, columns, rows, alone);
                best = best.min((rest.0, rest.1 + u64::from(cost)));
            }
        }
        best
    }
    go(0, 0, entries, columns, rows, alone)
}

fn check(rows: usize, columns: usize, entries: &[u32], alone: Option<u64>, answer: &Assignment) {
    let mut taken = vec![false; columns];
    let mut cost = 0;
    assert_eq!(answer.columns.len(), rows);
    for (row, column) in answer.columns.iter().enumerate() {
        match column {
            Some(column) => {
                assert!(!std::mem::replace(&mut taken[*column], true), "a column twice");
                assert_ne!(entries[row * columns + column], UNREACHABLE, "a pair beyond the radius");
                cost += u64::from(entries[row * columns + column]);
            }
            None => cost += alone.unwrap_or(0),
        }
    }
    assert_eq!(answer.cost, cost);
}

#[test]
fn equals_brute_force_on_small_questions() {
    let mut dice = Dice(7);
    for case in 0..10_000 {
        let (rows, columns) = (dice.index(7), dice.index(7));
        let most = [4, 50, 5_000, u64::from(UNREACHABLE)][dice.index(4)];
        let gaps = [1, 3, 100][dice.index(3)];
        let mut entries = vec![UNREACHABLE; rows * columns];
        for entry in &mut entries {
            if dice.below(gaps + 1) != 0 {
                *entry = u32::try_from(dice.below(most)).unwrap();
            }
        }
        let alone = (dice.below(2) == 0).then(|| dice.below(most));
        let answer = assign(&Costs::dense(rows, columns, &entries).unwrap(), alone).unwrap();
        check(rows, columns, &entries, alone, &answer);
        let lonely = answer.columns.iter().filter(|column| column.is_none() && alone.is_none()).count();
        let expected = brute_force(rows, columns, &entries, alone);
        assert_eq!((lonely, answer.cost), expected, "case {case}: {rows} {columns} {entries:?} {alone:?}");
    }
}

#[test]
fn cost_does_not_move_when_rows_and_columns_change_places() {
    let mut dice = Dice(8);
    for _ in 0..200 {
        let (rows, columns) = (1 + dice.index(40), 1 + dice.index(40));
        let mut entries = vec![UNREACHABLE; rows * columns];
        for entry in &mut entries {
            if dice.below(3) == 0 {
                *entry = u32::try_from(dice.below(900)).unwrap();
            }
        }
        let mut turned = vec![0; rows * columns];
        for row in 0..rows {
            for column in 0..columns {
                turned[column * rows + row] = entries[row * columns + column];
            }
        }
        let one = assign(&Costs::dense(rows, columns, &entries).unwrap(), None).unwrap();
        let other = assign(&Costs::dense(columns, rows, &turned).unwrap(), None).unwrap();
        check(rows, columns, &entries, None, &one);
        assert_eq!(one.cost, other.cost);
    }
}

#[test]
fn bad_costs_get_typed_faults() {
    assert_eq!(Costs::dense(2, 2, &[1; 3]), Err(AssignFault::NotRectangular { entries: 3, expected: 4 }));
    assert_eq!(Costs::sparse(1, 1, [(0, 1, 5)]), Err(AssignFault::BadPair { row: 0, column: 1 }));
    assert_eq!(Costs::sparse(1, 1, [(0, 0, 5), (0, 0, 6)]), Err(AssignFault::BadPair { row: 0, column: 0 }));
    assert_eq!(Costs::sparse(2, 1, [(1, 0, 5), (0, 0, 6)]), Err(AssignFault::BadPair { row: 0, column: 0 }));
    assert_eq!(Costs::sparse(1, 1, [(0, 0, u64::MAX)]), Err(AssignFault::Overflow));
    let limit = crate::MAX_SIDE;
    assert_eq!(Costs::sparse(limit + 1, 1, []), Err(AssignFault::TooLarge { rows: limit + 1, columns: 1, limit }));
}
