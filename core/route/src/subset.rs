//! Dynamic programming over subsets (Bellman 1962; Held and Karp 1962), exact for few stops.

use super::model::Model;
use super::problem::UNREACHABLE;

/// The maximum number of free stops. Time and memory double with every stop.
pub(super) const MAX_FREE_STOPS: usize = 12;

/// Whole numbers up to this one are exact as `f32`.
const MAX_EXACT: u64 = 1 << f32::MANTISSA_DIGITS;
/// Exceeds the length of every route; the sum of two does not overflow.
const INFINITE: u64 = u64::MAX / 2;

/// Returns the first optimum in lexicographic order, or `None` if every order has a missing road.
pub(super) fn solve(model: &Model) -> Option<Vec<usize>> {
    let is_exact = u64::from(model.longest()) * (model.count as u64 + 2) < MAX_EXACT;
    #[expect(clippy::cast_precision_loss, reason = "the longest leg is exact")]
    let float = |metres: u32| metres as f32;
    match (is_exact, model.count) {
        (_, 0) => Some(Vec::new()),
        (false, _) => Table::<u64, MAX_FREE_STOPS>::fill(model, INFINITE, u64::from).read(model),
        (true, 1..=4) => Table::<f32, 4>::fill(model, f32::INFINITY, float).read(model),
        (true, 5..=8) => Table::<f32, 8>::fill(model, f32::INFINITY, float).read(model),
        (true, _) => Table::<f32, MAX_FREE_STOPS>::fill(model, f32::INFINITY, float).read(model),
    }
}

/// The shortest path in metres from every stop through every set without it to the end.
///
/// `W` is a multiple of four: the inner loop has no branch and no horizontal sum, so it is
/// vectorized. On x86-64, the minimum of four `f32` needs only SSE, and that of four `i32` SSE4.1.
/// Entries of a row at stops of its own set are never read.
struct Table<T, const W: usize> {
    legs: [[T; W]; W],
    out: [T; W],
    rest: Vec<[T; W]>,
    infinite: T,
}

impl<T, const W: usize> Table<T, W>
where
    T: Copy + PartialOrd + std::ops::Add<Output = T>,
{
    fn fill(model: &Model, infinite: T, convert: impl Fn(u32) -> T) -> Table<T, W> {
        let count = model.count;
        let convert = |metres: u32| {
            if metres == UNREACHABLE {
                infinite
            } else {
                convert(metres)
            }
        };
        let mut table = Table {
            legs: [[infinite; W]; W],
            out: [infinite; W],
            rest: Vec::with_capacity(1 << count),
            infinite,
        };
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
                let legs = into[stop];
                row = std::array::from_fn(|from| {
                    let over = legs[from] + onward;
                    if over < row[from] { over } else { row[from] }
                });
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
            let stop = stops.reduce(|best, stop| {
                if through(stop) < through(best) {
                    stop
                } else {
                    best
                }
            })?;
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
