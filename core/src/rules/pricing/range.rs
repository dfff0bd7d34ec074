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

/// Road metres per great-circle metre, in per cent: the factor of the embedded model for longer
/// distances.
const DETOUR_PERCENT: u64 = 122;
/// Median error of an estimated leg in per cent, measured in the centre of São Paulo.
const LEG_ERROR_PERCENT: u64 = 9;
/// Typical error of a leg that follows from the texts of both addresses in per cent: the standard
/// deviation of the distances of addresses with the same CEP, CEP5 or neighbourhood, divided by
/// their mean.
const NEAR_ERROR_PERCENT: u64 = 60;

/// The places and legs of a route, as far as they matter for the error of its distances.
pub(super) struct Uncertainty {
    /// The pickup and the stops, in visiting order.
    pub(super) places: Vec<Located>,
    /// For each leg to a stop, and then for that back to the pickup: its length in metres if it
    /// follows from the texts of both addresses.
    pub(super) near: Vec<Option<u32>>,
    /// The lengths in metres of the legs to the stops that are marked as estimated.
    pub(super) estimated: Vec<u32>,
    /// The length in metres of the leg back to the pickup, if it is marked as estimated.
    pub(super) estimated_back: Option<u32>,
}

/// Returns the range of a fee with the input of its lower end, or `None` if every location is at
/// least as precise as a street number and no leg is marked as estimated.
///
/// The errors of locations and legs are independent, so the error of a distance is the root of the
/// sum of their squares. A stop changes the legs before and after it, except a leg that follows
/// from the texts, whose error is its own. The range is the expected error and not a limit.
pub(super) fn fee_range(
    tariff: &Tariff,
    priced: &FeeInput,
    of: &Uncertainty,
) -> Option<(FeeRange, FeeInput)> {
    let squared = |metres: u64| metres * metres;
    let place_error =
        |place: &Located, legs: u64| squared(radius_m(place) * DETOUR_PERCENT / 100 * legs);
    let leg_error = |metres: &u32| squared(u64::from(*metres) * LEG_ERROR_PERCENT / 100);
    let [pickup, .., last] = &of.places[..] else {
        return None;
    };
    let near_at = |leg: usize| of.near.get(leg).copied().flatten();
    let near_error = |leg: usize| {
        near_at(leg).map_or(0, |metres| {
            squared(u64::from(metres) * NEAR_ERROR_PERCENT / 100)
        })
    };
    let legs = of.places.len() - 1;
    let is_far = |leg: usize| u64::from(leg < legs && near_at(leg).is_none());
    // The error of a place counts once for each of its legs that is measured from its location.
    let of_places = of.places.iter().enumerate().map(|(at, place)| {
        let before = at.checked_sub(1).map_or(0, is_far);
        place_error(place, before + is_far(at))
    });
    let of_legs =
        (0..legs).map(near_error).sum::<u64>() + of.estimated.iter().map(leg_error).sum::<u64>();
    let outward = of_places.sum::<u64>() + of_legs;
    // The leg back is the last of `near`. Its ends are the last stop and the pickup.
    let of_back = match near_at(legs) {
        Some(_) => near_error(legs),
        None => place_error(pickup, 1) + place_error(last, 1),
    };
    let back = if priced.back.is_some() {
        of_back + of.estimated_back.iter().map(leg_error).sum::<u64>()
    } else {
        0
    };
    if outward + back == 0 {
        return None;
    }
    let [outward, back] =
        [outward, back].map(|square| u32::try_from(square.isqrt()).unwrap_or(u32::MAX));
    let input = |shift: fn(u32, u32) -> u32| {
        let shifted = |distance: Distance, error: u32| Distance(shift(distance.0, error));
        let back = priced.back.map(|distance| shifted(distance, back));
        FeeInput {
            outward: shifted(priced.outward, outward),
            back,
            ..*priced
        }
    };
    let fee = |input: &FeeInput| total(&price(tariff, input));
    let (lower, higher) = (input(u32::saturating_sub), input(u32::saturating_add));
    Some((
        FeeRange {
            min: fee(&lower),
            max: fee(&higher),
        },
        lower,
    ))
}

/// Returns the typical error of a location that is less precise than a street number.
fn radius_m(located: &Located) -> u64 {
    if located.precision > Precision::Number {
        u64::from(located.radius_m)
    } else {
        0
    }
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
        range_near(metres, back, places, estimated, &[])
    }

    fn range_near(
        metres: u32,
        back: Option<u32>,
        places: &[(Precision, u32)],
        estimated: &[u32],
        near: &[Option<u32>],
    ) -> (Money, Option<FeeRange>) {
        let tariff = Tariff::default();
        let point = Point::from_degrees(-23.55, -46.65).unwrap();
        let located = |(precision, radius_m): &(Precision, u32)| Located {
            point,
            precision: *precision,
            radius_m: *radius_m,
        };
        let priced = FeeInput {
            outward: Distance(metres),
            back: back.map(Distance),
            stops: places.len() - 1,
            at: Timestamp::from_millis(1_795_262_400_000),
            zone: Zone::Brasilia,
            vehicle: None,
        };
        let places = places.iter().map(located).collect();
        let uncertainty = Uncertainty {
            places,
            near: near.to_vec(),
            estimated: estimated.to_vec(),
            estimated_back: None,
        };
        let range = fee_range(&tariff, &priced, &uncertainty).map(|(range, _)| range);
        (total(&price(&tariff, &priced)), range)
    }

    #[test]
    fn exact_locations_have_no_range() {
        assert_eq!(range(8_000, None, &[EXACT, EXACT], &[]).1, None);
        assert!(range(8_000, None, &[EXACT, EXACT], &[8_000]).1.is_some());
    }

    #[test]
    fn leg_that_follows_from_texts_has_its_own_error() {
        let town = (Precision::Municipality, 13_000);
        let single = |range: Option<FeeRange>| range.map(|range| (range.min, range.max));
        let minimum = Money::rounded(Tariff::default().minimum_fee);
        // 1.6 · 475 m is within the distance that the base fee covers.
        assert_eq!(
            single(range_near(475, None, &[town, town], &[], &[Some(475)]).1),
            minimum.zip(minimum)
        );
        let wide = |near: &[Option<u32>]| {
            let range = range_near(9_000, None, &[town, town, town], &[], near)
                .1
                .unwrap();
            range.max.centavos() - range.min.centavos()
        };
        assert!(
            wide(&[Some(475), None]) < wide(&[None, None]),
            "one leg less has the error of both radii"
        );
        assert!(wide(&[Some(475), Some(475)]) < wide(&[Some(475), None]));
        let back = range_near(475, Some(475), &[town, town], &[], &[Some(475), Some(475)])
            .1
            .unwrap();
        assert!(back.max.centavos() - back.min.centavos() < 100);
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
        assert!(
            width(&[EXACT, far], None) < width(&[EXACT, far, EXACT], None),
            "the stop changes two legs"
        );
        assert!(width(&[EXACT, far], None) < width(&[EXACT, far], Some(8_000)));
        let shortest = Money::rounded(Tariff::default().minimum_fee);
        let city = (Precision::Municipality, 9_000);
        assert_eq!(
            range(8_000, None, &[EXACT, city], &[])
                .1
                .map(|range| range.min),
            shortest,
            "a route of zero metres"
        );
    }
}
