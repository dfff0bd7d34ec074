//! A spatial index of line segments.

use crate::coord::Coord;
use crate::cost::SegmentGeometry;
use crate::error::RoadsError;

/// The minimum side of a grid cell, in 10⁻⁷ degrees: about 220 m.
const CELL: i64 = 20_000;

/// Line segments by the cells that they touch. A line segment is identified by the index of its
/// first coordinate.
#[derive(Debug, Default)]
pub(crate) struct Grid {
    pub(crate) low: Coord,
    pub(crate) high: Coord,
    pub(crate) cell: i64,
    pub(crate) rows: i64,
    pub(crate) columns: i64,
    /// The start of each cell's line segments, and the total at the end.
    pub(crate) starts: Vec<u32>,
    pub(crate) segments: Vec<u32>,
}

impl Grid {
    pub(crate) fn new(
        geometries: &[SegmentGeometry],
        shapes: &[Coord],
    ) -> Result<Grid, RoadsError> {
        let corner = |pick: fn(i32, i32) -> i32| {
            shapes.iter().copied().reduce(|a, b| Coord {
                lat: pick(a.lat, b.lat),
                lon: pick(a.lon, b.lon),
            })
        };
        let (Some(low), Some(high)) = (corner(i32::min), corner(i32::max)) else {
            return Ok(Grid::default());
        };
        let mut grid = Grid {
            low,
            high,
            cell: CELL,
            ..Grid::default()
        };
        let max = i64::try_from(shapes.len() * 2)
            .unwrap_or(i64::MAX)
            .max(1 << 16);
        loop {
            let last = grid.cell_of(high);
            (grid.rows, grid.columns) = (last.0 + 1, last.1 + 1);
            if grid.rows * grid.columns <= max {
                break;
            }
            grid.cell *= 2;
        }
        let mut touched = Vec::new();
        for (geometry, next) in geometries.iter().zip(
            geometries
                .iter()
                .skip(1)
                .map(|geometry| geometry.shape)
                .chain([u32::MAX]),
        ) {
            let last = (next as usize).min(shapes.len());
            for first in geometry.shape as usize..last.saturating_sub(1) {
                let segment = u32::try_from(first).map_err(|_| RoadsError::TooLarge)?;
                touched.extend(
                    grid.cells(shapes[first], shapes[first + 1])
                        .map(|cell| (cell, segment)),
                );
            }
        }
        touched.sort_unstable();
        u32::try_from(touched.len()).map_err(|_| RoadsError::TooLarge)?;
        let cells = usize::try_from(grid.rows * grid.columns).unwrap_or(0);
        grid.starts = Vec::with_capacity(cells + 1);
        for (number, (cell, segment)) in (0u32..).zip(&touched) {
            grid.starts.resize(grid.starts.len().max(cell + 1), number);
            grid.segments.push(*segment);
        }
        grid.starts
            .resize(cells + 1, u32::try_from(touched.len()).unwrap_or(u32::MAX));
        Ok(grid)
    }

    /// Returns the south-western and north-eastern corner of all line segments.
    pub(crate) fn corners(&self) -> (Coord, Coord) {
        (self.low, self.high)
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.starts[..]) + size_of_val(&self.segments[..])
    }

    /// Returns the cells of a line segment's bounding box.
    fn cells(&self, from: Coord, to: Coord) -> impl Iterator<Item = usize> + use<> {
        let (a, b) = (self.cell_of(from), self.cell_of(to));
        let (columns, row_count) = (self.columns, a.0.max(b.0) - a.0.min(b.0) + 1);
        let (first_row, first_column, last_column) = (a.0.min(b.0), a.1.min(b.1), a.1.max(b.1));
        (0..row_count).flat_map(move |row| {
            let start = (first_row + row) * columns;
            (first_column..=last_column)
                .filter_map(move |column| usize::try_from(start + column).ok())
        })
    }

    fn cell_of(&self, coord: Coord) -> (i64, i64) {
        let (lat, lon) = (
            i64::from(coord.lat) - i64::from(self.low.lat),
            i64::from(coord.lon) - i64::from(self.low.lon),
        );
        (
            lat.div_euclid(self.cell.max(1)),
            lon.div_euclid(self.cell.max(1)),
        )
    }

    /// Calls `each` for the line segments in the cells within `limit_m` of a coordinate. A line
    /// segment can occur more than once.
    pub(crate) fn for_each_near(&self, coord: Coord, limit_m: f64, mut each: impl FnMut(u32)) {
        let (east, north) = coord.offset_to(Coord {
            lat: coord.lat,
            lon: coord.lon.saturating_add(10_000),
        });
        debug_assert!(north.abs() < 1e-6, "the latitudes are equal");
        let cell_m = f64::from(u32::try_from(self.cell).unwrap_or(u32::MAX)) / 10_000.0;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a limit of a few hundred metres; saturates near a pole"
        )]
        let reach = |metre: f64| libm::ceil(limit_m / (metre * cell_m).max(1e-3)) as i64;
        // 10,000 units of latitude are 111.19 m.
        let (rows, columns) = (reach(111.19), reach(east).min(self.columns));
        let (row, column) = self.cell_of(coord);
        for row in (row - rows).max(0)..=(row + rows).min(self.rows - 1) {
            for column in (column - columns).max(0)..=(column + columns).min(self.columns - 1) {
                let Ok(cell) = usize::try_from(row * self.columns + column) else {
                    continue;
                };
                let range = self.starts.get(cell).zip(self.starts.get(cell + 1));
                let range = range.map_or(0..0, |(start, end)| *start as usize..*end as usize);
                self.segments
                    .get(range)
                    .unwrap_or_default()
                    .iter()
                    .for_each(|segment| each(*segment));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segment_is_found_from_every_cell_it_touches() {
        let coord = |lat, lon| Coord { lat, lon };
        let shapes = [coord(0, 0), coord(0, 100_000), coord(50_000, 100_000)];
        let geometries = [SegmentGeometry {
            shape: 0,
            edges: [0, 1],
        }];
        let grid = Grid::new(&geometries, &shapes).expect("a small grid");
        let near = |at: Coord| {
            let mut found = Vec::new();
            grid.for_each_near(at, 100.0, |segment| found.push(segment));
            found.sort_unstable();
            found.dedup();
            found
        };
        assert_eq!(near(coord(100, 100)), [0]);
        assert_eq!(near(coord(50_000, 99_000)), [1]);
        assert_eq!(near(coord(0, 100_000)), [0, 1]);
        assert!(near(coord(900_000_000, 1_800_000_000)).is_empty());
        assert!(Grid::new(&[], &[]).is_ok_and(|grid| grid.bytes() == 0));
    }
}
