//! Queries, and the decoding of their rows.

use std::ops::RangeInclusive;

use despacho_core::{
    host::{HostError, StoreQuery},
    model::{
        Capacity, CourierId, DeliveryId, EventId, KeyId, Money, NotificationId, OrderId, PhotoId,
        Point, StoreId, Timestamp,
        courier::{Candidate, Cell, Courier, SearchingOrder},
        order::{Blob, Order, RecordedEvent},
        store::{Claim, Key, KeyHash, KeyHolder, Notification, Store},
    },
};

use crate::{Query, Row, Value};

/// A query for keys with their stores, and with the revision of the stored tariffs.
macro_rules! keys {
    ($condition:literal) => {
        concat!(
            "SELECT keys.version, keys.body, stores.version, stores.body, balances.amount, \
             (SELECT counters.value FROM counters WHERE counters.name = 'tariffs') FROM keys \
             JOIN stores ON stores.id = keys.store \
             JOIN balances ON balances.store = COALESCE(stores.account, stores.id) WHERE ",
            $condition
        )
    };
}

pub(crate) fn key_by_hash(hash: &KeyHash) -> Query {
    Query::new(keys!("keys.hash = $1"), vec![hash.as_str().into()])
}

pub(crate) fn key_by_id(id: KeyId) -> Query {
    Query::new(keys!("keys.id = $1"), vec![number(id.get())])
}

pub(crate) fn keys(store: StoreId) -> Query {
    Query::new(
        keys!("keys.store = $1 ORDER BY keys.created_at DESC, keys.id DESC"),
        vec![number(store.get())],
    )
}

/// A query for stores with the balances that pay for them.
macro_rules! stores {
    ($condition:literal) => {
        concat!(
            "SELECT stores.version, stores.body, balances.amount FROM stores \
             JOIN balances ON balances.store = COALESCE(stores.account, stores.id) WHERE ",
            $condition
        )
    };
}

pub(crate) fn stores(query: StoreQuery<'_>) -> Query {
    match query {
        StoreQuery::Id(id) => Query::new(
            stores!("stores.id = $1 AND stores.deleted_at IS NULL"),
            vec![number(id.get())],
        ),
        StoreQuery::Ids(ids) => stores_by_id(&ids.iter().map(|id| id.get()).collect::<Vec<_>>()),
        StoreQuery::IdOrRemoved(id) => {
            Query::new(stores!("stores.id = $1"), vec![number(id.get())])
        }
        StoreQuery::Email(email) => Query::new(
            stores!("stores.email = $1 AND stores.deleted_at IS NULL"),
            vec![email.key().into()],
        ),
        StoreQuery::Cnpj(cnpj) => Query::new(
            stores!("stores.cnpj = $1 AND stores.deleted_at IS NULL"),
            vec![cnpj.into()],
        ),
        StoreQuery::All { after, limit } => Query::new(
            stores!("stores.id > $1 AND stores.deleted_at IS NULL ORDER BY stores.id LIMIT $2"),
            vec![number(after.map_or(0, StoreId::get)), Value::number(limit)],
        ),
        StoreQuery::WithBranches {
            store,
            after,
            limit,
        } => Query::new(
            stores!(
                "(stores.id = $1 OR stores.matrix = $1) AND stores.deleted_at IS NULL AND stores.id > $2 \
                 ORDER BY stores.id LIMIT $3"
            ),
            vec![
                number(store.get()),
                number(after.map_or(0, StoreId::get)),
                Value::number(limit),
            ],
        ),
    }
}

pub(crate) fn order_by_id(id: OrderId) -> Query {
    Query::new(
        "SELECT version, body FROM orders WHERE id = $1",
        vec![number(id.get())],
    )
}

pub(crate) fn order_by_code(store: StoreId, code: &str) -> Query {
    let sql = "SELECT version, body FROM orders WHERE store = $1 AND code = $2 AND holds_code = 1";
    Query::new(sql, vec![number(store.get()), code.into()])
}

pub(crate) fn due_orders(now: Timestamp, skipped: u32, limit: u32) -> Query {
    let sql = "SELECT version, body FROM orders WHERE due_at <= $1 ORDER BY due_at, id LIMIT $2 OFFSET $3";
    Query::new(
        sql,
        vec![now.into(), Value::number(limit), Value::number(skipped)],
    )
}

/// Reads orders with a deadline, by ID, after the order `after`.
pub(crate) fn waiting_orders(after: u64, limit: u32) -> Query {
    let sql = "SELECT version, body FROM orders WHERE due_at IS NOT NULL AND id > $1 ORDER BY id LIMIT $2";
    Query::new(sql, vec![number(after), Value::number(limit)])
}

