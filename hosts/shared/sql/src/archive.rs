//! The history of orders that ended long ago: what is to be taken out of the database, as it goes into a file, and the statements
//! that take it out.
//!
//! The order itself stays: its code must not be given again, its ledger names it, and its store may look it up. What goes is its events,
//! all of them at once, so that a history is whole or not there. How far a journal was archived is kept by store, in the same
//! transaction, so that no reader goes on over the gap without being told.

use std::collections::BTreeMap;

use despacho_core::{
    host::{HostError, JournalSpan},
    model::{Timestamp, order::Journal, webhook::WebhookState},
};

use crate::{Driver, Query, Row, Statement, Value, outward};

/// Events that are looked at in one question.
const WINDOW: i64 = 500;
/// Subscriptions that are read at once.
const PAGE: i64 = 500;

const WINDOW_OF_EVENTS: &str = "SELECT id, at FROM events WHERE id > $1 ORDER BY id LIMIT $2";

/// Orders by their first event, so that each is met once; events are numbered about as they happened.
const ENDED: &str = "SELECT id, version, store, body FROM orders WHERE situation >= 500 AND id IN \
     (SELECT order_id FROM events WHERE events.id > $1 AND events.id <= $2 AND events.sequence = 1 AND events.at < $3) \
     ORDER BY id";

const HISTORIES: &str = "SELECT order_id, id, sequence, store, at, matrix, place, body FROM events WHERE order_id IN \
     (SELECT first.order_id FROM events AS first JOIN orders ON orders.id = first.order_id \
     WHERE first.id > $1 AND first.id <= $2 AND first.sequence = 1 AND first.at < $3 AND orders.situation >= 500) \
     ORDER BY order_id, sequence";

const SUBSCRIPTIONS: &str = "SELECT id, version, body FROM webhooks WHERE removed = 0 AND id > $1 ORDER BY id LIMIT $2";

/// The journal of the order's store begins behind its last event from now on, where the order still is as it was written to the file.
const MARK: &str = "INSERT INTO archived (store, matrix, place) SELECT orders.store, $1, $2 FROM orders \
     WHERE orders.id = $3 AND orders.version = $4 AND orders.situation >= 500 ON CONFLICT (store) DO UPDATE SET place = \
     CASE WHEN excluded.place > archived.place THEN excluded.place ELSE archived.place END";

const TAKE_OUT: &str = "DELETE FROM events WHERE order_id = $1 AND sequence <= $2";

/// An ended order with its history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedOrder {
    /// The order's number.
    pub id: i64,
    /// Its record: one line of JSON without the line's end.
    pub record: String,
    /// How to take it out again.
    pub leaf: OrderHistory,
    /// The subscription that has not been sent all of it yet, where there is one: then it stays.
    pub awaited_by: Option<u64>,
}

/// What it takes to take a history out once it was written to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderHistory {
    /// The order.
    pub order: i64,
    /// Its version.
    pub version: i64,
    /// Its merchant.
    pub matrix: i64,
    /// The last place of its events.
    pub place: i64,
    /// How many events it has.
    pub events: i64,
    /// When the last of them happened.
    pub at: i64,
}

/// A window of the journal of all merchants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histories {
    /// Orders whose history begins in this window and ended before the limit.
    pub orders: Vec<EndedOrder>,
    /// Where the next window begins; `None` where everything behind is newer.
    pub next: Option<i64>,
}

/// How far each subscription has come, by merchant: its store, its position and its number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readers(BTreeMap<i64, Vec<(i64, i64, u64)>>);

