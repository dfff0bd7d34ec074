//! The lines of an order.

use rust_decimal::Decimal;

use crate::model::{
    Distance, Money,
    pay::{Combine, PayKind, PayLine, PayPlan, TripPosition},
};

/// The work for an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Position in the trip.
    pub position: TripPosition,
    /// Number of deliveries, without those that were cancelled before the pickup.
    pub deliveries: u32,
    /// Length of the route to the last stop.
    pub outward: Distance,
    /// Length of the way back, if the courier came back.
    pub back: Option<Distance>,
    /// The order's fee.
    pub fee: Money,
    /// Minutes of waiting that are paid, by [`crate::model::pay::WaitingPay::paid_minutes`].
    pub waited_minutes: u32,
    /// How the order ended.
    pub outcome: Outcome,
}

/// How an order ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// After the pickup.
    Carried,
    /// Before the pickup.
    Cancelled(Stage),
}

/// The progress of an order that ended before the pickup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The courier was on the way to the pickup.
    Assigned,
    /// The courier was at the pickup.
    Arrived,
}

/// Returns the lines of an order by a plan with the windows and bonuses that apply. There is at
/// least one line, so that also an order that pays nothing has its entry; other lines of zero are
/// left out.
pub fn order_lines(plan: &PayPlan, work: &Work) -> Vec<PayLine> {
    let mut lines = route_lines(plan, work);
    let is_cancelled = match work.outcome {
        Outcome::Carried => false,
        Outcome::Cancelled(stage) => {
            let percent = match stage {
                Stage::Assigned => plan.cancelled_percent.assigned,
                Stage::Arrived => plan.cancelled_percent.arrived,
            };
            let amount = total(&lines).reais() * percent / Decimal::ONE_HUNDRED;
            lines = vec![line(PayKind::Cancellation, percent, amount)];
            true
        }
    };
    if let Some(back) = work.back.filter(|_| !is_cancelled) {
        let km = back.kilometres();
        let amount = plan.returned.fee + km * plan.returned.per_km;
        lines.push(line(PayKind::Return, km, amount));
    }
    let so_far = total(&lines).reais();
    for window in &plan.windows {
        let amount = so_far * window.percent / Decimal::ONE_HUNDRED;
        lines.push(PayLine {
            note: Some(window.name.clone()),
            ..line(PayKind::Window, window.percent, amount)
        });
    }
    if !is_cancelled {
        let missing = (plan.minimum_per_order - total(&lines).reais()).max(Decimal::ZERO);
        lines.push(line(PayKind::Minimum, Decimal::ONE, missing));
    }
    let minutes = Decimal::from(work.waited_minutes);
    lines.push(line(
        PayKind::Waiting,
        minutes,
        minutes * plan.waiting.per_minute,
    ));
    let deliveries = Decimal::from(work.deliveries);
    for bonus in plan.bonuses.iter().filter(|_| !is_cancelled) {
        lines.push(PayLine {
            note: Some(bonus.name.clone()),
            ..line(PayKind::Bonus, deliveries, deliveries * bonus.per_delivery)
        });
    }
    let mut first = true;
    lines.retain(|line| std::mem::take(&mut first) || line.amount != Money::ZERO);
    lines
}

/// Returns the sum of lines.
pub fn total(lines: &[PayLine]) -> Money {
    lines.iter().map(|line| line.amount).sum()
}

/// Returns the lines of the trip, its deliveries, the distance and the fee, combined.
fn route_lines(plan: &PayPlan, work: &Work) -> Vec<PayLine> {
    let trip = match work.position {
        TripPosition::First => line(PayKind::Trip, Decimal::ONE, plan.per_trip),
        TripPosition::Further => line(PayKind::ExtraOrder, Decimal::ONE, plan.per_extra_order),
    };
    let deliveries = Decimal::from(work.deliveries);
    let counted = vec![
        trip,
        line(
            PayKind::Delivery,
            deliveries,
            deliveries * plan.per_delivery,
        ),
    ];
    let distance = vec![distance_line(plan, work.outward)];
    let share = work.fee.reais() * plan.fee_percent / Decimal::ONE_HUNDRED;
    let share = vec![line(PayKind::FeeShare, plan.fee_percent, share)];
    let parts = [counted, distance, share];
    match plan.combine {
        Combine::Sum => parts.concat(),
        // The first of equal ones: `max_by_key` returns the last.
        Combine::Max => parts
            .into_iter()
            .rev()
            .max_by_key(|part| total(part))
            .unwrap_or_default(),
    }
}

/// Returns the line of the distance. The quantity are the kilometres that are paid separately, or
/// the whole route if a band contains it.
fn distance_line(plan: &PayPlan, outward: Distance) -> PayLine {
    let km = outward.kilometres();
    let (amount, covered) = match (
        plan.bands.iter().find(|band| km <= band.until_km),
        plan.bands.last(),
    ) {
        (Some(band), _) => return line(PayKind::Distance, km, band.amount),
        (None, Some(last)) => (last.amount, last.until_km),
        (None, None) => (Decimal::ZERO, plan.included_km),
    };
    let beyond = (km - covered).max(Decimal::ZERO);
    let quantity = if plan.bands.is_empty() { beyond } else { km };
    line(PayKind::Distance, quantity, amount + beyond * plan.per_km)
}

pub(super) fn line(kind: PayKind, quantity: Decimal, reais: Decimal) -> PayLine {
    // With a valid plan and a route of at most 4 billion metres, amounts are far below the limit of
    // `Money`.
    PayLine {
        kind,
        quantity: quantity.normalize(),
        amount: Money::rounded(reais).unwrap_or_default(),
        note: None,
    }
}
