//! Ways that a road network finds between points.

use despacho_core::model::Leg;

/// The way between two points in a road network, at free flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Way {
    /// Road metres.
    pub metres: u32,
    /// Milliseconds of riding.
    pub milliseconds: u64,
}

/// A cell for every pair of points, row by row; `None` where the network cannot tell: no road near one end, or none between.
pub type Ways = Vec<Option<Way>>;

/// A way as a courier in traffic rides it, who takes so many per cent of the free-flow time.
pub(crate) fn leg(way: Way, percent: u32) -> Leg {
    let milliseconds = way.milliseconds.saturating_mul(u64::from(percent)) / 100;
    Leg { metres: way.metres, seconds: u32::try_from(milliseconds.div_ceil(1_000)).unwrap_or(u32::MAX) }
}

/// Whole metres of a service's number; `None` for what is no distance.
pub(crate) fn metres(value: f64) -> Option<u32> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked before")]
    (value.is_finite() && (0.0..4e9).contains(&value)).then(|| value.round() as u32)
}

/// Milliseconds of a service's seconds; `None` for what is no time.
pub(crate) fn milliseconds(seconds: f64) -> Option<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked before")]
    (seconds.is_finite() && (0.0..4e9).contains(&seconds)).then(|| (seconds * 1_000.0).round() as u64)
}

/// A range of indices cut into parts of at most so many.
pub(crate) fn parts(count: usize, max: usize) -> Vec<std::ops::Range<usize>> {
    let max = max.max(1);
    (0..count).step_by(max).map(|from| from..(from + max).min(count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_courier_takes_longer_than_free_flow_and_no_fraction_is_lost() {
        let way = Way { metres: 1_917, milliseconds: 198_700 };
        assert_eq!(leg(way, 150), Leg { metres: 1_917, seconds: 299 });
        assert_eq!(leg(way, 100), Leg { metres: 1_917, seconds: 199 });
        assert_eq!(leg(Way::default(), 150), Leg::default());
    }

    #[test]
    fn what_is_no_number_is_no_way() {
        assert_eq!((metres(1_916.6), milliseconds(198.7)), (Some(1_917), Some(198_700)));
        for value in [-1.0, f64::NAN, f64::INFINITY, 1e12] {
            assert_eq!((metres(value), milliseconds(value)), (None, None), "{value}");
        }
    }

    #[test]
    fn parts_cover_everything_once() {
        assert_eq!(parts(5, 2), [0..2, 2..4, 4..5]);
        assert_eq!((parts(0, 3), parts(2, 0)), (vec![], vec![0..1, 1..2]));
    }
}
