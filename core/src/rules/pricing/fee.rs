//! Calculation of fees.

use rust_decimal::Decimal;

use super::Tariff;
use crate::model::{
    Day, Distance, Money, Timestamp, Vehicle, Zone,
    price::{PriceLine, Rule},
    time_of_day,
};

/// The input of the fee calculation: the length of a route, and the time and place of its start.
#[derive(Clone, Copy, Debug)]
pub struct FeeInput {
    /// Distance to the last stop.
    pub outward: Distance,
    /// Distance back to the pickup, if the courier returns.
    pub back: Option<Distance>,
    /// Number of stops, at least 1.
    pub stops: usize,
    /// Time of the calculation.
    pub at: Timestamp,
    /// Time zone of the pickup.
    pub zone: Zone,
    /// The smallest kind of vehicle that meets the order's requirements. `None` without
    /// requirements.
    pub vehicle: Option<Vehicle>,
}

/// Returns the price lines of a tariff. Rules without effect have no line, except for the base fee.
pub fn price(tariff: &Tariff, priced: &FeeInput) -> Vec<PriceLine> {
    let mut lines = vec![line(Rule::Base, Decimal::ONE, tariff.base_fee)];
    let beyond = (priced.outward.kilometres() - tariff.base_km).max(Decimal::ZERO);
    lines.push(line(Rule::Distance, beyond, beyond * tariff.per_km));
    let extra = Decimal::from(priced.stops.saturating_sub(1));
    lines.push(line(Rule::ExtraStops, extra, extra * tariff.per_extra_stop));
    if let Some(back) = priced.back {
        lines.push(line(Rule::Return, Decimal::ONE, tariff.return_fee));
        lines.push(line(
            Rule::ReturnDistance,
            back.kilometres(),
            back.kilometres() * tariff.return_per_km,
        ));
    }
    let so_far = total(&lines).reais();
    let weekday = Day::of(priced.at, priced.zone).weekday();
    let time = time_of_day(priced.at, priced.zone);
    let share = |percent: Decimal| so_far * percent / Decimal::ONE_HUNDRED;
    for window in tariff
        .windows
        .iter()
        .filter(|window| window.contains(weekday, time))
    {
        lines.push(line(Rule::Window, window.percent, share(window.percent)));
    }
    if let Some(surcharge) = priced.vehicle.and_then(|vehicle| tariff.surcharge(vehicle)) {
        let amount = share(surcharge.percent) + surcharge.fee;
        lines.push(line(Rule::Vehicle, Decimal::ONE, amount));
    }
    let missing = (tariff.minimum_fee - total(&lines).reais()).max(Decimal::ZERO);
    lines.push(line(Rule::Minimum, Decimal::ONE, missing));
    lines.retain(|line| line.rule == Rule::Base || line.amount != Money::ZERO);
    lines
}

/// Returns the fee, which is the sum of the lines.
pub fn total(lines: &[PriceLine]) -> Money {
    lines.iter().map(|line| line.amount).sum()
}

