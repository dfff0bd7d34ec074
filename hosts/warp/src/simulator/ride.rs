//! Where somebody is on the way from one place to another.

use std::time::Duration;

use despacho_core::{
    domain::Point,
    geo::{great_circle_m, leg},
};

/// A straight leg, ridden in the time that the road model gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ride {
    from: Point,
    to: Point,
    /// How long it takes, in the robots' time.
    pub(super) takes: Duration,
}

impl Ride {
    /// The ride between two places, so many times as long as it should be.
    pub(super) fn between(from: Point, to: Point, slower: u32) -> Ride {
        let seconds = u64::from(leg(from, to).seconds) * u64::from(slower);
        Ride { from, to, takes: Duration::from_secs(seconds) }
    }

    /// Where the rider is after so much of the robots' time.
    pub(super) fn place(&self, after: Duration) -> Point {
        if after >= self.takes || self.takes.is_zero() {
            return self.to;
        }
        let part = after.as_secs_f64() / self.takes.as_secs_f64();
        let between = |from: f64, to: f64| from + (to - from) * part;
        let latitude = between(self.from.latitude(), self.to.latitude());
        let longitude = between(self.from.longitude(), self.to.longitude());
        Point::from_degrees(latitude, longitude).unwrap_or(self.to)
    }

    /// Great-circle metres of the whole leg.
    pub(super) fn metres(&self) -> u32 {
        great_circle_m(self.from, self.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ride_begins_here_ends_there_and_passes_the_middle() {
        let at = |latitude, longitude| Point::from_degrees(latitude, longitude).unwrap();
        let (from, to) = (at(-23.56, -46.65), at(-23.54, -46.63));
        let ride = Ride::between(from, to, 1);
        assert_eq!((ride.place(Duration::ZERO), ride.place(ride.takes)), (from, to));
        assert_eq!(ride.place(ride.takes / 2), at(-23.55, -46.64));
        assert_eq!(Ride::between(from, to, 3).takes, 3 * ride.takes);
        assert_eq!(Ride::between(from, from, 1).place(Duration::ZERO), from);
        assert!((2_900..3_100).contains(&ride.metres()), "{}", ride.metres());
    }
}