impl Readers {
    /// Asks for every subscription that sends, or may be enabled again.
    pub async fn of<D: Driver>(driver: &D) -> Result<Readers, HostError> {
        let (mut readers, mut after) = (Readers::default(), 0);
        loop {
            let rows =
                driver.read(Query::new(SUBSCRIPTIONS, vec![Value::Integer(after), Value::Integer(PAGE)])).await?;
            if rows.is_empty() {
                return Ok(readers);
            }
            for mut row in rows {
                after = row.integer()?;
                let webhook = outward::to_webhook(&mut row)?;
                if !matches!(webhook.state, WebhookState::Ended { .. }) {
                    let wide = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
                    let reader = (wide(webhook.store.get()), wide(webhook.position), webhook.id.get());
                    readers.0.entry(wide(webhook.merchant.get())).or_default().push(reader);
                }
            }
        }
    }

    /// The first subscription to which events of this store up to this place are still to be sent.
    fn awaiting(&self, matrix: i64, store: i64, place: i64) -> Option<u64> {
        let mut readers = self.0.get(&matrix)?.iter();
        let reads = |of: i64| of == matrix || of == store;
        readers.find(|(of, position, _)| reads(*of) && *position < place).map(|(_, _, id)| *id)
    }
}

/// The histories of orders that have ended, and whose last event happened before `before`, in the window behind `after`; 0 for the first.
pub async fn ended_orders<D: Driver>(
    driver: &D,
    readers: &Readers,
    after: i64,
    before: Timestamp,
) -> Result<Histories, HostError> {
    let window = driver.read(Query::new(WINDOW_OF_EVENTS, vec![Value::Integer(after), Value::Integer(WINDOW)])).await?;
    let (mut last, mut old) = (None, false);
    for mut row in window {
        last = Some(row.integer()?);
        old |= row.integer()? < before.millis();
    }
    // Clocks of several instances differ, and not by as much as a whole window holds.
    let Some(last) = last.filter(|_| old) else { return Ok(Histories { orders: Vec::new(), next: None }) };
    let params = || vec![Value::Integer(after), Value::Integer(last), before.into()];
    let mut histories: BTreeMap<i64, Vec<EventRow>> = BTreeMap::new();
    for mut row in driver.read(Query::new(HISTORIES, params())).await? {
        let order = row.integer()?;
        histories.entry(order).or_default().push(EventRow::of(&mut row)?);
    }
    let mut orders = Vec::new();
    for mut row in driver.read(Query::new(ENDED, params())).await? {
        let (id, version, store) = (row.integer()?, row.integer()?, row.integer()?);
        let events = histories.remove(&id).unwrap_or_default();
        if let Some(leaf) = leaf(id, version, &events, before) {
            let awaited_by = readers.awaiting(leaf.matrix, store, leaf.place);
            orders.push(EndedOrder { id, record: record(id, store, &row.text()?, &events), leaf, awaited_by });
        }
    }
    Ok(Histories { orders, next: Some(last) })
}

/// The statements that take histories out, for one transaction. Where an order has changed since nothing is done.
pub fn delete_archived(leaves: &[OrderHistory]) -> Vec<Statement> {
    let of = |leaf: &OrderHistory| {
        let mark = [leaf.matrix, leaf.place, leaf.order, leaf.version].map(Value::Integer).to_vec();
        let gone = [leaf.order, leaf.events].map(Value::Integer).to_vec();
        [Statement::one(MARK, mark), Statement::any(TAKE_OUT, gone)]
    };
    leaves.iter().flat_map(of).collect()
}

/// Reads the last archived position of what a reader sees, and the last position of its journal.
pub(crate) fn journal_span(of: Journal) -> Query {
    let sql = match of.branch {
        None => {
            "SELECT COALESCE((SELECT MAX(place) FROM archived WHERE matrix = $1), 0), \
             COALESCE((SELECT last FROM journals WHERE matrix = $2), 0)"
        }
        Some(_) => {
            "SELECT COALESCE((SELECT MAX(place) FROM archived WHERE store = $1), 0), \
             COALESCE((SELECT last FROM journals WHERE matrix = $2), 0)"
        }
    };
    Query::new(sql, vec![Value::number(of.reader().get()), Value::number(of.merchant.get())])
}