pub(crate) fn blob(id: PhotoId) -> Query {
    Query::new(
        "SELECT id, order_id, created_at, bytes FROM blobs WHERE id = $1",
        vec![number(id.get())],
    )
}

pub(crate) fn events(order: OrderId) -> Query {
    let sql = "SELECT id, body FROM events WHERE order_id = $1 ORDER BY sequence";
    Query::new(sql, vec![number(order.get())])
}

/// Reads searching orders by deadline, which is the end of the search.
pub(crate) fn searching_orders(after: Option<(Timestamp, OrderId)>, limit: u32) -> Query {
    let sql = "SELECT id, due_at, pickup_lat_e7, pickup_lon_e7, sandbox FROM orders \
               WHERE situation = 200 AND (due_at, id) > ($1, $2) ORDER BY due_at, id LIMIT $3";
    let (until, id) = after.map_or((i64::MIN, 0), |(until, id)| (until.millis(), id.get()));
    Query::new(sql, vec![until.into(), number(id), Value::number(limit)])
}

/// Repeats the condition of the partial index `orders_sandbox`, so that the database uses it.
pub(crate) fn sandbox_orders(after: Option<OrderId>, limit: u32) -> Query {
    let sql = "SELECT version, body FROM orders WHERE sandbox = 1 AND situation >= 200 AND situation < 500 AND id > $1 \
               ORDER BY id LIMIT $2";
    Query::new(
        sql,
        vec![number(after.map_or(0, OrderId::get)), Value::number(limit)],
    )
}

/// Maximum rows that one query reads by their IDs.
pub(crate) const MAX_IDS: usize = 32;

/// Reads at most [`MAX_IDS`] orders. The statement is the same for any number of IDs: the last ID
/// fills the remaining parameters.
pub(crate) fn orders_by_id(ids: &[u64]) -> Query {
    let sql = "SELECT version, body FROM orders WHERE id IN ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, \
               $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32)";
    Query::new(sql, filled(ids))
}

/// Reads at most [`MAX_IDS`] stores, in the same way.
pub(crate) fn stores_by_id(ids: &[u64]) -> Query {
    let sql = stores!(
        "stores.id IN ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, \
         $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32)"
    );
    Query::new(sql, filled(ids))
}

/// Reads at most [`MAX_IDS`] couriers, in the same way.
pub(crate) fn couriers_by_id(ids: &[u64]) -> Query {
    let sql = "SELECT couriers.version, couriers.body, positions.latitude_e7, positions.longitude_e7, positions.at \
               FROM couriers LEFT JOIN positions ON positions.courier = couriers.id WHERE couriers.id IN \
               ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, \
               $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32)";
    Query::new(sql, filled(ids))
}

pub(crate) fn filled(ids: &[u64]) -> Vec<Value> {
    let last = ids.last().copied().unwrap_or(0);
    ids.iter()
        .copied()
        .chain(std::iter::repeat(last))
        .take(MAX_IDS)
        .map(number)
        .collect()
}

pub(crate) fn courier_by_id(id: CourierId) -> Query {
    let sql = "SELECT couriers.version, couriers.body, positions.latitude_e7, positions.longitude_e7, positions.at \
               FROM couriers LEFT JOIN positions ON positions.courier = couriers.id WHERE couriers.id = $1";
    Query::new(sql, vec![number(id.get())])
}

pub(crate) fn courier_by_key(hash: &KeyHash) -> Query {
    let sql = "SELECT couriers.version, couriers.body, positions.latitude_e7, positions.longitude_e7, positions.at \
               FROM couriers LEFT JOIN positions ON positions.courier = couriers.id WHERE couriers.key_hash = $1";
    Query::new(sql, vec![hash.as_str().into()])
}

pub(crate) fn couriers_with_due_push(now: Timestamp, limit: u32) -> Query {
    let sql = "SELECT couriers.version, couriers.body, positions.latitude_e7, positions.longitude_e7, positions.at \
               FROM couriers LEFT JOIN positions ON positions.courier = couriers.id WHERE couriers.push_at <= $1 \
               ORDER BY couriers.push_at, couriers.id LIMIT $2";
    Query::new(sql, vec![now.into(), i64::from(limit).into()])
}

pub(crate) fn couriers(after: Option<CourierId>, limit: u32) -> Query {
    let sql = "SELECT couriers.version, couriers.body, positions.latitude_e7, positions.longitude_e7, positions.at \
               FROM couriers LEFT JOIN positions ON positions.courier = couriers.id WHERE couriers.id > $1 \
               ORDER BY couriers.id LIMIT $2";
    Query::new(
        sql,
        vec![
            number(after.map_or(0, CourierId::get)),
            Value::number(limit),
        ],
    )
}

