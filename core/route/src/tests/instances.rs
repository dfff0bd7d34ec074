//! Random problems of every kind, from fixed seeds.

use crate::{Pin, Problem, UNREACHABLE};

/// The kinds of problems. Every property holds for each.
pub(crate) const KINDS: [Kind; 9] = [
    Kind::Uniform,
    Kind::Clustered,
    Kind::Grid,
    Kind::OneWay,
    Kind::CoLocated,
    Kind::Arbitrary,
    Kind::Gaps,
    Kind::Tiny,
    Kind::Huge,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Points in a square, Euclidean distances.
    Uniform,
    /// Points around a few centres.
    Clustered,
    /// Street corners, Manhattan distances.
    Grid,
    /// Euclidean distances with a penalty in one direction.
    OneWay,
    /// A few locations with several stops each.
    CoLocated,
    /// Arbitrary numbers without the triangle inequality.
    Arbitrary,
    /// Euclidean distances, one in four missing.
    Gaps,
    /// Legs of 0 to 3 metres, with many ties.
    Tiny,
    /// Legs near the maximum.
    Huge,
}

/// A deterministic random number generator (splitmix64).
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % limit
    }

    pub(crate) fn index(&mut self, limit: usize) -> usize {
        usize::try_from(self.below(limit as u64)).unwrap()
    }

    fn leg(&mut self, low: u32, high: u32) -> u32 {
        low + u32::try_from(self.below(u64::from(high - low))).unwrap()
    }
}

/// Returns a random distance matrix.
pub(crate) fn distances(kind: Kind, size: usize, rng: &mut Rng) -> Vec<u32> {
    let points = points(kind, size, rng);
    let mut metres = vec![0; size * size];
    for i in 0..size {
        for j in (0..size).filter(|&j| j != i) {
            let line = straight(points[i], points[j]);
            metres[i * size + j] = match kind {
                Kind::Uniform | Kind::Clustered | Kind::CoLocated => line,
                Kind::Grid => blocks(points[i], points[j]),
                Kind::OneWay => {
                    line + if rng.below(3) == 0 {
                        rng.leg(0, line / 2 + 2)
                    } else {
                        0
                    }
                }
                Kind::Arbitrary => rng.leg(0, 10_000),
                Kind::Gaps if rng.below(4) == 0 => UNREACHABLE,
                Kind::Gaps => line,
                Kind::Tiny => rng.leg(0, 4),
                Kind::Huge => rng.leg(UNREACHABLE - 1_000_000_000, UNREACHABLE),
            };
        }
    }
    metres
}

/// Returns a random problem: any start, open or closed, with or without pins.
pub(crate) fn problem(kind: Kind, size: usize, rng: &mut Rng) -> Problem {
    let metres = distances(kind, size, rng);
    let start = rng.index(size);
    let mut problem = Problem::new(size, metres)
        .unwrap()
        .start(start)
        .unwrap()
        .closed(rng.below(2) == 0);
    for pin in [Pin::First, Pin::Last] {
        if rng.below(5) == 0 {
            let stop = rng.index(size);
            problem = problem.clone().pin(stop, pin).unwrap_or(problem);
        }
    }
    problem
}

fn points(kind: Kind, size: usize, rng: &mut Rng) -> Vec<(i64, i64)> {
    let mut at = |side: u64| (rng.below(side).cast_signed(), rng.below(side).cast_signed());
    let centres: Vec<(i64, i64)> = (0..size / 3 + 1).map(|_| at(10_000)).collect();
    let mut points = Vec::new();
    for i in 0..size {
        let centre = centres[i % centres.len()];
        points.push(match kind {
            Kind::CoLocated => centre,
            Kind::Clustered => {
                let near = at(600);
                (centre.0 + near.0, centre.1 + near.1)
            }
            Kind::Grid => {
                let corner = at(40);
                (corner.0 * 120, corner.1 * 90)
            }
            _ => at(10_000),
        });
    }
    points
}

fn straight(a: (i64, i64), b: (i64, i64)) -> u32 {
    let (x, y) = (a.0 - b.0, a.1 - b.1);
    u32::try_from((x * x + y * y).isqrt()).unwrap()
}

fn blocks(a: (i64, i64), b: (i64, i64)) -> u32 {
    u32::try_from((a.0 - b.0).abs() + (a.1 - b.1).abs()).unwrap()
}
