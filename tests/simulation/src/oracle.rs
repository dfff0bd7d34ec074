//! The oracle: checks each response against the contract, and records the data that its client
//! receives.

use bytes::Bytes;
use despacho_core::model::{CourierId, OrderId, StoreId, Timestamp};
use http::{Method, Response};
use serde_json::Value;

use crate::{
    clients::{KnownCourier, KnownHook, KnownKey, KnownQuote},
    exchange::{Action, Actor, Attempt, State},
    model::CheckResult,
    reading,
    service::TaskContext,
    simulation::Simulation,
    trips,
};

/// The lifetime of a quote in milliseconds, as published.
const QUOTE_MS: i64 = 15 * 60_000;

/// Returns the store whose journal an action reads.
pub(crate) fn reader_of(simulation: &Simulation, action: &Action) -> Option<StoreId> {
    match action {
        Action::Read { reader } => simulation
            .clients
            .readers
            .get(*reader)
            .map(|reader| reader.store),
        Action::HookCreate { store, .. } => Some(*store),
        _ => None,
    }
}

/// Checks the requirements of every response, including lost ones.
pub(crate) fn check_every_response(
    simulation: &mut Simulation,
    context: &TaskContext,
    attempt: &Attempt,
    response: &Response<Bytes>,
) -> CheckResult {
    let Some(sender) = simulation.exchanges.get(attempt.exchange) else {
        return Ok(());
    };
    let (status, plan) = (response.status().as_u16(), &sender.plan);
    let request = || format!("{} {} returned {status}", plan.method, plan.path);
    if status >= 400 {
        let body: Value = serde_json::from_slice(response.body()).unwrap_or_default();
        let media = response
            .headers()
            .get("content-type")
            .and_then(|value| value.to_str().ok());
        let code = body["code"].as_str().unwrap_or_default();
        if media != Some("application/problem+json") || body["status"] != status || code.is_empty()
        {
            return Err(format!("{} without a problem document: {body}", request()));
        }
        let many_writes = body["detail"]
            .as_str()
            .is_some_and(|detail| detail.starts_with("Too many concurrent writes"));
        if status == 500 || (status > 500 && context.faults.get() == 0 && !many_writes) {
            return Err(format!("{} without an injected fault: {body}", request()));
        }
        if status < 500
            && let Some(left) = attempt.stored_kind
        {
            return Err(format!("{} but stored {left}: {body}", request()));
        }
        // A client whose store or key was removed gets 401 instead of the stored response.
        let is_expected = matches!(code, "request_in_progress" | "rate_limited") || status == 401;
        if attempt.applied_before && status < 500 && !is_expected {
            return Err(format!(
                "{} although its Idempotency-Key has a stored response: {body}",
                request()
            ));
        }
        return check_visibility(simulation, attempt, status);
    }
    if matches!(plan.action, Action::Invalid) {
        return Err(format!("{}, but must be rejected", request()));
    }
    if (plan.method == Method::GET && attempt.stored_kind.is_some())
        || (matches!(plan.action, Action::DryRun) && attempt.stored_kind.is_some())
        || (matches!(plan.action, Action::Preview { .. }) && attempt.commits > 0)
    {
        return Err(format!(
            "{} but stored {}",
            request(),
            attempt.stored_kind.unwrap_or("data")
        ));
    }
    if let Action::Step {
        wrong_code: true, ..
    } = plan.action
    {
        let moved = attempt.caused.iter().find(|kind| {
            matches!(
                **kind,
                "order.picked_up" | "delivery.delivered" | "order.returned"
            )
        });
        if let Some(kind) = moved {
            return Err(format!(
                "{} after a wrong code, but caused {kind}",
                request()
            ));
        }
    }
    check_visibility(simulation, attempt, status)
}

