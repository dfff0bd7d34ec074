//! The invariants at the end of a run, checked in the database and through the API.

use std::collections::BTreeMap;

use despacho_xtask::run::Failure;
use serde_json::Value;

use crate::faults::{
    client::Caller,
    reader::ReadEvents,
    report::Report,
    run::{Clients, RunState, lock},
};

/// Counts orders with a courier that are not in exactly this courier's trip, and trips with other
/// orders, with more than three, or that dispatch would not find if their courier were
/// unresponsive.
pub(crate) const INCONSISTENT_TRIPS: &str = "WITH held AS MATERIALIZED \
     (SELECT id, (body::json->'courier'->>'id')::bigint AS courier FROM orders WHERE situation BETWEEN 210 AND 499), \
     carried AS MATERIALIZED (SELECT (one.value->>'id')::bigint AS id, couriers.id AS courier \
        FROM couriers, json_array_elements(body::json->'trip') AS one) \
     SELECT (SELECT count(*) FROM (SELECT id, courier FROM held EXCEPT SELECT id, courier FROM carried) AS missing) \
     + (SELECT count(*) FROM (SELECT id, courier FROM carried EXCEPT SELECT id, courier FROM held) AS other) \
     + (SELECT count(*) FROM (SELECT 1 FROM carried GROUP BY id HAVING count(*) > 1) AS twice) \
     + (SELECT count(*) FROM (SELECT 1 FROM carried GROUP BY courier HAVING count(*) > 3) AS large) \
     + (SELECT count(*) FROM couriers WHERE coalesce(carries, 0) <> coalesce( \
        (SELECT max(id) FROM carried WHERE carried.courier = couriers.id AND carried.id = carries), \
        (SELECT max(id) FROM carried WHERE carried.courier = couriers.id), 0))";

/// The violations, each with the query that counts them.
const RULES: [(&str, &str); 13] = [
    ("orders and trips do not agree", INCONSISTENT_TRIPS),
    (
        "orders were assigned to a courier while they already had one",
        "SELECT count(*) FROM (SELECT body::json->>'kind' AS kind, \
         lag(body::json->>'kind') OVER (PARTITION BY order_id ORDER BY sequence) AS before FROM events \
         WHERE body::json->>'kind' IN ('order.allocated', 'order.courier_released')) AS pairs WHERE kind = before",
    ),
    (
        "order codes are stored more than once",
        "SELECT count(*) FROM (SELECT 1 FROM orders GROUP BY store, code HAVING count(*) > 1) AS twice",
    ),
    (
        "orders do not have exactly one fee",
        "SELECT count(*) FROM orders WHERE \
         (SELECT count(*) FROM ledger WHERE ledger.order_id = orders.id AND kind = 'fee') <> 1",
    ),
    (
        "orders were refunded more than they cost",
        "SELECT count(*) FROM (SELECT order_id FROM ledger WHERE order_id IS NOT NULL \
         GROUP BY order_id HAVING sum(amount) > 0) AS gains",
    ),
    (
        "orders that ended free of charge have a cost",
        "SELECT count(*) FROM orders WHERE situation IN (600, 630) AND \
         (SELECT sum(amount) FROM ledger WHERE ledger.order_id = orders.id) <> 0",
    ),
    (
        "ledger entries or events refer to orders that do not exist",
        "SELECT (SELECT count(*) FROM ledger WHERE order_id NOT IN (SELECT id FROM orders)) \
         + (SELECT count(*) FROM events WHERE order_id NOT IN (SELECT id FROM orders))",
    ),
    (
        "balances are not the sum of their entries",
        "SELECT count(*) FROM balances WHERE \
         amount <> (SELECT coalesce(sum(amount), 0) FROM ledger WHERE ledger.store = balances.store)",
    ),
    (
        "ledger entries have a balance that is not the sum so far",
        "SELECT count(*) FROM (SELECT balance, sum(amount) OVER (PARTITION BY store ORDER BY id) AS total FROM ledger) AS lines \
         WHERE balance <> total",
    ),
    (
        "journals have a gap or a wrong last position",
        "SELECT count(*) FROM (SELECT matrix, count(*) AS lines, min(place) AS first, max(place) AS last FROM events \
         GROUP BY matrix) AS written JOIN journals ON journals.matrix = written.matrix \
         WHERE first <> 1 OR written.last <> lines OR journals.last <> written.last",
    ),
    (
        "histories of orders have a gap",
        "SELECT count(*) FROM (SELECT count(*) AS lines, min(sequence) AS first, max(sequence) AS last FROM events \
         GROUP BY order_id) AS written WHERE first <> 1 OR last <> lines",
    ),
    (
        "orders have no history",
        "SELECT count(*) FROM orders WHERE NOT EXISTS (SELECT 1 FROM events WHERE events.order_id = orders.id)",
    ),
    (
        "orders have a status that differs from that of their last event",
        "SELECT count(*) FROM orders JOIN events AS last ON last.order_id = orders.id \
         WHERE last.sequence = (SELECT max(sequence) FROM events WHERE events.order_id = orders.id) \
         AND last.body::json->>'delivery' IS NULL AND (last.body::json->>'situation')::int <> situation",
    ),
];

