//! Open Delivery: the service as the logistic service of merchants' systems.

use super::{
    life::{carrier, conclude, step_problem},
    orders::{check_limits, create_for},
    signals::{calling_person, take_signal},
};
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError, plain},
        caller::CallerAddress,
        guards,
        places::every_place,
        planning::{Route, inquired, planned},
        problem::{Problem, ProblemCode},
        read::read,
        routes::Endpoint,
        tariff,
        validate::{self, Decision, standard_pointer},
    },
    changes::{Changes, Write},
    drivers::{clock, connection},
    geo::{self, Gazetteer},
    host::{Host, KeyQuery, OrderQuery},
    model::{
        Duration, KeyId, Language, Money, Precision, WebhookId,
        order::{JournalEntry, OpenDelivery, Order, OrderFilter, OrderStatus, Place},
        store::KeyHash,
        webhook::{MessageChange, Webhook},
    },
    rules::{
        lifecycle::{self, Carry, Signal, StepError, StepOutcome},
        limits::Usage,
        open_delivery::{AccessToken, TOKEN_VALIDITY, accepts_key},
        pricing::{Inquiry, Plan, total},
        settings::Settings,
        tracking,
        trips::TripContext,
        webhooks::PAGE,
    },
    wire::open_delivery::{
        AccessToken as TokenView, AvailabilityView, CancelResponse, CompletionView,
        DeliveryAccepted, EventType, LogisticsDetails, PricedView, TimesView, delivery_id,
        follow_up,
    },
};

/// `POST /oauth/token`
pub(super) async fn issue_token<H: Host>(
    call: &mut Call<'_, H>,
) -> Result<ApiResponse, HandlerError> {
    let (id, secret) = validate::token_request(call.body)?;
    // A client ID is a small number, and a client secret has 256 random bits. Only failures are
    // limited, by the address, so nobody keeps a connection out, and the right secret always
    // passes.
    let Some((key, connection)) = credentials(call, &id, &KeyHash::of(&secret)).await? else {
        let problem = Problem::new(
            ProblemCode::ApiKeyInvalid,
            "Unknown client_id, or incorrect client_secret. Check both, or create a connection with POST /delivery/webhooks.",
            "client_id desconhecido ou client_secret incorreto. Confira os dois ou crie uma conexão com POST /delivery/webhooks.",
        );
        return Err(guards::unknown_key(call, problem).await?.into());
    };
    guards::check_rate(call, Usage::Read, format!("token/{connection}")).await?;
    let expires_at = call.context.now.after(TOKEN_VALIDITY);
    let token = AccessToken {
        key,
        connection,
        expires_at,
    };
    let expires_in = u32::try_from(TOKEN_VALIDITY.as_millis() / 1_000).unwrap_or_default();
    let access_token = token.seal(&call.settings.secret);
    Ok(ApiResponse::json(
        200,
        &TokenView {
            access_token,
            token_type: "bearer",
            expires_in,
        },
    )?)
}

/// Returns the key and the connection of a client ID and the hash of its secret. A right secret
/// that has ended is a problem.
async fn credentials<H: Host>(
    call: &Call<'_, H>,
    id: &str,
    secret: &KeyHash,
) -> Result<Option<(KeyId, WebhookId)>, HandlerError> {
    let Some(holder) = call.host.find_keys(KeyQuery::Hash(secret)).await?.pop() else {
        return Ok(None);
    };
    let Some(connection) = holder
        .key
        .connection
        .filter(|connection| connection.to_string() == id)
    else {
        return Ok(None);
    };
    guards::check_key(&holder, call.context.now)?;
    let connection = call.host.webhook(connection).await?;
    let connection =
        connection.filter(|webhook| accepts_key(&call.settings.secret, webhook, secret));
    Ok(connection.map(|connection| (holder.key.id, connection.id)))
}