pub(crate) fn couriers_at_work(after: Option<CourierId>, limit: u32) -> Query {
    let sql = "SELECT couriers.version, couriers.body, positions.latitude_e7, positions.longitude_e7, positions.at \
               FROM couriers LEFT JOIN positions ON positions.courier = couriers.id \
               WHERE couriers.id > $1 AND (couriers.free > 0 OR couriers.carries IS NOT NULL) \
               ORDER BY couriers.id LIMIT $2";
    Query::new(
        sql,
        vec![
            number(after.map_or(0, CourierId::get)),
            Value::number(limit),
        ],
    )
}

/// Reads positions first, by their cells: SQLite does not reorder a `CROSS JOIN`.
pub(crate) fn candidates(
    cells: &RangeInclusive<Cell>,
    after: Option<(Cell, CourierId)>,
    seen_since: Timestamp,
    limit: u32,
) -> Query {
    let sql = "SELECT positions.courier, positions.latitude_e7, positions.longitude_e7, couriers.sandbox, couriers.free \
               FROM positions CROSS JOIN couriers \
               WHERE (positions.cell, positions.courier) > ($1, $2) AND positions.cell <= $3 AND positions.at >= $4 \
               AND couriers.id = positions.courier AND couriers.free > 0 \
               ORDER BY positions.cell, positions.courier LIMIT $5";
    let (cell, id) = after.map_or((*cells.start(), 0), |(cell, id)| (cell, id.get()));
    let params = vec![
        cell.number().into(),
        number(id),
        cells.end().number().into(),
        seen_since.into(),
        Value::number(limit),
    ];
    Query::new(sql, params)
}

pub(crate) fn silent_couriers(seen_before: Timestamp, skipped: u32, limit: u32) -> Query {
    let sql = "SELECT couriers.version, couriers.body, positions.latitude_e7, positions.longitude_e7, positions.at \
               FROM couriers JOIN orders ON orders.id = couriers.carries \
               LEFT JOIN positions ON positions.courier = couriers.id \
               WHERE couriers.carries IS NOT NULL AND orders.situation IN (210, 220) \
               AND (positions.at IS NULL OR positions.at < $1) ORDER BY couriers.id LIMIT $2 OFFSET $3";
    Query::new(
        sql,
        vec![
            seen_before.into(),
            Value::number(limit),
            Value::number(skipped),
        ],
    )
}

pub(crate) fn notifications(store: StoreId, before: Option<NotificationId>, limit: u32) -> Query {
    let sql =
        "SELECT body FROM notifications WHERE store = $1 AND id < $2 ORDER BY id DESC LIMIT $3";
    let before = before.map_or(Value::Integer(i64::MAX), |id| number(id.get()));
    Query::new(sql, vec![number(store.get()), before, Value::number(limit)])
}

pub(crate) fn claim(scope: &str, key: &str) -> Query {
    let sql = "SELECT body FROM claims WHERE scope = $1 AND idempotency_key = $2";
    Query::new(sql, vec![scope.into(), key.into()])
}

pub(crate) fn tracking_link(hash: &KeyHash) -> Query {
    let sql = "SELECT order_id, delivery, ends_at FROM tracking_links WHERE hash = $1";
    Query::new(sql, vec![hash.as_str().into()])
}

pub(crate) fn timing() -> Query {
    Query::new("SELECT value FROM settings WHERE name = 'timing'", vec![])
}

/// Allocates `count` IDs and returns the first ID after them.
pub(crate) fn reserve_ids(count: u64) -> Query {
    let sql = "UPDATE counters SET value = value + $1 WHERE name = 'ids' RETURNING value";
    Query::new(sql, vec![number(count)])
}

/// Decodes a row of `version, body`.
pub(crate) fn to_key(row: &mut Row) -> Result<Key, HostError> {
    let version = row.small()?;
    Ok(Key {
        version,
        ..row.json()?
    })
}

/// Decodes a row of `version, body, balance`.
pub(crate) fn to_store(row: &mut Row) -> Result<Store, HostError> {
    let version = row.small()?;
    let store: Store = row.json()?;
    let balance = row.integer()?;
    let balance = Money::from_centavos(balance).ok_or_else(|| HostError::Internal {
        detail: format!("store {} has a balance of {balance} centavos", store.id),
    })?;
    Ok(Store {
        version,
        balance,
        ..store
    })
}

/// Decodes a row of a key's columns, its store's, and the revision of the tariffs.
pub(crate) fn to_key_holder(row: &mut Row) -> Result<KeyHolder, HostError> {
    let (key, store) = (to_key(row)?, to_store(row)?);
    Ok(KeyHolder {
        key,
        store,
        tariff_revision: u64::try_from(row.integer()?).unwrap_or_default(),
    })
}

