//! A merchant's signals and cancellations of an order, and the operator's interventions.

use super::life::{any_order, carrier, conclude, known, step_problem, visible};
use crate::rules::pricing::Stop;
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError, plain, retry},
        planning,
        problem::{Problem, ProblemCode},
        routes::Endpoint,
        tariff, validate,
    },
    changes::Write,
    drivers::{clock, trips},
    geo,
    host::Host,
    model::{
        DeliveryId, DistanceMatrix, Language, Located, Misfit, Money, OrderId, Person,
        order::{NoticeCode, Order},
        price::EstimatePolicy,
    },
    rules::{
        lifecycle::{
            self, CancellationTerms, Carrier, ChosenCourier, Mode, ReassignError, Repricing,
            Signal, StepError, StepOutcome,
        },
        pricing::{Plan, Request, Tariff, plan},
    },
    wire::{CancellationView, OrderView},
};

/// `POST /delivery/orders/{orderId}/ready`, `delay`, `discard`, `return` and `waive`
pub(super) async fn signal<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, HandlerError> {
    let order = visible(call, OrderId::parse(call.id)).await?;
    let signal = parse_signal(call, endpoint)?;
    let order = clock::advance(call.host, call.settings, order, call.context.now).await?;
    let result = take_signal(call, &order, &signal).await?;
    conclude(call, &order, result, view).await
}

/// Takes a step of the merchant.
pub(super) async fn take_signal<H: Host>(
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

fn parse_signal<H: Host>(call: &Call<'_, H>, endpoint: Endpoint) -> Result<Signal, Problem> {
    Ok(match endpoint {
        Endpoint::DelayOrder => {
            let limits = &call.settings.limits;
            let minutes = validate::delay(call.read()?, limits)?;
            Signal::Delay {
                minutes,
                max: limits.preparation_minutes,
            }
        }
        Endpoint::DiscardDelivery => Signal::Discard(known(validate::delivery(call.read()?)?)?),
        Endpoint::ReturnDelivery => {
            let (stop, reason) = validate::delivery_reason(call.read()?)?;
            Signal::TurnBack {
                stop: known(stop)?,
                reason,
            }
        }
        Endpoint::WaiveReturn => Signal::Waive,
        _ => Signal::Ready,
    })
}

/// `GET /delivery/orders/{orderId}/cancellation`
pub(super) async fn terms<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let order = visible(call, OrderId::parse(call.id)).await?;
    let order = clock::advance(call.host, call.settings, order, call.context.now).await?;
    let (rules, now) = (&call.settings.cancellation, call.context.now);
    let whole = lifecycle::terms(&order, rules, now);
    let terms = match call.query("deliveryId") {
        Some(stop) if matches!(whole.mode, Mode::Free | Mode::Paid) => {
            let stop = known(DeliveryId::parse(&stop)).map_err(Problem::in_query)?;
            if order.is_cancelled(stop) {
                CancellationTerms {
                    mode: Mode::Ended,
                    fee: Money::ZERO,
                    changes_at: None,
                }
            } else {
                let left = lifecycle::without(&order, stop)
                    .map_err(|error| step_problem(&error, now).in_query())?;
                let tariff = tariff::effective(call).await?;
                let plan = replanned(call, &tariff, &order, &left, &mut None).await?;
                lifecycle::stop_terms(&order, plan.fee, rules, now)
            }
        }
        _ => whole,
    };
    Ok(ApiResponse::json(200, &CancellationView::of(&terms))?)
}

/// `POST /delivery/orders/cancel`
pub(super) async fn cancel<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let validate::Cancelled {
        order: id,
        reason,
        stop,
    } = validate::cancel(call.read()?)?;
    let mut measured = None;
    retry!(call, async {
        let order = visible(call, OrderId::new(id)).await?;
        let order = clock::advance(call.host, call.settings, order, call.context.now).await?;
        let (by, reason) = (calling_person(call)?, reason.clone());
        if let Some(stop) = stop {
            return cancel_stop(call, &order, known(stop)?, by, reason, &mut measured).await;
        }
        let courier = carrier(call, &order).await?;
        let rules = &call.settings.cancellation;
        let result = lifecycle::cancel(&order, courier.as_ref(), by, reason, rules, &call.context);
        conclude(call, &order, result, view).await
    })
}

