//! Access to an order, its store and its courier.

use crate::{
    api::{
        call::{Call, HandlerError, plain},
        problem::ProblemCode,
    },
    host::{Host, StoreQuery},
    model::{OrderId, StoreId, courier::Courier, order::Order},
};

/// Loads an order of the caller or of one of its branches.
pub(in crate::api) async fn visible<H: Host>(
    call: &Call<'_, H>,
    id: Option<OrderId>,
) -> Result<Order, HandlerError> {
    let not_found = || HandlerError::from(plain(ProblemCode::OrderNotFound));
    let caller = &call.caller()?.store;
    let order = call
        .host
        .order(id.ok_or_else(not_found)?)
        .await?
        .ok_or_else(not_found)?;
    if order.store == caller.id {
        return Ok(order);
    }
    // A removed branch counts too: its parent store paid for the order.
    let owner = call
        .host
        .find_stores(StoreQuery::IdOrRemoved(order.store))
        .await?
        .pop();
    owner
        .filter(|owner| caller.oversees(owner))
        .map(|_| order)
        .ok_or_else(not_found)
}

/// Loads the order in the path, of any store.
pub(super) async fn any_order<H: Host>(call: &Call<'_, H>) -> Result<Order, HandlerError> {
    let order = match OrderId::parse(call.id) {
        Some(id) => call.host.order(id).await?,
        None => None,
    };
    order.ok_or_else(|| plain(ProblemCode::OrderNotFound).into())
}

/// Returns the names of these stores, also of removed ones.
pub(in crate::api) async fn store_names<H: Host>(
    call: &Call<'_, H>,
    ids: &[StoreId],
) -> Result<Vec<(StoreId, String)>, HandlerError> {
    let mut distinct: Vec<StoreId> = Vec::new();
    for id in ids {
        if !distinct.contains(id) {
            distinct.push(*id);
        }
    }
    if distinct.is_empty() {
        return Ok(Vec::new());
    }
    let stores = call.host.find_stores(StoreQuery::Ids(&distinct)).await?;
    Ok(stores
        .into_iter()
        .map(|store| (store.id, store.name))
        .collect())
}

/// Loads the courier of an order that has not ended. Returns a conflict if a concurrent write has
/// changed the assignment.
pub(in crate::api) async fn carrier<H: Host>(
    call: &Call<'_, H>,
    order: &Order,
) -> Result<Option<Courier>, HandlerError> {
    let Some(assigned) = order.courier.as_ref().filter(|_| !order.status.is_final()) else {
        return Ok(None);
    };
    let courier = call.host.courier(assigned.id).await?;
    match courier.filter(|courier| courier.carries(order.id)) {
        Some(courier) => Ok(Some(courier)),
        None => Err(HandlerError::Conflict),
    }
}