/// Decodes a row of `version, body`.
pub(crate) fn to_order(row: &mut Row) -> Result<Order, HostError> {
    let version = row.small()?;
    Ok(Order {
        version,
        ..row.json()?
    })
}

/// Decodes a row of `id, due_at, latitude, longitude, sandbox`. The coordinates are null if an
/// older program wrote it.
pub(crate) fn to_searching(row: &mut Row) -> Result<SearchingOrder, HostError> {
    let id = identifier(row.integer()?, OrderId::new)?;
    let until = Timestamp::from_millis(row.integer()?);
    let (latitude, longitude) = (row.optional_integer()?, row.optional_integer()?);
    Ok(SearchingOrder {
        id,
        until,
        pickup: to_point(latitude, longitude),
        sandbox: row.integer()? != 0,
    })
}

/// Decodes a row of `id, order_id, created_at, bytes`.
pub(crate) fn to_blob(row: &mut Row) -> Result<Blob, HostError> {
    let (id, order) = (
        identifier(row.integer()?, PhotoId::new)?,
        identifier(row.integer()?, OrderId::new)?,
    );
    Ok(Blob {
        id,
        order,
        created_at: Timestamp::from_millis(row.integer()?),
        bytes: row.bytes()?,
    })
}

/// Value of the column `free` for a courier that is free at any time. Other candidates have
/// [`BUSY`].
pub(crate) const FREE: i64 = 1;
/// Value for a courier that dispatch reads, because of a trip, a shift or a capacity.
pub(crate) const BUSY: i64 = 2;

/// Decodes a row of `courier, latitude, longitude, sandbox, free`.
pub(crate) fn to_free(row: &mut Row) -> Result<Candidate, HostError> {
    let id = identifier(row.integer()?, CourierId::new)?;
    let point = to_point(row.optional_integer()?, row.optional_integer()?);
    let point = point.ok_or_else(|| HostError::Internal {
        detail: format!("courier {id} has no valid position"),
    })?;
    let (sandbox, is_free) = (row.integer()? != 0, row.integer()? == FREE);
    Ok(Candidate {
        id,
        point,
        sandbox,
        is_free,
        capacity: Capacity::default(),
        cash_room: None,
    })
}

fn identifier<T>(number: i64, new: fn(u64) -> Option<T>) -> Result<T, HostError> {
    let id = u64::try_from(number).ok().and_then(new);
    id.ok_or_else(|| HostError::Internal {
        detail: format!("reading a row: {number} is not a valid ID"),
    })
}

fn to_point(latitude: Option<i64>, longitude: Option<i64>) -> Option<Point> {
    let degrees = |e7: Option<i64>| e7.and_then(|e7| i32::try_from(e7).ok());
    degrees(latitude)
        .zip(degrees(longitude))
        .map(|(lat_e7, lon_e7)| Point { lat_e7, lon_e7 })
}

/// Decodes a row of `version, body, latitude, longitude, at`. The last three are null if there is
/// no position.
pub(crate) fn to_courier(row: &mut Row) -> Result<Courier, HostError> {
    let version = row.small()?;
    let courier: Courier = row.json()?;
    let (latitude, longitude, at) = (
        row.optional_integer()?,
        row.optional_integer()?,
        row.optional_integer()?,
    );
    let position = to_point(latitude, longitude);
    Ok(Courier {
        version,
        position,
        position_at: at.map(Timestamp::from_millis),
        ..courier
    })
}

/// Decodes a row of `id, body`.
pub(crate) fn to_event(row: &mut Row) -> Result<RecordedEvent, HostError> {
    let id = row.integer()?;
    let id = u64::try_from(id).ok().and_then(EventId::new);
    let id = id.ok_or_else(|| HostError::Internal {
        detail: "an event has an invalid ID".into(),
    })?;
    Ok(RecordedEvent {
        id,
        event: row.json()?,
    })
}

/// Decodes a row of `body`.
pub(crate) fn to_notification(row: &mut Row) -> Result<Notification, HostError> {
    row.json()
}

/// Decodes a row of `body`.
pub(crate) fn to_claim(row: &mut Row) -> Result<Claim, HostError> {
    row.json()
}

/// Decodes a recipient's link without its hash.
pub(crate) fn to_tracking_link(
    row: &mut Row,
) -> Result<(OrderId, DeliveryId, Option<Timestamp>), HostError> {
    let order = identifier(row.integer()?, OrderId::new)?;
    let delivery = identifier(row.integer()?, DeliveryId::new)?;
    Ok((
        order,
        delivery,
        row.optional_integer()?.map(Timestamp::from_millis),
    ))
}

fn number(id: u64) -> Value {
    Value::number(id)
}
