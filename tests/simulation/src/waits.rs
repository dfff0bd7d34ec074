//! The wait of orders: after a dispatch pass, no order that has waited to its limit is left while a
//! courier is idle in reach.

use despacho_core::model::{
    CourierId, Duration, OrderId, Timestamp, courier::Courier, order::Order,
};

use crate::{
    model::{CheckResult, Model},
    service::{Service, TaskContext},
    trips::can_carry,
};

/// The longest time that a ready order waits while a courier is idle in reach, as published.
const LIMIT: Duration = Duration::minutes(5);
/// The age of a position up to which dispatch uses it, as published.
const MAX_AGE: Duration = Duration::minutes(5);

/// The searching orders and the idle couriers at the start of a pass, with their versions. All are
/// in reach of each other.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    orders: Vec<(OrderId, u32)>,
    idle: Vec<(CourierId, u32, Timestamp)>,
    commits: u64,
}

impl Waits {
    /// Returns the state at the start of a pass.
    pub(crate) fn at_start(service: &Service, model: &Model) -> Waits {
        let searching = model
            .orders
            .values()
            .filter(|tracked| tracked.status == 200);
        let orders = searching
            .map(|tracked| (tracked.row.id, tracked.row.version))
            .collect();
        let couriers = model
            .couriers
            .keys()
            .filter_map(|id| service.backend.courier(*id));
        let idle = couriers
            .filter(is_idle)
            .filter_map(|one| Some((one.id, one.version, one.position_at?)));
        Waits {
            orders,
            idle: idle.collect(),
            commits: service.backend.commits(),
        }
    }

    /// Checks a pass without faults that nothing else interrupted.
    pub(crate) fn check(
        &self,
        service: &Service,
        model: &Model,
        context: &TaskContext,
    ) -> CheckResult {
        let Some(now) = context
            .dispatched_at
            .get()
            .filter(|_| context.faults.get() == 0)
        else {
            return Ok(());
        };
        if service.backend.commits() - self.commits != context.commits.get() {
            return Ok(());
        }
        let waiting = self.orders.iter().filter_map(|(id, version)| {
            let tracked = model
                .orders
                .get(id)
                .filter(|one| one.status == 200 && one.row.version == *version)?;
            let since = tracked.row.status_received().max(tracked.row.ready_at);
            (now.since(since) > LIMIT).then_some(tracked)
        });
        for tracked in waiting {
            let can_take = |(id, version, seen): &&(CourierId, u32, Timestamp)| {
                let courier = service
                    .backend
                    .courier(*id)
                    .filter(|one| one.version == *version && is_idle(one));
                *seen >= now.before(MAX_AGE)
                    && courier.is_some_and(|courier| is_fit(&courier, &tracked.first, &tracked.row))
            };
            if let Some((courier, ..)) = self.idle.iter().find(can_take) {
                return Err(format!(
                    "a pass at {now} left order {} waiting, and courier {courier} idle",
                    tracked.row.id
                ));
            }
        }
        Ok(())
    }
}

fn is_idle(courier: &Courier) -> bool {
    let is_working =
        courier.available && courier.suspended_at.is_none() && courier.removed_at.is_none();
    is_working && courier.trip.is_empty() && courier.shift.is_none()
}

fn is_fit(courier: &Courier, first: &Order, row: &Order) -> bool {
    courier.sandbox == row.sandbox
        && !row.released.contains(&courier.id)
        && can_carry(courier, [first].into_iter())
}
