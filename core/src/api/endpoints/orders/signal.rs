//! Signals of a merchant about an order.

use super::{
    access::carrier,
    steps::{conclude, order_view},
};
use crate::{
    api::{
        call::{Call, HandlerError},
        problem::Problem,
        response::ApiResponse,
    },
    drivers::{clock, trips},
    host::Host,
    model::{Person, order::Order},
    rules::lifecycle::{self, Carrier, Signal, StepError, StepOutcome},
};

/// Takes a step of the merchant, and responds with the order.
pub(super) async fn signal<H: Host>(
    call: &mut Call<'_, H>,
    order: Order,
    signal: &Signal,
) -> Result<ApiResponse, HandlerError> {
    let order = clock::advance(call.host, call.settings, order, call.context.now).await?;
    let result = take_signal(call, &order, signal).await?;
    conclude(call, &order, result, order_view).await
}

/// Takes a step of the merchant.
pub(in crate::api) async fn take_signal<H: Host>(
    call: &mut Call<'_, H>,
    order: &Order,
    signal: &Signal,
) -> Result<Result<StepOutcome, StepError>, HandlerError> {
    let (courier, by) = (carrier(call, order).await?, calling_person(call)?);
    let others = match &courier {
        Some(courier) if courier.trip.len() > 1 => trips::trip_orders(call.host, courier).await?,
        _ => Vec::new(),
    };
    let others: Vec<Order> = others
        .into_iter()
        .filter(|other| other.id != order.id)
        .collect();
    let ready_spread = call.settings.dispatch.ready_spread();
    let carrier = Carrier {
        courier: courier.as_ref(),
        others: &others,
        ready_spread,
    };
    Ok(lifecycle::signal(
        order,
        carrier,
        by,
        signal,
        &call.settings.timing,
        &mut call.context,
    ))
}

/// Returns the calling store's name and phone, as the actor of an event.
pub(in crate::api) fn calling_person<H: Host>(call: &Call<'_, H>) -> Result<Person, Problem> {
    let store = &call.caller()?.store;
    Ok(Person {
        name: store.name.clone(),
        phone: store.responsible.phone.clone(),
    })
}
