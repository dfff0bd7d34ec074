//! Assigning orders to a courier, and releasing a courier before the pickup.
//!
//! The order and the courier change in one commit, each with the version that was read. Concurrent
//! decisions therefore conflict as a whole.

use super::{
    platform,
    step::{OrderUpdate, StepError},
    table::{Actor, Step},
};
use crate::{
    changes::{Changes, Write},
    model::{
        ExecContext, Load, Misfit, Person, Timestamp,
        courier::Courier,
        order::{Assignment, AssignmentCost, Order, OrderStatus},
        pay::StoredPayPlan,
    },
    rules::{matching::Dispatch, pay},
};

impl Order {
    /// Returns the maximum number of orders in the order's trip.
    pub(crate) fn max_orders(&self, deployment: u32) -> u32 {
        let max = self
            .dispatch
            .orders_per_trip
            .unwrap_or(deployment)
            .clamp(1, *Dispatch::ORDERS_PER_TRIP.end());
        if self.dispatch.combinable { max } else { 1 }
    }
}

/// Returns whether a courier's trip can take an order. `trip` are the orders that the courier
/// carries.
///
/// A courier on the way to a pickup is never sent to another one: a trip has one pickup, and takes
/// no order after the first was picked up.
fn can_join(order: &Order, courier: &Courier, trip: &[&Order], orders_per_trip: u32) -> bool {
    let Some(first) = trip.first() else {
        return courier.trip.is_empty();
    };
    let orders = trip.iter().chain([&order]);
    let max = orders
        .clone()
        .map(|one| one.max_orders(orders_per_trip))
        .min()
        .unwrap_or(1);
    let is_open = |one: &&Order| courier.carries(one.id) && one.status.is_before_pickup();
    courier.trip.len() == trip.len()
        && trip.iter().all(is_open)
        && first.store == order.store
        && first.pickup.located.point == order.pickup.located.point
        && u32::try_from(orders.count()).is_ok_and(|count| count <= max)
}

/// Returns why a courier's vehicle cannot carry an order besides the orders of the trip.
fn misfit(order: &Order, courier: &Courier, trip: &[&Order]) -> Option<Misfit> {
    let carried = trip.iter().fold(Load::default(), |sum, one| {
        sum.plus(one.requirements.load())
    });
    courier.capacity().misfit(&order.requirements, carried)
}

/// Assigns a searching order to a courier who is free, or whose trip `trip` can take it. Returns
/// `None` if the order is not searching, the courier is not available, or the vehicle or the trip
/// cannot take the order. `reasons` is stored in the order.
pub fn allocate(
    order: &Order,
    courier: &Courier,
    trip: &[&Order],
    orders_per_trip: u32,
    reasons: Assignment,
    plans: &[StoredPayPlan],
    context: &ExecContext,
) -> Option<(Order, Changes)> {
    let is_possible = courier.is_on_duty(context.now) && order.sandbox == courier.sandbox;
    if !is_possible
        || misfit(order, courier, trip).is_some()
        || !can_join(order, courier, trip, orders_per_trip)
    {
        return None;
    }
    let (mut order, expected) = (order.clone(), order.version);
    order.version += 1;
    order.attempt += 1;
    order.courier = Some(courier.assigned());
    order.pay = pay::fixed(&order, courier, plans, context.now).map(Box::new);
    order.first_allocated_at.get_or_insert(context.now);
    order.assignments.push(reasons);
    if order.assignments.len() > Order::MAX_ASSIGNMENTS {
        order.assignments.remove(0);
    }
    let event = order.take(Step::Allocate, None, platform(), context.now)?;
    let courier = Write {
        expected: courier.version,
        value: courier.with_order(order.id, context.now),
    };
    let changes = Changes {
        at: context.now,
        orders: vec![Write {
            expected,
            value: order.clone(),
        }],
        couriers: vec![courier],
        events: vec![event],
        ..Changes::default()
    };
    Some((order, changes))
}

/// Releases an unresponsive courier before the pickup, so the search starts again. The pickup code
/// is replaced unless the merchant set it. Returns `None` if the courier is not on the way to the
/// pickup with this order.
pub fn release(
    order: &Order,
    courier: &Courier,
    by: Person,
    context: &mut ExecContext,
) -> Option<(Order, Changes)> {
    release_courier(order, courier, Step::Release, by, (None, None), context)
}

