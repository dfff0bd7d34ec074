//! Road distances between points.

use despacho_core::model::Leg;

/// The distance and free-flow time between two points in a road network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoadDistance {
    /// Metres on roads.
    pub metres: u32,
    /// Travel time in milliseconds.
    pub milliseconds: u64,
}

/// A cell for every pair of points, row by row. A cell is `None` if no road is near one of the
/// points or none connects them.
pub type Distances = Vec<Option<RoadDistance>>;

/// Returns the leg of a courier in traffic, who takes `percent` of the free-flow time.
pub(crate) fn leg(way: RoadDistance, percent: u32) -> Leg {
    let milliseconds = way.milliseconds.saturating_mul(u64::from(percent)) / 100;
    Leg {
        metres: way.metres,
        seconds: u32::try_from(milliseconds.div_ceil(1_000)).unwrap_or(u32::MAX),
    }
}

/// Converts a service's metres to whole metres; `None` if the number is not a distance.
pub(crate) fn metres(value: f64) -> Option<u32> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range is checked before"
    )]
    (value.is_finite() && (0.0..4e9).contains(&value)).then(|| value.round() as u32)
}

/// Converts a service's seconds to milliseconds; `None` if the number is not a duration.
pub(crate) fn milliseconds(seconds: f64) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range is checked before"
    )]
    (seconds.is_finite() && (0.0..4e9).contains(&seconds))
        .then(|| (seconds * 1_000.0).round() as u64)
}

/// Splits `count` indices into ranges of at most `max`.
pub(crate) fn parts(count: usize, max: usize) -> Vec<std::ops::Range<usize>> {
    let max = max.max(1);
    (0..count)
        .step_by(max)
        .map(|from| from..(from + max).min(count))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn courier_leg_takes_percentage_of_free_flow_time() {
        let way = RoadDistance {
            metres: 1_917,
            milliseconds: 198_700,
        };
        assert_eq!(
            leg(way, 150),
            Leg {
                metres: 1_917,
                seconds: 299
            }
        );
        assert_eq!(
            leg(way, 100),
            Leg {
                metres: 1_917,
                seconds: 199
            }
        );
        assert_eq!(leg(RoadDistance::default(), 150), Leg::default());
    }

    #[test]
    fn invalid_numbers_have_no_distance_or_duration() {
        assert_eq!(
            (metres(1_916.6), milliseconds(198.7)),
            (Some(1_917), Some(198_700))
        );
        for value in [-1.0, f64::NAN, f64::INFINITY, 1e12] {
            assert_eq!(
                (metres(value), milliseconds(value)),
                (None, None),
                "{value}"
            );
        }
    }

    #[test]
    fn parts_cover_every_index_once() {
        assert_eq!(parts(5, 2), [0..2, 2..4, 4..5]);
        assert_eq!((parts(0, 3), parts(2, 0)), (vec![], vec![0..1, 1..2]));
    }
}
