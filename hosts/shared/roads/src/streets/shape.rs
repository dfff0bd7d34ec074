//! Shapes in the Web Mercator projection, in integer units of the last zoom's tiles.

use core::f64::consts::PI;

use crate::coord::Coord;

/// The last zoom of the file.
pub(super) const MAX_ZOOM: u8 = 14;
/// The number of units per side of a tile.
pub(super) const EXTENT: i32 = 4096;
/// The number of units per side of the world: the tiles of the last zoom, each of [`EXTENT`] units.
const WORLD: f64 = ((EXTENT as u64) << MAX_ZOOM) as f64;
/// The margin around a tile whose contents the tile repeats, so that lines are not cut at its
/// sides.
pub(super) const MARGIN: i32 = 96;

/// A point of the projected world; y increases southwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    pub(super) x: i32,
    pub(super) y: i32,
}

impl Spot {
    /// Projects a coordinate.
    pub(super) fn of(coord: Coord) -> Spot {
        let sine = libm::sin(f64::from(coord.lat) / 1e7 * PI / 180.0).clamp(-0.9999, 0.9999);
        let x = f64::from(coord.lon) / 1e7 / 360.0 + 0.5;
        let y = 0.5 - libm::log((1.0 + sine) / (1.0 - sine)) / (4.0 * PI);
        Spot {
            x: rounded(x * WORLD),
            y: rounded(y * WORLD),
        }
    }

    /// Returns longitude and latitude.
    pub(super) fn degrees(self) -> (f64, f64) {
        let (x, y) = (f64::from(self.x) / WORLD, f64::from(self.y) / WORLD);
        let latitude = 2.0 * libm::atan(libm::exp((0.5 - y) * 2.0 * PI)) - PI / 2.0;
        ((x - 0.5) * 360.0, latitude * 180.0 / PI)
    }

    /// Returns the point in the units of an earlier zoom.
    pub(super) fn shifted(self, bits: u32) -> Spot {
        Spot {
            x: self.x >> bits,
            y: self.y >> bits,
        }
    }

    fn towards(self, other: Spot, fraction: f64) -> Spot {
        let between = |from: i32, to: i32| {
            rounded(f64::from(from) + (f64::from(to) - f64::from(from)) * fraction)
        };
        Spot {
            x: between(self.x, other.x),
            y: between(self.y, other.y),
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the projected world has 2^26 units per side"
)]
fn rounded(value: f64) -> i32 {
    libm::round(value) as i32
}

/// An area in world units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    pub(super) low: Spot,
    pub(super) high: Spot,
}

impl Area {
    /// Returns west, south, east and north.
    pub(super) fn degrees(self) -> [f64; 4] {
        let ((west, north), (east, south)) = (self.low.degrees(), self.high.degrees());
        [west, south, east, north]
    }
}

/// Returns the parts of a line inside a tile and its margin.
pub(super) fn clip_line(line: &[Spot]) -> Vec<Vec<Spot>> {
    let mut parts: Vec<Vec<Spot>> = Vec::new();
    for segment in line.windows(2) {
        let Some((from, to)) = clip_segment(segment[0], segment[1]) else {
            continue;
        };
        match parts.last_mut() {
            Some(part) if part.last() == Some(&from) => part.push(to),
            _ => parts.push(vec![from, to]),
        }
    }
    for part in &mut parts {
        part.dedup();
    }
    parts.retain(|part| part.len() > 1);
    parts
}

/// Clips a segment (Liang and Barsky).
fn clip_segment(from: Spot, to: Spot) -> Option<(Spot, Spot)> {
    let (low, high) = (-MARGIN, EXTENT + MARGIN);
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let (mut start, mut end) = (0.0_f64, 1.0_f64);
    for (slope, room) in [
        (-dx, from.x - low),
        (dx, high - from.x),
        (-dy, from.y - low),
        (dy, high - from.y),
    ] {
        if slope == 0 {
            if room < 0 {
                return None;
            }
            continue;
        }
        let at = f64::from(room) / f64::from(slope);
        if slope < 0 {
            start = start.max(at)
        } else {
            end = end.min(at)
        }
    }
    (start <= end).then(|| (from.towards(to, start), from.towards(to, end)))
}