/// Checks that only stores that may access an order get a successful response.
fn check_visibility(simulation: &Simulation, attempt: &Attempt, status: u16) -> CheckResult {
    let Some(sender) = simulation.exchanges.get(attempt.exchange) else {
        return Ok(());
    };
    let viewer = match &sender.plan.action {
        Action::LookUp { viewer, .. }
        | Action::CancellationCost { viewer, .. }
        | Action::Step {
            by: Actor::Store(viewer),
            ..
        } => *viewer,
        _ => return Ok(()),
    };
    let Some(tracked) = sender
        .plan
        .order()
        .and_then(|order| simulation.model.orders.get(&order))
    else {
        return Ok(());
    };
    let (owner, id) = (tracked.row.store, tracked.row.id);
    // The parent store's access to a removed branch depends on the time of the request.
    if simulation
        .model
        .stores
        .get(&owner)
        .is_some_and(|owner| owner.removed)
    {
        return Ok(());
    }
    let sees = simulation.model.can_access(viewer, owner);
    match status {
        200..=299 if !sees => Err(format!(
            "store {viewer} can access order {id} of store {owner}"
        )),
        404 if sees => Err(format!(
            "store {viewer} cannot access order {id} of store {owner}"
        )),
        _ => Ok(()),
    }
}

/// Checks a response that its client received, and updates the client's state.
pub(crate) fn check_response(
    simulation: &mut Simulation,
    context: &TaskContext,
    attempt: &Attempt,
    response: &Response<Bytes>,
) -> CheckResult {
    let (exchange, status) = (attempt.exchange, response.status().as_u16());
    let body: Value = serde_json::from_slice(response.body()).unwrap_or_default();
    let Some(sender) = simulation.exchanges.get_mut(exchange) else {
        return Ok(());
    };
    if status >= 500
        || matches!(
            body["code"].as_str(),
            Some("request_in_progress" | "rate_limited")
        )
    {
        simulation.retry_or_give_up(exchange);
        return Ok(());
    }
    if status >= 400 {
        if sender.state == State::Open && (!sender.applied || status == 401) {
            sender.state = State::Rejected;
        } else {
            simulation.retry_or_give_up(exchange);
        }
        return check_rejection(simulation, context, attempt, &body);
    }
    let replayed = response.headers().contains_key("idempotent-replayed");
    if let (Some(_), Some((first, before))) = (&sender.key, &sender.response)
        && (*first != status || without_recipients(before) != without_recipients(response.body()))
    {
        let before = String::from_utf8_lossy(before);
        return Err(format!(
            "{} with the same Idempotency-Key returned {first} {before}, then {status} {body}",
            sender.plan.path
        ));
    }
    let first = sender.response.is_none();
    sender.state = State::Acknowledged;
    if first {
        sender.response = Some((status, response.body().clone()));
        simulation.acknowledged += 1;
        record_success(simulation, context, attempt, &body)?;
    }
    if replayed {
        check_replay_to_courier(simulation, attempt, &body)?;
    }
    check_success(simulation, context, attempt, status, replayed, &body)
}

/// The members of a delivery with the recipient's personal data.
const RECIPIENT: [&str; 6] = [
    "name",
    "phone",
    "observation",
    "latitude",
    "longitude",
    "address",
];

/// Returns a response of the courier API with null for the recipients' personal data, or the bytes
/// of any other response.
fn without_recipients(body: &Bytes) -> Result<Value, &Bytes> {
    let mut order: Value = serde_json::from_slice(body).map_err(|_| body)?;
    // Only responses of the courier API contain the possible steps.
    let deliveries = order
        .get("possible")
        .is_some()
        .then(|| order["deliveries"].as_array_mut())
        .flatten();
    for delivery in deliveries.into_iter().flatten() {
        RECIPIENT
            .iter()
            .for_each(|name| delivery[*name] = Value::Null);
    }
    Ok(order)
}

/// Checks that a replayed response contains the recipients' data only while the courier has the
/// order.
fn check_replay_to_courier(
    simulation: &Simulation,
    attempt: &Attempt,
    body: &Value,
) -> CheckResult {
    let Some(sender) = simulation.exchanges.get(attempt.exchange) else {
        return Ok(());
    };
    let courier = simulation
        .clients
        .couriers
        .iter()
        .find(|one| sender.plan.token.as_ref() == Some(&one.key));
    let tracked = body["id"]
        .as_u64()
        .and_then(OrderId::new)
        .and_then(|id| simulation.model.orders.get(&id));
    let (Some(courier), Some(tracked), Some(deliveries)) =
        (courier, tracked, body["deliveries"].as_array())
    else {
        return Ok(());
    };
    // Both are correct if the order changed during the request.
    if tracked.after.len() != attempt.order_events {
        return Ok(());
    }
    let has_it = tracked.row.courier.as_ref().map(|one| one.id) == Some(courier.id)
        && !tracked.row.status.is_final();
    let is_disclosed = deliveries
        .iter()
        .any(|delivery| !delivery["address"]["street"].is_null());
    if is_disclosed == has_it {
        return Ok(());
    }
    Err(format!(
        "courier {} has order {}: {has_it}; recipients' data in the response: {is_disclosed}",
        courier.id, tracked.row.id
    ))
}

