//! `POST /courier/orders/{platformOrderId}/decline`

use super::{access::load_courier_order, step::read_step};
use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::orders::steps::step_problem,
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate,
    },
    host::Host,
    model::OrderId,
    rules::lifecycle,
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Courier,
    "POST /courier/orders/{platformOrderId}/decline",
)
.leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "courierDecline",
    summary: "Decline an order",
    description: "Before the pickup, with a reason. The search for another courier starts.",
    request: RequestBody::Step("GiveReason"),
    responses: &[(204, None, "The order was declined.")],
    parameters: &["platformOrderId"],
    codes: &[ProblemCode::OrderNotFound, ProblemCode::InvalidTransition],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (reason, at) = read_step(call, validate::reason)?;
    let courier = call.courier()?.id;
    if let Some(id) = OrderId::parse(call.id)
        && let Some(order) = call.host.order(id).await?
        && order.released.contains(&courier)
        && order
            .courier
            .as_ref()
            .is_none_or(|assigned| assigned.id != courier)
    {
        return Ok(ApiResponse::empty(204));
    }
    let (order, courier) = load_courier_order(call).await?;
    let Some((_, changes)) = lifecycle::decline(&order, &courier, reason, at, &mut call.context)
    else {
        let error = lifecycle::StepError::Invalid {
            status: order.status,
            possible: lifecycle::next_steps(&order)
                .into_iter()
                .map(|step| step.row().event)
                .collect(),
        };
        return Err(step_problem(&error, call.context.now).into());
    };
    let response = ApiResponse::empty(204);
    call.commit(changes, &response).await?;
    Ok(response)
}
