//! Converts changes to statements.

use despacho_core::{
    changes::{Changes, Write},
    host::HostError,
    model::{
        Duration, PhotoId, StoreId, Timestamp,
        courier::{Candidate, Cell, Courier, Position},
        order::{Blob, Event, Order, ReportedOrder, TrackingLink},
        store::{Claim, ClaimChange, Key, LedgerEntry, Notification, Store},
    },
    rules::lifecycle::{Timing, next_deadline},
};

use crate::{
    Statement, Value, accounts, cash, list, outbound, pay, personal,
    read::{BUSY, FREE},
    statement::versioned,
    tariffs,
};

/// Returns the statements of one transaction, in the order of [`Changes`]. `timing` determines the
/// orders' deadlines.
pub fn statements(changes: &Changes, timing: &Timing) -> Result<Vec<Statement>, HostError> {
    let mut list = Vec::with_capacity(10);
    for write in &changes.stores {
        if write.expected != 0 {
            list.push(if write.value.deleted_at.is_some() {
                lock(&write.value)
            } else {
                reopen(&write.value)
            });
        }
        list.push(store(write)?);
        if write.expected == 0 {
            let closed = Value::Integer(write.value.deleted_at.is_some().into());
            list.push(Statement::one(
                INSERT_BALANCE,
                vec![id(write.value.id.get()), closed],
            ));
        }
    }
    for write in &changes.keys {
        list.push(key(write)?);
    }
    for write in &changes.users {
        list.push(accounts::user(write)?);
    }
    for write in &changes.orders {
        list.extend([order(write, timing)?, list::search_row(write)]);
    }
    for write in &changes.couriers {
        list.push(courier(write)?);
    }
    list.extend(changes.positions.iter().map(position));
    for value in &changes.events {
        list.extend([outbound::advance_journal(value.store), event(value)?]);
    }
    list.extend(changes.links.iter().map(link));
    for entry in &changes.ledger {
        // The balance is updated first: this locks its row, and the entry stores the new balance.
        list.extend([balance(entry), outbound::entry(entry, None)]);
    }
    for top_up in &changes.top_ups {
        let entry = outbound::top_up_entry(top_up);
        list.extend([
            balance(&entry),
            outbound::entry(&entry, Some(&top_up.reference)),
        ]);
    }
    for entry in &changes.cash {
        list.extend(cash::entry(entry)?);
    }
    let removed = changes
        .stores
        .iter()
        .filter(|write| write.expected != 0 && write.value.deleted_at.is_some());
    list.extend(removed.map(|write| Statement::one(CLOSE_BALANCE, vec![id(write.value.id.get())])));
    outbound::webhook_statements(&mut list, changes)?;
    for value in &changes.notifications {
        list.extend([notification(value)?, prune(value.store)]);
    }
    for entry in &changes.audit {
        list.push(accounts::entry(entry)?);
    }
    list.extend(changes.blobs.iter().map(blob));
    let remove = |id: &PhotoId| {
        Statement::any(
            "DELETE FROM blobs WHERE id = $1",
            vec![Value::number(id.get())],
        )
    };
    list.extend(changes.removed_blobs.iter().map(remove));
    if let Some(change) = &changes.claim {
        claim(&mut list, change, changes.at)?;
    }
    if let Some(write) = &changes.tariffs {
        list.extend(tariffs::write(write, changes.at)?);
    }
    for change in &changes.pay_plans {
        list.push(pay::change_plan(change, changes.at)?);
    }
    for entry in &changes.pay {
        list.push(pay::entry(entry)?);
    }
    for redaction in &changes.redactions {
        list.push(personal::redaction(redaction)?);
    }
    Ok(list)
}

/// Updates an order's deadline if the order still has this version.
pub(crate) fn due(order: &Order, timing: &Timing) -> Statement {
    let params = vec![
        next_deadline(order, timing).into(),
        id(order.id.get()),
        Value::number(order.version),
    ];
    Statement::any(
        "UPDATE orders SET due_at = $1 WHERE id = $2 AND version = $3",
        params,
    )
}

