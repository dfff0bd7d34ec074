//! Steps of a delivery.

use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::orders::{
            signal::take_signal,
            steps::{conclude, step_problem},
        },
        problem::Problem,
        response::ApiResponse,
        validate::Decision,
    },
    changes::{Changes, Write},
    host::Host,
    model::{
        Language,
        order::{OpenDelivery, Order, OrderStatus},
    },
    rules::lifecycle::{Signal, StepError},
};

/// Carries out a decision on goods that are on the way.
pub(super) async fn resolve<H: Host>(
    call: &mut Call<'_, H>,
    order: &Order,
    decision: Decision,
    reason: String,
    to_response: fn(&Order, Language) -> Result<ApiResponse, Problem>,
) -> Result<ApiResponse, HandlerError> {
    let stop = order
        .deliveries
        .first()
        .map(|delivery| delivery.id)
        .ok_or_else(|| invalid_step(order))?;
    let signal = match decision {
        Decision::Deliver if order.status == OrderStatus::OutForDelivery => {
            return Ok(to_response(order, call.language)?);
        }
        Decision::Deliver => return Err(invalid_step(order).into()),
        Decision::Return => Signal::TurnBack { stop, reason },
        Decision::Discard => Signal::Discard(stop),
    };
    let result = take_signal(call, order, &signal).await?;
    conclude(call, order, result, to_response).await
}

/// Changes the data of Open Delivery in an order.
pub(super) fn update(order: &mut Order, change: impl FnOnce(&mut OpenDelivery)) {
    if let Some(own) = order.open_delivery.as_deref_mut() {
        change(own);
    }
}

/// Commits a change of the data of Open Delivery.
pub(super) async fn rewrite<H: Host>(
    call: &mut Call<'_, H>,
    mut order: Order,
    change: impl FnOnce(&mut OpenDelivery),
    changes: Changes,
) -> Result<ApiResponse, HandlerError> {
    let expected = order.version;
    order.version += 1;
    update(&mut order, change);
    let response = empty_response(&order, call.language)?;
    let orders = vec![Write {
        expected,
        value: order,
    }];
    call.commit(
        Changes {
            at: call.context.now,
            orders,
            ..changes
        },
        &response,
    )
    .await?;
    Ok(response)
}

pub(super) fn empty_response(_: &Order, _: Language) -> Result<ApiResponse, Problem> {
    Ok(ApiResponse::empty(200))
}

/// Returns the problem of a step that is not valid for the order's status.
pub(super) fn invalid_step(order: &Order) -> Problem {
    step_problem(
        &StepError::Invalid {
            status: order.status,
            possible: Vec::new(),
        },
        order.status_since,
    )
}
