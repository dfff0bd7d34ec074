//! What is read in answers, compared with what the model knows.

use despacho_core::model::{OrderId, StoreId, order::Order};
use serde_json::Value;

use crate::{
    backend,
    exchange::{Attempt, By},
    model::{Checked, Seen, Tracked},
    simulation::Simulation,
};

/// An amount of an answer in centavos.
#[expect(clippy::cast_possible_truncation, reason = "amounts in a run are far below 2^53 centavos")]
pub(crate) fn centavos(value: &Value) -> Option<i64> {
    value.as_f64().map(|reais| (reais * 100.0).round() as i64)
}

/// Whether a quote's preview and an order ask for the same route and payments.
pub(crate) fn same_content(preview: &Value, order: &Value) -> bool {
    let flag = |value: &Value| value["sortByBestRoute"].as_bool().unwrap_or(false);
    let stops = |value: &Value| {
        let list = value["deliveries"].as_array().cloned().unwrap_or_default();
        let stop = |stop: &Value| (stop["address"].clone(), stop["onlinePayment"].as_bool().unwrap_or(true));
        list.iter().map(stop).collect::<Vec<_>>()
    };
    preview["pickupAddress"] == order["pickupAddress"] && flag(preview) == flag(order) && stops(preview) == stops(order)
}

/// An order is acknowledged with what is stored.
pub(crate) fn created(
    first: &Order,
    row: &Order,
    store: StoreId,
    status: u16,
    content: &Value,
    body: &Value,
) -> Checked {
    let id = first.id;
    if first.store != store || body["storeId"].as_u64() != Some(store.get()) || content["code"] != first.code.as_str() {
        return Err(format!("order {id} was acknowledged to store {store} under {}: {body}", content["code"]));
    }
    let codes = |order: &Order| order.deliveries.iter().map(|one| one.delivery_code.clone()).collect::<Vec<_>>();
    let seen: Vec<&str> =
        body["deliveries"].as_array().into_iter().flatten().filter_map(|one| one["deliveryCode"].as_str()).collect();
    if codes(first) != seen {
        return Err(format!("order {id} was acknowledged with other deliveries than are stored: {body}"));
    }
    let (fee, before) = (centavos(&body["deliveryFee"]), Some(backend::centavos(first.fee)));
    let now = Some(backend::centavos(row.fee));
    if (status == 201 && fee != before) || (fee != before && fee != now && fee < now) {
        return Err(format!(
            "order {id} was acknowledged at {fee:?} centavos and is stored at {before:?}, then {now:?}"
        ));
    }
    let lines = body["priceBreakdown"].as_array().into_iter().flatten().filter_map(|line| centavos(&line["amount"]));
    if fee != Some(lines.sum()) {
        return Err(format!("the lines of order {id} do not add up: {body}"));
    }
    Ok(())
}

/// An order's situation in an answer is one that it had since the request arrived.
fn check_unchanged(tracked: &Tracked, attempt: &Attempt, body: &Value) -> Checked {
    let expected_text = body["situation"].as_u64().unwrap_or_default();
    let since = tracked.after.get(attempt.seen_order.saturating_sub(1)..).unwrap_or_default();
    if since.iter().any(|status| u64::from(*status) == expected_text) {
        return Ok(());
    }
    Err(format!(
        "order {} was said to stand at {expected_text}; since the request came it stood at {since:?}",
        tracked.row.id
    ))
}

/// A lookup shows the order as it stood, and its history without a gap.
pub(crate) fn looked_up(simulation: &Simulation, attempt: &Attempt, id: OrderId, body: &Value) -> Checked {
    let Some(tracked) = simulation.model.orders.get(&id) else { return Ok(()) };
    if body["id"].as_u64() != Some(id.get()) {
        return Err(format!("order {id} was asked for, and this came: {body}"));
    }
    check_unchanged(tracked, attempt, body)?;
    let kinds: Vec<&str> =
        body["events"].as_array().into_iter().flatten().filter_map(|event| event["type"].as_str()).collect();
    let known = tracked.kinds.get(..kinds.len()).unwrap_or_default();
    if known != kinds || kinds.len() < attempt.seen_order {
        return Err(format!("the history of order {id} is {:?}, and was shown as {kinds:?}", tracked.kinds));
    }
    Ok(())
}

