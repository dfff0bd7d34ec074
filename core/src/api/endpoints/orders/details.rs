//! An order with its courier and its history.

use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::recipients::links::add_links,
    },
    drivers::clock,
    host::Host,
    model::order::Order,
    wire::OrderDetails,
};

/// Returns the representation of an order. Without a scheduler, a due transition is applied when the
/// order is read.
pub(super) async fn details<H: Host>(
    call: &Call<'_, H>,
    order: Order,
) -> Result<OrderDetails, HandlerError> {
    let order = clock::advance(call.host, call.settings, order, call.context.now).await?;
    let order = with_position(call, order).await?;
    let events = call.host.events(order.id).await?;
    let mut view = OrderDetails::of(&order, &events, call.language);
    add_links(call.settings, &mut view.order, &order);
    Ok(view)
}

/// Sets the courier's last known position while the courier has the order. Afterwards the order
/// keeps the position that was stored with it: the courier's further movements are private.
async fn with_position<H: Host>(
    call: &Call<'_, H>,
    mut order: Order,
) -> Result<Order, HandlerError> {
    let (id, existing) = (order.id, &mut order.courier);
    if let Some(assigned) = existing
        && let Some(courier) = call.host.courier(assigned.id).await?
        && courier.carries(id)
    {
        assigned.position = courier.position.or(assigned.position);
    }
    Ok(order)
}
