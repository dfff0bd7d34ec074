//! Large synthetic extracts.

use std::io::{self, Write};

use super::Rng;
use crate::coord::Coord;
use crate::pbf::{Bounds, Group, Member, Relation, Tags, write_header};

/// The south-western corner.
const ORIGIN: Coord = Coord {
    lat: -240_000_000,
    lon: -480_000_000,
};
/// The distance between junctions: about 100 m north and east.
const STEP: (i32, i32) = (9_000, 9_800);
/// The nodes of a junction and of its streets to the north and to the east.
const NODES: u64 = 5;
/// The blocks of a way.
const WAY: u64 = 10;
/// A river flows south of every such row.
const RIVER: u64 = 30;
/// The blocks between two bridges.
const BRIDGES: u64 = 40;

/// Writes an extract of a region with about `nodes` nodes: a grid of streets of irregular blocks
/// with shape nodes, main roads, one-way streets, turn restrictions, and rivers with few bridges.
/// The same seed gives the same bytes.
///
/// # Errors
/// The output cannot be written.
pub fn write_region(mut output: impl Write, nodes: u64, seed: u64) -> io::Result<()> {
    let region = Region {
        side: (nodes / NODES).isqrt().max(WAY * 2),
        seed,
    };
    let last = region.side - 1;
    write_header(
        &mut output,
        Some(Bounds {
            low: ORIGIN,
            high: region.junction(last, last),
        }),
    )?;
    let mut group = Group::new(output);
    let plain = Tags::new(Vec::new());
    for row in 0..region.side {
        for column in 0..region.side {
            let (id, from) = (region.id(row, column), region.junction(row, column));
            group.node(id, from, &plain)?;
            let east = (column < last).then(|| region.junction(row, column + 1));
            let north = region
                .has_north(row, column)
                .then(|| region.junction(row + 1, column));
            for (first, to) in [(1, east), (3, north)] {
                let Some(to) = to else { continue };
                group.node(id + first, from.towards(to, 0.3), &plain)?;
                group.node(id + first + 1, from.towards(to, 0.7), &plain)?;
            }
        }
    }
    let mut group = Group::new(group.finish()?);
    for line in 0..region.side {
        let tags = Tags::new(region.tags(line, 0));
        for start in (0..last).step_by(region.step()) {
            group.way(
                region.way(line, start, 0),
                &region.eastward(line, start),
                &tags,
            )?;
        }
    }
    for line in 0..region.side {
        let tags = Tags::new(region.tags(line, 1));
        for start in (0..last).step_by(region.step()) {
            group.way(
                region.way(line, start, 1),
                &region.northward(start, line),
                &tags,
            )?;
        }
    }
    let mut group = Group::new(group.finish()?);
    let mut id = 0;
    for row in (WAY..last).step_by(region.step()) {
        for column in (WAY..last).step_by(region.step()) {
            if region.random(row, column, 3) < 0.5 {
                id += 1;
                // From the west to the north.
                let members = vec![
                    (Member::Way(region.way(row, column - WAY, 0)), "from"),
                    (Member::Node(region.id(row, column)), "via"),
                    (Member::Way(region.way(column, row, 1)), "to"),
                ];
                let tags = Tags::new(vec![
                    ("type", "restriction"),
                    ("restriction", "no_left_turn"),
                ]);
                group.relation(&Relation { id, tags, members })?;
            }
        }
    }
    group.finish()?.flush()
}

struct Region {
    /// The junctions of a row and of a column.
    side: u64,
    seed: u64,
}

impl Region {
    fn step(&self) -> usize {
        usize::try_from(WAY.min(self.side)).unwrap_or(1)
    }

    /// Returns a number from 0 to 1 that depends only on the seed and the place.
    fn random(&self, row: u64, column: u64, purpose: u64) -> f64 {
        let place = (row * self.side + column) * 4 + purpose;
        Rng::new(self.seed ^ place.wrapping_mul(0x9e37_79b9_7f4a_7c15)).next_f64()
    }