/// A rule for runs in which no single delivery of an order is cancelled.
pub(crate) const REFUNDED_ONCE: (&str, &str) = (
    "orders were refunded more than once, or have a status without a refund",
    "SELECT count(*) FROM (SELECT orders.id FROM ledger JOIN orders ON orders.id = ledger.order_id \
     WHERE kind = 'refund' GROUP BY orders.id, situation \
     HAVING count(*) > 1 OR situation NOT IN (600, 610, 620, 630)) AS odd",
);

/// The first letter of the codes of orders that branches created. The parent stores do not look
/// them up.
pub(crate) const BRANCH_ORDER: char = 'B';

/// The approximate number of acknowledged orders that are looked up through the API. The last one
/// is always included.
const LOOKUPS: usize = 300;

/// Returns the number of events in each merchant's journal.
pub(crate) fn event_counts(state: &RunState<'_>, clients: &Clients) -> Result<Vec<usize>, Failure> {
    let count = |merchant: u64| {
        let sql = format!("SELECT count(*) FROM events WHERE matrix = {merchant}");
        Ok(state.database.query(&sql)?.parse().unwrap_or_default())
    };
    clients
        .merchants
        .iter()
        .map(|merchant| count(merchant.id))
        .collect()
}

/// Checks all invariants and records violations.
pub(crate) fn check(
    state: &RunState<'_>,
    clients: &Clients,
    written: &[usize],
    read: &[ReadEvents],
    more: &[(&str, String)],
    report: &mut Report,
) -> Result<(), Failure> {
    let more = more
        .iter()
        .map(|(violation, sql)| (*violation, sql.as_str()));
    for (violation, sql) in RULES.into_iter().chain(more) {
        let count = state.database.query(sql)?;
        state.check(count == "0", || format!("{count} {violation}"));
    }
    check_acknowledged(state)?;
    check_lookups(state, clients);
    for ((merchant, written), read) in clients.merchants.iter().zip(written).zip(read) {
        check_journal(state, merchant.id, *written, read)?;
    }
    for line in state.database.query(COUNTS)?.lines() {
        if let Some((name, count)) = line.split_once('|') {
            report
                .stored
                .insert(name.to_owned(), count.parse().unwrap_or_default());
        }
    }
    Ok(())
}

/// Counts the stored orders and events.
const COUNTS: &str = "SELECT 'orders', count(*) FROM orders UNION ALL \
     SELECT body::json->>'kind', count(*) FROM events GROUP BY 1";

