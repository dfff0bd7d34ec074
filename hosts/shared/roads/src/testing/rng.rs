//! Random points, identical in every run.

use despacho_core::model::Point;

/// A deterministic random number generator (splitmix64).
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// Creates a generator from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    /// Returns the next number, from 0 (inclusive) to 1 (exclusive).
    pub fn next_f64(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        f64::from(u32::try_from((bits ^ (bits >> 31)) >> 32).unwrap_or(0)) / 4_294_967_296.0
    }

    /// Returns a random point of an area, given by its south-western and north-eastern corner.
    pub fn point(&mut self, area: (Point, Point)) -> Option<Point> {
        let (low, high) = area;
        let latitude = low.latitude() + (high.latitude() - low.latitude()) * self.next_f64();
        let longitude = low.longitude() + (high.longitude() - low.longitude()) * self.next_f64();
        Point::from_degrees(latitude, longitude)
    }

    /// Moves a point in a random direction by a Rayleigh-distributed distance with the given
    /// median.
    pub fn moved(&mut self, point: Point, median_m: f64) -> Option<Point> {
        let metres = median_m * (-(1.0 - self.next_f64()).ln() / 2f64.ln()).sqrt();
        let angle = self.next_f64() * std::f64::consts::TAU;
        let degree = 111_195.0;
        let east = metres * angle.sin() / (degree * point.latitude().to_radians().cos());
        Point::from_degrees(
            point.latitude() + metres * angle.cos() / degree,
            point.longitude() + east,
        )
    }
}
