//! Steps of a courier.

use serde::de::DeserializeOwned;

use super::access::load_courier_order;
use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::orders::steps::{known, step_problem},
        problem::{Problem, ProblemCode},
        read::{self, Body},
        response::ApiResponse,
        validate,
    },
    drivers::trips,
    host::{Host, StoreQuery},
    model::{
        DeliveryId, OrderId, Timestamp,
        courier::Courier,
        order::{Order, ProofParts},
        store::Store,
    },
    rules::{
        lifecycle::{self, Carry, CodeCheck, CourierStep, Receipt, StepOutcome},
        trips::TripContext,
    },
    wire::CourierOrderView,
};

/// A courier's step as it was sent.
pub(super) struct Sent {
    pub act: Carry,
    pub proof: ProofParts,
    /// The time at which the courier took the step, if it was sent.
    pub at: Option<Timestamp>,
    /// The payment that the courier received, if the delivery is handed over.
    pub receipt: Option<Receipt>,
}

/// Reads a step with its time, which every step accepts besides its own fields. A problem lists the
/// errors of both.
pub(super) fn read_step<T: DeserializeOwned, V, H>(
    call: &Call<'_, H>,
    validate: impl FnOnce(Body<T>) -> Result<V, Problem>,
) -> Result<(V, Option<Timestamp>), Problem> {
    let tree = read::parse(call.body)?;
    let at = read::read_tree(&tree).and_then(validate::step_time);
    let own = call
        .read_parsed::<T, T>(tree, Some("/at"))
        .and_then(validate);
    let (own, at) = match (own, at) {
        (Ok(own), Ok(at)) => return Ok((own, at)),
        (Err(problem), Ok(_)) | (Ok(_), Err(problem)) => return Err(problem),
        (Err(own), Err(at)) => (own, at),
    };
    let (mut problem, other) = if at.code == ProblemCode::MalformedRequest {
        (at, own)
    } else {
        (own, at)
    };
    let known = problem.errors.clone();
    let others = other.errors.into_iter();
    problem
        .errors
        .extend(others.filter(|error| !known.contains(error)));
    Err(problem)
}

/// Reads the time of a step without other fields, whose body can be empty.
pub(super) fn read_time<H>(call: &Call<'_, H>) -> Result<Option<Timestamp>, Problem> {
    if call.body.is_empty() {
        Ok(None)
    } else {
        validate::step_time(call.read()?)
    }
}

/// Reads the step at a stop.
pub(super) fn read_stop<H>(
    call: &Call<'_, H>,
    act: fn(DeliveryId) -> Carry,
) -> Result<Sent, Problem> {
    let (stop, at) = read_step(call, |body| known(validate::delivery(body)?))?;
    Ok(Sent {
        act: act(stop),
        proof: ProofParts::default(),
        at,
        receipt: None,
    })
}

/// Reads a handover with the code of the merchant.
pub(super) fn read_handover<H>(
    call: &Call<'_, H>,
    act: fn(String) -> Carry,
) -> Result<Sent, Problem> {
    let ((code, proof), at) = read_step(call, validate::handover_code)?;
    Ok(Sent {
        act: act(code),
        proof,
        at,
        receipt: None,
    })
}

/// Takes a step of the calling courier with the order in the path, and responds with the order.
pub(super) async fn take<H: Host>(
    call: &mut Call<'_, H>,
    read: impl FnOnce(&Call<'_, H>) -> Result<Sent, Problem>,
) -> Result<ApiResponse, HandlerError> {
    let (order, courier) = load_courier_order(call).await?;
    let sent = read(call)?;
    take_with(call, (order, courier), &sent, CodeCheck::Own).await
}

/// Takes a step after the check of its code.
pub(super) async fn take_with<H: Host>(
    call: &mut Call<'_, H>,
    (order, courier): (Order, Courier),
    Sent {
        act,
        proof,
        at,
        receipt,
    }: &Sent,
    check: CodeCheck,
) -> Result<ApiResponse, HandlerError> {
    let (others, next) = other_orders(call, &order, &courier).await?;
    let store = call
        .host
        .find_stores(StoreQuery::IdOrRemoved(order.store))
        .await?
        .pop();
    let store = store.ok_or(HandlerError::Conflict)?;
    let trip = TripContext {
        others: &others,
        next,
    };
    let mut ids = call.ids(1).await?;
    let step = CourierStep {
        act,
        proof,
        at: *at,
        check,
        receipt: receipt.as_ref(),
    };
    match lifecycle::carry(&order, &courier, trip, step, &mut ids, &mut call.context) {
        Ok(StepOutcome::Already) => Ok(view(&order, &store)?),
        Ok(StepOutcome::Now(moved)) => {
            let (order, changes) = *moved;
            let response = view(&order, &store)?;
            call.commit(changes, &response).await?;
            Ok(response)
        }
        Err(lifecycle::FailedStep { error, counted }) => {
            // An incorrect code is counted although the step is rejected. If counting fails, the
            // response must not reveal that it is incorrect.
            if let Some(counted) = counted {
                call.host.commit(&counted).await?;
            }
            Err(in_payment(step_problem(&error, call.context.now)).into())
        }
    }
}

/// Points the errors of a payment to the field of a step that contains it.
fn in_payment(mut problem: Problem) -> Problem {
    for error in &mut problem.errors {
        if matches!(error.pointer.as_str(), "/method" | "/received") {
            error.pointer.insert_str(0, "/payment");
        }
    }
    problem
}

/// Returns the other orders of the courier's trip and, if there are any, the order of the next
/// stop.
async fn other_orders<H: Host>(
    call: &Call<'_, H>,
    order: &Order,
    courier: &Courier,
) -> Result<(Vec<Order>, Option<OrderId>), HandlerError> {
    if courier.trip.len() < 2 || !courier.carries(order.id) {
        return Ok((Vec::new(), None));
    }
    let mut orders = trips::trip_orders(call.host, courier).await?;
    let next =
        trips::plan_trip(call.host, call.settings, courier, &orders, call.context.now).next_order();
    orders.retain(|other| other.id != order.id);
    Ok((orders, next))
}

fn view(order: &Order, store: &Store) -> Result<ApiResponse, Problem> {
    ApiResponse::json(200, &CourierOrderView::of(order, store))
}