/// `POST /v1/logistics/availability`. Without a token, the tariff applies, but no store's hours and
/// area. Strangers must not use up the operator's geocoder and road service, so without a token
/// only embedded data is used.
pub(super) async fn availability<H: Host>(
    call: &mut Call<'_, H>,
) -> Result<ApiResponse, HandlerError> {
    let has_token = call.parts.headers.contains_key(http::header::AUTHORIZATION);
    if has_token {
        guards::authenticate_connection(call).await?;
    }
    let bucket = match (&call.caller, call.parts.extensions.get::<CallerAddress>()) {
        (Some(caller), _) => caller.store.merchant().to_string(),
        (None, Some(address)) => format!("from/{}", address.name()),
        (None, None) => "public".to_owned(),
    };
    guards::check_rate(
        call,
        Usage::Preview,
        format!("{}/{bucket}", Usage::Preview.name()),
    )
    .await?;
    let (inquiry, limits) = validate::availability_request(read(call.body)?)?;
    let plan = plan(call, &inquiry).await.map_err(standard_problem)?;
    check_limits(
        &limits,
        plan.times.pickup,
        plan.times.delivery,
        call.context.now,
    )?;
    let until = limits.delivery.map(|limit| call.context.now.after(limit));
    let times = TimesView::of(
        plan.times.pickup,
        plan.times.delivery,
        until,
        true,
        call.context.now,
    );
    let fee = total(&plan.lines);
    Ok(ApiResponse::json(
        200,
        &AvailabilityView {
            delivery_price: PricedView::of(fee),
            times,
        },
    )?)
}

async fn plan<H: Host>(call: &mut Call<'_, H>, inquiry: &Inquiry) -> Result<Plan, Problem> {
    if let Some(caller) = &call.caller {
        return Ok(planned(call, &caller.store, inquiry).await?.plan);
    }
    let (addresses, pointer) = inquired(inquiry);
    let gazetteer = Gazetteer::embedded();
    let results = addresses
        .iter()
        .map(|address| gazetteer.locate(address))
        .collect();
    let located = every_place(&addresses, results, Precision::Municipality, pointer, None)?;
    let pickup = addresses.first().zip(located.first());
    let (address, point) = pickup.ok_or_else(|| plain(ProblemCode::AddressNotFound))?;
    let own = Place {
        address: (*address).clone(),
        located: *point,
    };
    let route = Route::new(inquiry, own, located, None, call.settings.pricing.estimates);
    let matrix = route.with_texts(Gazetteer::embedded(), geo::matrix(&route.places()));
    let tariff = tariff::effective(call).await?;
    Ok(route
        .plan(
            &tariff,
            &matrix,
            call.settings.dispatch.lead_minutes,
            call.context.now,
        )?
        .plan)
}

/// `POST /v1/logistics/delivery`
pub(super) async fn create<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (connection, merchant) = call.connection()?;
    let mut new =
        validate::delivery_request(read(call.body)?, connection.id, merchant, call.context.now)?;
    let store = call.caller()?.store.clone();
    // The lead time of the search counts from the start of the preparation, not back from it.
    if new.inquiry.preparation_minutes > 0 {
        new.inquiry.preparation_minutes += call.settings.dispatch.lead(&store);
    }
    new.inquiry.store = Some(store.id);
    if let Some(last) = last_attempt(call, &new.code).await?
        && !is_rejected(&last)
    {
        let id = &new.code;
        let en = format!(
            "The delivery {id} exists. An orderId can be sent again only after its delivery was rejected."
        );
        let pt = format!(
            "A entrega {id} já existe. Um orderId só pode ser reenviado depois que a entrega foi recusada."
        );
        return Err(Problem::new(ProblemCode::DeliveryRejected, en, pt).into());
    }
    create_for(call, &new, store, creation_response)
        .await
        .map_err(standard_error)
}

/// Whether no courier was ever found for an order, so that its ID can be sent again.
fn is_rejected(order: &Order) -> bool {
    order.status == OrderStatus::Expired && order.first_allocated_at.is_none()
}

fn creation_response(
    settings: &Settings,
    _: Language,
    _: u16,
    order: &Order,
) -> Result<ApiResponse, Problem> {
    let search = Duration::minutes(settings.timing.search_minutes.into());
    let completion = CompletionView {
        estimate: order.search_from().max(order.created_at).to_string(),
        reject_after: order.ready_at.after(search).to_string(),
    };
    let public = settings.public_url.as_deref();
    let details_url = public.map(|base| format!("{base}/v1/logistics/delivery/{}", order.code));
    let accepted = DeliveryAccepted {
        delivery_id: delivery_id(order.id),
        event: EventType::Pending,
        completion,
        details_url,
    };
    ApiResponse::json(202, &accepted)
}

