//! Spatial search: the cells that storage indexes, and the couriers around a pickup.

use core::ops::RangeInclusive;

use crate::{
    geo::great_circle_m,
    model::{
        Point,
        courier::{Candidate, Cell},
    },
};

/// Returns at most `max` ranges of cells that together contain every point within a radius of any
/// of the points.
///
/// If there are more ranges, the closest ones are merged, so a range can include cells that are too
/// far away.
pub(crate) fn cells_around(
    points: impl Iterator<Item = Point>,
    radius_m: u32,
    max: usize,
) -> Vec<RangeInclusive<Cell>> {
    let mut runs = Vec::new();
    for point in points {
        let field = Field::around(point, radius_m);
        let (lat, lon) = (i64::from(point.lat_e7), i64::from(point.lon_e7));
        let (north, east) = (i64::from(field.north_e7), i64::from(field.east_e7));
        let (west, east) = (Cell::column(lon - east), Cell::column(lon + east));
        runs.extend(
            (Cell::row(lat - north)..=Cell::row(lat + north))
                .map(|row| (Cell::at(row, west), Cell::at(row, east))),
        );
    }
    runs.sort_unstable();
    let mut merged: Vec<(Cell, Cell)> = Vec::new();
    for (first, last) in runs {
        match merged.last_mut() {
            Some(before) if first.0 <= before.1.0 + 1 => before.1 = before.1.max(last),
            _ => merged.push((first, last)),
        }
    }
    // Only the widest gaps are kept.
    let mut gaps: Vec<i64> = merged
        .windows(2)
        .filter_map(|pair| Some(pair.get(1)?.0.0 - pair.first()?.1.0))
        .collect();
    gaps.sort_unstable_by(|a, b| b.cmp(a));
    let narrowest = gaps.get(max.saturating_sub(1)).copied().unwrap_or(0);
    let mut ranges: Vec<(Cell, Cell)> = Vec::new();
    for (first, last) in merged {
        match ranges.last_mut() {
            Some(before) if first.0 - before.1.0 <= narrowest => before.1 = last,
            _ => ranges.push((first, last)),
        }
    }
    ranges
        .into_iter()
        .map(|(first, last)| first..=last)
        .collect()
}

/// A spatial index of free couriers.
pub(crate) struct CourierIndex<'a> {
    couriers: &'a [Candidate],
    /// Row, longitude and index in the list, sorted.
    entries: Vec<(i32, i32, usize)>,
}

/// Height of a row: about 1.1 km.
const ROW_E7: i32 = 100_000;
/// Initial radius of a search for the nearest couriers. It doubles until enough couriers are found.
const FIRST_RADIUS_M: u32 = 500;

impl<'a> CourierIndex<'a> {
    /// Indexes couriers.
    pub(crate) fn new(couriers: &'a [Candidate]) -> CourierIndex<'a> {
        CourierIndex::of(couriers, |_| true)
    }

    /// Indexes the couriers that `is_wanted` accepts.
    pub(crate) fn of(
        couriers: &'a [Candidate],
        is_wanted: impl Fn(&Candidate) -> bool,
    ) -> CourierIndex<'a> {
        let entry = |(at, courier): (usize, &Candidate)| {
            (
                courier.point.lat_e7.div_euclid(ROW_E7),
                courier.point.lon_e7,
                at,
            )
        };
        let mut entries: Vec<_> = couriers
            .iter()
            .enumerate()
            .filter(|(_, courier)| is_wanted(courier))
            .map(entry)
            .collect();
        entries.sort_unstable();
        CourierIndex { couriers, entries }
    }

