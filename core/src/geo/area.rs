//! Service areas: whether a location is in one, and the validity of their rings. All decisions
//! about points use integers, so they are identical on every host.
//!
//! A location is outside only with its whole circle. A rough location cannot decide, and a wrong
//! rejection loses an order, while the merchant can cancel a wrong acceptance.

use std::cmp::Ordering;

use super::plane::Plane;
use crate::model::{
    Located, Point,
    store::{Ring, ServiceArea},
};

/// The position of a point relative to a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Outside,
    OnEdge,
    Inside,
}

impl ServiceArea {
    /// Whether the area contains a point. Edges belong to the area, also those of holes.
    ///
    /// ```
    /// use despacho_core::model::{Point, store::{Ring, ServiceArea}};
    /// let point = |latitude, longitude| Point::from_degrees(latitude, longitude).unwrap();
    /// let corners = [(-23.5, -46.6), (-23.5, -46.7), (-23.6, -46.7), (-23.6, -46.6), (-23.5, -46.6)];
    /// let ring = Ring(corners.map(|(latitude, longitude)| point(latitude, longitude)).to_vec());
    /// let area = ServiceArea(vec![vec![ring]]);
    /// assert!(area.contains(point(-23.55, -46.65)) && area.contains(point(-23.5, -46.65)));
    /// assert!(!area.contains(point(-23.55, -46.55)));
    /// ```
    pub fn contains(&self, point: Point) -> bool {
        self.0.iter().any(|polygon| {
            let Some((outer, holes)) = polygon.split_first() else {
                return false;
            };
            side(outer, point) != Side::Outside
                && holes.iter().all(|hole| side(hole, point) != Side::Inside)
        })
    }

    /// Whether a location can be in the area: the area contains it, or is nearer than the
    /// location's typical error. Only a location whose whole circle is outside is certainly
    /// outside.
    pub fn may_contain(&self, located: &Located) -> bool {
        if self.contains(located.point) {
            return true;
        }
        if located.radius_m == 0 {
            return false;
        }
        let (plane, metres) = (Plane::around(located.point), f64::from(located.radius_m));
        self.rings()
            .any(|ring| edges(&ring.0).any(|(from, to)| plane.is_near(from, to, metres)))
    }
}

/// Whether a point is in the smallest box around Brazil and its islands, in whole degrees.
pub fn is_in_box(point: Point) -> bool {
    (-340_000_000..=60_000_000).contains(&point.lat_e7)
        && (-740_000_000..=-280_000_000).contains(&point.lon_e7)
}

/// Returns the index of the first point of a closed ring after which an edge crosses, touches or
/// reverses an earlier one. Points that repeat their predecessor are skipped.
pub fn first_crossing(points: &[Point]) -> Option<usize> {
    let edges: Vec<_> = edges(points)
        .enumerate()
        .filter(|(_, (from, to))| from != to)
        .collect();
    let lines: Vec<Line> = edges.iter().map(|(_, edge)| *edge).collect();
    let last = lines.len().saturating_sub(1);
    let mut first = None;
    near_pairs(&lines, |earlier, later| {
        // Of several crossings, only an earlier one is of interest.
        if first.is_some_and(|found| later >= found) {
            return;
        }
        let (Some(one), Some(other)) = (lines.get(earlier), lines.get(later)) else {
            return;
        };
        let is_crossing = if earlier + 1 == later {
            reverses(*one, *other)
        } else if earlier == 0 && later == last {
            reverses(*other, *one)
        } else {
            meet(*one, *other)
        };
        if is_crossing {
            first = Some(later);
        }
    });
    edges.get(first?).map(|(index, _)| *index)
}

/// An edge from a point to another one.
type Line = (Point, Point);

/// Calls `visit` with every two edges whose boxes have a common point, the earlier index first. A
/// sweep from south to north compares an edge only with those that begin before it ends, so a ring
/// of an ordinary shape costs little more than its edges.
fn near_pairs(lines: &[Line], mut visit: impl FnMut(usize, usize)) {
    let south = |at: usize| {
        lines
            .get(at)
            .map_or(0, |(from, to)| from.lat_e7.min(to.lat_e7))
    };
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|&at| south(at));
    for (position, one) in order.iter().enumerate() {
        let Some(line) = lines.get(*one) else {
            continue;
        };
        let north = line.0.lat_e7.max(line.1.lat_e7);
        for other in order
            .iter()
            .skip(position + 1)
            .take_while(|other| south(**other) <= north)
        {
            if lines
                .get(*other)
                .is_some_and(|other| have_common_box(*line, *other))
            {
                visit(*one.min(other), *one.max(other));
            }
        }
    }
}

