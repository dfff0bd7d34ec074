//! What must hold in the end, asked of the database and of the API.

use std::collections::BTreeMap;

use despacho_xtask::run::Failure;
use serde_json::Value;

use crate::faults::{
    client::Caller,
    reader::Read,
    report::Report,
    run::{Parties, StormRun, lock},
};

/// Orders that have a courier and couriers that have an order, and do not say the same of each other, or not one to one.
pub(crate) const INCONSISTENT_PAIRS: &str = "WITH held AS MATERIALIZED \
     (SELECT id, (body::json->'courier'->>'id')::bigint AS courier FROM orders WHERE situation BETWEEN 210 AND 499) \
     SELECT (SELECT count(*) FROM held WHERE courier IS NULL) \
     + (SELECT count(*) FROM (SELECT 1 FROM held GROUP BY courier HAVING count(*) > 1) AS two) \
     + (SELECT count(*) FROM couriers WHERE carries IS NOT NULL \
        AND NOT EXISTS (SELECT 1 FROM held WHERE held.id = carries AND held.courier = couriers.id)) \
     + (SELECT count(*) FROM held \
        WHERE NOT EXISTS (SELECT 1 FROM couriers WHERE couriers.id = held.courier AND couriers.carries = held.id))";

/// What must not be there, and the question that counts it.
const RULES: [(&str, &str); 13] = [
    ("orders or couriers are not one to one", INCONSISTENT_PAIRS),
    (
        "orders were given to a courier while they had one",
        "SELECT count(*) FROM (SELECT body::json->>'kind' AS kind, \
         lag(body::json->>'kind') OVER (PARTITION BY order_id ORDER BY sequence) AS before FROM events \
         WHERE body::json->>'kind' IN ('order.allocated', 'order.courier_released')) AS pairs WHERE kind = before",
    ),
    (
        "codes are there more than once",
        "SELECT count(*) FROM (SELECT 1 FROM orders GROUP BY store, code HAVING count(*) > 1) AS twice",
    ),
    (
        "orders have not exactly one fee",
        "SELECT count(*) FROM orders WHERE \
         (SELECT count(*) FROM ledger WHERE ledger.order_id = orders.id AND kind = 'fee') <> 1",
    ),
    (
        "orders were refunded more than they cost",
        "SELECT count(*) FROM (SELECT order_id FROM ledger WHERE order_id IS NOT NULL \
         GROUP BY order_id HAVING sum(amount) > 0) AS gains",
    ),
    (
        "orders that ended for free cost something",
        "SELECT count(*) FROM orders WHERE situation IN (600, 630) AND \
         (SELECT sum(amount) FROM ledger WHERE ledger.order_id = orders.id) <> 0",
    ),
    (
        "lines of statements or events are of orders that are not there",
        "SELECT (SELECT count(*) FROM ledger WHERE order_id NOT IN (SELECT id FROM orders)) \
         + (SELECT count(*) FROM events WHERE order_id NOT IN (SELECT id FROM orders))",
    ),
    (
        "balances are not the sum of their entries",
        "SELECT count(*) FROM balances WHERE \
         amount <> (SELECT coalesce(sum(amount), 0) FROM ledger WHERE ledger.store = balances.store)",
    ),
    (
        "lines of statements tell another balance than the sum so far",
        "SELECT count(*) FROM (SELECT balance, sum(amount) OVER (PARTITION BY store ORDER BY id) AS total FROM ledger) AS lines \
         WHERE balance <> total",
    ),
    (
        "journals have a gap, or end elsewhere than they say",
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
        "orders are without a history",
        "SELECT count(*) FROM orders WHERE NOT EXISTS (SELECT 1 FROM events WHERE events.order_id = orders.id)",
    ),
    (
        "orders stand elsewhere than their last event says",
        "SELECT count(*) FROM orders JOIN events AS last ON last.order_id = orders.id \
         WHERE last.sequence = (SELECT max(sequence) FROM events WHERE events.order_id = orders.id) \
         AND last.body::json->>'delivery' IS NULL AND (last.body::json->>'situation')::int <> situation",
    ),
];

/// Holds where no delivery is cancelled by itself.
pub(crate) const REFUNDED_ONCE: (&str, &str) = (
    "orders were refunded more than once, or without an end that refunds",
    "SELECT count(*) FROM (SELECT orders.id FROM ledger JOIN orders ON orders.id = ledger.order_id \
     WHERE kind = 'refund' GROUP BY orders.id, situation \
     HAVING count(*) > 1 OR situation NOT IN (600, 610, 620, 630)) AS odd",
);

/// The first letter of the codes of orders that branches created: their parent store does not look them up.
pub(crate) const OF_A_BRANCH: char = 'B';

/// Acknowledged orders that are looked up through the API, the newest among them.
const LOOKED_UP: usize = 300;

/// How many events each merchant's journal has.
pub(crate) fn written(storm: &StormRun<'_>, parties: &Parties) -> Result<Vec<usize>, Failure> {
    let count = |merchant: u64| {
        let sql = format!("SELECT count(*) FROM events WHERE matrix = {merchant}");
        Ok(storm.database.query(&sql)?.parse().unwrap_or_default())
    };
    parties.merchants.iter().map(|merchant| count(merchant.id)).collect()
}