/// Stores the timing with which the orders' deadlines were computed.
pub(crate) fn timing(text: &str) -> Statement {
    let sql = "INSERT INTO settings (name, value) VALUES ('timing', $1) \
               ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    Statement::one(sql, vec![text.into()])
}

/// The email must not be a user's. PostgreSQL infers parameter types from the select list, so they
/// are cast.
const INSERT_STORE: &str = "INSERT INTO stores (id, version, matrix, cnpj, email, created_at, deleted_at, body, account) \
     SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS TEXT), CAST($5 AS TEXT), CAST($6 AS BIGINT), \
     CAST($7 AS BIGINT), CAST($8 AS TEXT), CAST($9 AS BIGINT) WHERE NOT EXISTS \
     (SELECT 1 FROM users WHERE users.email = $5 AND users.removed_at IS NULL) ON CONFLICT DO NOTHING";

/// An update checks unique values with subqueries, because `ON CONFLICT` works only for inserts;
/// the index enforces them if there is a race. PostgreSQL infers parameter types from the condition
/// first, so a parameter without a column there is cast to its type.
const UPDATE_STORE: &str = "UPDATE stores SET version = $1, matrix = $2, cnpj = $3, email = $4, created_at = $5, \
     deleted_at = $6, body = $7, account = $8 WHERE id = $9 AND version = $10 AND NOT EXISTS \
     (SELECT 1 FROM stores AS other WHERE other.cnpj = $3 AND other.deleted_at IS NULL AND other.id <> $9) AND NOT EXISTS \
     (SELECT 1 FROM stores AS other WHERE other.email = $4 AND other.deleted_at IS NULL AND other.id <> $9) AND NOT EXISTS \
     (SELECT 1 FROM users WHERE users.email = $4 AND users.removed_at IS NULL)";

/// Updates a store that is removed, which must not have an open order. [`LOCK_BALANCES`] ran
/// before, so a concurrent creation of an order has committed or finds the closed balance.
const REMOVE_STORE: &str = "UPDATE stores SET version = $1, matrix = $2, cnpj = $3, email = $4, created_at = $5, \
     deleted_at = $6, body = $7, account = $8 WHERE id = $9 AND version = $10 AND NOT EXISTS \
     (SELECT 1 FROM orders WHERE orders.store = $9 AND orders.situation < 500)";

/// Locks the rows that a ledger entry of the store locks or checks: its own balance, and the one
/// that pays for it.
const LOCK_BALANCES: &str = "UPDATE balances SET closed = closed WHERE store IN \
     ($1, COALESCE((SELECT stores.account FROM stores WHERE stores.id = $1), $1))";

/// Closes the balance of a removed store. It is a conflict if the balance is not zero.
const CLOSE_BALANCE: &str = "UPDATE balances SET closed = 1 WHERE store = $1 AND amount = 0";

const REOPEN_BALANCE: &str = "UPDATE balances SET closed = 0 WHERE store = $1 AND closed <> 0";

const INSERT_BALANCE: &str =
    "INSERT INTO balances (store, amount, closed) VALUES ($1, 0, $2) ON CONFLICT DO NOTHING";

const INSERT_KEY: &str = "INSERT INTO keys (id, version, store, hash, created_at, body) \
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";

const UPDATE_KEY: &str = "UPDATE keys SET version = $1, store = $2, hash = $3, created_at = $4, body = $5 \
     WHERE id = $6 AND version = $7 AND NOT EXISTS \
     (SELECT 1 FROM keys AS other WHERE other.hash = $3 AND other.id <> $6)";

const INSERT_ORDER: &str = "INSERT INTO orders (id, version, store, code, holds_code, situation, created_at, due_at, \
     pickup_lat_e7, pickup_lon_e7, body, erasure, sandbox, proofs, day, fee, cancellation_fee, done_at, expected_at) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) ON CONFLICT DO NOTHING";

