//! Archives the events of orders that ended long ago: finds them, renders them as records, and
//! deletes them from the database.
//!
//! The order itself stays, because its code must not be reused, its ledger names it, and its store
//! can look it up. All events of an order are deleted together, so a history is complete or absent.
//! The same transaction stores the last archived position of the store's journal, so a cursor
//! before archived events returns 410.

use std::collections::BTreeMap;

use despacho_core::{
    host::{HostError, JournalSpan},
    model::{Timestamp, order::Journal, webhook::WebhookState},
};

use crate::{Driver, Query, Row, Statement, Value, outbound};

/// Events that one query reads.
const WINDOW: i64 = 500;
/// Webhooks that one query reads.
const PAGE: i64 = 500;

const WINDOW_OF_EVENTS: &str = "SELECT id, at FROM events WHERE id > $1 ORDER BY id LIMIT $2";

/// Finds orders by their first event, so that each is found once. Events are numbered approximately
/// in the order of their times.
const ENDED: &str = "SELECT id, version, store, body FROM orders WHERE situation >= 500 AND id IN \
     (SELECT order_id FROM events WHERE events.id > $1 AND events.id <= $2 AND events.sequence = 1 AND events.at < $3) \
     ORDER BY id";

const HISTORIES: &str = "SELECT order_id, id, sequence, store, at, matrix, place, body FROM events WHERE order_id IN \
     (SELECT first.order_id FROM events AS first JOIN orders ON orders.id = first.order_id \
     WHERE first.id > $1 AND first.id <= $2 AND first.sequence = 1 AND first.at < $3 AND orders.situation >= 500) \
     ORDER BY order_id, sequence";

const SUBSCRIPTIONS: &str =
    "SELECT id, version, body FROM webhooks WHERE removed = 0 AND id > $1 ORDER BY id LIMIT $2";

/// Moves the start of the store's journal behind the order's last event, unless the order changed
/// after it was written to the file.
const MARK_ARCHIVED: &str = "INSERT INTO archived (store, matrix, place) SELECT orders.store, $1, $2 FROM orders \
     WHERE orders.id = $3 AND orders.version = $4 AND orders.situation >= 500 ON CONFLICT (store) DO UPDATE SET place = \
     CASE WHEN excluded.place > archived.place THEN excluded.place ELSE archived.place END";

const DELETE_EVENTS: &str = "DELETE FROM events WHERE order_id = $1 AND sequence <= $2";

/// An ended order with its history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedOrder {
    /// The order's ID.
    pub id: i64,
    /// The record: one line of JSON without a line break.
    pub record: String,
    /// The events to delete.
    pub history: OrderHistory,
    /// A webhook that has not received all events, if there is one. Then the history must stay.
    pub awaited_by: Option<u64>,
}

/// The events of an order that are deleted after they were written to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderHistory {
    /// The order's ID.
    pub order: i64,
    /// The order's version.
    pub version: i64,
    /// The parent store.
    pub matrix: i64,
    /// The journal position of its last event.
    pub place: i64,
    /// The number of events.
    pub events: i64,
    /// The time of the last event in milliseconds since 1970.
    pub at: i64,
}

/// A window of the journal of all merchants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histories {
    /// Orders whose history begins in this window and ended before the time limit.
    pub orders: Vec<EndedOrder>,
    /// The start of the next window; `None` if all later events are newer.
    pub next: Option<i64>,
}

/// The store, position and ID of each webhook, by parent store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readers(BTreeMap<i64, Vec<(i64, i64, u64)>>);

impl Readers {
    /// Reads every webhook that is active or can be enabled again.
    pub async fn of<D: Driver>(driver: &D) -> Result<Readers, HostError> {
        let (mut readers, mut after) = (Readers::default(), 0);
        loop {
            let rows = driver
                .read(Query::new(
                    SUBSCRIPTIONS,
                    vec![Value::Integer(after), Value::Integer(PAGE)],
                ))
                .await?;
            if rows.is_empty() {
                return Ok(readers);
            }
            for mut row in rows {
                after = row.integer()?;
                let webhook = outbound::to_webhook(&mut row)?;
                if !matches!(webhook.state, WebhookState::Ended { .. }) {
                    let wide = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
                    let reader = (
                        wide(webhook.store.get()),
                        wide(webhook.position),
                        webhook.id.get(),
                    );
                    readers
                        .0
                        .entry(wide(webhook.merchant.get()))
                        .or_default()
                        .push(reader);
                }
            }
        }
    }

    /// Returns the first webhook that has not received the events of this store up to this
    /// position.
    fn awaiting(&self, matrix: i64, store: i64, place: i64) -> Option<u64> {
        let mut readers = self.0.get(&matrix)?.iter();
        let reads = |of: i64| of == matrix || of == store;
        readers
            .find(|(of, position, _)| reads(*of) && *position < place)
            .map(|(_, _, id)| *id)
    }
}