/// Checks that every acknowledged order is stored under its ID, that acknowledged cancellations are
/// stored, and that no other orders are stored.
fn check_acknowledged(state: &RunState<'_>) -> Result<(), Failure> {
    let listed = state
        .database
        .query("SELECT code, id, situation FROM orders")?;
    let mut stored: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for line in listed.lines() {
        let mut columns = line.split('|');
        let (code, mut number) = (columns.next().unwrap_or_default(), || {
            columns.next()?.parse().ok()
        });
        stored.insert(
            code,
            (number().unwrap_or_default(), number().unwrap_or_default()),
        );
    }
    let acknowledged = lock(&state.acknowledged);
    for (code, order) in acknowledged.iter() {
        state.count_check();
        match stored.get(code.as_str()) {
            None => state.record_violation(format!(
                "{code} was acknowledged as order {} and is not stored",
                order.id
            )),
            Some((id, _)) if *id != order.id => {
                state.record_violation(format!(
                    "{code} was acknowledged as order {} and is order {id}",
                    order.id
                ));
            }
            Some((_, status)) if order.cancelled && !(600..=630).contains(status) => {
                state.record_violation(format!("{code} was cancelled and has the status {status}"));
            }
            Some(_) => {}
        }
    }
    let sent = lock(&state.sent);
    let rejected = lock(&state.rejected);
    for code in stored.keys() {
        state.check(sent.contains(*code), || {
            format!("{code} is stored and was never sent")
        });
        state.check(!rejected.contains(*code), || {
            format!("{code} was rejected and is stored")
        });
    }
    Ok(())
}

/// Checks that the API returns acknowledged orders to their merchants.
fn check_lookups(state: &RunState<'_>, clients: &Clients) {
    let callers: Vec<Caller<'_>> = clients
        .merchants
        .iter()
        .map(|client| Caller::new(state, &client.key))
        .collect();
    let orders: Vec<(String, u64)> = lock(&state.acknowledged)
        .iter()
        .map(|(code, order)| (code.clone(), order.id))
        .collect();
    let orders: Vec<_> = orders
        .into_iter()
        .filter(|(code, _)| !code.starts_with(BRANCH_ORDER))
        .collect();
    let step = (orders.len() / LOOKUPS).max(1);
    for (code, id) in orders.iter().rev().step_by(step) {
        // `F-MERCHANT-NUMBER`
        let merchant: usize = code
            .split('-')
            .nth(1)
            .and_then(|number| number.parse().ok())
            .unwrap_or_default();
        let caller = &callers[merchant % callers.len()];
        let found = caller.retry_until_response(
            "GET",
            &format!("/delivery/orders/{id}"),
            None,
            &Value::Null,
        );
        state.check(
            matches!(&found, Some((200, order)) if order["code"] == code.as_str()),
            || format!("{code} was acknowledged as order {id}, but its lookup returned {found:?}"),
        );
    }
}

/// Checks that the journal's reader has read every event once, in order.
fn check_journal(
    state: &RunState<'_>,
    merchant: u64,
    written: usize,
    read: &ReadEvents,
) -> Result<(), Failure> {
    let sql = format!(
        "SELECT order_id, sequence FROM events WHERE matrix = {merchant} ORDER BY place LIMIT {}",
        read.len()
    );
    let listed = state.database.query(&sql)?;
    let listed: ReadEvents = listed
        .lines()
        .filter_map(|line| line.split_once('|'))
        .filter_map(|(order, sequence)| Some((order.parse().ok()?, sequence.parse().ok()?)))
        .collect();
    if read.len() < written {
        state.record_violation(format!(
            "the journal of merchant {merchant} has {written} events, but {} were read",
            read.len()
        ));
    }
    if let Some(index) = listed
        .iter()
        .zip(read)
        .position(|(stored, read)| stored != read)
    {
        state.record_violation(format!(
            "at position {} of merchant {merchant}'s journal {:?} was read, but {:?} is stored",
            index + 1,
            read.get(index),
            listed.get(index)
        ));
    }
    if listed.len() != read.len() {
        state.record_violation(format!(
            "merchant {merchant} read {} events, but {} are stored",
            read.len(),
            listed.len()
        ));
    }
    Ok(())
}