const UPDATE_ORDER: &str = "UPDATE orders SET version = $1, store = $2, code = $3, holds_code = $4, situation = $5, \
     created_at = $6, due_at = $7, pickup_lat_e7 = $8, pickup_lon_e7 = $9, body = $10, erasure = $11, sandbox = $12, \
     proofs = $13, day = $14, fee = $15, cancellation_fee = $16, done_at = $17, expected_at = $18 \
     WHERE id = $19 AND version = $20 AND (CAST($4 AS BIGINT) = 0 OR NOT EXISTS (SELECT 1 FROM orders AS other \
     WHERE other.store = $2 AND other.code = $3 AND other.holds_code = 1 AND other.id <> $19))";

const INSERT_COURIER: &str = "INSERT INTO couriers (id, version, key_hash, free, carries, sandbox, push_at, body) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING";

const UPDATE_COURIER: &str = "UPDATE couriers SET version = $1, key_hash = $2, free = $3, carries = $4, sandbox = $5, push_at = $6, body = $7 \
     WHERE id = $8 AND version = $9 AND (CAST($2 AS TEXT) IS NULL OR NOT EXISTS \
     (SELECT 1 FROM couriers AS other WHERE other.key_hash = $2 AND other.id <> $8))";

const PUT_POSITION: &str = "INSERT INTO positions (courier, latitude_e7, longitude_e7, at, cell) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (courier) DO UPDATE SET latitude_e7 = excluded.latitude_e7, longitude_e7 = excluded.longitude_e7, \
     at = excluded.at, cell = excluded.cell WHERE positions.at < excluded.at";

const PUT_LINK: &str = "INSERT INTO tracking_links (hash, order_id, delivery, ends_at) VALUES ($1, $2, $3, $4) \
     ON CONFLICT (hash) DO UPDATE SET order_id = excluded.order_id, delivery = excluded.delivery, ends_at = excluded.ends_at";

/// The position is the last one of the journal, which was advanced in the same transaction.
const INSERT_EVENT: &str = "INSERT INTO events (order_id, sequence, store, at, body, matrix, place) \
     SELECT $1, $2, $3, $4, $5, journals.matrix, journals.last FROM journals \
     WHERE journals.matrix = COALESCE((SELECT stores.matrix FROM stores WHERE stores.id = $3), $3) ON CONFLICT DO NOTHING";

/// The update is relative, so concurrent debits need no version; the database checks the floor
/// while it holds the row lock. The balance is the account that the entry names, or the one that
/// pays for the store.
const MOVE_BALANCE: &str = "UPDATE balances SET amount = amount + $1 WHERE store = COALESCE($2, \
     (SELECT COALESCE(stores.account, stores.id) FROM stores WHERE stores.id = $3)) \
     AND closed = 0 AND amount + $1 BETWEEN $4 AND $5";

/// Maximum of amounts in centavos: 10¹³ reais.
const MAX_BALANCE: i64 = 1_000_000_000_000_000;

const PUT_NOTIFICATION: &str = "INSERT INTO notifications (id, store, body) VALUES ($1, $2, $3) \
     ON CONFLICT (id) DO UPDATE SET store = excluded.store, body = excluded.body";

const PRUNE_NOTIFICATIONS: &str = "DELETE FROM notifications WHERE store = $1 AND id <= \
     (SELECT id FROM notifications WHERE store = $1 ORDER BY id DESC LIMIT 1 OFFSET 500)";

const TAKE_CLAIM: &str = "INSERT INTO claims (scope, idempotency_key, holder, expires_at, body) \
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT (scope, idempotency_key) DO UPDATE SET holder = excluded.holder, \
     expires_at = excluded.expires_at, body = excluded.body WHERE claims.expires_at <= $6";

const FINISH_CLAIM: &str = "INSERT INTO claims (scope, idempotency_key, holder, expires_at, body) \
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT (scope, idempotency_key) DO UPDATE SET expires_at = excluded.expires_at, \
     body = excluded.body WHERE claims.holder = excluded.holder";

const COUNT_CLAIM: &str = "INSERT INTO claim_usage (owner, hour, records, bytes) VALUES ($1, $2, 1, $3) \
     ON CONFLICT (owner, hour) DO UPDATE SET records = claim_usage.records + 1, bytes = claim_usage.bytes + excluded.bytes";

