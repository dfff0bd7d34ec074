//! Random instances, realistic and artificial, from fixed seeds.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::Write;

/// The kinds that are measured, which resemble real orders.
pub const MEASURED: [Kind; 6] = [
    Kind::Uniform,
    Kind::Clustered,
    Kind::Grid,
    Kind::OneWay,
    Kind::Asymmetric,
    Kind::CoLocated,
];

/// All kinds, including those designed to find errors.
pub const ALL: [Kind; 9] = [
    Kind::Uniform,
    Kind::Clustered,
    Kind::Grid,
    Kind::OneWay,
    Kind::Asymmetric,
    Kind::CoLocated,
    Kind::Gaps,
    Kind::Tiny,
    Kind::Huge,
];

/// The number of streets of the grid in each direction.
const STREETS: u64 = 40;
/// The sides of a block in metres.
const BLOCK: (u64, u64) = (110, 90);

/// The distribution of stops and distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Points in a square of 12 km, Euclidean distances.
    Uniform,
    /// Points around one centre per seven stops, Euclidean distances.
    Clustered,
    /// Street corners of blocks of 110 by 90 metres, Manhattan distances.
    Grid,
    /// The same corners with alternating one-way streets.
    OneWay,
    /// Points in a square. Each leg is up to 40 per cent longer, independently in each direction.
    Asymmetric,
    /// Half of the stops share their location with another.
    CoLocated,
    /// Euclidean distances, one in eight missing.
    Gaps,
    /// Legs of 0 to 3 metres, with many ties.
    Tiny,
    /// Legs near the maximum.
    Huge,
}

impl Kind {
    /// Returns the name in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Uniform => "uniform",
            Kind::Clustered => "clustered",
            Kind::Grid => "street grid",
            Kind::OneWay => "one-way",
            Kind::Asymmetric => "asymmetric",
            Kind::CoLocated => "co-located",
            Kind::Gaps => "gaps",
            Kind::Tiny => "tiny",
            Kind::Huge => "huge",
        }
    }
}

/// A deterministic random number generator (splitmix64).
pub struct Rng(pub u64);

impl Rng {
    /// Returns the next number below a limit.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % limit
    }
}

/// Returns the matrix of a start and `stops` stops. `None` marks a missing road.
pub fn matrix(kind: Kind, stops: usize, seed: u64) -> Vec<Vec<Option<u32>>> {
    let mut rng = Rng(seed * 1_000 + stops as u64);
    let points = points(kind, stops + 1, &mut rng);
    if kind == Kind::OneWay {
        return points
            .iter()
            .map(|&from| one_way_distances(from, &points))
            .collect();
    }
    let mut rows = vec![vec![Some(0u32); points.len()]; points.len()];
    for (i, row) in rows.iter_mut().enumerate() {
        for j in (0..points.len()).filter(|&j| j != i) {
            let (x, y) = (
                points[i].0.abs_diff(points[j].0),
                points[i].1.abs_diff(points[j].1),
            );
            let line = (x * x + y * y).isqrt();
            let metres = match kind {
                Kind::Grid => Some(x + y),
                Kind::Asymmetric => Some(line + rng.below(line * 2 / 5 + 1)),
                Kind::Gaps => Some(line).filter(|_| rng.below(8) != 0),
                Kind::Tiny => Some(rng.below(4)),
                Kind::Huge => Some(u64::from(u32::MAX) - 1 - rng.below(1_000_000_000)),
                _ => Some(line),
            };
            row[j] = metres.and_then(|metres| u32::try_from(metres).ok());
        }
    }
    rows
}

/// Returns a route request line with a random start, open or closed, sometimes with a pin.
pub fn route_problem(kind: Kind, stops: usize, seed: u64, work: Option<u64>) -> String {
    let rows = matrix(kind, stops, seed);
    let mut rng = Rng(seed);
    let size = stops as u64 + 1;
    let mut line = format!("route {{\"matrix\":{}", json(&rows));
    let mut append = |text: String| line.push_str(&text);
    append(format!(
        ",\"closed\":{},\"start\":{}",
        rng.below(2) == 0,
        rng.below(size)
    ));
    if rng.below(5) == 0 {
        append(format!(
            ",\"pins\":[{{\"stop\":{},\"pin\":\"last\"}}]",
            rng.below(size)
        ));
    }
    if let Some(work) = work {
        append(format!(",\"work\":{work}"));
    }
    append("}".to_owned());
    line
}