/// Judges what is left, and notes what is wrong.
pub(crate) fn judge(
    storm: &StormRun<'_>,
    parties: &Parties,
    written: &[usize],
    read: &[Read],
    more: &[(&str, String)],
    report: &mut Report,
) -> Result<(), Failure> {
    let more = more.iter().map(|(what, sql)| (*what, sql.as_str()));
    for (what, sql) in RULES.into_iter().chain(more) {
        let count = storm.database.query(sql)?;
        storm.check(count == "0", || format!("{count} {what}"));
    }
    acknowledged(storm)?;
    through_the_api(storm, parties);
    for ((merchant, written), read) in parties.merchants.iter().zip(written).zip(read) {
        journal(storm, merchant.id, *written, read)?;
    }
    for line in storm.database.query(COUNTS)?.lines() {
        if let Some((name, count)) = line.split_once('|') {
            report.stored.insert(name.to_owned(), count.parse().unwrap_or_default());
        }
    }
    Ok(())
}

/// What there is of everything.
const COUNTS: &str = "SELECT 'orders', count(*) FROM orders UNION ALL \
     SELECT body::json->>'kind', count(*) FROM events GROUP BY 1";

/// Every acknowledged order is there under its number, cancelled where that was acknowledged, and nothing is there that nobody sent.
fn acknowledged(storm: &StormRun<'_>) -> Result<(), Failure> {
    let listed = storm.database.query("SELECT code, id, situation FROM orders")?;
    let mut stored: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for line in listed.lines() {
        let mut columns = line.split('|');
        let (code, mut number) = (columns.next().unwrap_or_default(), || columns.next()?.parse().ok());
        stored.insert(code, (number().unwrap_or_default(), number().unwrap_or_default()));
    }
    let acknowledged = lock(&storm.acknowledged);
    for (code, order) in acknowledged.iter() {
        storm.count_check();
        match stored.get(code.as_str()) {
            None => storm.wrong(format!("{code} was acknowledged as order {} and is not there", order.id)),
            Some((id, _)) if *id != order.id => {
                storm.wrong(format!("{code} was acknowledged as order {} and is order {id}", order.id));
            }
            Some((_, status)) if order.cancelled && !(600..=630).contains(status) => {
                storm.wrong(format!("{code} was cancelled and stands at {status}"));
            }
            Some(_) => {}
        }
    }
    let sent = lock(&storm.sent);
    let rejected = lock(&storm.rejected);
    for code in stored.keys() {
        storm.check(sent.contains(*code), || format!("{code} is stored and was never sent"));
        storm.check(!rejected.contains(*code), || format!("{code} was rejected and is stored"));
    }
    Ok(())
}

/// The merchants find what they were told.
fn through_the_api(storm: &StormRun<'_>, parties: &Parties) {
    let callers: Vec<Caller<'_>> = parties.merchants.iter().map(|party| Caller::new(storm, &party.key)).collect();
    let orders: Vec<(String, u64)> =
        lock(&storm.acknowledged).iter().map(|(code, order)| (code.clone(), order.id)).collect();
    let orders: Vec<_> = orders.into_iter().filter(|(code, _)| !code.starts_with(OF_A_BRANCH)).collect();
    let step = (orders.len() / LOOKED_UP).max(1);
    for (code, id) in orders.iter().rev().step_by(step) {
        // `F-MERCHANT-NUMBER`
        let merchant: usize = code.split('-').nth(1).and_then(|number| number.parse().ok()).unwrap_or_default();
        let caller = &callers[merchant % callers.len()];
        let found = caller.retry_until_response("GET", &format!("/delivery/orders/{id}"), None, &Value::Null);
        storm.check(matches!(&found, Some((200, order)) if order["code"] == code.as_str()), || {
            format!("{code} was acknowledged as order {id} and is looked up as {found:?}")
        });
    }
}

/// Whoever read the journal all the while has read every event once, in order.
fn journal(storm: &StormRun<'_>, merchant: u64, written: usize, read: &Read) -> Result<(), Failure> {
    let sql =
        format!("SELECT order_id, sequence FROM events WHERE matrix = {merchant} ORDER BY place LIMIT {}", read.len());
    let listed = storm.database.query(&sql)?;
    let listed: Read = listed
        .lines()
        .filter_map(|line| line.split_once('|'))
        .filter_map(|(order, sequence)| Some((order.parse().ok()?, sequence.parse().ok()?)))
        .collect();
    if read.len() < written {
        storm.wrong(format!("the journal of merchant {merchant} has {written} events, and {} were read", read.len()));
    }
    if let Some(place) = listed.iter().zip(read).position(|(stored, read)| stored != read) {
        storm.wrong(format!(
            "at place {} of merchant {merchant}'s journal {:?} was read, and {:?} stands there",
            place + 1,
            read.get(place),
            listed.get(place)
        ));
    }
    if listed.len() != read.len() {
        storm.wrong(format!("merchant {merchant} read {} events, and {} are there", read.len(), listed.len()));
    }
    Ok(())
}