async fn cancel_stop<H: Host>(
    call: &mut Call<'_, H>,
    order: &Order,
    stop: DeliveryId,
    by: Person,
    reason: Option<String>,
    measured: &mut Measured,
) -> Result<ApiResponse, HandlerError> {
    if order.is_cancelled(stop) {
        return Ok(view(order, call.language)?);
    }
    let left =
        lifecycle::without(order, stop).map_err(|error| step_problem(&error, call.context.now))?;
    let tariff = tariff::effective(call).await?;
    let plan = replanned(call, &tariff, order, &left, measured).await?;
    let repriced = Repricing {
        plan: &plan,
        tariff_version: &tariff.version,
        rules: &call.settings.cancellation,
    };
    let result = lifecycle::cancel_stop(order, stop, repriced, by, reason, &call.context);
    conclude(call, order, result, view).await
}

/// The locations that the last attempt measured, and the legs between them.
type Measured = Option<(Vec<Located>, DistanceMatrix)>;

/// The route of the remaining stops in their current order, priced as when the order was created.
async fn replanned<H: Host>(
    call: &Call<'_, H>,
    tariff: &Tariff,
    order: &Order,
    left: &[usize],
    measured: &mut Measured,
) -> Result<Plan, HandlerError> {
    let stops: Vec<Stop> = left
        .iter()
        .filter_map(|at| order.deliveries.get(*at))
        .map(|one| Stop {
            located: one.place.located,
            online_payment: one.online_payment,
            pin: None,
            window: None,
        })
        .collect();
    let mut places = vec![order.pickup.located];
    places.extend(stops.iter().map(|stop| stop.located));
    let matrix = match measured {
        Some((before, matrix)) if *before == places => matrix,
        _ => {
            let matrix = call.host.distance_matrix(&places).await?;
            let visited = left.iter().filter_map(|at| order.deliveries.get(*at));
            let addresses = std::iter::once(&order.pickup).chain(visited.map(|one| &one.place));
            let texts = addresses
                .map(|place| geo::WrittenPlace::of(geo::Gazetteer::embedded(), &place.address));
            let matrix = geo::with_texts(matrix, &places, &texts.collect::<Vec<_>>());
            &mut measured.insert((places, matrix)).1
        }
    };
    let is_lowered = order
        .notices
        .iter()
        .any(|notice| notice.code == NoticeCode::PriceLowered);
    let request = Request {
        pickup: order.pickup.located,
        stops: &stops,
        matrix,
        best_route: false,
        preparation_minutes: order.preparation_minutes,
        lead_minutes: order.dispatch.lead_minutes,
        deliver_at: None,
        now: order.priced_at(),
        zone: geo::zone(&order.pickup.address).unwrap_or_default(),
        vehicle: order.requirements.smallest_vehicle(),
        // An order whose price was lowered stays lowered; an accepted order is not rejected.
        estimates: if is_lowered {
            EstimatePolicy::Lower
        } else {
            EstimatePolicy::Accept
        },
    };
    // The order was accepted: a tariff with a smaller service area must not prevent the
    // cancellation of a stop.
    let farthest = rust_decimal::Decimal::from(u32::MAX);
    let wide = Tariff {
        max_distance_km: farthest,
        service_radius_km: farthest,
        ..tariff.clone()
    };
    Ok(plan(&wide, &request)
        .map_err(|error| planning::plan_problem(tariff, &error, request.zone))?)
}

/// `POST /admin/orders/{orderId}/cancel` and `lost`
pub(super) async fn operate<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, HandlerError> {
    let order = any_order(call).await?;
    let lost = match endpoint {
        Endpoint::AdminLoseDelivery => Some(validate::delivery_reason(call.read()?)?),
        _ => None,
    };
    let order = clock::advance(call.host, call.settings, order, call.context.now).await?;
    let courier = carrier(call, &order).await?;
    let mut ids = call.ids(1).await?;
    let result = match lost {
        Some((stop, reason)) => lifecycle::lose(
            &order,
            courier.as_ref(),
            known(stop)?,
            reason,
            &mut ids,
            &call.context,
        ),
        None => {
            let reason = validate::reason(call.read()?)?;
            lifecycle::cancel_by_platform(&order, courier.as_ref(), reason, &mut ids, &call.context)
        }
    };
    conclude(call, &order, result, view).await
}