/// Returns the part of a closed ring inside a tile and its margin (Sutherland and Hodgman).
pub(super) fn clip_ring(ring: &[Spot]) -> Vec<Spot> {
    let (low, high) = (-MARGIN, EXTENT + MARGIN);
    let mut clipped = ring.to_vec();
    let room: [fn(Spot, i32, i32) -> i32; 4] = [
        |spot, low, _| spot.x - low,
        |spot, _, high| high - spot.x,
        |spot, low, _| spot.y - low,
        |spot, _, high| high - spot.y,
    ];
    for side in room {
        let source = std::mem::take(&mut clipped);
        let mut previous = source.last().copied();
        for spot in source {
            let Some(before) = previous.replace(spot) else {
                continue;
            };
            let (inside_before, inside) = (side(before, low, high), side(spot, low, high));
            if (inside_before < 0) != (inside < 0) {
                let fraction =
                    f64::from(inside_before) / (f64::from(inside_before) - f64::from(inside));
                clipped.push(before.towards(spot, fraction));
            }
            if inside >= 0 {
                clipped.push(spot);
            }
        }
    }
    clipped.dedup();
    if clipped.len() > 1 && clipped.first() == clipped.last() {
        clipped.pop();
    }
    if clipped.len() > 2 {
        clipped
    } else {
        Vec::new()
    }
}

/// Joins lines that continue each other, so that names have room along them.
pub(super) fn join(lines: Vec<Vec<Spot>>) -> Vec<Vec<Spot>> {
    let mut by_start = std::collections::BTreeMap::new();
    for (number, line) in lines.iter().enumerate() {
        by_start.entry(line[0]).or_insert(number);
    }
    let is_continuation: Vec<bool> = {
        let ends: std::collections::BTreeSet<Spot> = lines
            .iter()
            .filter_map(|line| line.last().copied())
            .collect();
        lines.iter().map(|line| ends.contains(&line[0])).collect()
    };
    let mut is_used = vec![false; lines.len()];
    let mut joined = Vec::new();
    // Lines that continue no other come first; the rest are loops.
    let (later, first): (Vec<usize>, Vec<usize>) =
        (0..lines.len()).partition(|number| is_continuation[*number]);
    for number in first.into_iter().chain(later) {
        let (mut line, mut next): (Vec<Spot>, Option<usize>) = (Vec::new(), Some(number));
        while let Some(number) = next.filter(|number| !is_used[*number]) {
            is_used[number] = true;
            line.extend(lines[number].iter().skip(usize::from(!line.is_empty())));
            next = line.last().and_then(|end| by_start.get(end).copied());
        }
        if line.len() > 1 {
            joined.push(line);
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(spots: &[(i32, i32)]) -> Vec<Spot> {
        spots.iter().map(|&(x, y)| Spot { x, y }).collect()
    }

    #[test]
    fn projection_is_web_mercator() {
        let spot = Spot::of(Coord {
            lat: -235_505_000,
            lon: -466_333_000,
        });
        // Tile 14/6069/9295 contains the centre of São Paulo.
        assert_eq!((spot.x / EXTENT, spot.y / EXTENT), (6069, 9295));
        let (longitude, latitude) = spot.degrees();
        assert!(
            (longitude + 46.6333).abs() < 1e-5 && (latitude + 23.5505).abs() < 1e-5,
            "{longitude} {latitude}"
        );
    }

    #[test]
    fn lines_are_clipped_to_the_tile() {
        let (low, high) = (-MARGIN, EXTENT + MARGIN);
        let crossing = line(&[(-5_000, 10), (5_000, 10), (5_000, 20), (-5_000, 20)]);
        assert_eq!(
            clip_line(&crossing),
            [
                line(&[(low, 10), (high, 10)]),
                line(&[(high, 20), (low, 20)])
            ]
        );
        assert!(clip_line(&line(&[(-500, -500), (-500, 5_000)])).is_empty());
        let inner = line(&[(0, 0), (10, 10), (20, 0)]);
        assert_eq!(clip_line(&inner), [inner]);
    }

    #[test]
    fn rings_are_clipped_to_the_tile() {
        let (low, high) = (-MARGIN, EXTENT + MARGIN);
        let around = line(&[
            (-9_000, -9_000),
            (9_000, -9_000),
            (9_000, 9_000),
            (-9_000, 9_000),
            (-9_000, -9_000),
        ]);
        let mut clipped = clip_ring(&around);
        clipped.sort_unstable();
        assert_eq!(
            clipped,
            line(&[(low, low), (low, high), (high, low), (high, high)])
        );
        assert!(clip_ring(&line(&[(9_000, 0), (9_100, 0), (9_100, 100), (9_000, 0)])).is_empty());
    }

    #[test]
    fn continuing_lines_are_joined() {
        let parts = vec![
            line(&[(2, 0), (3, 0)]),
            line(&[(0, 0), (1, 0)]),
            line(&[(1, 0), (2, 0)]),
            line(&[(9, 9), (8, 8)]),
        ];
        assert_eq!(
            join(parts),
            [
                line(&[(0, 0), (1, 0), (2, 0), (3, 0)]),
                line(&[(9, 9), (8, 8)])
            ]
        );
        let ring = vec![line(&[(0, 0), (5, 0)]), line(&[(5, 0), (0, 0)])];
        assert_eq!(join(ring), [line(&[(0, 0), (5, 0), (0, 0)])]);
    }
}
