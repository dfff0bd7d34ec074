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
    drivers::{connection::check_request, trips},
    host::{Host, StoreQuery},
    model::{
        Duration, OrderId, StoreId, Timestamp,
        courier::Courier,
        order::{Order, ProofParts},
        store::Store,
        webhook::AttemptResult,
    },
    rules::{
        lifecycle::{self, Carry, CourierStep, StepOutcome},
        trips::TripContext,
    },
    wire::{CourierOrderView, CurrentOrder, CurrentTrip, TripView},
};

/// `GET /courier/order` and `GET /courier/trip`
pub(super) async fn current<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, HandlerError> {
    let courier = call.courier()?;
    let orders = trips::trip_orders(call.host, courier).await?;
    let plan = trips::plan_trip(call.host, call.settings, courier, &orders, call.context.now);
    let orders = with_stores(call, orders).await?;
    if endpoint == Endpoint::CourierTrip {
        let trip = (!orders.is_empty()).then(|| TripView::of(&orders, &plan));
        return Ok(ApiResponse::json(200, &CurrentTrip { trip })?);
    }
    let next = plan.next_order();
    let order = orders
        .iter()
        .find(|(order, _)| Some(order.id) == next)
        .or(orders.first());
    let order = order.map(|(order, store)| CourierOrderView::of(order, store));
    Ok(ApiResponse::json(200, &CurrentOrder { order })?)
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

/// `POST /courier/orders/{orderId}/…`
pub(super) async fn step<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, HandlerError> {
    let (order, courier) = load_courier_order(call).await?;
    let ((act, proof), at) = both(parse_step(call, endpoint), step_time(call.body))?;
    let order = match &act {
        Carry::Deliver {
            code: Some(code), ..
        } => with_checked_code(call, order, code).await?,
        _ => order,
    };
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
        act: &act,
        proof: &proof,
        at,
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
            Err(step_problem(&error, call.context.now).into())
        }
    }
}

/// Sends the recipient's code to the merchant's system if that checks it. The order then has the
/// code if it is correct, and none if not, so that wrong codes are counted like others.
async fn with_checked_code<H: Host>(
    call: &Call<'_, H>,
    mut order: Order,
    code: &str,
) -> Result<Order, HandlerError> {
    let connection = match order
        .open_delivery
        .as_deref()
        .filter(|own| own.checks_code && !order.status.is_final())
    {
        Some(own) => call.host.webhook(own.connection).await?,
        None => return Ok(order),
    };
    if order
        .tries
        .locked_until
        .is_some_and(|until| until > call.context.now)
    {
        return Ok(order);
    }
    let unavailable = || {
        Problem::new(
            ProblemCode::Unavailable,
            "The merchant's system, which checks the code, is unavailable. Retry later, or call the merchant.",
            "O sistema da loja, que confere o código, está indisponível. Tente novamente ou fale com a loja.",
        )
        .retry_after(Duration::seconds(5))
    };
    let request =
        connection.and_then(|webhook| check_request(call.settings, &webhook, &order.code, code));
    let result = call
        .host
        .send(request.ok_or_else(unavailable)?, &call.settings.webhooks)
        .await;
    match result.and_then(AttemptResult::status) {
        Some(200..=299) => {
            order
                .deliveries
                .iter_mut()
                .for_each(|delivery| code.trim().clone_into(&mut delivery.delivery_code));
        }
        Some(400 | 404 | 409 | 422) => {
            order
                .deliveries
                .iter_mut()
                .for_each(|delivery| delivery.delivery_code.clear());
        }
        _ => return Err(unavailable().into()),
    }
    Ok(order)
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

/// `POST /courier/orders/{orderId}/decline`
pub(super) async fn decline<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let reason = call.read_step().and_then(validate::reason);
    let (reason, at) = both(reason, step_time(call.body))?;
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

/// Loads the order in the path if it is assigned to this courier, or was when it ended.
pub(super) async fn load_courier_order<H: Host>(
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

/// Reads the time of a step. Every step accepts it, also those without other fields, whose body can
/// be empty.
fn step_time(body: &[u8]) -> Result<Option<Timestamp>, Problem> {
    if body.is_empty() {
        Ok(None)
    } else {
        validate::step_time(read(body)?)
    }
}

/// Checks the body of a step that has no fields except its time.
fn time_only<H: Host>(call: &Call<'_, H>) -> Result<(), Problem> {
    if call.body.is_empty() {
        Ok(())
    } else {
        validate::step_time(call.read()?).map(|_| ())
    }
}

/// Combines the results of two readers of the body, so a problem lists the errors of both.
fn both<A, B>(first: Result<A, Problem>, second: Result<B, Problem>) -> Result<(A, B), Problem> {
    let (first, second) = match (first, second) {
        (Ok(first), Ok(second)) => return Ok((first, second)),
        (Err(problem), Ok(_)) | (Ok(_), Err(problem)) => return Err(problem),
        (Err(first), Err(second)) => (first, second),
    };
    let is_malformed = second.code == ProblemCode::MalformedRequest;
    let (mut problem, other) = if is_malformed {
        (second, first)
    } else {
        (first, second)
    };
    let known = problem.errors.clone();
    problem.errors.extend(
        other
            .errors
            .into_iter()
            .filter(|error| !known.contains(error)),
    );
    Err(problem)
}

fn parse_step<H: Host>(
    call: &Call<'_, H>,
    endpoint: Endpoint,
) -> Result<(Carry, ProofParts), Problem> {
    let stop = || known(validate::delivery(call.read_step()?)?);
    let mut proof = ProofParts::default();
    let act = match endpoint {
        Endpoint::CourierPickUp => {
            let code;
            (code, proof) = validate::handover_code(call.read_step()?)?;
            Carry::PickUp { code }
        }
        Endpoint::CourierSetOut => Carry::SetOut(stop()?),
        Endpoint::CourierResequence => Carry::Resequence(stop()?),
        Endpoint::CourierReachDoor => Carry::ReachDoor(stop()?),
        Endpoint::CourierDeliver => {
            let (stop, code);
            (stop, code, proof) = validate::delivery_code(call.read_step()?)?;
            Carry::Deliver {
                stop: known(stop)?,
                code,
            }
        }
        Endpoint::CourierFail => {
            let (stop, reason);
            (stop, reason, proof) = validate::failure(call.read_step()?)?;
            Carry::Fail {
                stop: known(stop)?,
                reason,
            }
        }
        Endpoint::CourierReachReturn => {
            time_only(call)?;
            Carry::ReachReturn
        }
        Endpoint::CourierHandBack => {
            let code;
            (code, proof) = validate::handover_code(call.read_step()?)?;
            Carry::HandBack { code }
        }
        Endpoint::CourierReachPickup => {
            time_only(call)?;
            Carry::ReachPickup
        }
        _ => return Err(too_few().into()),
    };
    Ok((act, proof))
}

fn view(order: &Order, store: &Store) -> Result<ApiResponse, Problem> {
    ApiResponse::json(200, &CourierOrderView::of(order, store))
}
