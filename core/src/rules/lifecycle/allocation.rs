//! Who carries an order: a courier is assigned, and let go again before pickup.
//!
//! The order and the courier change in one commit, each against the version that was read, so that whoever races loses whole.

use super::{platform, table::Step};
use crate::{
    changes::{Changes, Write},
    model::{
        ExecContext, Person,
        courier::Courier,
        order::{CodeTries, Event, Order},
    },
};

/// Gives a searching order to a free courier; `None` where the order is not searching or the courier is not free.
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
    Some((order.clone(), changed(&order, expected, busy, event, context)))
}

/// Takes an order from its courier before pickup and looks for another one: the courier is not heard of any more. The next courier
/// gets a new pickup code, unless the merchant set it. `None` where the order is not on its way to the pickup with this courier.
pub fn release(order: &Order, courier: &Courier, by: Person, context: &mut ExecContext) -> Option<(Order, Changes)> {
    release_courier(order, courier, by, None, context)
}

/// The same at the courier's own wish, for a reason.
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
    // The event still names the courier that it is about.
    let event = Event { reason, ..order.take(Step::Release, None, by, context.now)? };
    order.courier = None;
    order.tries = CodeTries::default();
    order.released.retain(|id| *id != courier.id);
    order.released.push(courier.id);
    if order.released.len() > Order::MAX_RELEASED {
        order.released.remove(0);
    }
    let idle = Courier { order: None, ..courier.clone() };
    Some((order.clone(), changed(&order, expected, idle, event, context)))
}

fn changed(order: &Order, expected: u32, courier: Courier, event: Event, context: &ExecContext) -> Changes {
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
