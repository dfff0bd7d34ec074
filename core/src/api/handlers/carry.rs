//! A courier's endpoints for the current order and its steps.

use super::life::{known, step_problem};
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError, plain, too_few},
        problem::{Problem, ProblemCode},
        read::read,
        routes::Endpoint,
        validate,
    },
    host::Host,
    model::{OrderId, courier::Courier, order::Order},
    rules::lifecycle::{self, Carry, StepOutcome},
    wire::{CourierOrderView, CurrentOrder},
};

/// `GET /courier/order`
pub(super) async fn current<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let order = match call.courier()?.order {
        Some(id) => call.host.order(id).await?,
        None => None,
    };
    Ok(ApiResponse::json(200, &CurrentOrder { order: order.as_ref().map(CourierOrderView::of) })?)
}

/// `POST /courier/orders/{orderId}/…`
pub(super) async fn step<H: Host>(call: &mut Call<'_, H>, endpoint: Endpoint) -> Result<ApiResponse, HandlerError> {
    let (order, courier) = load_courier_order(call).await?;
    let act = parse_step(call, endpoint)?;
    let mut ids = call.ids(1).await?;
    match lifecycle::carry(&order, &courier, &act, &mut ids, &mut call.context) {
        Ok(StepOutcome::Already) => Ok(view(&order)?),
        Ok(StepOutcome::Now(moved)) => {
            let (order, changes) = *moved;
            let response = view(&order)?;
            call.commit(changes, &response).await?;
            Ok(response)
        }
        Err(lifecycle::FailedStep { error, counted }) => {
            // An incorrect code is counted although the step is rejected. If counting fails, the response must not reveal that it is incorrect.
            if let Some(counted) = counted {
                call.host.commit(&counted).await?;
            }
            Err(step_problem(&error, call.context.now).into())
        }
    }
}

/// `POST /courier/orders/{orderId}/decline`
pub(super) async fn decline<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let reason = validate::reason(read(call.body)?)?;
    let courier = call.courier()?.id;
    if let Some(id) = OrderId::parse(call.id)
        && let Some(order) = call.host.order(id).await?
        && order.released.contains(&courier)
        && order.courier.as_ref().is_none_or(|assigned| assigned.id != courier)
    {
        return Ok(ApiResponse::empty(204));
    }
    let (order, courier) = load_courier_order(call).await?;
    let Some((_, changes)) = lifecycle::decline(&order, &courier, reason, &mut call.context) else {
        let error = lifecycle::StepError::Invalid {
            status: order.status,
            possible: lifecycle::next_steps(&order).into_iter().map(|step| step.row().event).collect(),
        };
        return Err(step_problem(&error, call.context.now).into());
    };
    let response = ApiResponse::empty(204);
    call.commit(changes, &response).await?;
    Ok(response)
}

/// Loads the order in the path if it is assigned to this courier, or was when it ended.
async fn load_courier_order<H: Host>(call: &Call<'_, H>) -> Result<(Order, Courier), HandlerError> {
    let courier = call.courier()?.clone();
    let order = match OrderId::parse(call.id) {
        Some(id) => call.host.order(id).await?,
        None => None,
    };
    let own = |order: &Order| order.courier.as_ref().is_some_and(|assigned| assigned.id == courier.id);
    let order = order.filter(own).ok_or_else(|| plain(ProblemCode::OrderNotFound))?;
    // The courier was read before the order; the assignment may have changed in between.
    if !order.status.is_final() && courier.order != Some(order.id) {
        return Err(HandlerError::Conflict);
    }
    Ok((order, courier))
}

fn parse_step<H: Host>(call: &Call<'_, H>, endpoint: Endpoint) -> Result<Carry, Problem> {
    let stop = || known(validate::delivery(read(call.body)?)?);
    Ok(match endpoint {
        Endpoint::CourierPickUp => Carry::PickUp { code: validate::handover_code(read(call.body)?)? },
        Endpoint::CourierSetOut => Carry::SetOut(stop()?),
        Endpoint::CourierResequence => Carry::Resequence(stop()?),
        Endpoint::CourierReachDoor => Carry::ReachDoor(stop()?),
        Endpoint::CourierDeliver => {
            let (stop, code) = validate::delivery_code(read(call.body)?)?;
            Carry::Deliver { stop: known(stop)?, code }
        }
        Endpoint::CourierFail => {
            let (stop, reason) = validate::delivery_reason(read(call.body)?)?;
            Carry::Fail { stop: known(stop)?, reason }
        }
        Endpoint::CourierReachReturn => Carry::ReachReturn,
        Endpoint::CourierHandBack => Carry::HandBack { code: validate::handover_code(read(call.body)?)? },
        Endpoint::CourierReachPickup => Carry::ReachPickup,
        _ => return Err(too_few().into()),
    })
}

fn view(order: &Order) -> Result<ApiResponse, Problem> {
    ApiResponse::json(200, &CourierOrderView::of(order))
}
