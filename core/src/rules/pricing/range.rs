//! The range of a fee if the distances are uncertain.

use super::{FeeInput, Tariff, price, total};
use crate::model::{Distance, Located, Money, Precision};

/// The fees at both ends of the expected error of the distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeeRange {
    /// The lower fee.
    pub min: Money,
    /// The higher fee.
    pub max: Money,
}

/// Road metres per great-circle metre, in per cent: the factor of the embedded model for longer distances.
const DETOUR_PERCENT: u64 = 122;
/// Median error of an estimated leg in per cent, measured in the centre of São Paulo.
const LEG_ERROR_PERCENT: u64 = 9;

/// The places and legs of a route, as far as they matter for the error of its distances.
pub(super) struct Uncertainty {
    /// The pickup and the stops, in visiting order.
    pub(super) places: Vec<Located>,
    /// The lengths in metres of the legs to the stops that are marked as estimated.
    pub(super) estimated: Vec<u32>,
    /// The length in metres of the leg back to the pickup, if it is marked as estimated.
    pub(super) estimated_back: Option<u32>,
}

/// Returns the range of a fee, or `None` if every location is at least as precise as a street number and no leg is marked as estimated.
///
/// The errors of locations and legs are independent, so the error of a distance is the root of the sum of their squares. A stop
/// changes the legs before and after it. The range is the expected error and not a limit.
pub(super) fn fee_range(tariff: &Tariff, priced: &FeeInput, of: &Uncertainty) -> Option<FeeRange> {
    let squared = |metres: u64| metres * metres;
    let place_error = |place: &Located, legs: u64| squared(radius_m(place) * DETOUR_PERCENT / 100 * legs);
    let leg_error = |metres: &u32| squared(u64::from(*metres) * LEG_ERROR_PERCENT / 100);
    let [pickup, inner @ .., last] = &of.places[..] else { return None };
    let ends = place_error(pickup, 1) + place_error(last, 1);
    let inner: u64 = inner.iter().map(|place| place_error(place, 2)).sum();
    let outward = ends + inner + of.estimated.iter().map(leg_error).sum::<u64>();
    let back = if priced.back.is_some() { ends + of.estimated_back.iter().map(leg_error).sum::<u64>() } else { 0 };
    if outward + back == 0 {
        return None;
    }
    let [outward, back] = [outward, back].map(|square| u32::try_from(square.isqrt()).unwrap_or(u32::MAX));
    let fee = |shift: fn(u32, u32) -> u32| {
        let shifted = |distance: Distance, error: u32| Distance(shift(distance.0, error));
        let input = FeeInput {
            outward: shifted(priced.outward, outward),
            back: priced.back.map(|distance| shifted(distance, back)),
            ..*priced
        };
        total(&price(tariff, &input))
    };
    Some(FeeRange { min: fee(u32::saturating_sub), max: fee(u32::saturating_add) })
}

/// Returns the typical error of a location that is less precise than a street number.
fn radius_m(located: &Located) -> u64 {
    if located.precision > Precision::Number { u64::from(located.radius_m) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Point, Timestamp, Zone};

    const EXACT: (Precision, u32) = (Precision::Number, 15);

    fn range(
        metres: u32,
        back: Option<u32>,
        places: &[(Precision, u32)],
        estimated: &[u32],
    ) -> (Money, Option<FeeRange>) {
        let tariff = Tariff::default();
        let point = Point::from_degrees(-23.55, -46.65).unwrap();
        let located =
            |(precision, radius_m): &(Precision, u32)| Located { point, precision: *precision, radius_m: *radius_m };
        let priced = FeeInput {
            outward: Distance(metres),
            back: back.map(Distance),
            stops: places.len() - 1,
            at: Timestamp::from_millis(1_795_262_400_000),
            zone: Zone::Brasilia,
            vehicle: None,
        };
        let places = places.iter().map(located).collect();
        let uncertainty = Uncertainty { places, estimated: estimated.to_vec(), estimated_back: None };
        (total(&price(&tariff, &priced)), fee_range(&tariff, &priced, &uncertainty))
    }

    #[test]
    fn exact_locations_have_no_range() {
        assert_eq!(range(8_000, None, &[EXACT, EXACT], &[]).1, None);
        assert!(range(8_000, None, &[EXACT, EXACT], &[8_000]).1.is_some());
    }

    #[test]
    fn range_contains_the_fee_and_grows_with_the_error() {
        let width = |places: &[(Precision, u32)], back| {
            let (fee, range) = range(8_000, back, places, &[]);
            let range = range.unwrap();
            assert!(range.min <= fee && fee <= range.max, "{fee} {range:?}");
            range.max.centavos() - range.min.centavos()
        };
        let (near, far) = ((Precision::Cep5, 437), (Precision::Municipality, 1_000));
        // 437 m · 1.22 · R$ 1.60 per km, in both directions.
        assert_eq!(width(&[EXACT, near], None), 170);
        assert!(width(&[EXACT, near], None) < width(&[EXACT, far], None));
        assert!(width(&[EXACT, far], None) < width(&[EXACT, far, EXACT], None), "the stop changes two legs");
        assert!(width(&[EXACT, far], None) < width(&[EXACT, far], Some(8_000)));
        let shortest = Money::rounded(Tariff::default().minimum_fee);
        let city = (Precision::Municipality, 9_000);
        assert_eq!(
            range(8_000, None, &[EXACT, city], &[]).1.map(|range| range.min),
            shortest,
            "a route of zero metres"
        );
    }
}