/// Whether the boxes around two edges have a common point.
fn have_common_box((a, b): Line, (c, d): Line) -> bool {
    let overlap = |a: i32, b: i32, c: i32, d: i32| a.min(b) <= c.max(d) && c.min(d) <= a.max(b);
    overlap(a.lon_e7, b.lon_e7, c.lon_e7, d.lon_e7)
        && overlap(a.lat_e7, b.lat_e7, c.lat_e7, d.lat_e7)
}

/// Returns the index of the first position of a hole that is outside its outer ring, or after which
/// an edge crosses that ring. The rings may touch.
pub fn first_outside(outer: &Ring, hole: &Ring) -> Option<usize> {
    let crosses =
        |edge| edges(&outer.0).any(|other| have_common_box(other, edge) && cross(other, edge));
    edges(&hole.0).position(|edge| side(outer, edge.0) == Side::Outside || crosses(edge))
}

/// Whether at least three of a ring's edges have a length.
pub fn has_three_edges(points: &[Point]) -> bool {
    edges(points).filter(|(from, to)| from != to).count() >= 3
}

fn edges(points: &[Point]) -> impl Iterator<Item = (Point, Point)> {
    points.iter().copied().zip(points.iter().copied().skip(1))
}

/// Applies the even-odd rule.
fn side(Ring(points): &Ring, point: Point) -> Side {
    let mut odd = false;
    for (from, to) in edges(points) {
        // Most edges are north or south of the point.
        if !(from.lat_e7.min(to.lat_e7)..=from.lat_e7.max(to.lat_e7)).contains(&point.lat_e7) {
            continue;
        }
        let turn = turn(from, to, point);
        if turn == Ordering::Equal && is_within_box(from, to, point) {
            return Side::OnEdge;
        }
        if (from.lat_e7 > point.lat_e7) != (to.lat_e7 > point.lat_e7) {
            odd ^= (turn == Ordering::Greater) == (to.lat_e7 > from.lat_e7);
        }
    }
    if odd { Side::Inside } else { Side::Outside }
}

/// Returns on which side of the line from `a` to `b` a point is: `Greater` is left. With `a` and
/// `b` in Brazil's box, the products are below 2^62 for every point on Earth.
fn turn(a: Point, b: Point, point: Point) -> Ordering {
    let [ax, ay, bx, by, x, y] = [
        a.lon_e7,
        a.lat_e7,
        b.lon_e7,
        b.lat_e7,
        point.lon_e7,
        point.lat_e7,
    ]
    .map(i64::from);
    ((bx - ax) * (y - ay)).cmp(&((x - ax) * (by - ay)))
}

/// Whether a point of the line through two points is between them.
fn is_within_box(a: Point, b: Point, point: Point) -> bool {
    let within = |a: i32, b: i32, value: i32| (a.min(b)..=a.max(b)).contains(&value);
    within(a.lon_e7, b.lon_e7, point.lon_e7) && within(a.lat_e7, b.lat_e7, point.lat_e7)
}

/// Whether two edges have a common point.
fn meet((a, b): Line, (c, d): Line) -> bool {
    let turns = [turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b)];
    let touches = |at: usize, (from, to), point| {
        turns[at] == Ordering::Equal && is_within_box(from, to, point)
    };
    is_cross(turns)
        || touches(0, (a, b), c)
        || touches(1, (a, b), d)
        || touches(2, (c, d), a)
        || touches(3, (c, d), b)
}

/// Whether two edges have a common point that is not an end.
fn cross((a, b): Line, (c, d): Line) -> bool {
    is_cross([turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b)])
}

fn is_cross(turns: [Ordering; 4]) -> bool {
    turns[0] != turns[1] && turns[2] != turns[3] && !turns.contains(&Ordering::Equal)
}

/// Whether an edge returns along the edge before it, which ends where it starts.
fn reverses((a, b): (Point, Point), (_, c): (Point, Point)) -> bool {
    turn(a, b, c) == Ordering::Equal && (is_within_box(a, b, c) || is_within_box(b, c, a))
}

#[cfg(test)]
mod tests;
