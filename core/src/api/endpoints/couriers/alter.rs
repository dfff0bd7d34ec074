//! `PATCH /admin/couriers/{courierId}`

use super::record::{courier_response, find, status, terms};
use crate::{
    api::{
        call::{Call, HandlerError},
        confirmation,
        endpoints::courier::suspension::suspended,
        operation::{Operation, RequestBody},
        problem::{Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    changes::Changes,
    drivers::trips,
    host::Host,
    model::OrderId,
    rules::couriers,
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "PATCH /admin/couriers/{courierId}")
    .leaves(Lasting::SomeAccess)
    .audit_by(action, Subject::Courier);

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "alterCourier",
    summary: "Change or remove a courier",
    description: "Absent fields keep their values. `newKey` revokes the old key and returns a new \
        one in `value`. `removed` cannot be undone: orders before pickup are reassigned in the \
        same transaction. A courier who has goods cannot be removed.",
    request: RequestBody::Required("AlterCourier"),
    responses: &[(200, Some("CourierWithKey"), "The updated courier.")],
    parameters: &["courierId"],
    codes: &[
        ProblemCode::CourierNotFound,
        ProblemCode::InvalidTransition,
        ProblemCode::CourierSuspended,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (alteration, days) = validate::altered_courier(call.read()?)?;
    let existing = find(call).await?;
    if alteration.new_key {
        confirmation::confirm(call).await?;
    }
    if alteration.available == Some(true)
        && alteration
            .suspended
            .unwrap_or(existing.suspended_at.is_some())
    {
        return Err(suspended().into());
    }
    let orders = trips::trip_orders(call.host, &existing).await?;
    let terms = terms(call.settings, days);
    let altered = couriers::alter(&existing, &orders, alteration, terms, &mut call.context)
        .map_err(has_goods)?;
    let status = status(call, &altered.courier).await?;
    let response = courier_response(
        call.settings,
        200,
        (&altered.courier, &status),
        altered.nonce,
    )?;
    if let Some(changes) = altered.changes {
        call.commit(changes, &response).await?;
    }
    Ok(response)
}

/// Returns the action of a change in the audit log.
fn action(changes: &Changes) -> &'static str {
    match changes.couriers.first() {
        Some(write) if write.value.removed_at == Some(changes.at) => "courier.removed",
        _ => "courier.updated",
    }
}

fn has_goods(order: OrderId) -> Problem {
    Problem::new(
        ProblemCode::InvalidTransition,
        format!(
            "The courier has the goods of order {order}. Remove the courier after the order has ended."
        ),
        format!(
            "O entregador está com a mercadoria do pedido {order}. Remova-o depois que o pedido terminar."
        ),
    )
}