fn line(rule: Rule, quantity: Decimal, reais: Decimal) -> PriceLine {
    // With a valid tariff and a route of at most 4 billion metres, amounts are far below the limit
    // of `Money`.
    PriceLine {
        rule,
        quantity: quantity.normalize(),
        amount: Money::rounded(reais).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::tariff::VehicleSurcharge;

    fn priced(outward: u32, back: Option<u32>, stops: usize) -> FeeInput {
        // 2026-11-21 is a Saturday; 15:00 UTC is noon in São Paulo.
        let at = Timestamp::parse("2026-11-21T15:00:00Z").unwrap();
        FeeInput {
            outward: Distance(outward),
            back: back.map(Distance),
            stops,
            at,
            zone: Zone::Brasilia,
            vehicle: None,
        }
    }

    fn amounts(lines: &[PriceLine]) -> Vec<(Rule, String)> {
        lines
            .iter()
            .map(|line| (line.rule, line.amount.to_string()))
            .collect()
    }

    #[test]
    fn short_trip_costs_the_base_fee() {
        let lines = price(&Tariff::default(), &priced(3_000, None, 1));
        assert_eq!(amounts(&lines), [(Rule::Base, "7.90".into())]);
    }

    #[test]
    fn every_rule_adds_its_line() {
        let mut at_night = priced(10_123, Some(4_001), 3);
        at_night.at = Timestamp::parse("2026-11-22T02:00:00Z").unwrap();
        let lines = price(&Tariff::default(), &at_night);
        let expected = [
            (Rule::Base, "7.90"),
            (Rule::Distance, "11.40"), // 7.123 km × 1.60 = 11.3968
            (Rule::ExtraStops, "7.00"),
            (Rule::Return, "2.00"),
            (Rule::ReturnDistance, "3.20"), // 4.001 km × 0.80 = 3.2008
            (Rule::Window, "6.30"),         // 20 % of 31.50
        ];
        assert_eq!(
            amounts(&lines),
            expected.map(|(rule, amount)| (rule, amount.to_owned()))
        );
        assert_eq!(total(&lines).to_string(), "37.80");
    }

    #[test]
    fn vehicle_adds_the_surcharge_of_the_next_smaller_kind() {
        let surcharge = |vehicle, percent, fee| VehicleSurcharge {
            vehicle,
            percent,
            fee: Decimal::new(fee, 2),
        };
        let vehicles = vec![
            surcharge(Vehicle::Car, Decimal::from(50), 1_001),
            surcharge(Vehicle::MotorbikeBox, Decimal::ZERO, 300),
        ];
        let tariff = Tariff {
            vehicles,
            ..Tariff::default()
        };
        let mut input = priced(10_123, None, 1);
        input.at = Timestamp::parse("2026-11-22T02:00:00Z").unwrap();
        let surcharge = |vehicle| {
            let lines = price(&tariff, &FeeInput { vehicle, ..input });
            amounts(&lines).split_off(2)
        };
        let window = (Rule::Window, "3.86".to_owned()); // 20 % of 19.30
        assert_eq!(surcharge(None), std::slice::from_ref(&window));
        assert_eq!(
            surcharge(Some(Vehicle::MotorbikeBag)),
            std::slice::from_ref(&window)
        );
        assert_eq!(
            surcharge(Some(Vehicle::MotorbikeBox)),
            [window.clone(), (Rule::Vehicle, "3.00".to_owned())]
        );
        let half = (Rule::Vehicle, "19.66".to_owned()); // 50 % of 19.30, plus 10.01
        assert_eq!(
            surcharge(Some(Vehicle::Car)),
            [window.clone(), half.clone()]
        );
        assert_eq!(
            surcharge(Some(Vehicle::Vuc)),
            [window, half],
            "no surcharge of its own"
        );
    }

    #[test]
    fn fee_is_raised_to_the_minimum() {
        let tariff = Tariff {
            minimum_fee: Decimal::new(1_000, 2),
            ..Tariff::default()
        };
        let lines = price(&tariff, &priced(100, None, 1));
        assert_eq!(
            amounts(&lines).last(),
            Some(&(Rule::Minimum, "2.10".to_owned()))
        );
        assert_eq!(total(&lines).to_string(), "10.00");
    }

    #[test]
    fn surcharge_uses_local_time_of_the_pickup() {
        let mut manaus = priced(1_000, None, 1);
        manaus.at = Timestamp::parse("2026-11-22T01:30:00Z").unwrap(); // 22:30 in São Paulo, 21:30 in Manaus
        assert_eq!(
            total(&price(&Tariff::default(), &manaus)).to_string(),
            "9.48"
        );
        manaus.zone = Zone::Amazon;
        assert_eq!(
            total(&price(&Tariff::default(), &manaus)).to_string(),
            "7.90"
        );
    }
}
