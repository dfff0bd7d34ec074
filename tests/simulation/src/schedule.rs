//! The times of orders in the reference model: requested times and windows, and the start of the
//! preparation and of the search.

use despacho_core::model::{
    Duration, OrderId, Timestamp,
    order::{DeliveryWindow, Order},
};
use serde_json::Value;

use crate::{
    model::{CheckResult, Model},
    service::TaskContext,
    table::StatusCode,
    tracked_order::TrackedOrder,
};

/// The courier's approach and the handover in minutes, as in the default tariff.
const APPROACH_MINUTES: u32 = 8;
const HANDOVER: Duration = Duration::minutes(3);
/// The events after which an order can have another ready time, as published.
const MOVES: [&str; 3] = ["order.delayed", "order.ready", "delivery.cancelled"];

fn before(at: Timestamp, minutes: u32) -> Timestamp {
    at.before(Duration::minutes(minutes.into()))
}

/// Returns the time from which a courier is searched for an order with this ready time.
fn search_start(first: &Order, ready: Timestamp) -> Timestamp {
    before(ready, first.dispatch.lead_minutes)
}

/// Returns the time at which an order with this ready time leaves status 100.
pub(crate) fn start(first: &Order, ready: Timestamp) -> Timestamp {
    before(ready, first.preparation_minutes).min(search_start(first, ready))
}

/// Checks the times and the status of a new order.
pub(crate) fn check_new(row: &Order, status: StatusCode) -> CheckResult {
    if row.schedule.is_some() {
        check_scheduled(row)?;
    }
    let (id, created, ready) = (row.id, row.created_at, row.ready_at);
    let earliest = created.after(Duration::minutes(row.preparation_minutes.into()));
    let expected = match () {
        () if start(row, ready) > created && row.schedule.is_some() => 100,
        () if ready > created => 110,
        () => 120,
    };
    if status != expected || ready < earliest || (row.schedule.is_none() && ready != earliest) {
        return Err(format!(
            "order {id} was created at {created} with status {status} and is ready at {ready}, at the earliest {earliest}"
        ));
    }
    Ok(())
}

/// Checks that the ready time of a new order follows from its pickup, and that its arrival is at
/// its time and in its windows.
fn check_scheduled(row: &Order) -> CheckResult {
    let (id, ready) = (row.id, row.ready_at);
    let (Some(pickup), Some(delivery)) = (row.expected_pickup, row.expected_delivery) else {
        return Err(format!("the scheduled order {id} has no expected times"));
    };
    let approach = APPROACH_MINUTES.saturating_sub(row.dispatch.lead_minutes);
    if before(pickup, approach) != ready {
        return Err(format!(
            "order {id} is ready at {ready}, but its pickup is expected at {pickup}"
        ));
    }
    let arrival = delivery.before(HANDOVER);
    let time = row
        .schedule
        .and_then(|schedule| schedule.deliver_at)
        .unwrap_or(arrival);
    if time != arrival {
        return Err(format!(
            "order {id} is expected at {arrival}, but its time is {time}"
        ));
    }
    let misses = |window: &DeliveryWindow| !(window.from..=window.until).contains(&arrival);
    match row
        .deliveries
        .last()
        .and_then(|stop| stop.window)
        .filter(misses)
    {
        Some(window) => Err(format!(
            "order {id} is expected at {arrival}, outside its window {window:?}"
        )),
        None => Ok(()),
    }
}

/// Checks that an acknowledged order has the requested time and windows, and the start of its
/// preparation.
pub(crate) fn check_acknowledged(first: &Order, content: &Value, body: &Value) -> CheckResult {
    let windows = |value: &Value| {
        let list = value["deliveries"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|stop| &stop["window"]);
        let mut windows: Vec<String> = list
            .filter(|window| window.is_object())
            .map(|window| format!("{} {}", window["from"], window["until"]))
            .collect();
        // The response has the deliveries in visiting order.
        windows.sort_unstable();
        windows
    };
    let starts_at = first
        .schedule
        .map(|_| before(first.ready_at, first.preparation_minutes).to_string());
    let is_equal = body["deliverAt"] == content["deliverAt"]
        && windows(body) == windows(content)
        && body["preparationStartsAt"].as_str() == starts_at.as_deref();
    if is_equal {
        Ok(())
    } else {
        Err(format!(
            "order {} was requested as {content}, but is {body}",
            first.id
        ))
    }
}

/// Checks that the ready time of an order changed only with an event that can change it.
pub(crate) fn check_ready_time(tracked: &TrackedOrder, row: &Order) -> CheckResult {
    let news = tracked
        .kinds
        .get(tracked.row.last_sequence as usize..)
        .unwrap_or_default();
    if row.ready_at == tracked.row.ready_at || news.iter().any(|kind| MOVES.contains(kind)) {
        return Ok(());
    }
    Err(format!(
        "the ready time of order {} changed from {} to {} by {news:?}",
        row.id, tracked.row.ready_at, row.ready_at
    ))
}

/// Checks that a timed step does not happen early. An order can have had the earlier of two ready
/// times at the time of the step.
pub(crate) fn check_step(first: &Order, kind: &str, ready: Timestamp, at_ms: i64) -> CheckResult {
    let from = match kind {
        "order.preparing" => start(first, ready),
        "order.searching" => search_start(first, ready),
        "order.ready" => ready,
        _ => return Ok(()),
    };
    let early_ms = from.millis() - at_ms;
    if early_ms > 0 {
        Err(format!(
            "{kind} of order {} is {early_ms} ms early",
            first.id
        ))
    } else {
        Ok(())
    }
}

/// Returns the time of an order's next timed step before its search.
pub(crate) fn next_step(tracked: &TrackedOrder) -> Option<Timestamp> {
    let ready = tracked.row.ready_at;
    match tracked.status {
        100 => Some(start(&tracked.first, ready)),
        110 => Some(search_start(&tracked.first, ready)),
        120 => Some(ready),
        _ => None,
    }
}

/// Returns the orders that do not search yet, with their versions.
pub(crate) fn waiting(model: &Model) -> Vec<(OrderId, u32)> {
    let waiting = model.orders.values().filter(|tracked| tracked.status < 200);
    waiting
        .map(|tracked| (tracked.row.id, tracked.row.version))
        .collect()
}

/// Checks that a dispatch pass without faults took the due steps of all orders that existed at its
/// start and were not changed since.
pub(crate) fn check_pass(model: &Model, context: &TaskContext) -> CheckResult {
    let Some(now) = context
        .dispatched_at
        .get()
        .filter(|_| context.faults.get() == 0)
    else {
        return Ok(());
    };
    for (id, version) in &context.waiting {
        let unchanged = model
            .orders
            .get(id)
            .filter(|tracked| tracked.row.version == *version);
        if let Some(due) = unchanged.and_then(next_step).filter(|due| *due <= now) {
            return Err(format!(
                "a dispatch pass at {now} left order {id}, which was due at {due}"
            ));
        }
    }
    Ok(())
}
