//! Compares the content of responses with the model.

use despacho_core::model::{OrderId, StoreId, order::Order};
use serde_json::Value;

use crate::{
    backend,
    exchange::{Actor, Attempt},
    model::{CheckResult, JournalEvent},
    schedule,
    simulation::Simulation,
    tracked_order::TrackedOrder,
};

/// Returns an amount of a response in centavos.
#[expect(
    clippy::cast_possible_truncation,
    reason = "amounts in a run are far below 2^53 centavos"
)]
pub(crate) fn centavos(value: &Value) -> Option<i64> {
    value.as_f64().map(|reais| (reais * 100.0).round() as i64)
}

/// Returns whether a quote's preview and an order have the same route, payments, requirements and
/// times.
pub(crate) fn same_content(preview: &Value, order: &Value) -> bool {
    // The text of an address does not determine its price.
    let location = |address: &Value| (address["latitude"].clone(), address["longitude"].clone());
    let flag = |value: &Value| value["sortByBestRoute"].as_bool().unwrap_or(false);
    let stops = |value: &Value| {
        let list = value["deliveries"].as_array().cloned().unwrap_or_default();
        let paid = |stop: &Value| stop["onlinePayment"].as_bool().unwrap_or(true);
        let stop = |stop: &Value| {
            (
                location(&stop["address"]),
                paid(stop),
                stop["window"].clone(),
            )
        };
        list.iter().map(stop).collect::<Vec<_>>()
    };
    location(&preview["pickupAddress"]) == location(&order["pickupAddress"])
        && preview["requirements"] == order["requirements"]
        && preview["deliverAt"] == order["deliverAt"]
        && flag(preview) == flag(order)
        && stops(preview) == stops(order)
}

/// Checks that the response of a creation matches the stored order.
pub(crate) fn check_created(
    first: &Order,
    row: &Order,
    store: StoreId,
    status: u16,
    content: &Value,
    body: &Value,
) -> CheckResult {
    let id = first.id;
    if first.store != store
        || body["storeId"].as_u64() != Some(store.get())
        || content["code"] != first.code.as_str()
    {
        return Err(format!(
            "order {id} was acknowledged to store {store} with code {}: {body}",
            content["code"]
        ));
    }
    let codes = |order: &Order| {
        order
            .deliveries
            .iter()
            .map(|one| one.delivery_code.clone())
            .collect::<Vec<_>>()
    };
    let returned: Vec<&str> = body["deliveries"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| one["deliveryCode"].as_str())
        .collect();
    if codes(first) != returned {
        return Err(format!(
            "order {id} was acknowledged with deliveries that differ from the stored ones: {body}"
        ));
    }
    if status == 201 {
        schedule::check_acknowledged(first, content, body)?;
    }
    let (fee, before) = (
        centavos(&body["deliveryFee"]),
        Some(backend::centavos(first.fee)),
    );
    let now = Some(backend::centavos(row.fee));
    if (status == 201 && fee != before) || (fee != before && fee != now && fee < now) {
        return Err(format!(
            "order {id} was acknowledged with a fee of {fee:?} centavos, but stored with {before:?}, then {now:?}"
        ));
    }
    let lines = body["priceBreakdown"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|line| centavos(&line["amount"]));
    if fee != Some(lines.sum()) {
        return Err(format!(
            "the price lines of order {id} do not add up to its fee: {body}"
        ));
    }
    Ok(())
}

/// Checks that the order's status in a response is one that it has had since the request arrived.
fn check_status(tracked: &TrackedOrder, attempt: &Attempt, body: &Value) -> CheckResult {
    let reported = body["situation"].as_u64().unwrap_or_default();
    let since = tracked
        .after
        .get(attempt.order_events.saturating_sub(1)..)
        .unwrap_or_default();
    if since.iter().any(|status| u64::from(*status) == reported) {
        return Ok(());
    }
    Err(format!(
        "order {} was returned with status {reported}; since the request it has had {since:?}",
        tracked.row.id
    ))
}

/// Checks that a lookup returns the order's status and its history without a gap.
pub(crate) fn check_lookup(
    simulation: &Simulation,
    attempt: &Attempt,
    id: OrderId,
    body: &Value,
) -> CheckResult {
    let Some(tracked) = simulation.model.orders.get(&id) else {
        return Ok(());
    };
    if body["id"].as_u64() != Some(id.get()) {
        return Err(format!("the lookup of order {id} returned {body}"));
    }
    check_status(tracked, attempt, body)?;
    let kinds: Vec<&str> = body["events"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|event| event["type"].as_str())
        .collect();
    let known = tracked.kinds.get(..kinds.len()).unwrap_or_default();
    if known != kinds || kinds.len() < attempt.order_events {
        return Err(format!(
            "the history of order {id} is {:?}, but was returned as {kinds:?}",
            tracked.kinds
        ));
    }
    Ok(())
}