const RELEASE_CLAIM: &str = "DELETE FROM claims WHERE scope = $1 AND idempotency_key = $2 AND holder = $3 AND expires_at <= $4";

fn store(write: &Write<Store>) -> Result<Statement, HostError> {
    let store = &write.value;
    // The balance has its own table; in the body it would be a second copy.
    let body = Value::json(&Store {
        balance: despacho_core::model::Money::ZERO,
        ..store.clone()
    })?;
    let columns = [
        store
            .parent
            .map(|parent| id(parent.get()))
            .unwrap_or(Value::Null),
        store.cnpj.as_str().into(),
        store.email.key().into(),
        store.created_at.into(),
        store.deleted_at.into(),
        body,
        Some(store.account())
            .filter(|account| *account != store.id)
            .map_or(Value::Null, |account| id(account.get())),
    ];
    let update = if store.deleted_at.is_some() {
        REMOVE_STORE
    } else {
        UPDATE_STORE
    };
    Ok(versioned(
        INSERT_STORE,
        update,
        id(store.id.get()),
        write.expected,
        columns,
    ))
}

fn lock(store: &Store) -> Statement {
    Statement::any(LOCK_BALANCES, vec![id(store.id.get())])
}

fn reopen(store: &Store) -> Statement {
    Statement::any(REOPEN_BALANCE, vec![id(store.id.get())])
}

fn key(write: &Write<Key>) -> Result<Statement, HostError> {
    let key = &write.value;
    let columns = [
        id(key.store.get()),
        key.hash.as_str().into(),
        key.created_at.into(),
        Value::json(key)?,
    ];
    Ok(versioned(
        INSERT_KEY,
        UPDATE_KEY,
        id(key.id.get()),
        write.expected,
        columns,
    ))
}

fn order(write: &Write<Order>, timing: &Timing) -> Result<Statement, HostError> {
    let order = &write.value;
    let (pickup, reported) = (order.pickup.located.point, ReportedOrder::from(order));
    let columns = [
        id(order.store.get()),
        order.code.as_str().into(),
        Value::Integer(order.status.holds_code().into()),
        Value::Integer(order.status.number().into()),
        order.created_at.into(),
        next_deadline(order, timing).into(),
        i64::from(pickup.lat_e7).into(),
        i64::from(pickup.lon_e7).into(),
        Value::json(order)?,
        Value::number(order.erasure.number()),
        Value::Integer(order.sandbox.into()),
        Value::Integer(order.proof.is_personal().into()),
        reported.day.number().into(),
        reported.fee.centavos().into(),
        reported.cancellation_fee.centavos().into(),
        reported.done_at.into(),
        reported.expected_at.into(),
    ];
    Ok(versioned(
        INSERT_ORDER,
        UPDATE_ORDER,
        id(order.id.get()),
        write.expected,
        columns,
    ))
}

fn courier(write: &Write<Courier>) -> Result<Statement, HostError> {
    let courier = &write.value;
    // The position has its own table; in the body it would be a second copy.
    let body = Value::json(&Courier {
        position: None,
        position_at: None,
        ..courier.clone()
    })?;
    let key = courier.key.as_ref().map(|key| key.hash.as_str());
    let carries = courier
        .watched_order()
        .map(|order| id(order.get()))
        .unwrap_or(Value::Null);
    let free = match (courier.is_candidate(), Candidate::is_free(courier)) {
        (true, true) => FREE,
        (true, false) => BUSY,
        (false, _) => 0,
    };
    let sandbox = Value::Integer(courier.sandbox.into());
    let push_at = courier.push_at().map_or(Value::Null, Value::from);
    let columns = [
        key.into(),
        Value::Integer(free),
        carries,
        sandbox,
        push_at,
        body,
    ];
    Ok(versioned(
        INSERT_COURIER,
        UPDATE_COURIER,
        id(write.value.id.get()),
        write.expected,
        columns,
    ))
}