/// A row of two positions.
pub(crate) fn to_span(row: &mut Row) -> Result<JournalSpan, HostError> {
    let mut position = || {
        let found = row.integer()?;
        u64::try_from(found).map_err(|_| HostError::Internal { detail: format!("a journal's position {found}") })
    };
    Ok(JournalSpan { start: position()?, end: position()? })
}

/// A row of the table, its body as it is.
struct EventRow {
    id: i64,
    sequence: i64,
    store: i64,
    at: i64,
    matrix: i64,
    place: i64,
    body: String,
}

impl EventRow {
    /// A row of `id, sequence, store, at, matrix, place, body`.
    fn of(row: &mut Row) -> Result<EventRow, HostError> {
        Ok(EventRow {
            id: row.integer()?,
            sequence: row.integer()?,
            store: row.integer()?,
            at: row.integer()?,
            matrix: row.integer()?,
            place: row.integer()?,
            body: row.text()?,
        })
    }
}

/// None where the history is not whole, or not old enough.
fn leaf(order: i64, version: i64, events: &[EventRow], before: Timestamp) -> Option<OrderHistory> {
    let whole = (1..).zip(events).all(|(sequence, event)| event.sequence == sequence);
    let at = events.iter().map(|event| event.at).max().filter(|at| whole && *at < before.millis())?;
    let place = events.iter().map(|event| event.place).max()?;
    let matrix = events.first()?.matrix;
    Some(OrderHistory { order, version, matrix, place, events: i64::try_from(events.len()).ok()?, at })
}

/// Bodies are JSON already, on one line, and go into the record byte by byte.
fn record(order: i64, store: i64, body: &str, events: &[EventRow]) -> String {
    let event = |event: &EventRow| {
        let EventRow { id, sequence, store, at, matrix, place, body } = event;
        format!(
            "{{\"id\":{id},\"sequence\":{sequence},\"store\":{store},\"at\":{at},\"matrix\":{matrix},\"place\":{place},\"body\":{body}}}"
        )
    };
    let events: Vec<String> = events.iter().map(event).collect();
    format!("{{\"orderId\":{order},\"store\":{store},\"order\":{body},\"events\":[{}]}}", events.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(sequence: i64, at: i64) -> EventRow {
        EventRow { id: 40 + sequence, sequence, store: 8, at, matrix: 7, place: 10 * sequence, body: "{}".to_owned() }
    }

    #[test]
    fn a_history_leaves_whole_and_once_it_is_old() {
        let before = Timestamp::from_millis(100);
        let whole = OrderHistory { order: 5, version: 3, matrix: 7, place: 20, events: 2, at: 99 };
        assert_eq!(leaf(5, 3, &[row(1, 50), row(2, 99)], before), Some(whole));
        assert_eq!(leaf(5, 3, &[row(1, 50), row(2, 100)], before), None);
        assert_eq!(leaf(5, 3, &[row(2, 50), row(3, 99)], before), None);
        assert_eq!(leaf(5, 3, &[], before), None);
    }

    #[test]
    fn what_waits_to_be_sent_stays() {
        let readers = Readers(BTreeMap::from([(7, vec![(7, 30, 1), (8, 5, 2)])]));
        assert_eq!(readers.awaiting(7, 9, 30), None, "the matrix has it, and the other branch is not asked");
        assert_eq!(readers.awaiting(7, 9, 31), Some(1));
        assert_eq!(readers.awaiting(7, 8, 20), Some(2));
        assert_eq!(readers.awaiting(6, 6, 20), None);
    }

    #[test]
    fn a_record_is_one_line_of_json() {
        let record = record(5, 8, "{\"fee\":7.90}", &[row(1, 50)]);
        assert!(serde_json::from_str::<serde_json::Value>(&record).is_ok() && record.contains("{\"fee\":7.90}"));
        assert!(!record.contains('\n'));
    }
}
