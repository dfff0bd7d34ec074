//! Segments of roads by area.

use crate::cost::Piece;
use crate::error::RoadsError;
use crate::place::Place;

/// The smallest side of a grid's cell, in 10⁻⁷ degrees: about 220 m.
const CELL: i64 = 20_000;

/// Segments of roads by the cells that they touch. A segment is known by the number of its first place.
#[derive(Debug, Default)]
pub(crate) struct Grid {
    low: Place,
    high: Place,
    cell: i64,
    rows: i64,
    columns: i64,
    /// For each cell where its segments begin; one number more than cells.
    starts: Vec<u32>,
    segments: Vec<u32>,
}

impl Grid {
    pub(crate) fn new(pieces: &[Piece], shapes: &[Place]) -> Result<Grid, RoadsError> {
        let corner = |pick: fn(i32, i32) -> i32| {
            shapes.iter().copied().reduce(|a, b| Place { lat: pick(a.lat, b.lat), lon: pick(a.lon, b.lon) })
        };
        let (Some(low), Some(high)) = (corner(i32::min), corner(i32::max)) else { return Ok(Grid::default()) };
        let mut grid = Grid { low, high, cell: CELL, ..Grid::default() };
        let max = i64::try_from(shapes.len() * 2).unwrap_or(i64::MAX).max(1 << 16);
        loop {
            let last = grid.cell_of(high);
            (grid.rows, grid.columns) = (last.0 + 1, last.1 + 1);
            if grid.rows * grid.columns <= max {
                break;
            }
            grid.cell *= 2;
        }
        let mut touched = Vec::new();
        for (piece, next) in pieces.iter().zip(pieces.iter().skip(1).map(|piece| piece.shape).chain([u32::MAX])) {
            let last = (next as usize).min(shapes.len());
            for first in piece.shape as usize..last.saturating_sub(1) {
                let segment = u32::try_from(first).map_err(|_| RoadsError::TooLarge)?;
                touched.extend(grid.cells(shapes[first], shapes[first + 1]).map(|cell| (cell, segment)));
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
        grid.starts.resize(cells + 1, u32::try_from(touched.len()).unwrap_or(u32::MAX));
        Ok(grid)
    }

    /// The corners of the box around all segments.
    pub(crate) fn corners(&self) -> (Place, Place) {
        (self.low, self.high)
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.starts[..]) + size_of_val(&self.segments[..])
    }

    /// The cells of the rectangle around a segment.
    fn cells(&self, from: Place, to: Place) -> impl Iterator<Item = usize> + use<> {
        let (a, b) = (self.cell_of(from), self.cell_of(to));
        let (columns, row_count) = (self.columns, a.0.max(b.0) - a.0.min(b.0) + 1);
        let (first_row, first_column, last_column) = (a.0.min(b.0), a.1.min(b.1), a.1.max(b.1));
        (0..row_count).flat_map(move |row| {
            let start = (first_row + row) * columns;
            (first_column..=last_column).filter_map(move |column| usize::try_from(start + column).ok())
        })
    }

    fn cell_of(&self, place: Place) -> (i64, i64) {
        let (lat, lon) =
            (i64::from(place.lat) - i64::from(self.low.lat), i64::from(place.lon) - i64::from(self.low.lon));
        (lat.div_euclid(self.cell.max(1)), lon.div_euclid(self.cell.max(1)))
    }

    /// Calls for each segment in the cells within a limit of a place; some come more than once.
    pub(crate) fn near(&self, place: Place, limit_m: f64, mut each: impl FnMut(u32)) {
        let (east, north) = place.offset_to(Place { lat: place.lat, lon: place.lon.saturating_add(10_000) });
        debug_assert!(north.abs() < 1e-6, "the same latitude");
        let cell_m = f64::from(u32::try_from(self.cell).unwrap_or(u32::MAX)) / 10_000.0;
        #[expect(clippy::cast_possible_truncation, reason = "a limit of some hundred metres; near a pole it saturates")]
        let reach = |metre: f64| libm::ceil(limit_m / (metre * cell_m).max(1e-3)) as i64;
        // 111.19 m are 10,000 units of latitude.
        let (rows, columns) = (reach(111.19), reach(east).min(self.columns));
        let (row, column) = self.cell_of(place);
        for row in (row - rows).max(0)..=(row + rows).min(self.rows - 1) {
            for column in (column - columns).max(0)..=(column + columns).min(self.columns - 1) {
                let Ok(cell) = usize::try_from(row * self.columns + column) else { continue };
                let range = self.starts.get(cell).zip(self.starts.get(cell + 1));
                let range = range.map_or(0..0, |(start, end)| *start as usize..*end as usize);
                self.segments.get(range).unwrap_or_default().iter().for_each(|segment| each(*segment));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_finds_each_segment_from_every_cell_it_touches() {
        let place = |lat, lon| Place { lat, lon };
        let shapes = [place(0, 0), place(0, 100_000), place(50_000, 100_000)];
        let pieces = [Piece { shape: 0, lanes: [0, 1] }];
        let grid = Grid::new(&pieces, &shapes).expect("a small one");
        let near = |at: Place| {
            let mut found = Vec::new();
            grid.near(at, 100.0, |segment| found.push(segment));
            found.sort_unstable();
            found.dedup();
            found
        };
        assert_eq!(near(place(100, 100)), [0]);
        assert_eq!(near(place(50_000, 99_000)), [1]);
        assert_eq!(near(place(0, 100_000)), [0, 1]);
        assert!(near(place(900_000_000, 1_800_000_000)).is_empty());
        assert!(Grid::new(&[], &[]).is_ok_and(|grid| grid.bytes() == 0));
    }
}
