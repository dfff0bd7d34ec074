//! Assigning a courier to an order, and releasing the courier before the pickup.
//!
//! The order and the courier change in one commit, each with the version that was read. Concurrent decisions therefore
//! conflict as a whole.

use super::{platform, table::Step};
use crate::{
    changes::{Changes, Write},
    model::{
        ExecContext, Person,
        courier::Courier,
        order::{CodeTries, Event, Order},
    },
};

/// Assigns a free courier to a searching order. Returns `None` if the order is not searching or the courier is not
/// free.
pub fn allocate(order: &Order, courier: &Courier, context: &ExecContext) -> Option<(Order, Changes)> {
    if !courier.is_free() || order.sandbox != courier.sandbox {
        return None;
    }
    let (mut order, expected) = (order.clone(), order.version);
    order.version += 1;
    order.attempt += 1;
    order.courier = Some(courier.assigned());
    order.first_allocated_at.get_or_insert(context.now);
    let event = order.take(Step::Allocate, None, platform(), context.now)?;
    let busy = Courier { order: Some(order.id), ..courier.clone() };
    Some((order.clone(), changes(&order, expected, busy, event, context)))
}

/// Releases an unresponsive courier before the pickup, so the search starts again. The pickup code is replaced unless
/// the merchant set it. Returns `None` if the courier is not on the way to the pickup with this order.
pub fn release(order: &Order, courier: &Courier, by: Person, context: &mut ExecContext) -> Option<(Order, Changes)> {
    release_courier(order, courier, by, None, context)
}

/// Releases the courier at the courier's request, with a reason.
pub fn decline(
    order: &Order,
    courier: &Courier,
    reason: String,
    context: &mut ExecContext,
) -> Option<(Order, Changes)> {
    release_courier(order, courier, courier.assigned().person(), Some(reason), context)
}

fn release_courier(
    order: &Order,
    courier: &Courier,
    by: Person,
    reason: Option<String>,
    context: &mut ExecContext,
) -> Option<(Order, Changes)> {
    if order.courier.as_ref().map(|assigned| assigned.id) != Some(courier.id) {
        return None;
    }
    let (mut order, expected) = (order.clone(), order.version);
    order.version += 1;
    if !order.own_pickup_code {
        order.pickup_code = context.entropy.code();
    }
    // The event must be created before the courier is cleared, because it contains the courier.
    let event = Event { reason, ..order.take(Step::Release, None, by, context.now)? };
    order.courier = None;
    order.tries = CodeTries::default();
    order.released.retain(|id| *id != courier.id);
    order.released.push(courier.id);
    if order.released.len() > Order::MAX_RELEASED {
        order.released.remove(0);
    }
    let idle = Courier { order: None, ..courier.clone() };
    Some((order.clone(), changes(&order, expected, idle, event, context)))
}

fn changes(order: &Order, expected: u32, courier: Courier, event: Event, context: &ExecContext) -> Changes {
    let expected_courier = courier.version;
    let courier = Courier { version: expected_courier + 1, ..courier };
    Changes {
        at: context.now,
        orders: vec![Write { expected, value: order.clone() }],
        couriers: vec![Write { expected: expected_courier, value: courier }],
        events: vec![event],
        ..Changes::default()
    }
}
