//! Dynamic programming over subsets (Bellman 1962; Held and Karp 1962): exact for few stops.

use super::model::Model;
use super::problem::UNREACHABLE;

/// The most free stops that are solved this way: time and memory double with every stop.
pub(super) const MAX_FREE_STOPS: usize = 12;

/// Farther than any route: two of them still add without overflow.
const FAR: i32 = i32::MAX / 2;
const FAR_WIDE: u64 = u64::MAX / 2;

/// The best order of the free stops, the first in index order among equals; none where every order lacks a road.
pub(super) fn solve(model: &Model) -> Option<Vec<usize>> {
    let narrow = (u64::from(model.longest()) + 1) * (model.count as u64 + 2) < u64::from(FAR.unsigned_abs());
    let small = |metres: u32| i32::try_from(metres).unwrap_or(FAR);
    match (narrow, model.count) {
        (_, 0) => Some(Vec::new()),
        (false, _) => Table::<u64, MAX_FREE_STOPS>::fill(model, FAR_WIDE, u64::from).read(model),
        (true, 1..=4) => Table::<i32, 4>::fill(model, FAR, small).read(model),
        (true, 5..=8) => Table::<i32, 8>::fill(model, FAR, small).read(model),
        (true, _) => Table::<i32, MAX_FREE_STOPS>::fill(model, FAR, small).read(model),
    }
}

/// For every set of stops and every stop outside of it, the least metres from that stop through the set to the end.
///
/// Rows are as wide as the constant, a multiple of four: the inner loop has no branch and no sum across a row, and becomes
/// vector instructions. What a row holds at stops of its own set is never read.
struct Table<T, const W: usize> {
    legs: [[T; W]; W],
    out: [T; W],
    rest: Vec<[T; W]>,
    far: T,
}

impl<T, const W: usize> Table<T, W>
where
    T: Copy + Ord + std::ops::Add<Output = T>,
{
    fn fill(model: &Model, far: T, of: impl Fn(u32) -> T) -> Table<T, W> {
        let count = model.count;
        let of = |metres: u32| if metres == UNREACHABLE { far } else { of(metres) };
        let mut table = Table { legs: [[far; W]; W], out: [far; W], rest: Vec::with_capacity(1 << count), far };
        // The legs into each stop, side by side.
        let mut into = [[far; W]; W];
        let mut back = [far; W];
        for i in 0..count {
            table.out[i] = of(model.out[i]);
            back[i] = of(model.back[i]);
            for (j, into) in into.iter_mut().enumerate().take(count) {
                table.legs[i][j] = of(model.legs[i * count + j]);
                into[i] = table.legs[i][j];
            }
        }
        table.rest.push(back);
        for set in 1usize..1 << count {
            let mut row = [far; W];
            let mut left = set;
            while left != 0 {
                let stop = left.trailing_zeros() as usize;
                left &= left - 1;
                let onward = table.rest[set & !(1 << stop)][stop];
                for (nearest, &leg) in row.iter_mut().zip(&into[stop]) {
                    *nearest = (*nearest).min(leg + onward);
                }
            }
            table.rest.push(row);
        }
        table
    }

    /// Walks the table forward, taking the lowest index that keeps the optimum.
    fn read(&self, model: &Model) -> Option<Vec<usize>> {
        let mut set = (1usize << model.count) - 1;
        let mut order = Vec::with_capacity(model.count);
        let mut legs = &self.out;
        while set != 0 {
            let stops = (0..model.count).filter(|&stop| set & (1 << stop) != 0);
            let through = |stop: usize| legs[stop] + self.rest[set & !(1 << stop)][stop];
            let stop = stops.min_by_key(|&stop| through(stop))?;
            if through(stop) >= self.far {
                return None;
            }
            order.push(stop);
            legs = &self.legs[stop];
            set &= !(1 << stop);
        }
        Some(order)
    }
}
