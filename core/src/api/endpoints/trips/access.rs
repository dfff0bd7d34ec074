//! Access to the orders of a trip.

use crate::{
    api::{
        call::{Call, HandlerError, plain},
        problem::ProblemCode,
    },
    drivers::trips,
    host::{Host, StoreQuery},
    model::{OrderId, StoreId, courier::Courier, order::Order, store::Store},
    rules::trips::TripPlan,
};

/// A courier's trip: its orders with their stores, and the plan.
pub(super) struct Trip {
    pub orders: Vec<(Order, Store)>,
    pub plan: TripPlan,
}

/// Loads the trip of the calling courier.
pub(super) async fn load_trip<H: Host>(call: &Call<'_, H>) -> Result<Trip, HandlerError> {
    let courier = call.courier()?;
    let orders = trips::trip_orders(call.host, courier).await?;
    let plan = trips::plan_trip(call.host, call.settings, courier, &orders, call.context.now);
    let orders = with_stores(call, orders).await?;
    Ok(Trip { orders, plan })
}

/// Reads the stores of a trip's orders, which can belong to several merchants.
async fn with_stores<H: Host>(
    call: &Call<'_, H>,
    orders: Vec<Order>,
) -> Result<Vec<(Order, Store)>, HandlerError> {
    let mut ids: Vec<StoreId> = orders.iter().map(|order| order.store).collect();
    ids.sort_unstable();
    ids.dedup();
    let stores = if ids.is_empty() {
        Vec::new()
    } else {
        call.host.find_stores(StoreQuery::Ids(&ids)).await?
    };
    let with_store = |order: Order| {
        let store = stores.iter().find(|store| store.id == order.store).cloned();
        Ok((order, store.ok_or(HandlerError::Conflict)?))
    };
    orders.into_iter().map(with_store).collect()
}

/// Loads the order in the path if it is assigned to this courier, or was when it ended.
pub(in crate::api) async fn load_courier_order<H: Host>(
    call: &Call<'_, H>,
) -> Result<(Order, Courier), HandlerError> {
    let courier = call.courier()?.clone();
    let order = match OrderId::parse(call.id) {
        Some(id) => call.host.order(id).await?,
        None => None,
    };
    let own = |order: &Order| {
        order
            .courier
            .as_ref()
            .is_some_and(|assigned| assigned.id == courier.id)
    };
    let order = order
        .filter(own)
        .ok_or_else(|| plain(ProblemCode::OrderNotFound))?;
    // The courier was read before the order; the assignment may have changed in between.
    if !order.status.is_final() && !courier.carries(order.id) {
        return Err(HandlerError::Conflict);
    }
    Ok((order, courier))
}
