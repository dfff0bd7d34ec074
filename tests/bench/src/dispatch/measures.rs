//! The measures of a day and their means.

use super::{
    area::Travel,
    instance::{Instance, MINUTE},
    record::Record,
};

/// Nanoseconds in a millisecond.
const MS: f64 = 1e6;

/// The measures of one instance, or their means. Times are minutes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Measures {
    pub(crate) undelivered_percent: f64,
    /// Mean time from placement to drop-off.
    pub(crate) click_to_door: f64,
    /// Its 90th percentile.
    pub(crate) click_to_door_90: f64,
    /// Mean time past the target.
    pub(crate) overage: f64,
    /// Mean time from ready to pickup.
    pub(crate) ready_to_pickup: f64,
    pub(crate) cost_per_order: f64,
    pub(crate) orders_per_trip: f64,
    /// Mean time from placement to drop-off if every order is picked up when it is ready and
    /// delivered directly.
    pub(crate) floor: f64,
    /// The same without rounding travel times.
    pub(crate) unrounded_floor: f64,
    /// Mean CPU time of a pass in milliseconds.
    pub(crate) pass_ms: f64,
    pub(crate) late_pickups: f64,
}

impl Measures {
    /// Measures a day.
    pub(crate) fn of(instance: &Instance, record: &Record) -> Measures {
        let rows = || instance.orders.iter().zip(&record.orders);
        let delivered = || {
            rows()
                .filter_map(|(row, order)| Some((row, order, order.picked_at?, order.dropped_at?)))
        };
        let mut click_to_door: Vec<f64> = delivered()
            .map(|(row, _, _, at)| minutes(at - row.placed))
            .collect();
        click_to_door.sort_by(f64::total_cmp);
        let count = number(click_to_door.len());
        let travel = Travel {
            metres_per_minute: instance.metres_per_minute,
        };
        let services = instance.half_pickup + instance.half_delivery;
        let direct = rows().map(|(row, order)| {
            let from = instance.restaurants[row.restaurant].at;
            let before = minutes(order.ready - row.placed + services);
            let rounded = minutes(i64::from(travel.seconds(from, row.at)));
            (
                before + rounded,
                before + travel.unrounded_minutes(from, row.at),
            )
        });
        let direct: Vec<(f64, f64)> = direct.collect();
        let pay = (0..instance.couriers.len()).map(|courier| pay(instance, record, courier));
        let pass_ns: u64 = record.passes.iter().sum();
        Measures {
            undelivered_percent: 100.0 * (1.0 - count / number(rows().count())),
            click_to_door: mean(click_to_door.iter().copied()),
            click_to_door_90: percentile(&click_to_door, 90),
            overage: mean(
                delivered()
                    .map(|(row, _, _, at)| minutes((at - row.placed - instance.target).max(0))),
            ),
            ready_to_pickup: mean(delivered().map(|(_, order, at, _)| minutes(at - order.ready))),
            cost_per_order: pay.sum::<f64>() / count,
            orders_per_trip: count / number(record.trips.len()),
            floor: mean(direct.iter().map(|(rounded, _)| *rounded)),
            unrounded_floor: mean(direct.iter().map(|(_, unrounded)| *unrounded)),
            pass_ms: milliseconds(pass_ns) / number(record.passes.len()),
            late_pickups: number(record.late_pickups),
        }
    }

    /// Returns the means of several instances.
    pub(crate) fn mean(all: &[Measures]) -> Measures {
        let mean = |field: fn(&Measures) -> f64| mean(all.iter().map(field));
        Measures {
            undelivered_percent: mean(|one| one.undelivered_percent),
            click_to_door: mean(|one| one.click_to_door),
            click_to_door_90: mean(|one| one.click_to_door_90),
            overage: mean(|one| one.overage),
            ready_to_pickup: mean(|one| one.ready_to_pickup),
            cost_per_order: mean(|one| one.cost_per_order),
            orders_per_trip: mean(|one| one.orders_per_trip),
            floor: mean(|one| one.floor),
            unrounded_floor: mean(|one| one.unrounded_floor),
            pass_ms: mean(|one| one.pass_ms),
            late_pickups: mean(|one| one.late_pickups),
        }
    }
}

/// Returns a courier's pay: per order, but at least the guarantee per hour of the shift.
fn pay(instance: &Instance, record: &Record, courier: usize) -> f64 {
    let row = &instance.couriers[courier];
    let trips = record.trips.iter().filter(|trip| trip.courier == courier);
    let orders: usize = trips.map(|trip| trip.orders.len()).sum();
    let hours = minutes(row.off - row.on) / 60.0;
    (number(orders) * instance.pay_per_order).max(hours * instance.pay_per_hour)
}

/// Returns a percentile of sorted numbers, interpolated between the two nearest ranks.
fn percentile(sorted: &[f64], percent: usize) -> f64 {
    let position = sorted.len().saturating_sub(1) * percent;
    let (rank, rest) = (position / 100, number(position % 100) / 100.0);
    let (Some(low), high) = (sorted.get(rank), sorted.get(rank + 1)) else {
        return f64::NAN;
    };
    low + (high.unwrap_or(low) - low) * rest
}

fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for number in numbers {
        sum += number;
        count += 1.0;
    }
    sum / count
}

#[expect(clippy::cast_precision_loss, reason = "counts of orders are small")]
fn number(count: usize) -> f64 {
    count as f64
}

#[expect(clippy::cast_precision_loss, reason = "seconds of a day are small")]
fn minutes(seconds: i64) -> f64 {
    seconds as f64 / MINUTE as f64
}

/// Converts nanoseconds to milliseconds.
#[expect(clippy::cast_precision_loss, reason = "2^53 ns are 104 days")]
pub(crate) fn milliseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / MS
}