/// Checks that the response of a step contains the order, and that the actor was allowed to take
/// the step.
pub(crate) fn check_step(
    simulation: &Simulation,
    attempt: &Attempt,
    id: OrderId,
    by: Actor,
    body: &Value,
) -> CheckResult {
    let Some(tracked) = simulation.model.orders.get(&id) else {
        return Ok(());
    };
    if body["id"].as_u64() != Some(id.get()) {
        return Err(format!("a step of order {id} returned {body}"));
    }
    if let Actor::Courier(courier) = by {
        let has = tracked
            .row
            .courier
            .as_ref()
            .is_some_and(|assigned| assigned.id == courier);
        if !has && !tracked.row.released.contains(&courier) {
            return Err(format!(
                "courier {courier} took a step of order {id}, which is assigned to another courier"
            ));
        }
    }
    check_status(tracked, attempt, body)
}

/// Checks that a list contains only orders that its reader may access, newest first.
pub(crate) fn check_list(simulation: &Simulation, viewer: StoreId, body: &Value) -> CheckResult {
    let mut last = u64::MAX;
    for order in body["orders"].as_array().into_iter().flatten() {
        let id = order["id"].as_u64().unwrap_or_default();
        let owner = OrderId::new(id)
            .and_then(|id| simulation.model.orders.get(&id))
            .map(|tracked| tracked.row.store);
        let owner = owner.ok_or_else(|| format!("order {id} is listed, but was never created"))?;
        if id >= last {
            return Err(format!("order {id} is listed after {last}"));
        }
        let removed = simulation
            .model
            .stores
            .get(&owner)
            .is_some_and(|owner| owner.removed);
        if !removed && !simulation.model.can_access(viewer, owner) {
            return Err(format!(
                "the list of store {viewer} contains order {id} of store {owner}"
            ));
        }
        last = id;
    }
    Ok(())
}

/// Checks that the balances of a statement's lines are consistent.
pub(crate) fn check_statement(
    simulation: &Simulation,
    store: StoreId,
    body: &Value,
) -> CheckResult {
    // Entries of other stores can change a shared balance between two lines of a branch.
    let shares = simulation
        .model
        .stores
        .get(&store)
        .is_some_and(|known| known.account != store);
    let mut before: Option<(u64, i64)> = None;
    for line in body["lines"].as_array().into_iter().flatten() {
        let id = line["id"].as_u64().unwrap_or_default();
        let (Some(amount), Some(balance)) = (centavos(&line["amount"]), centavos(&line["balance"]))
        else {
            return Err(format!("a statement's line without an amount: {line}"));
        };
        if before.is_some_and(|(last, sum)| id <= last || (!shares && sum + amount != balance)) {
            return Err(format!(
                "a statement's line is inconsistent with the previous {before:?}: {line}"
            ));
        }
        before = Some((id, balance));
    }
    Ok(())
}

/// Returns the events after a position that a store may read, each with its position.
pub(crate) fn visible(
    journal: &[JournalEvent],
    viewer: StoreId,
    matrix: StoreId,
    after: usize,
) -> Vec<(usize, JournalEvent)> {
    let is_visible = |recorded: &JournalEvent| viewer == matrix || recorded.store == viewer;
    let events = journal
        .iter()
        .enumerate()
        .map(|(index, recorded)| (index + 1, *recorded));
    events
        .filter(|(position, recorded)| *position > after && is_visible(recorded))
        .collect()
}

/// Checks that a page of a journal continues after the previous page, without gaps and duplicates.
pub(crate) fn check_journal_page(
    simulation: &mut Simulation,
    attempt: &Attempt,
    reader: usize,
    body: &Value,
) -> CheckResult {
    let Some(known) = simulation.clients.readers.get_mut(reader) else {
        return Ok(());
    };
    known.busy = false;
    let matrix = simulation
        .model
        .stores
        .get(&known.store)
        .map_or(known.store, |store| store.matrix);
    let journal = simulation
        .model
        .journals
        .get(&matrix)
        .map_or(&[][..], Vec::as_slice);
    let expected = visible(journal, known.store, matrix, known.position);
    let events = body["events"].as_array().map_or(&[][..], Vec::as_slice);
    for (at, event) in events.iter().enumerate() {
        let got = (
            event["orderId"].as_u64(),
            event["sequence"].as_u64(),
            event["type"].as_str(),
        );
        let Some((position, recorded)) = expected.get(at) else {
            return Err(format!("journal {matrix}: {event} was never written"));
        };
        if got
            != (
                Some(recorded.order.get()),
                Some(u64::from(recorded.sequence)),
                Some(recorded.kind),
            )
        {
            return Err(format!(
                "store {}: position {position} of journal {matrix} is {recorded:?}, but was read as {event}",
                known.store
            ));
        }
        known.position = *position;
    }
    let left = expected
        .iter()
        .skip(events.len())
        .any(|(position, _)| *position <= attempt.journal_events);
    if left && body["more"] != true {
        return Err(format!(
            "store {}: the page of journal {matrix} ends too early",
            known.store
        ));
    }
    known.cursor = body["next"].as_str().map(str::to_owned);
    Ok(())
}