/// `GET /v1/logistics/delivery/{orderId}`
pub(super) async fn get<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let order = find(call).await?;
    let history = call.host.events(order.id).await?;
    let vehicle = connection::vehicle(call.host, &order).await?;
    let url = order
        .deliveries
        .iter()
        .find_map(|delivery| tracking::url(call.settings, delivery));
    let (_, merchant) = call.connection()?;
    let details = LogisticsDetails::of(&order, &history, merchant, vehicle, url);
    Ok(ApiResponse::json(
        200,
        &details.ok_or_else(|| plain(ProblemCode::OrderNotFound))?,
    )?)
}

/// `POST /v1/logistics/{readyForPickup|orderPicked|finishDelivery|handleProblem|cancel}/{orderId}`
pub(super) async fn step<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, HandlerError> {
    let order = find(call).await?;
    let result = match endpoint {
        Endpoint::SetReadyForPickup => set_ready(call, &order).await,
        Endpoint::SetOrderPicked => set_picked(call, &order).await,
        Endpoint::FinishDelivery => finish(call, order).await,
        Endpoint::HandleProblem => {
            let (decision, reason) = validate::problem_decision(read(call.body)?)?;
            resolve(call, &order, decision, reason, empty_response).await
        }
        _ => cancel(call, &order).await,
    };
    result.map_err(standard_error)
}

async fn set_ready<H: Host>(
    call: &mut Call<'_, H>,
    order: &Order,
) -> Result<ApiResponse, HandlerError> {
    if order.status.is_final() {
        return Err(invalid_step(order).into());
    }
    let is_waiting = order
        .open_delivery
        .as_deref()
        .is_some_and(|own| own.awaits_ready);
    let stops_waiting = |own: &mut OpenDelivery| own.awaits_ready = false;
    match take_signal(call, order, &Signal::Ready).await? {
        Ok(StepOutcome::Now(moved)) => {
            let (moved, mut changes) = *moved;
            changes
                .orders
                .iter_mut()
                .for_each(|write| update(&mut write.value, stops_waiting));
            let response = empty_response(&moved, call.language)?;
            call.commit(changes, &response).await?;
            Ok(response)
        }
        // The preparation time is over, or a courier was searched before its end.
        _ if is_waiting => rewrite(call, order.clone(), stops_waiting, Changes::default()).await,
        _ => Ok(empty_response(order, call.language)?),
    }
}

async fn set_picked<H: Host>(
    call: &mut Call<'_, H>,
    order: &Order,
) -> Result<ApiResponse, HandlerError> {
    if order.status >= OrderStatus::OutForDelivery && order.status <= OrderStatus::NotDelivered {
        return Ok(empty_response(order, call.language)?);
    }
    let mut waiting = order.clone();
    update(&mut waiting, |own| {
        (own.awaits_ready, own.awaits_pickup) = (false, false)
    });
    let courier = carrier(call, order)
        .await?
        .ok_or_else(|| invalid_step(order))?;
    let act = Carry::PickUp {
        code: order.pickup_code.clone(),
    };
    let mut ids = call.ids(1).await?;
    let trip = TripContext {
        others: &[],
        next: None,
    };
    let result = lifecycle::carry(&waiting, &courier, trip, &act, &mut ids, &mut call.context);
    conclude(
        call,
        order,
        result.map_err(|failed| failed.error),
        empty_response,
    )
    .await
}

async fn finish<H: Host>(
    call: &mut Call<'_, H>,
    order: Order,
) -> Result<ApiResponse, HandlerError> {
    let at = validate::finish_date(read(call.body)?)?;
    let own = order.open_delivery.as_deref();
    let has_ended = order.status.is_final() && order.status <= OrderStatus::NotDelivered;
    if !has_ended {
        return Err(invalid_step(&order).into());
    }
    if own.is_none_or(|own| !own.awaits_conclusion || own.finished_at.is_some()) {
        return Ok(empty_response(&order, call.language)?);
    }
    let history = call.host.events(order.id).await?;
    let last = history
        .into_iter()
        .rfind(|recorded| follow_up(&order, &recorded.event).is_some());
    let at = at.max(order.status_since).min(call.context.now);
    // A pass may have written the connection since the request was authenticated.
    let (id, now) = (call.connection()?.0.id, call.context.now);
    let webhook = call
        .host
        .webhook(id)
        .await?
        .ok_or_else(|| plain(ProblemCode::ApiKeyRevoked))?;
    let mut changes = Changes::default();
    if let Some(recorded) = last.filter(|_| webhook.is_active()) {
        // The message follows that of the last event, which may not be read yet.
        let unread = call
            .host
            .journal(webhook.journal(), webhook.position, PAGE)
            .await?;
        let entry = unread.iter().find(|entry| entry.recorded.id == recorded.id);
        let position = entry.map_or(webhook.position, |entry| entry.position);
        changes.messages = vec![MessageChange::Put(
            webhook.end_message(&JournalEntry { position, recorded }, now),
        )];
        changes.webhooks = vec![Write {
            expected: webhook.version,
            value: Webhook {
                due_at: Some(now),
                ..webhook
            },
        }];
    }
    rewrite(call, order, |own| own.finished_at = Some(at), changes).await
}

