//! Whether an answer is one that the contract allows, and what its client knows from then on.

use bytes::Bytes;
use despacho_core::model::{CourierId, OrderId, StoreId, Timestamp};
use http::{Method, Response};
use serde_json::Value;

use crate::{
    exchange::{Act, Attempt, By, State},
    model::Checked,
    people::{KnownCourier, KnownHook, KnownKey, KnownQuote},
    reading,
    service::Own,
    simulation::Simulation,
};

/// Milliseconds that a quote holds, as published.
const QUOTE_MS: i64 = 15 * 60_000;

/// The store whose journal an act is about.
pub(crate) fn reader_of(simulation: &Simulation, act: &Act) -> Option<StoreId> {
    match act {
        Act::Read { reader } => simulation.people.readers.get(*reader).map(|reader| reader.store),
        Act::HookCreate { store, .. } => Some(*store),
        _ => None,
    }
}

/// What every answer must be, whether anybody hears it or not.
pub(crate) fn always(simulation: &mut Simulation, own: &Own, attempt: &Attempt, response: &Response<Bytes>) -> Checked {
    let Some(sender) = simulation.exchanges.get(attempt.exchange) else { return Ok(()) };
    let (status, plan) = (response.status().as_u16(), &sender.plan);
    let what = || format!("{} {} was answered {status}", plan.method, plan.path);
    if status >= 400 {
        let body: Value = serde_json::from_slice(response.body()).unwrap_or_default();
        let media = response.headers().get("content-type").and_then(|value| value.to_str().ok());
        let code = body["code"].as_str().unwrap_or_default();
        if media != Some("application/problem+json") || body["status"] != status || code.is_empty() {
            return Err(format!("{} with no problem document: {body}", what()));
        }
        let many_writes =
            body["detail"].as_str().is_some_and(|detail| detail.starts_with("Too many concurrent writes"));
        if status == 500 || (status > 500 && own.faults.get() == 0 && !many_writes) {
            return Err(format!("{} though nothing failed: {body}", what()));
        }
        if status < 500
            && let Some(left) = attempt.leaves
        {
            return Err(format!("{} and left {left} behind: {body}", what()));
        }
        // Who is nobody any more, since its store or its key is gone, is told nothing of what it did before.
        let in_time = matches!(code, "request_in_progress" | "rate_limited") || status == 401;
        if attempt.applied_before && status < 500 && !in_time {
            return Err(format!("{} though its Idempotency-Key has an answer: {body}", what()));
        }
        return foreign(simulation, attempt, status);
    }
    if matches!(plan.act, Act::Wrong) {
        return Err(format!("{}, and must be refused", what()));
    }
    if (plan.method == Method::GET && attempt.leaves.is_some())
        || (matches!(plan.act, Act::Preview { .. }) && attempt.commits > 0)
    {
        return Err(format!("{} and left {:?} behind", what(), attempt.leaves.unwrap_or("something")));
    }
    if let Act::Move { wrong: true, .. } = plan.act {
        let moved = attempt
            .caused
            .iter()
            .find(|kind| matches!(**kind, "order.picked_up" | "delivery.delivered" | "order.returned"));
        if let Some(kind) = moved {
            return Err(format!("{} after a wrong code, and brought {kind} about", what()));
        }
    }
    foreign(simulation, attempt, status)
}

/// Who sees an order is answered, and nobody else.
fn foreign(simulation: &Simulation, attempt: &Attempt, status: u16) -> Checked {
    let Some(sender) = simulation.exchanges.get(attempt.exchange) else { return Ok(()) };
    let viewer = match &sender.plan.act {
        Act::Look { viewer, .. } | Act::Terms { viewer, .. } | Act::Move { by: By::Store(viewer), .. } => *viewer,
        _ => return Ok(()),
    };
    let Some(tracked) = sender.plan.order().and_then(|order| simulation.model.orders.get(&order)) else {
        return Ok(());
    };
    let (owner, id) = (tracked.row.store, tracked.row.id);
    // While a branch is removed, what its matrix sees depends on when it looked.
    if simulation.model.stores.get(&owner).is_some_and(|owner| owner.removed) {
        return Ok(());
    }
    let sees = simulation.model.sees(viewer, owner);
    match status {
        200..=299 if !sees => Err(format!("store {viewer} sees order {id} of store {owner}")),
        404 if sees => Err(format!("store {viewer} does not see order {id} of store {owner}")),
        _ => Ok(()),
    }
}