/// Returns the histories of ended orders whose last event is older than `before`, in the window
/// after the event `after`. The first window has 0.
pub async fn ended_orders<D: Driver>(
    driver: &D,
    readers: &Readers,
    after: i64,
    before: Timestamp,
) -> Result<Histories, HostError> {
    let window = driver
        .read(Query::new(
            WINDOW_OF_EVENTS,
            vec![Value::Integer(after), Value::Integer(WINDOW)],
        ))
        .await?;
    let (mut last, mut old) = (None, false);
    for mut row in window {
        last = Some(row.integer()?);
        old |= row.integer()? < before.millis();
    }
    // A window in which no event is old ends the search: the clocks of instances differ by less
    // than the time of a window.
    let Some(last) = last.filter(|_| old) else {
        return Ok(Histories {
            orders: Vec::new(),
            next: None,
        });
    };
    let params = || vec![Value::Integer(after), Value::Integer(last), before.into()];
    let mut histories: BTreeMap<i64, Vec<EventRow>> = BTreeMap::new();
    for mut row in driver.read(Query::new(HISTORIES, params())).await? {
        let order = row.integer()?;
        histories
            .entry(order)
            .or_default()
            .push(EventRow::of(&mut row)?);
    }
    let mut orders = Vec::new();
    for mut row in driver.read(Query::new(ENDED, params())).await? {
        let (id, version, store) = (row.integer()?, row.integer()?, row.integer()?);
        let events = histories.remove(&id).unwrap_or_default();
        if let Some(history) = history(id, version, &events, before) {
            let awaited_by = readers.awaiting(history.matrix, store, history.place);
            orders.push(EndedOrder {
                id,
                record: record(id, store, &row.text()?, &events),
                history,
                awaited_by,
            });
        }
    }
    Ok(Histories {
        orders,
        next: Some(last),
    })
}

/// Returns the statements of one transaction that deletes histories. If an order has changed
/// meanwhile, the transaction is a conflict.
pub fn delete_archived(histories: &[OrderHistory]) -> Vec<Statement> {
    let statements = |history: &OrderHistory| {
        let mark = [
            history.matrix,
            history.place,
            history.order,
            history.version,
        ]
        .map(Value::Integer)
        .to_vec();
        let delete = [history.order, history.events].map(Value::Integer).to_vec();
        [
            Statement::one(MARK_ARCHIVED, mark),
            Statement::any(DELETE_EVENTS, delete),
        ]
    };
    histories.iter().flat_map(statements).collect()
}

/// Reads the last archived position of a journal's reader, and the last position of the journal.
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
    Query::new(
        sql,
        vec![
            Value::number(of.reader().get()),
            Value::number(of.merchant.get()),
        ],
    )
}

/// Decodes a row of two positions.
pub(crate) fn to_span(row: &mut Row) -> Result<JournalSpan, HostError> {
    let mut position = || {
        let found = row.integer()?;
        u64::try_from(found).map_err(|_| HostError::Internal {
            detail: format!("invalid position in a journal: {found}"),
        })
    };
    Ok(JournalSpan {
        start: position()?,
        end: position()?,
    })
}

/// A row of the events, with its body as JSON text.
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
    /// Decodes a row of `id, sequence, store, at, matrix, place, body`.
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

/// Returns the history of an order; `None` if it is incomplete or not old enough.
fn history(
    order: i64,
    version: i64,
    events: &[EventRow],
    before: Timestamp,
) -> Option<OrderHistory> {
    let is_complete = (1..)
        .zip(events)
        .all(|(sequence, event)| event.sequence == sequence);
    let at = events
        .iter()
        .map(|event| event.at)
        .max()
        .filter(|at| is_complete && *at < before.millis())?;
    let place = events.iter().map(|event| event.place).max()?;
    let matrix = events.first()?.matrix;
    Some(OrderHistory {
        order,
        version,
        matrix,
        place,
        events: i64::try_from(events.len()).ok()?,
        at,
    })
}

/// Returns the record of an order. Bodies are JSON on one line and are copied unchanged.
fn record(order: i64, store: i64, body: &str, events: &[EventRow]) -> String {
    let event = |event: &EventRow| {
        let EventRow {
            id,
            sequence,
            store,
            at,
            matrix,
            place,
            body,
        } = event;
        format!(
            "{{\"id\":{id},\"sequence\":{sequence},\"store\":{store},\"at\":{at},\"matrix\":{matrix},\"place\":{place},\"body\":{body}}}"
        )
    };
    let events: Vec<String> = events.iter().map(event).collect();
    format!(
        "{{\"orderId\":{order},\"store\":{store},\"order\":{body},\"events\":[{}]}}",
        events.join(",")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(sequence: i64, at: i64) -> EventRow {
        EventRow {
            id: 40 + sequence,
            sequence,
            store: 8,
            at,
            matrix: 7,
            place: 10 * sequence,
            body: "{}".to_owned(),
        }
    }

    #[test]
    fn only_complete_and_old_histories_are_archived() {
        let before = Timestamp::from_millis(100);
        let expected = OrderHistory {
            order: 5,
            version: 3,
            matrix: 7,
            place: 20,
            events: 2,
            at: 99,
        };
        assert_eq!(
            history(5, 3, &[row(1, 50), row(2, 99)], before),
            Some(expected)
        );
        assert_eq!(history(5, 3, &[row(1, 50), row(2, 100)], before), None);
        assert_eq!(history(5, 3, &[row(2, 50), row(3, 99)], before), None);
        assert_eq!(history(5, 3, &[], before), None);
    }

    #[test]
    fn undelivered_events_have_an_awaiting_webhook() {
        let readers = Readers(BTreeMap::from([(7, vec![(7, 30, 1), (8, 5, 2)])]));
        assert_eq!(
            readers.awaiting(7, 9, 30),
            None,
            "the parent store has received it, and the other branch does not read it"
        );
        assert_eq!(readers.awaiting(7, 9, 31), Some(1));
        assert_eq!(readers.awaiting(7, 8, 20), Some(2));
        assert_eq!(readers.awaiting(6, 6, 20), None);
    }

    #[test]
    fn record_is_single_line_json() {
        let record = record(5, 8, "{\"fee\":7.90}", &[row(1, 50)]);
        assert!(
            serde_json::from_str::<serde_json::Value>(&record).is_ok()
                && record.contains("{\"fee\":7.90}")
        );
        assert!(!record.contains('\n'));
    }
}