/// Releases the reader of an operation that ended without a success.
pub(crate) fn release_reader(simulation: &mut Simulation, exchange: usize) {
    if let Some(Action::Read { reader }) = simulation
        .exchanges
        .get(exchange)
        .map(|sender| sender.plan.action.clone())
        && let Some(reader) = simulation.clients.readers.get_mut(reader)
    {
        reader.busy = false;
    }
}

/// Checks that a rejection is justified.
fn check_rejection(
    simulation: &mut Simulation,
    context: &TaskContext,
    attempt: &Attempt,
    body: &Value,
) -> CheckResult {
    release_reader(simulation, attempt.exchange);
    let Some(sender) = simulation.exchanges.get(attempt.exchange) else {
        return Ok(());
    };
    let code = body["code"].as_str().unwrap_or_default();
    let Action::Create {
        store,
        quote,
        content,
    } = &sender.plan.action
    else {
        return Ok(());
    };
    let quote = quote.and_then(|quote| simulation.clients.quotes.get(quote));
    match code {
        "order_code_conflict" => {
            let existing = body["orderId"]
                .as_u64()
                .and_then(OrderId::new)
                .and_then(|id| simulation.model.orders.get(&id));
            let same = existing.is_some_and(|one| {
                one.row.store == *store && content["code"] == one.row.code.as_str()
            });
            if same {
                Ok(())
            } else {
                Err(format!(
                    "no order of store {store} has the conflicting code: {body}"
                ))
            }
        }
        "quote_expired" => match quote {
            Some(quote) if context.now.get().millis() > quote.expires_ms => Ok(()),
            _ => Err(format!("a valid quote was rejected as expired: {body}")),
        },
        "quote_mismatch" => match quote {
            // The default pickup is the store's address, which can change.
            Some(quote)
                if content.get("pickupAddress").is_some()
                    && quote.store == *store
                    && reading::same_content(&quote.body, content) =>
            {
                Err(format!(
                    "a quote was rejected with its context content: {body}"
                ))
            }
            _ => Ok(()),
        },
        "insufficient_balance" => match simulation
            .model
            .stores
            .get(store)
            .and_then(|store| store.floor)
        {
            Some(_) => Ok(()),
            None => Err(format!(
                "store {store} pays by invoice, but was rejected for its balance"
            )),
        },
        _ => Ok(()),
    }
}

/// Checks that a successful response is consistent with the stored data.
fn check_success(
    simulation: &mut Simulation,
    context: &TaskContext,
    attempt: &Attempt,
    status: u16,
    replayed: bool,
    body: &Value,
) -> CheckResult {
    let Some(sender) = simulation.exchanges.get(attempt.exchange) else {
        return Ok(());
    };
    match sender.plan.action.clone() {
        Action::Create {
            store,
            quote,
            content,
        } => {
            let tracked = body["id"]
                .as_u64()
                .and_then(OrderId::new)
                .and_then(|id| simulation.model.orders.get(&id));
            let tracked = tracked
                .ok_or_else(|| format!("an order was acknowledged, but is not stored: {body}"))?;
            reading::check_created(&tracked.first, &tracked.row, store, status, &content, body)?;
            let quote = quote.and_then(|quote| simulation.clients.quotes.get(quote));
            if let Some(quote) = quote.filter(|_| status == 201 && !replayed) {
                let is_expired = context.now.get().millis() > quote.expires_ms;
                if is_expired
                    || quote.store != store
                    || !reading::same_content(&quote.body, &content)
                {
                    return Err(format!(
                        "an invalid quote was accepted (expired: {is_expired})"
                    ));
                }
                if reading::centavos(&body["deliveryFee"]) != Some(quote.fee) {
                    return Err(format!(
                        "the order's fee differs from its quote of {} centavos: {body}",
                        quote.fee
                    ));
                }
            }
            Ok(())
        }
        Action::LookUp { order, .. } => reading::check_lookup(simulation, attempt, order, body),
        Action::Step {
            order, by, cancels, ..
        } => {
            if status != 204 && !replayed {
                reading::check_step(simulation, attempt, order, by, body)?;
            }
            let now = simulation
                .model
                .orders
                .get(&order)
                .map_or(0, |tracked| tracked.status);
            if cancels && !(600..=620).contains(&now) {
                return Err(format!("order {order} was cancelled, but has status {now}"));
            }
            Ok(())
        }
        Action::List { viewer } => reading::check_list(simulation, viewer, body),
        Action::Trip { courier } => trips::check_view(courier, body),
        Action::Statement { store } => reading::check_statement(simulation, store, body),
        _ => Ok(()),
    }
}

