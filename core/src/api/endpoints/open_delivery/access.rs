//! Access to the order of a delivery.

use crate::{
    api::{
        call::{Call, HandlerError, plain},
        problem::ProblemCode,
    },
    drivers::clock,
    host::{Host, OrderQuery},
    model::order::{Order, OrderFilter},
};

/// Finds the last attempt of the order in the path, if this connection created it.
pub(super) async fn find<H: Host>(call: &Call<'_, H>) -> Result<Order, HandlerError> {
    let order = last_attempt(call, &call.id.to_ascii_lowercase()).await?;
    let order = order.ok_or_else(|| plain(ProblemCode::OrderNotFound))?;
    Ok(clock::advance(call.host, call.settings, order, call.context.now).await?)
}

pub(super) async fn last_attempt<H: Host>(
    call: &Call<'_, H>,
    code: &str,
) -> Result<Option<Order>, HandlerError> {
    let (connection, _) = call.connection()?;
    let filter = OrderFilter {
        store: Some(connection.store),
        code: Some(code.to_owned()),
        ..OrderFilter::all()
    };
    let last = call
        .host
        .find_orders(OrderQuery::Matching(&filter, 1))
        .await?
        .pop();
    Ok(last.filter(|order| {
        order
            .open_delivery
            .as_deref()
            .is_some_and(|own| own.connection == connection.id)
    }))
}