    /// Returns the courier at an index of the list.
    pub(crate) fn get(&self, at: usize) -> Option<&'a Candidate> {
        self.couriers.get(at)
    }

    /// Returns whether a courier accepted by `fits` is within the radius.
    pub(crate) fn has_within(
        &self,
        pickup: Point,
        radius_m: u32,
        fits: impl Fn(&Candidate) -> bool,
    ) -> bool {
        !self.nearest(pickup, radius_m, 1, fits).is_empty()
    }

    /// Returns the `count` nearest couriers within the radius that `fits` accepts, and possibly
    /// more, each with its distance in metres and its index in the list.
    pub(crate) fn nearest(
        &self,
        pickup: Point,
        radius_m: u32,
        count: usize,
        fits: impl Fn(&Candidate) -> bool,
    ) -> Vec<(u32, usize)> {
        let mut reach_m = FIRST_RADIUS_M.min(radius_m);
        loop {
            let found = self.within(pickup, reach_m, &fits);
            if found.len() >= count || reach_m >= radius_m {
                return found;
            }
            reach_m = reach_m.saturating_mul(2).min(radius_m);
        }
    }

    fn within(
        &self,
        pickup: Point,
        radius_m: u32,
        fits: impl Fn(&Candidate) -> bool,
    ) -> Vec<(u32, usize)> {
        let field = Field::around(pickup, radius_m);
        let rows = pickup
            .lat_e7
            .saturating_sub(field.north_e7)
            .div_euclid(ROW_E7)
            ..=pickup
                .lat_e7
                .saturating_add(field.north_e7)
                .div_euclid(ROW_E7);
        let west = pickup.lon_e7.saturating_sub_unsigned(field.east_e7);
        let east = pickup.lon_e7.saturating_add_unsigned(field.east_e7);
        let mut found = Vec::new();
        for row in rows {
            let from = self
                .entries
                .partition_point(|&(its_row, lon, _)| (its_row, lon) < (row, west));
            let candidates = self.entries.get(from..).unwrap_or_default();
            for &(_, _, at) in candidates
                .iter()
                .take_while(|&&(its_row, lon, _)| (its_row, lon) <= (row, east))
            {
                let Some(courier) = self.couriers.get(at).filter(|courier| fits(courier)) else {
                    continue;
                };
                let distance_m = great_circle_m(courier.point, pickup);
                if distance_m <= radius_m {
                    found.push((distance_m, at));
                }
            }
        }
        found
    }
}

/// Great-circle metres in one degree of latitude, rounded down so that a field never cuts its
/// circle.
const DEGREE_M: u64 = 111_000;

/// A rectangle in degrees that contains a circle. Brazil is far from the poles and from the 180th
/// meridian.
struct Field {
    north_e7: i32,
    east_e7: u32,
}

impl Field {
    fn around(point: Point, radius_m: u32) -> Field {
        let north = u64::from(radius_m) * 10_000_000 / DEGREE_M + 1;
        let north_e7 = i32::try_from(north).unwrap_or(i32::MAX);
        // Meridians are closest at the edge that is further from the equator.
        let furthest = (f64::from(point.lat_e7.abs()) + f64::from(north_e7)) / 1e7;
        let narrowing = libm::cos(furthest.min(89.0) * core::f64::consts::PI / 180.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "kept within a half circle"
        )]
        let east_e7 = libm::ceil(f64::from(north_e7) / narrowing).min(1.8e9) as u32;
        Field { north_e7, east_e7 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Capacity, CourierId};

    pub(crate) fn at(latitude: f64, longitude: f64) -> Point {
        Point::from_degrees(latitude, longitude).unwrap()
    }