    fn id(&self, row: u64, column: u64) -> i64 {
        i64::try_from((row * self.side + column) * NODES + 1).unwrap_or(i64::MAX)
    }

    fn junction(&self, row: u64, column: u64) -> Coord {
        let place = |start: i32, step: i32, index: u64, purpose: u64| {
            let index = i32::try_from(index).unwrap_or(i32::MAX);
            #[expect(clippy::cast_possible_truncation, reason = "a few hundred metres")]
            let shift = ((self.random(row, column, purpose) - 0.5) * f64::from(step) * 0.4) as i32;
            start
                .saturating_add(step.saturating_mul(index))
                .saturating_add(shift)
        };
        Coord {
            lat: place(ORIGIN.lat, STEP.0, row, 0),
            lon: place(ORIGIN.lon, STEP.1, column, 1),
        }
    }

    /// Returns whether a street leads north: from the last row and over a river it does not, except
    /// on bridges.
    fn has_north(&self, row: u64, column: u64) -> bool {
        row + 1 < self.side && (row % RIVER != RIVER - 1 || column % BRIDGES == BRIDGES / 2)
    }

    /// Returns the ID of the way that begins at a position of a row (0) or of a column (1).
    fn way(&self, line: u64, start: u64, direction: u64) -> i64 {
        i64::try_from((line * self.side + start) * 2 + direction + 1).unwrap_or(i64::MAX)
    }

    fn tags(&self, line: u64, direction: u64) -> Vec<(&'static str, &'static str)> {
        let highway = match line {
            _ if line.is_multiple_of(50) => "primary",
            _ if line.is_multiple_of(10) => "secondary",
            _ => "residential",
        };
        let mut tags = vec![("highway", highway)];
        if highway == "residential" && self.random(line, direction, 2) < 0.3 {
            tags.push(("oneway", if line.is_multiple_of(2) { "yes" } else { "-1" }));
        }
        tags
    }

    fn eastward(&self, row: u64, start: u64) -> Vec<i64> {
        let end = (start + WAY).min(self.side - 1);
        let blocks = (start..end)
            .map(|column| self.id(row, column))
            .flat_map(|id| [id, id + 1, id + 2]);
        blocks.chain([self.id(row, end)]).collect()
    }

    fn northward(&self, start: u64, column: u64) -> Vec<i64> {
        let mut nodes = vec![self.id(start, column)];
        // Rivers flow at the ends of ways.
        for row in
            (start..(start + WAY).min(self.side - 1)).take_while(|row| self.has_north(*row, column))
        {
            let id = self.id(row, column);
            nodes.extend([id + 3, id + 4, self.id(row + 1, column)]);
        }
        nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Roads;

    /// Enough for one river.
    const NODES_OF_TEST: u64 = 6_000;

    #[test]
    fn region_is_a_connected_network_with_detours_over_bridges() {
        let extract = |seed| {
            let mut bytes = Vec::new();
            write_region(&mut bytes, NODES_OF_TEST, seed).expect("memory");
            bytes
        };
        assert!(extract(1) == extract(1) && extract(1) != extract(2));
        let roads = Roads::from_bytes(&extract(1)).expect("roads");
        let region = Region {
            side: (NODES_OF_TEST / NODES).isqrt(),
            seed: 1,
        };
        let junctions = usize::try_from(region.side * region.side).expect("few");
        let size = roads.size();
        // Two directions of two streets, some of them one-way.
        assert!(
            (junctions * 2..junctions * 4).contains(&size.edges),
            "{size:?} of {junctions} junctions"
        );
        let across = [(28, 0), (31, 0)].map(|(row, column)| region.junction(row, column).point());
        let matrix = roads.matrix(&across);
        let leg = matrix.leg(0, 1).expect("a leg");
        assert!(
            leg.metres > 3_000,
            "the next bridge is two kilometres away: {leg:?}"
        );
    }
}
