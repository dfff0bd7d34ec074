//! Lists and searches of orders.

use despacho_core::{
    changes::Write,
    model::{
        OrderId, SearchWords, StoreId, Timestamp,
        order::{Order, OrderFilter},
    },
};

use crate::{Query, Statement, Value};

/// A query for the orders of these rows of `id, size`, newest first, up to 256 KiB: a hundred orders of the largest size have 27 MB. It sums
/// only their sizes and then reads the orders by their IDs. `octet_length` takes the size from the head of a body; `length` would count
/// characters, for which both databases read the whole body.
macro_rules! bounded {
    ($rows:expr) => {
        concat!(
            "SELECT version, body FROM orders WHERE id IN (SELECT id FROM \
             (SELECT id, size, SUM(size) OVER (ORDER BY id DESC) AS total FROM (",
            $rows,
            ") AS found) AS sized WHERE total - size < 262144) ORDER BY id DESC"
        )
    };
}

/// A query for orders by their own columns.
macro_rules! listed {
    ($condition:literal, $limit:literal) => {
        bounded!(concat!(
            "SELECT id, octet_length(body) AS size FROM orders WHERE ",
            $condition,
            " ORDER BY id DESC LIMIT ",
            $limit
        ))
    };
}

/// A query for orders by their rows in `order_search`, whose indexes have the same order. Spare patterns match all texts.
macro_rules! searched {
    ($scope:literal) => {
        bounded!(concat!(
            "SELECT orders.id AS id, octet_length(orders.body) AS size FROM order_search CROSS JOIN orders \
             WHERE order_search.order_id < $1 AND ",
            $scope,
            " AND orders.id = order_search.order_id AND orders.situation BETWEEN $3 AND $4 \
             AND orders.created_at >= $5 AND orders.created_at < $6 AND ($7 = '' OR orders.code = $7) \
             AND (order_search.order_id = $8 OR (order_search.terms LIKE $9 AND order_search.terms LIKE $10 \
             AND order_search.terms LIKE $11 AND order_search.terms LIKE $12 AND order_search.terms LIKE $13 \
             AND order_search.terms LIKE $14)) AND COALESCE(order_search.late_at, 9223372036854775807) <= $15 \
             ORDER BY order_search.order_id DESC LIMIT $16"
        ))
    };
}

/// Reads by store: the index has each store's orders by ID, so that a page costs only the stores and the page. A code has its own index.
pub(crate) fn orders(filter: &OrderFilter, limit: u32) -> Query {
    let store = match filter.store {
        Some(store) if filter.search.is_none() && filter.late_at.is_none() => store,
        _ => return searched_orders(filter, limit),
    };
    let sql = match (filter.branches, &filter.code) {
        (false, None) => listed!(
            "store = $1 AND id < $2 AND situation BETWEEN $3 AND $4 AND created_at >= $5 AND created_at < $6 \
             AND EXISTS (SELECT 1 FROM stores WHERE stores.id = $1 AND deleted_at IS NULL)",
            "$7"
        ),
        (false, Some(_)) => listed!(
            "store = $1 AND id < $2 AND situation BETWEEN $3 AND $4 AND created_at >= $5 AND created_at < $6 AND code = $7 \
             AND EXISTS (SELECT 1 FROM stores WHERE stores.id = $1 AND deleted_at IS NULL)",
            "$8"
        ),
        (true, None) => listed!(
            "store IN (SELECT id FROM stores WHERE (stores.id = $1 OR stores.matrix = $1) AND deleted_at IS NULL) \
             AND id < $2 AND situation BETWEEN $3 AND $4 AND created_at >= $5 AND created_at < $6",
            "$7"
        ),
        (true, Some(_)) => listed!(
            "store IN (SELECT id FROM stores WHERE (stores.id = $1 OR stores.matrix = $1) AND deleted_at IS NULL) \
             AND id < $2 AND situation BETWEEN $3 AND $4 AND created_at >= $5 AND created_at < $6 AND code = $7",
            "$8"
        ),
    };
    let mut params = vec![Value::number(store.get()), before(filter)];
    params.extend(conditions(filter));
    params.extend(filter.code.as_deref().map(Value::from));
    params.push(Value::number(limit));
    Query::new(sql, params)
}

/// Reads orders with words, late orders, and orders of all stores.
fn searched_orders(filter: &OrderFilter, limit: u32) -> Query {
    let sql = match (filter.store, filter.branches) {
        (Some(_), false) => searched!(
            "order_search.store = $2 AND EXISTS (SELECT 1 FROM stores WHERE stores.id = $2 AND deleted_at IS NULL)"
        ),
        (Some(_), true) => searched!(
            "order_search.matrix = $2 AND order_search.store IN \
             (SELECT id FROM stores WHERE (stores.id = $2 OR stores.matrix = $2) AND deleted_at IS NULL)"
        ),
        (None, _) if filter.late_at.is_none() => searched!("CAST($2 AS BIGINT) = 0"),
        // The partial index has only open orders.
        (None, _) => searched!("CAST($2 AS BIGINT) = 0 AND order_search.late_at IS NOT NULL"),
    };
    let mut params = vec![before(filter), Value::number(filter.store.map_or(0, StoreId::get))];
    params.extend(conditions(filter));
    params.push(filter.code.as_deref().unwrap_or_default().into());
    let id = filter.search.as_ref().and_then(SearchWords::number).and_then(OrderId::new);
    params.push(id.map_or(Value::Integer(-1), |id| Value::number(id.get())));
    // The words contain no wildcards: `searchable` removes all punctuation.
    let words = filter.search.as_ref().map(SearchWords::words).unwrap_or_default();
    let pattern = |index: usize| words.get(index).map_or_else(|| "%".to_owned(), |word| format!("%{word}%"));
    params.extend((0..SearchWords::MAX).map(|index| Value::Text(pattern(index))));
    let late = filter.late_at.map_or(i64::MAX, |at| at.millis().saturating_sub(1));
    params.extend([Value::Integer(late), Value::number(limit)]);
    Query::new(sql, params)
}

fn before(filter: &OrderFilter) -> Value {
    filter.before.map_or(Value::Integer(i64::MAX), |id| Value::number(id.get()))
}

fn conditions(filter: &OrderFilter) -> [Value; 4] {
    let (min, max) = filter.statuses;
    [Value::number(min), Value::number(max), filter.from.into(), filter.until.into()]
}

/// Writes only a row that changes, because most writes of an order change neither column.
const PUT_SEARCH: &str = "INSERT INTO order_search (order_id, store, matrix, late_at, terms) \
     VALUES ($1, $2, COALESCE((SELECT stores.matrix FROM stores WHERE stores.id = $2), $2), $3, $4) \
     ON CONFLICT (order_id) DO UPDATE SET late_at = excluded.late_at, terms = excluded.terms \
     WHERE order_search.terms <> excluded.terms OR COALESCE(order_search.late_at, -1) <> COALESCE(excluded.late_at, -1)";

/// Stores the search terms of a written order. An erasure writes the order, so it also erases the terms.
pub(crate) fn search_row(write: &Write<Order>) -> Statement {
    let order = &write.value;
    let params = vec![
        Value::number(order.id.get()),
        Value::number(order.store.get()),
        order.late_from().map_or(Value::Null, |at: Timestamp| at.into()),
        Value::Text(order.search_terms()),
    ];
    Statement::any(PUT_SEARCH, params)
}
