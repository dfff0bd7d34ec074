//! The nearest position on a road.

/// The maximum distance in metres between a point and the nearest road.
///
/// The courier walks the remaining distance. Beyond this limit, a leg would be plausible but wrong:
/// the point is in the countryside, in water, or outside the extract.
pub const SNAP_LIMIT_M: f64 = 350.0;

/// Returns the distance of the origin from a line segment, and the fraction of the line segment at
/// which it is nearest.
pub(crate) fn nearest_on(from: (f64, f64), to: (f64, f64)) -> (f64, f64) {
    let (east, north) = (to.0 - from.0, to.1 - from.1);
    let square = east * east + north * north;
    let fraction = if square > 0.0 {
        (-(from.0 * east + from.1 * north) / square).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let (east, north) = (from.0 + fraction * east, from.1 + fraction * north);
    (libm::sqrt(east * east + north * north), fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_position_is_inside_segment_or_at_end() {
        assert_eq!(nearest_on((-10.0, 3.0), (10.0, 3.0)), (3.0, 0.5));
        assert_eq!(nearest_on((3.0, 4.0), (10.0, 4.0)), (5.0, 0.0));
        assert_eq!(nearest_on((3.0, 4.0), (3.0, 4.0)), (5.0, 0.0));
    }
}