/// Returns an assignment request line: points in a square of 20 km, and pairs within the radius if
/// there is one.
pub fn assign_problem(rows: usize, columns: usize, radius: Option<u64>, seed: u64) -> String {
    format!(
        "assign {{\"costs\":{}}}",
        json(&assign_matrix(rows, columns, radius, seed))
    )
}

/// Returns the costs of an assignment; `None` beyond the radius.
pub fn assign_matrix(
    rows: usize,
    columns: usize,
    radius: Option<u64>,
    seed: u64,
) -> Vec<Vec<Option<u32>>> {
    let mut rng = Rng(seed);
    let mut point = || (rng.below(20_000), rng.below(20_000));
    let couriers: Vec<(u64, u64)> = (0..rows).map(|_| point()).collect();
    let orders: Vec<(u64, u64)> = (0..columns).map(|_| point()).collect();
    let cost = |a: (u64, u64), b: (u64, u64)| {
        let (x, y) = (a.0.abs_diff(b.0), a.1.abs_diff(b.1));
        let metres = (x * x + y * y).isqrt();
        u32::try_from(metres)
            .ok()
            .filter(|_| radius.is_none_or(|radius| metres <= radius))
    };
    couriers
        .iter()
        .map(|&courier| orders.iter().map(|&order| cost(courier, order)).collect())
        .collect()
}

/// Serializes a matrix to JSON.
pub fn json(rows: &[Vec<Option<u32>>]) -> String {
    let mut text = String::from("[");
    for (i, row) in rows.iter().enumerate() {
        text.push_str(if i == 0 { "[" } else { ",[" });
        for (j, entry) in row.iter().enumerate() {
            let comma = if j == 0 { "" } else { "," };
            // Writing to a string cannot fail.
            let _ = match entry {
                Some(metres) => write!(text, "{comma}{metres}"),
                None => write!(text, "{comma}null"),
            };
        }
        text.push(']');
    }
    text.push(']');
    text
}

fn points(kind: Kind, size: usize, rng: &mut Rng) -> Vec<(u64, u64)> {
    let mut at = |side: u64| (rng.below(side), rng.below(side));
    let centres: Vec<(u64, u64)> = (0..size.div_ceil(7)).map(|_| at(12_000)).collect();
    let mut points: Vec<(u64, u64)> = Vec::new();
    for i in 0..size {
        points.push(match kind {
            Kind::Clustered => {
                let (centre, near) = (centres[i % centres.len()], at(1_500));
                (centre.0 + near.0, centre.1 + near.1)
            }
            Kind::Grid | Kind::OneWay => {
                let corner = at(STREETS);
                (corner.0 * BLOCK.0, corner.1 * BLOCK.1)
            }
            Kind::CoLocated if i > size / 2 => points[i - size / 2],
            _ => at(12_000),
        });
    }
    points
}

/// Returns the shortest distances from a corner to the others along one-way streets (Dijkstra).
fn one_way_distances(from: (u64, u64), to: &[(u64, u64)]) -> Vec<Option<u32>> {
    let index = |x: u64, y: u64| usize::try_from(x * STREETS + y).unwrap_or(0);
    let mut metres = vec![u64::MAX; index(STREETS - 1, STREETS - 1) + 1];
    let mut heap = BinaryHeap::from([Reverse((0, from.0 / BLOCK.0, from.1 / BLOCK.1))]);
    while let Some(Reverse((distance, x, y))) = heap.pop() {
        if metres[index(x, y)] <= distance {
            continue;
        }
        metres[index(x, y)] = distance;
        // Rows and columns alternate their direction. The outer ring is bidirectional, so every
        // corner is reachable.
        let ring_x = x == 0 || x == STREETS - 1;
        let ring_y = y == 0 || y == STREETS - 1;
        if x + 1 < STREETS && (ring_y || y.is_multiple_of(2)) {
            heap.push(Reverse((distance + BLOCK.0, x + 1, y)));
        }
        if x > 0 && (ring_y || !y.is_multiple_of(2)) {
            heap.push(Reverse((distance + BLOCK.0, x - 1, y)));
        }
        if y + 1 < STREETS && (ring_x || x.is_multiple_of(2)) {
            heap.push(Reverse((distance + BLOCK.1, x, y + 1)));
        }
        if y > 0 && (ring_x || !x.is_multiple_of(2)) {
            heap.push(Reverse((distance + BLOCK.1, x, y - 1)));
        }
    }
    to.iter()
        .map(|to| u32::try_from(metres[index(to.0 / BLOCK.0, to.1 / BLOCK.1)]).ok())
        .collect()
}