async fn cancel<H: Host>(
    call: &mut Call<'_, H>,
    order: &Order,
) -> Result<ApiResponse, HandlerError> {
    let (decision, reason) = validate::delivery_cancellation(read(call.body)?)?;
    if order.status >= OrderStatus::OutForDelivery && order.status < OrderStatus::Cancelled {
        return resolve(call, order, decision, reason, cancellation_response).await;
    }
    let (courier, by) = (carrier(call, order).await?, calling_person(call)?);
    let rules = &call.settings.cancellation;
    let result = lifecycle::cancel(
        order,
        courier.as_ref(),
        by,
        Some(reason),
        rules,
        &call.context,
    );
    conclude(call, order, result, cancellation_response).await
}

/// Carries out a decision on goods that are on the way.
async fn resolve<H: Host>(
    call: &mut Call<'_, H>,
    order: &Order,
    decision: Decision,
    reason: String,
    respond: fn(&Order, Language) -> Result<ApiResponse, Problem>,
) -> Result<ApiResponse, HandlerError> {
    let stop = order
        .deliveries
        .first()
        .map(|delivery| delivery.id)
        .ok_or_else(|| invalid_step(order))?;
    let signal = match decision {
        Decision::Deliver if order.status == OrderStatus::OutForDelivery => {
            return Ok(respond(order, call.language)?);
        }
        Decision::Deliver => return Err(invalid_step(order).into()),
        Decision::Return => Signal::TurnBack { stop, reason },
        Decision::Discard => Signal::Discard(stop),
    };
    let result = take_signal(call, order, &signal).await?;
    conclude(call, order, result, respond).await
}

/// Changes the data of Open Delivery in an order.
fn update(order: &mut Order, change: impl FnOnce(&mut OpenDelivery)) {
    if let Some(own) = order.open_delivery.as_deref_mut() {
        change(own);
    }
}

/// Commits a change of the data of Open Delivery.
async fn rewrite<H: Host>(
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

fn empty_response(_: &Order, _: Language) -> Result<ApiResponse, Problem> {
    Ok(ApiResponse::empty(200))
}

fn cancellation_response(order: &Order, _: Language) -> Result<ApiResponse, Problem> {
    ApiResponse::json(
        202,
        &CancelResponse {
            additional_charges: order.cancellation_fee > Money::ZERO,
        },
    )
}

/// Returns the problem of a step that is not valid for the order's status.
fn invalid_step(order: &Order) -> Problem {
    step_problem(
        &StepError::Invalid {
            status: order.status,
            possible: Vec::new(),
        },
        order.status_since,
    )
}

/// Finds the last attempt of the order in the path, if this connection created it.
async fn find<H: Host>(call: &Call<'_, H>) -> Result<Order, HandlerError> {
    let order = last_attempt(call, &call.id.to_ascii_lowercase()).await?;
    let order = order.ok_or_else(|| plain(ProblemCode::OrderNotFound))?;
    Ok(clock::advance(call.host, call.settings, order, call.context.now).await?)
}

async fn last_attempt<H: Host>(
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

/// Writes a problem in the standard's terms, with a status that the standard has.
fn standard_error(error: HandlerError) -> HandlerError {
    match error {
        HandlerError::Problem(problem) => HandlerError::Problem(standard_problem(problem)),
        HandlerError::Conflict => HandlerError::Conflict,
    }
}

fn standard_problem(mut problem: Problem) -> Problem {
    if matches!(problem.code.status(), 402 | 409 | 410) {
        problem.code = ProblemCode::DeliveryRejected;
    }
    for error in &mut problem.errors {
        error.pointer = standard_pointer(&error.pointer);
    }
    problem
}