/// A step is answered with the order that it moved, to who may move it.
pub(crate) fn moved(simulation: &Simulation, attempt: &Attempt, id: OrderId, by: By, body: &Value) -> Checked {
    let Some(tracked) = simulation.model.orders.get(&id) else { return Ok(()) };
    if body["id"].as_u64() != Some(id.get()) {
        return Err(format!("order {id} was moved, and this came: {body}"));
    }
    if let By::Courier(courier) = by {
        let has = tracked.row.courier.as_ref().is_some_and(|assigned| assigned.id == courier);
        if !has && !tracked.row.released.contains(&courier) {
            return Err(format!("courier {courier} moved order {id}, which another one has"));
        }
    }
    check_unchanged(tracked, attempt, body)
}

/// A list holds orders that its reader sees, newest first.
pub(crate) fn listed(simulation: &Simulation, viewer: StoreId, body: &Value) -> Checked {
    let mut last = u64::MAX;
    for order in body["orders"].as_array().into_iter().flatten() {
        let id = order["id"].as_u64().unwrap_or_default();
        let owner = OrderId::new(id).and_then(|id| simulation.model.orders.get(&id)).map(|tracked| tracked.row.store);
        let owner = owner.ok_or_else(|| format!("order {id} is listed and was never created"))?;
        if id >= last {
            return Err(format!("order {id} is listed behind {last}"));
        }
        let removed = simulation.model.stores.get(&owner).is_some_and(|owner| owner.removed);
        if !removed && !simulation.model.sees(viewer, owner) {
            return Err(format!("store {viewer} is shown order {id} of store {owner}"));
        }
        last = id;
    }
    Ok(())
}

/// The lines of a statement follow on each other.
pub(crate) fn statement(simulation: &Simulation, store: StoreId, body: &Value) -> Checked {
    // Between the entries of a branch that shares a balance, others move it.
    let shares = simulation.model.stores.get(&store).is_some_and(|known| known.account != store);
    let mut before: Option<(u64, i64)> = None;
    for line in body["lines"].as_array().into_iter().flatten() {
        let id = line["id"].as_u64().unwrap_or_default();
        let (Some(amount), Some(balance)) = (centavos(&line["amount"]), centavos(&line["balance"])) else {
            return Err(format!("a line of a statement without its amount: {line}"));
        };
        if before.is_some_and(|(last, sum)| id <= last || (!shares && sum + amount != balance)) {
            return Err(format!("a line of a statement does not follow on {before:?}: {line}"));
        }
        before = Some((id, balance));
    }
    Ok(())
}

/// The events that a store sees after a place, each with its place.
pub(crate) fn visible(journal: &[Seen], viewer: StoreId, matrix: StoreId, after: usize) -> Vec<(usize, Seen)> {
    let sees = |seen: &Seen| viewer == matrix || seen.store == viewer;
    let places = journal.iter().enumerate().map(|(at, seen)| (at + 1, *seen));
    places.filter(|(place, seen)| *place > after && sees(seen)).collect()
}

/// A page of a journal goes on where the last one ended: nothing is left out, nothing comes twice.
pub(crate) fn read_on(simulation: &mut Simulation, attempt: &Attempt, reader: usize, body: &Value) -> Checked {
    let Some(known) = simulation.people.readers.get_mut(reader) else { return Ok(()) };
    known.busy = false;
    let matrix = simulation.model.stores.get(&known.store).map_or(known.store, |store| store.matrix);
    let journal = simulation.model.journals.get(&matrix).map_or(&[][..], Vec::as_slice);
    let wanted = visible(journal, known.store, matrix, known.place);
    let events = body["events"].as_array().map_or(&[][..], Vec::as_slice);
    for (at, event) in events.iter().enumerate() {
        let got = (event["orderId"].as_u64(), event["sequence"].as_u64(), event["type"].as_str());
        let Some((place, seen)) = wanted.get(at) else {
            return Err(format!("journal {matrix}: {event} was never written"));
        };
        if got != (Some(seen.order.get()), Some(u64::from(seen.sequence)), Some(seen.kind)) {
            return Err(format!(
                "store {}: place {place} of journal {matrix} is {seen:?}, and was read as {event}",
                known.store
            ));
        }
        known.place = *place;
    }
    let left = wanted.iter().skip(events.len()).any(|(place, _)| *place <= attempt.seen_journal);
    if left && body["more"] != true {
        return Err(format!("store {}: the page of journal {matrix} ends too early", known.store));
    }
    known.cursor = body["next"].as_str().map(str::to_owned);
    Ok(())
}
