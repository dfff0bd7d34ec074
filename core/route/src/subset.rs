//! Dynamic programming over subsets (Bellman 1962; Held and Karp 1962), exact for few stops.

use super::model::Model;
use super::problem::UNREACHABLE;

/// The maximum number of free stops. Time and memory double with every stop.
pub(super) const MAX_FREE_STOPS: usize = 12;

/// Exceeds the length of every route; the sum of two does not overflow.
const INFINITE: i32 = i32::MAX / 2;
const INFINITE_WIDE: u64 = u64::MAX / 2;

/// Returns the first optimum in lexicographic order, or `None` if every order has a missing road.
pub(super) fn solve(model: &Model) -> Option<Vec<usize>> {
    let narrow = (u64::from(model.longest()) + 1) * (model.count as u64 + 2) < u64::from(INFINITE.unsigned_abs());
    let small = |metres: u32| i32::try_from(metres).unwrap_or(INFINITE);
    match (narrow, model.count) {
        (_, 0) => Some(Vec::new()),
        (false, _) => Table::<u64, MAX_FREE_STOPS>::fill(model, INFINITE_WIDE, u64::from).read(model),
        (true, 1..=4) => Table::<i32, 4>::fill(model, INFINITE, small).read(model),
        (true, 5..=8) => Table::<i32, 8>::fill(model, INFINITE, small).read(model),
        (true, _) => Table::<i32, MAX_FREE_STOPS>::fill(model, INFINITE, small).read(model),
    }
}

/// The shortest path in metres from every stop through every set without it to the end.
///
/// `W` is a multiple of four: the inner loop has no branch and no horizontal sum, so it is vectorized. Entries of a row
/// at stops of its own set are never read.
struct Table<T, const W: usize> {
    legs: [[T; W]; W],
    out: [T; W],
    rest: Vec<[T; W]>,
    infinite: T,
}

impl<T, const W: usize> Table<T, W>
where
    T: Copy + Ord + std::ops::Add<Output = T>,
{
    fn fill(model: &Model, infinite: T, convert: impl Fn(u32) -> T) -> Table<T, W> {
        let count = model.count;
        let convert = |metres: u32| if metres == UNREACHABLE { infinite } else { convert(metres) };
        let mut table =
            Table { legs: [[infinite; W]; W], out: [infinite; W], rest: Vec::with_capacity(1 << count), infinite };
        // The legs into each stop, contiguous.
        let mut into = [[infinite; W]; W];
        let mut back = [infinite; W];
        for i in 0..count {
            table.out[i] = convert(model.out[i]);
            back[i] = convert(model.back[i]);
            for (j, into) in into.iter_mut().enumerate().take(count) {
                table.legs[i][j] = convert(model.legs[i * count + j]);
                into[i] = table.legs[i][j];
            }
        }
        table.rest.push(back);
        for set in 1usize..1 << count {
            let mut row = [infinite; W];
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

    /// Reads the order from the table. Takes the lowest index that preserves the optimum.
    fn read(&self, model: &Model) -> Option<Vec<usize>> {
        let mut set = (1usize << model.count) - 1;
        let mut order = Vec::with_capacity(model.count);
        let mut legs = &self.out;
        while set != 0 {
            let stops = (0..model.count).filter(|&stop| set & (1 << stop) != 0);
            let through = |stop: usize| legs[stop] + self.rest[set & !(1 << stop)][stop];
            let stop = stops.min_by_key(|&stop| through(stop))?;
            if through(stop) >= self.infinite {
                return None;
            }
            order.push(stop);
            legs = &self.legs[stop];
            set &= !(1 << stop);
        }
        Some(order)
    }
}