/// Records the data that a client receives with its first successful response.
fn record_success(
    simulation: &mut Simulation,
    context: &TaskContext,
    attempt: &Attempt,
    body: &Value,
) -> CheckResult {
    let Some(sender) = simulation.exchanges.get(attempt.exchange) else {
        return Ok(());
    };
    let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    match sender.plan.action.clone() {
        Action::Preview { store, content } => {
            let expires_at = body
                .pointer("/quote/expiresAt")
                .and_then(Value::as_str)
                .and_then(Timestamp::parse);
            let expires_ms = expires_at
                .ok_or("a preview without the expiry of its quote")?
                .millis();
            if expires_ms != context.now.get().millis() + QUOTE_MS {
                return Err(format!("the lifetime of a quote is not 15 minutes: {body}"));
            }
            let id = body
                .pointer("/quote/id")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned();
            let fee = reading::centavos(&body["deliveryFee"]).ok_or("a preview without a fee")?;
            simulation.clients.quotes.push(KnownQuote {
                store,
                id,
                expires_ms,
                fee,
                body: content,
            });
        }
        Action::OpenBranch | Action::IssueKey => {
            let store = body["storeId"]
                .as_str()
                .and_then(StoreId::parse)
                .ok_or("a key without a store")?;
            let key = KnownKey {
                store,
                id: text("id"),
                value: text("value"),
                revoked: false,
                may_be_revoked: false,
            };
            simulation.clients.keys.push(key);
        }
        Action::RevokeKey { key } => {
            if let Some(key) = simulation.clients.keys.get_mut(key) {
                key.revoked = true;
            }
        }
        Action::Register => {
            let id = body["id"]
                .as_u64()
                .and_then(CourierId::new)
                .ok_or("a courier without an ID")?;
            simulation.clients.couriers.push(KnownCourier {
                id,
                key: text("value"),
                removed: false,
                silent_until_ms: 0,
                stands_until_ms: 0,
            });
        }
        Action::UpdateCourier {
            courier,
            removes: true,
        } => {
            if let Some(courier) = simulation.clients.couriers.get_mut(courier) {
                courier.removed = true;
            }
        }
        Action::HookCreate { store, url, events } => {
            let matrix = simulation
                .model
                .stores
                .get(&store)
                .map(|store| store.matrix);
            let until = matrix
                .and_then(|matrix| simulation.model.journals.get(&matrix))
                .map_or(0, Vec::len);
            let (id, secrets) = (
                body["id"].as_u64().unwrap_or_default(),
                vec![text("secret")],
            );
            let from = sender.journal_events_at_start;
            let hook = KnownHook {
                id,
                store,
                url,
                secrets,
                events,
                from,
                until,
                removed: false,
            };
            simulation.clients.hooks.push(hook);
        }
        Action::HookRotate { hook } => {
            if let Some(hook) = simulation.clients.hooks.get_mut(hook) {
                hook.secrets.push(text("secret"));
            }
        }
        Action::Read { reader } => reading::check_journal_page(simulation, attempt, reader, body)?,
        Action::TopUp { amount } if reading::centavos(&body["amount"]) != Some(amount) => {
            return Err(format!(
                "a top-up of {amount} centavos was stored as {body}"
            ));
        }
        _ => {}
    }
    Ok(())
}
