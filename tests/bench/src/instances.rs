//! Random instances as a city has them, from a fixed seed.

use despacho_core::route::Problem;

/// The kinds that are measured.
pub(crate) const KINDS: [Kind; 5] = [Kind::Uniform, Kind::Clustered, Kind::Grid, Kind::OneWay, Kind::CoLocated];

/// How the stops of an instance lie and what lies between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Points in a square of 12 km, straight lines.
    Uniform,
    /// Points around one centre for every seven, straight lines.
    Clustered,
    /// Street corners of blocks of 110 by 90 metres, along the streets.
    Grid,
    /// Points in a square; each leg up to two fifths longer, differently in each direction.
    OneWay,
    /// Half the stops share their place with another.
    CoLocated,
}

impl Kind {
    /// The name in the tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Uniform => "uniform",
            Kind::Clustered => "clustered",
            Kind::Grid => "street grid",
            Kind::OneWay => "one-way",
            Kind::CoLocated => "co-located",
        }
    }
}

/// A fixed sequence of numbers (splitmix64).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// The next number below a limit.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % limit
    }
}

/// A matrix over a start and so many stops.
pub(crate) fn matrix(kind: Kind, stops: usize, seed: u64) -> Vec<Vec<u32>> {
    let mut dice = Dice(seed * 1_000 + stops as u64);
    let size = stops + 1;
    let centres: Vec<(i64, i64)> = (0..size.div_ceil(7)).map(|_| point(&mut dice, 12_000)).collect();
    let mut points: Vec<(i64, i64)> = Vec::new();
    for i in 0..size {
        let place = match kind {
            Kind::Clustered => {
                let (centre, near) = (centres[i % centres.len()], point(&mut dice, 1_500));
                (centre.0 + near.0, centre.1 + near.1)
            }
            Kind::Grid => {
                let corner = point(&mut dice, 60);
                (corner.0 * 110, corner.1 * 90)
            }
            Kind::CoLocated if i > size / 2 => points[i - size / 2],
            _ => point(&mut dice, 12_000),
        };
        points.push(place);
    }
    let mut rows = vec![vec![0u32; size]; size];
    for i in 0..size {
        for j in (0..size).filter(|&j| j != i) {
            let (x, y) = ((points[i].0 - points[j].0).unsigned_abs(), (points[i].1 - points[j].1).unsigned_abs());
            let metres = match kind {
                Kind::Grid => x + y,
                _ => (x * x + y * y).isqrt(),
            };
            let detour = if kind == Kind::OneWay { dice.below(metres * 2 / 5 + 1) } else { 0 };
            rows[i][j] = u32::try_from(metres + detour).unwrap_or(u32::MAX - 1);
        }
    }
    rows
}

/// The question over a matrix: an open route from index 0, or a closed one.
pub(crate) fn problem(rows: &[Vec<u32>], closed: bool) -> Option<Problem> {
    let metres = rows.iter().flatten().copied().collect();
    Problem::new(rows.len(), metres).ok().map(|problem| problem.closed(closed))
}

fn point(dice: &mut Dice, side: u64) -> (i64, i64) {
    (dice.below(side).cast_signed(), dice.below(side).cast_signed())
}