fn blob(blob: &Blob) -> Statement {
    let sql = "INSERT INTO blobs (id, order_id, created_at, bytes) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    let bytes = Value::Bytes(blob.bytes.clone());
    Statement::one(
        sql,
        vec![
            id(blob.id.get()),
            id(blob.order.get()),
            blob.created_at.into(),
            bytes,
        ],
    )
}

fn position(position: &Position) -> Statement {
    let (latitude, longitude) = (position.point.lat_e7, position.point.lon_e7);
    let params = vec![
        id(position.courier.get()),
        i64::from(latitude).into(),
        i64::from(longitude).into(),
        position.at.into(),
        Cell::of(position.point).number().into(),
    ];
    Statement::any(PUT_POSITION, params)
}

fn event(event: &Event) -> Result<Statement, HostError> {
    let params = vec![
        id(event.order.get()),
        Value::number(event.sequence),
        id(event.store.get()),
        event.at.into(),
        Value::json(event)?,
    ];
    Ok(Statement::one(INSERT_EVENT, params))
}

fn link(link: &TrackingLink) -> Statement {
    let TrackingLink {
        hash,
        order,
        delivery,
        ends_at,
    } = link;
    Statement::one(
        PUT_LINK,
        vec![
            hash.as_str().into(),
            id(order.get()),
            id(delivery.get()),
            (*ends_at).into(),
        ],
    )
}

fn balance(entry: &LedgerEntry) -> Statement {
    let floor = entry.floor.map_or(-MAX_BALANCE, |floor| floor.centavos());
    let params = vec![
        entry.amount.centavos().into(),
        outbound::account(entry),
        id(entry.store.get()),
        floor.into(),
        Value::Integer(MAX_BALANCE),
    ];
    Statement::one(MOVE_BALANCE, params)
}

fn notification(notification: &Notification) -> Result<Statement, HostError> {
    let params = vec![
        id(notification.id.get()),
        id(notification.store.get()),
        Value::json(notification)?,
    ];
    Ok(Statement::one(PUT_NOTIFICATION, params))
}

fn prune(store: StoreId) -> Statement {
    Statement::any(PRUNE_NOTIFICATIONS, vec![id(store.get())])
}

fn claim(list: &mut Vec<Statement>, change: &ClaimChange, at: Timestamp) -> Result<(), HostError> {
    let row = |claim: &Claim| -> Result<Vec<Value>, HostError> {
        Ok(vec![
            claim.scope.as_str().into(),
            claim.key.as_str().into(),
            claim.holder.as_str().into(),
            claim.expires_at.into(),
            Value::json(claim)?,
        ])
    };
    match change {
        ClaimChange::Take(claim) => {
            let mut params = row(claim)?;
            params.push(at.into());
            list.push(Statement::one(TAKE_CLAIM, params));
            if purges_claims(&claim.holder) {
                list.push(personal::purge_claims(at));
                let past = Claim::hour(at.before(Duration::minutes(48 * 60)));
                list.push(Statement::any(
                    "DELETE FROM claim_usage WHERE hour < $1",
                    vec![past.into()],
                ));
            }
        }
        ClaimChange::Finish(claim) => {
            list.push(Statement::one(FINISH_CLAIM, row(claim)?));
            if let Some(owner) = &claim.owner {
                let params = vec![
                    owner.as_str().into(),
                    Claim::hour(at).into(),
                    Value::number(claim.size()),
                ];
                list.push(Statement::one(COUNT_CLAIM, params));
            }
        }
        ClaimChange::Release {
            scope,
            key,
            holder,
            until,
        } => {
            let params = vec![
                scope.as_str().into(),
                key.as_str().into(),
                holder.as_str().into(),
                (*until).into(),
            ];
            list.push(Statement::any(RELEASE_CLAIM, params));
        }
    }
    Ok(())
}

/// Whether the claim of this holder purges expired claims. On average every 32nd does, because a
/// holder is a random string. Each purges at most 200, so that expired claims do not accumulate.
fn purges_claims(holder: &str) -> bool {
    holder
        .bytes()
        .fold(0_u8, u8::wrapping_add)
        .is_multiple_of(32)
}

fn id(number: u64) -> Value {
    Value::number(number)
}