    #[test]
    fn field_and_cells_contain_the_whole_circle() {
        let mut near_the_edge = 0;
        for latitude in [-33.7, -23.55, -3.1, 0.0, 5.2] {
            let centre = at(latitude, -46.63);
            for radius_m in [1_000, 10_000, 200_000] {
                let cells = cells_around([centre].into_iter(), radius_m, 1_000);
                let merged = cells_around([centre, at(-12.0, -38.0)].into_iter(), radius_m, 3);
                assert!(merged.len() <= 3);
                for degree in 0..360 {
                    let bearing = f64::from(degree) * core::f64::consts::PI / 180.0;
                    let reach = f64::from(radius_m) / 111_195.0 * 0.9999;
                    let north = latitude + reach * libm::cos(bearing);
                    let east = -46.63
                        + reach * libm::sin(bearing)
                            / libm::cos(north * core::f64::consts::PI / 180.0);
                    let place = at(north, east);
                    if great_circle_m(centre, place) > radius_m {
                        continue;
                    }
                    near_the_edge += 1;
                    let field = Field::around(centre, radius_m);
                    assert!(
                        place.lat_e7.abs_diff(centre.lat_e7) <= field.north_e7.unsigned_abs(),
                        "{latitude} {degree}"
                    );
                    assert!(
                        place.lon_e7.abs_diff(centre.lon_e7) <= field.east_e7,
                        "{latitude} {degree}"
                    );
                    let cell = Cell::of(place);
                    assert!(
                        cells.iter().any(|range| range.contains(&cell)),
                        "{latitude} {degree}"
                    );
                    assert!(
                        merged.iter().any(|range| range.contains(&cell)),
                        "{latitude} {degree}"
                    );
                }
            }
        }
        assert!(
            near_the_edge > 2_000,
            "{near_the_edge} points were near the edge"
        );
    }

    #[test]
    fn cells_are_numbered_row_by_row_without_overlap() {
        assert_eq!(
            Cell::of(Point {
                lat_e7: -900_000_000,
                lon_e7: -1_800_000_000
            })
            .number(),
            0
        );
        assert_eq!(
            Cell::of(Point {
                lat_e7: 900_000_000,
                lon_e7: 1_800_000_000
            })
            .number(),
            1_800 * 3_601 + 3_600
        );
        assert_eq!(
            Cell::of(Point {
                lat_e7: -1,
                lon_e7: -1
            })
            .number(),
            899 * 3_601 + 1_799
        );
        assert_eq!(
            Cell::of(Point {
                lat_e7: 0,
                lon_e7: 0
            })
            .number(),
            900 * 3_601 + 1_800
        );
        let ranges = cells_around(
            [at(-23.55, -46.65), at(-23.55, -46.55)].into_iter(),
            5_000,
            100,
        );
        let numbers = ranges
            .iter()
            .map(|range| range.end().number() - range.start().number());
        assert_eq!(
            numbers.collect::<Vec<_>>(),
            [1],
            "one row, neighbours merged: {ranges:?}"
        );
    }

    #[test]
    fn nearest_couriers_equal_full_scan() {
        let mut state = 7_u64;
        let mut next = |below: i32| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            i32::try_from((state >> 33) % u64::from(below.unsigned_abs())).unwrap()
        };
        for (spread, radius_m) in [(20_000, 1_500), (400_000, 10_000), (3_000_000, 60_000)] {
            let mut point = || Point {
                lat_e7: -235_000_000 + next(spread),
                lon_e7: -466_000_000 + next(spread),
            };
            let couriers: Vec<_> = (1..400)
                .map(|id| Candidate {
                    id: CourierId::new(id).unwrap(),
                    point: point(),
                    sandbox: id % 5 == 0,
                    is_free: true,
                    capacity: Capacity::default(),
                    cash_room: None,
                })
                .collect();
            let index = CourierIndex::new(&couriers);
            for count in [1, 3, 50, 1_000] {
                let pickup = point();
                let mut all: Vec<_> = (0..couriers.len())
                    .filter(|at| !couriers[*at].sandbox)
                    .map(|at| (great_circle_m(couriers[at].point, pickup), at))
                    .filter(|(metres, _)| *metres <= radius_m)
                    .collect();
                all.sort_unstable();
                all.truncate(count);
                let mut found = index.nearest(pickup, radius_m, count, |courier| !courier.sandbox);
                found.sort_unstable();
                found.truncate(count);
                assert_eq!(found, all);
                assert_eq!(
                    index.has_within(pickup, radius_m, |_| true),
                    couriers
                        .iter()
                        .any(|one| great_circle_m(one.point, pickup) <= radius_m)
                );
            }
        }
    }
}