/// What a client makes of an answer.
pub(crate) fn check_response(
    simulation: &mut Simulation,
    own: &Own,
    attempt: &Attempt,
    response: &Response<Bytes>,
) -> Checked {
    let (exchange, status) = (attempt.exchange, response.status().as_u16());
    let body: Value = serde_json::from_slice(response.body()).unwrap_or_default();
    let Some(sender) = simulation.exchanges.get_mut(exchange) else { return Ok(()) };
    if status >= 500 || matches!(body["code"].as_str(), Some("request_in_progress" | "rate_limited")) {
        simulation.unheard(exchange);
        return Ok(());
    }
    if status >= 400 {
        if sender.state == State::Open && (!sender.applied || status == 401) {
            sender.state = State::Rejected;
        } else {
            simulation.unheard(exchange);
        }
        return rejected(simulation, own, attempt, &body);
    }
    let replayed = response.headers().contains_key("idempotent-replayed");
    if let (Some(_), Some((first, before))) = (&sender.key, &sender.response)
        && (*first != status || without_recipients(before) != without_recipients(response.body()))
    {
        let before = String::from_utf8_lossy(before);
        return Err(format!(
            "{} under one Idempotency-Key first {first} {before}, then {status} {body}",
            sender.plan.path
        ));
    }
    let first = sender.response.is_none();
    sender.state = State::Acknowledged;
    if first {
        sender.response = Some((status, response.body().clone()));
        simulation.acknowledged += 1;
        learn(simulation, own, attempt, &body)?;
    }
    if replayed {
        replayed_to_courier(simulation, attempt, &body)?;
    }
    succeeded(simulation, own, attempt, status, replayed, &body)
}

/// Members of a delivery that tell about its recipient.
const RECIPIENT: [&str; 6] = ["name", "phone", "observation", "latitude", "longitude", "address"];

/// A response of the courier API with null for what tells about recipients; of every other response its bytes.
fn without_recipients(body: &Bytes) -> Result<Value, &Bytes> {
    let mut order: Value = serde_json::from_slice(body).map_err(|_| body)?;
    // Only the courier API says which steps are possible next.
    let deliveries = order.get("possible").is_some().then(|| order["deliveries"].as_array_mut()).flatten();
    for delivery in deliveries.into_iter().flatten() {
        RECIPIENT.iter().for_each(|name| delivery[*name] = Value::Null);
    }
    Ok(order)
}

/// A replayed response tells a courier about recipients while the courier has the order, and not after it.
fn replayed_to_courier(simulation: &Simulation, attempt: &Attempt, body: &Value) -> Checked {
    let Some(sender) = simulation.exchanges.get(attempt.exchange) else { return Ok(()) };
    let courier = simulation.people.couriers.iter().find(|one| sender.plan.token.as_ref() == Some(&one.key));
    let tracked = body["id"].as_u64().and_then(OrderId::new).and_then(|id| simulation.model.orders.get(&id));
    let (Some(courier), Some(tracked), Some(deliveries)) = (courier, tracked, body["deliveries"].as_array()) else {
        return Ok(());
    };
    // Either is right where the order changed while the request ran.
    if tracked.after.len() != attempt.seen_order {
        return Ok(());
    }
    let has_it = tracked.row.courier.as_ref().map(|one| one.id) == Some(courier.id) && !tracked.row.status.is_final();
    let seen = deliveries.iter().any(|delivery| !delivery["address"]["street"].is_null());
    if seen == has_it {
        return Ok(());
    }
    Err(format!("courier {} has order {}: {has_it}; told about recipients: {seen}", courier.id, tracked.row.id))
}

/// A client that was never told cannot rely on what it asked for.
pub(crate) fn given_up(simulation: &mut Simulation, exchange: usize) {
    if let Some(Act::Read { reader }) = simulation.exchanges.get(exchange).map(|sender| sender.plan.act.clone())
        && let Some(reader) = simulation.people.readers.get_mut(reader)
    {
        reader.busy = false;
    }
}

/// Whether a refusal has its reason.
fn rejected(simulation: &mut Simulation, own: &Own, attempt: &Attempt, body: &Value) -> Checked {
    given_up(simulation, attempt.exchange);
    let Some(sender) = simulation.exchanges.get(attempt.exchange) else { return Ok(()) };
    let code = body["code"].as_str().unwrap_or_default();
    let Act::Create { store, quote, content } = &sender.plan.act else { return Ok(()) };
    let quote = quote.and_then(|quote| simulation.people.quotes.get(quote));
    match code {
        "order_code_conflict" => {
            let existing =
                body["orderId"].as_u64().and_then(OrderId::new).and_then(|id| simulation.model.orders.get(&id));
            let same = existing.is_some_and(|one| one.row.store == *store && content["code"] == one.row.code.as_str());
            if same { Ok(()) } else { Err(format!("no order of store {store} has the code of {body}")) }
        }
        "quote_expired" => match quote {
            Some(quote) if own.now.get().millis() > quote.expires_ms => Ok(()),
            _ => Err(format!("a quote was refused as expired in its time: {body}")),
        },
        "quote_mismatch" => match quote {
            // Where no pickup is named it is the store's own, which may have moved.
            Some(quote)
                if content.get("pickupAddress").is_some()
                    && quote.store == *store
                    && reading::same_content(&quote.body, content) =>
            {
                Err(format!("a quote was refused for its own content: {body}"))
            }
            _ => Ok(()),
        },
        "insufficient_balance" => match simulation.model.stores.get(store).and_then(|store| store.floor) {
            Some(_) => Ok(()),
            None => Err(format!("store {store} is invoiced and was refused for its balance")),
        },
        _ => Ok(()),
    }
}