/// Releases the courier at the courier's request, with a reason and the time that the app sent. The
/// search for another courier starts by the service's clock: otherwise an earlier time would
/// shorten it.
pub fn decline(
    order: &Order,
    courier: &Courier,
    reason: String,
    at: Option<Timestamp>,
    context: &mut ExecContext,
) -> Option<(Order, Changes)> {
    let by = courier.assigned().person();
    release_courier(
        order,
        courier,
        Step::Release,
        by,
        (Some(reason), at),
        context,
    )
}

/// A courier that the operator chooses, and the orders of the courier's trip.
#[derive(Clone, Copy, Debug)]
pub struct ChosenCourier<'a> {
    /// The courier.
    pub courier: &'a Courier,
    /// The orders that the courier carries.
    pub trip: &'a [Order],
    /// Maximum number of orders in a trip.
    pub orders_per_trip: u32,
    /// The plans of the courier's pay.
    pub plans: &'a [StoredPayPlan],
}

/// The reason an order is not reassigned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReassignError {
    /// The order has no courier to take it from, or its courier has the goods.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The chosen courier cannot take the order, or already has it.
    #[error("the chosen courier cannot take the order, or already has it")]
    Unavailable,
    /// The chosen courier's vehicle cannot carry the order.
    #[error("the chosen courier's vehicle cannot carry the order")]
    Misfit(Misfit),
}

/// Takes an order from its courier before the pickup, at the operator's request. The order is
/// assigned to the chosen courier, or the search starts again. A searching order is only assigned.
///
/// # Errors
/// [`ReassignError`] if the order's status or the chosen courier does not permit it.
pub fn reassign(
    order: &Order,
    courier: Option<&Courier>,
    chosen: Option<ChosenCourier<'_>>,
    reason: String,
    context: &mut ExecContext,
) -> Result<(Order, Changes), ReassignError> {
    let (mut moved, mut changes) = if order.status == OrderStatus::Searching && chosen.is_some() {
        (
            order.clone(),
            Changes {
                at: context.now,
                ..Changes::default()
            },
        )
    } else {
        let update = OrderUpdate::new(order, courier, Actor::Platform, platform(), context.now);
        update.may(Step::Withdraw, None)?;
        let reason = (Some(reason.clone()), None);
        let withdrawn = courier.and_then(|courier| {
            release_courier(order, courier, Step::Withdraw, platform(), reason, context)
        });
        withdrawn.ok_or(ReassignError::Unavailable)?
    };
    let Some(ChosenCourier {
        courier: next,
        trip,
        orders_per_trip,
        plans,
    }) = chosen
    else {
        return Ok((moved, changes));
    };
    let reasons = Assignment {
        at: context.now,
        courier: next.id,
        cost: AssignmentCost::default(),
        orders: u32::try_from(trip.len() + 1).unwrap_or(u32::MAX),
        considered: Vec::new(),
    };
    let trip: Vec<&Order> = trip.iter().collect();
    let is_other = courier.is_none_or(|courier| courier.id != next.id);
    if let Some(misfit) = misfit(order, next, &trip).filter(|_| is_other) {
        return Err(ReassignError::Misfit(misfit));
    }
    let assigned = allocate(
        &moved,
        next,
        &trip,
        orders_per_trip,
        reasons,
        plans,
        context,
    )
    .filter(|_| is_other);
    let (assigned, mut more) = assigned.ok_or(ReassignError::Unavailable)?;
    if changes.events.is_empty() {
        more.events
            .iter_mut()
            .for_each(|event| event.reason = Some(reason.clone()));
    }
    // Both steps are one write of the order.
    moved = Order {
        version: order.version + 1,
        ..assigned
    };
    changes.orders = vec![Write {
        expected: order.version,
        value: moved.clone(),
    }];
    changes.couriers.extend(more.couriers);
    changes.events.extend(more.events);
    Ok((moved, changes))
}

fn release_courier(
    order: &Order,
    courier: &Courier,
    step: Step,
    by: Person,
    (reason, at): (Option<String>, Option<Timestamp>),
    context: &mut ExecContext,
) -> Option<(Order, Changes)> {
    if order.courier.as_ref().map(|assigned| assigned.id) != Some(courier.id)
        || !courier.carries(order.id)
    {
        return None;
    }
    let mut update = OrderUpdate::new(
        order,
        Some(courier),
        Actor::Platform,
        by.clone(),
        context.now,
    );
    update.taken_at(at);
    update.release(step, by, reason, context)?;
    let released = &mut update.order.released;
    released.retain(|id| *id != courier.id);
    released.push(courier.id);
    if released.len() > Order::MAX_RELEASED {
        released.remove(0);
    }
    Some(update.done())
}
