//! Checks whether a point is in Brazil, using the coast and borders of Natural Earth
//! (1:10,000,000).

use super::{plane::Plane, tables::Tables};
use crate::model::Point;

/// Distance in metres within which a point outside the outline still counts as in Brazil.
///
/// The outline is simplified to 1.3 km, and the source has an error of about the same size. Piers,
/// islets and border towns must be accepted.
const MARGIN_M: f64 = 6_000.0;

/// Side of a cell: a quarter of a degree.
///
/// [`Tables::land`] is a bitmap of the cells that are entirely on land, with [`ROW`] bytes per row,
/// from south to north. Most points are in such a cell and need no search along the borders. A test
/// compares the bitmap with the outline.
const CELL_E7: i32 = 2_500_000;
/// Southern and western ends of the grid in 10⁻⁷ degrees.
const SOUTH_E7: i32 = -340_000_000;
const WEST_E7: i32 = -745_000_000;
/// Bytes in a row of the grid.
const ROW: usize = 20;

/// Whether the point is on Brazil's land or within the margin around it.
pub(super) fn contains(tables: &Tables, point: Point) -> bool {
    is_in_land_cell(tables, point) || is_inside(tables, point) || is_near_edge(tables, point)
}

/// Whether the point's cell is entirely on land.
fn is_in_land_cell(tables: &Tables, point: Point) -> bool {
    let index = |at: i32, from: i32| {
        at.checked_sub(from)
            .and_then(|ahead| usize::try_from(ahead.div_euclid(CELL_E7)).ok())
    };
    let (Some(row), Some(column)) = (index(point.lat_e7, SOUTH_E7), index(point.lon_e7, WEST_E7))
    else {
        return false;
    };
    let byte = if column < 8 * ROW {
        tables.land.get(row * ROW + column / 8)
    } else {
        None
    };
    byte.is_some_and(|byte| byte >> (column % 8) & 1 == 1)
}

/// Applies the even-odd rule to all rings, with integers for identical results on every host.
fn is_inside(tables: &Tables, point: Point) -> bool {
    let (lat, lon) = (i64::from(point.lat_e7), i64::from(point.lon_e7));
    let mut odd = false;
    let crossed = tables
        .strips()
        .filter(|strip| strip.south_e7 <= point.lat_e7 && point.lat_e7 <= strip.north_e7);
    for strip in crossed {
        for (from, to) in strip.edges() {
            let (y1, y2) = (i64::from(from.lat_e7), i64::from(to.lat_e7));
            if (y1 > lat) == (y2 > lat) {
                continue;
            }
            let (x1, x2) = (i64::from(from.lon_e7), i64::from(to.lon_e7));
            let cross = (x2 - x1) * (lat - y1) - (lon - x1) * (y2 - y1);
            if (cross > 0) == (y2 > y1) && cross != 0 {
                odd = !odd;
            }
        }
    }
    odd
}

/// Whether any edge is within the margin.
fn is_near_edge(tables: &Tables, point: Point) -> bool {
    let plane = Plane::around(point);
    tables.strips().any(|strip| {
        strip
            .edges()
            .any(|(from, to)| plane.is_near(from, to, MARGIN_M))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::tables::EMBEDDED;

    fn at(latitude: f64, longitude: f64) -> bool {
        contains(
            &EMBEDDED,
            Point::from_degrees(latitude, longitude).expect("valid coordinates"),
        )
    }

    /// From 34 degrees south to 6 degrees north.
    const ROWS: usize = 160;

    /// Marks a cell as land if its centre is inside the outline and no edge crosses its bounding
    /// box.
    fn land_bitmap() -> Vec<u8> {
        let edges: Vec<_> = EMBEDDED
            .strips()
            .flat_map(|strip| strip.edges().collect::<Vec<_>>())
            .collect();
        let mut land = vec![0; ROWS * ROW];
        for (row, column) in (0..ROWS).flat_map(|row| (0..8 * ROW).map(move |column| (row, column)))
        {
            let south_e7 = SOUTH_E7 + CELL_E7 * i32::try_from(row).expect("small index");
            let west_e7 = WEST_E7 + CELL_E7 * i32::try_from(column).expect("small index");
            let outside = |one: i32, other: i32, min: i32| {
                one.max(other) < min || one.min(other) > min + CELL_E7
            };
            let crossed = edges.iter().any(|(from, to)| {
                !outside(from.lat_e7, to.lat_e7, south_e7)
                    && !outside(from.lon_e7, to.lon_e7, west_e7)
            });
            let middle = Point {
                lat_e7: south_e7 + CELL_E7 / 2,
                lon_e7: west_e7 + CELL_E7 / 2,
            };
            if !crossed && is_inside(&EMBEDDED, middle) {
                land[row * ROW + column / 8] |= 1 << (column % 8);
            }
        }
        land
    }

    /// `DESPACHO_WRITE_LAND=1` regenerates the file.
    #[test]
    fn land_bitmap_matches_the_outline() {
        let land = land_bitmap();
        if std::env::var_os("DESPACHO_WRITE_LAND").is_some() {
            std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/data/land.bin"), &land)
                .expect("writable file");
        }
        assert!(
            land == EMBEDDED.land,
            "core/data/land.bin differs from the outline"
        );
        let cells: u32 = land.iter().map(|byte| byte.count_ones()).sum();
        // A cell at 15 degrees south has about 750 square kilometres; Brazil has 8,510,000.
        assert!((9_000..11_500).contains(&cells), "{cells} cells");
    }

    #[test]
    fn every_municipality_is_in_brazil() {
        for index in 0..EMBEDDED.count() {
            assert!(
                contains(&EMBEDDED, EMBEDDED.municipal_seat(index)),
                "{} {:?}",
                EMBEDDED.name(index),
                EMBEDDED.municipal_seat(index)
            );
        }
    }

    #[test]
    fn sea_neighbours_and_swapped_coordinates_are_outside() {
        assert!(at(-22.9711, -43.1823), "Copacabana");
        assert!(at(-25.5163, -54.5854), "Foz do Iguaçu");
        assert!(at(-3.84, -32.41), "Fernando de Noronha");
        for (latitude, longitude, name) in [
            (-23.2, -43.0, "20 km off Copacabana"),
            (0.0, 0.0, "null island"),
            (-34.6037, -58.3816, "Buenos Aires"),
            (-25.2637, -57.5759, "Asunción"),
            (-46.6333, -23.5505, "São Paulo swapped"),
            (23.5505, -46.6333, "São Paulo without its sign"),
            (90.0, 180.0, "the pole"),
        ] {
            assert!(!at(latitude, longitude), "{name}");
        }
    }
}