/// Whether a success says what is stored.
fn succeeded(
    simulation: &mut Simulation,
    own: &Own,
    attempt: &Attempt,
    status: u16,
    replayed: bool,
    body: &Value,
) -> Checked {
    let Some(sender) = simulation.exchanges.get(attempt.exchange) else { return Ok(()) };
    match sender.plan.act.clone() {
        Act::Create { store, quote, content } => {
            let tracked = body["id"].as_u64().and_then(OrderId::new).and_then(|id| simulation.model.orders.get(&id));
            let tracked = tracked.ok_or_else(|| format!("an order was acknowledged that is not there: {body}"))?;
            reading::created(&tracked.first, &tracked.row, store, status, &content, body)?;
            let quote = quote.and_then(|quote| simulation.people.quotes.get(quote));
            if let Some(quote) = quote.filter(|_| status == 201 && !replayed) {
                let late = own.now.get().millis() > quote.expires_ms;
                if late || quote.store != store || !reading::same_content(&quote.body, &content) {
                    return Err(format!("a quote was accepted that does not hold (late: {late})"));
                }
                if reading::centavos(&body["deliveryFee"]) != Some(quote.fee) {
                    return Err(format!("a quote of {} centavos was not kept: {body}", quote.fee));
                }
            }
            Ok(())
        }
        Act::Look { order, .. } => reading::looked_up(simulation, attempt, order, body),
        Act::Move { order, by, cancels, .. } => {
            if status != 204 && !replayed {
                reading::moved(simulation, attempt, order, by, body)?;
            }
            let now = simulation.model.orders.get(&order).map_or(0, |tracked| tracked.status);
            if cancels && !(600..=620).contains(&now) {
                return Err(format!("order {order} was cancelled and stands at {now}"));
            }
            Ok(())
        }
        Act::List { viewer } => reading::listed(simulation, viewer, body),
        Act::Statement { store } => reading::statement(simulation, store, body),
        _ => Ok(()),
    }
}

/// What a client knows after its first success.
fn learn(simulation: &mut Simulation, own: &Own, attempt: &Attempt, body: &Value) -> Checked {
    let Some(sender) = simulation.exchanges.get(attempt.exchange) else { return Ok(()) };
    let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    match sender.plan.act.clone() {
        Act::Preview { store, content } => {
            let expires_at = body.pointer("/quote/expiresAt").and_then(Value::as_str).and_then(Timestamp::parse);
            let expires_ms = expires_at.ok_or("a preview without the end of its quote")?.millis();
            if expires_ms != own.now.get().millis() + QUOTE_MS {
                return Err(format!("a quote does not hold for 15 minutes: {body}"));
            }
            let id = body.pointer("/quote/id").and_then(Value::as_str).unwrap_or_default().to_owned();
            let fee = reading::centavos(&body["deliveryFee"]).ok_or("a preview without a fee")?;
            simulation.people.quotes.push(KnownQuote { store, id, expires_ms, fee, body: content });
        }
        Act::OpenBranch | Act::IssueKey => {
            let store = body["storeId"].as_str().and_then(StoreId::parse).ok_or("a key without its store")?;
            let key = KnownKey { store, id: text("id"), text: text("value"), revoked: false, doubtful: false };
            simulation.people.keys.push(key);
        }
        Act::RevokeKey { key } => {
            if let Some(key) = simulation.people.keys.get_mut(key) {
                key.revoked = true;
            }
        }
        Act::Register => {
            let id = body["id"].as_u64().and_then(CourierId::new).ok_or("a courier without a number")?;
            simulation.people.couriers.push(KnownCourier { id, key: text("value"), removed: false });
        }
        Act::Alter { courier, removes: true } => {
            if let Some(courier) = simulation.people.couriers.get_mut(courier) {
                courier.removed = true;
            }
        }
        Act::HookCreate { store, url, events } => {
            let matrix = simulation.model.stores.get(&store).map(|store| store.matrix);
            let until = matrix.and_then(|matrix| simulation.model.journals.get(&matrix)).map_or(0, Vec::len);
            let (id, secrets) = (body["id"].as_u64().unwrap_or_default(), vec![text("secret")]);
            let from = sender.began_journal;
            let hook = KnownHook { id, store, url, secrets, events, from, until, removed: false };
            simulation.people.hooks.push(hook);
        }
        Act::HookRotate { hook } => {
            if let Some(hook) = simulation.people.hooks.get_mut(hook) {
                hook.secrets.push(text("secret"));
            }
        }
        Act::Read { reader } => reading::read_on(simulation, attempt, reader, body)?,
        Act::TopUp { amount } if reading::centavos(&body["amount"]) != Some(amount) => {
            return Err(format!("{amount} centavos were booked in as {body}"));
        }
        _ => {}
    }
    Ok(())
}