/// `POST /admin/orders/{orderId}/reassign`
pub(super) async fn reassign<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let order = any_order(call).await?;
    let (reason, chosen) = validate::reassignment(call.read()?)?;
    let order = clock::advance(call.host, call.settings, order, call.context.now).await?;
    let courier = carrier(call, &order).await?;
    let not_found = || plain(ProblemCode::CourierNotFound);
    let chosen = match chosen {
        Some(id) => Some(
            call.host
                .courier(id.ok_or_else(not_found)?)
                .await?
                .ok_or_else(not_found)?,
        ),
        None => None,
    };
    let trip = match &chosen {
        Some(chosen) => trips::trip_orders(call.host, chosen).await?,
        None => Vec::new(),
    };
    let orders_per_trip = call.settings.dispatch.orders_per_trip;
    let chosen = chosen.as_ref().map(|courier| ChosenCourier {
        courier,
        trip: &trip,
        orders_per_trip,
    });
    let result = lifecycle::reassign(&order, courier.as_ref(), chosen, reason, &mut call.context);
    let (mut moved, mut changes) = result.map_err(|error| match error {
        ReassignError::Step(error) => step_problem(&error, call.context.now),
        ReassignError::Misfit(misfit) => misfit_problem(misfit),
        ReassignError::Unavailable => Problem::new(
            ProblemCode::CourierUnavailable,
            "This courier cannot take the order now: not available, off shift, of another kind (sandbox), on a trip that cannot take it, or \
             already assigned. Choose another courier, or omit courierId to search again.",
            "Este entregador não pode receber o pedido agora: está indisponível, fora do turno, é de outro tipo (sandbox), está em uma \
             viagem que não o comporta ou já está com ele. Escolha outro entregador ou omita courierId para buscar novamente.",
        ),
    })?;
    let next = changes.couriers.iter().find(|write| {
        moved
            .courier
            .as_ref()
            .is_some_and(|one| one.id == write.value.id)
    });
    if let Some(Write { value: courier, .. }) = next.filter(|_| moved.has_estimate()) {
        let orders: Vec<Order> = trip.into_iter().chain([moved.clone()]).collect();
        let plan = trips::plan_trip(call.host, call.settings, courier, &orders, call.context.now);
        moved.eta = plan.eta(moved.id, call.context.now);
        changes
            .orders
            .iter_mut()
            .for_each(|write| write.value.eta = moved.eta);
    }
    let response = view(&moved, call.language)?;
    call.commit(changes, &response).await?;
    Ok(response)
}

/// Returns the problem of a courier whose vehicle cannot carry the order.
fn misfit_problem(misfit: Misfit) -> Problem {
    let (en, pt) = match misfit {
        Misfit::Vehicle => (
            "the order does not permit its kind",
            "o pedido não permite esse tipo",
        ),
        Misfit::Weight => ("it is too heavy", "o peso excede o limite"),
        Misfit::Volume => ("it is too large", "o volume excede o limite"),
        Misfit::Container => ("there is no thermic container", "não há recipiente térmico"),
        Misfit::CardMachine => ("there is no card machine", "não há maquininha de cartão"),
    };
    Problem::new(
        ProblemCode::CourierUnavailable,
        format!(
            "This courier's vehicle cannot carry the order with the orders of the trip: {en}. Choose another courier."
        ),
        format!(
            "O veículo deste entregador não comporta o pedido junto com os da viagem: {pt}. Escolha outro entregador."
        ),
    )
}

/// Returns the calling store's name and phone, as the actor of an event.
pub(super) fn calling_person<H: Host>(call: &Call<'_, H>) -> Result<Person, Problem> {
    let store = &call.caller()?.store;
    Ok(Person {
        name: store.name.clone(),
        phone: store.responsible.phone.clone(),
    })
}

fn view(order: &Order, language: Language) -> Result<ApiResponse, Problem> {
    ApiResponse::json(200, &OrderView::of(order, language))
}
