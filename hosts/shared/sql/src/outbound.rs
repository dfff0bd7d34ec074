//! Queries and statements for journals, account statements and webhooks.

use despacho_core::{
    changes::{Changes, Write},
    host::{HostError, StorageUsage, UsageQuery},
    model::{
        AttemptId, EntryId, EventId, Money, OrderId, StoreId, Timestamp, WebhookId,
        order::{Journal, JournalEntry, RecordedEvent},
        store::{Claim, EntryKind, LedgerEntry, Period, StatementLine, TopUp},
        webhook::{
            Attempt, MAX_PASSES_PER_MERCHANT, MAX_PASSES_PER_RECEIVER, MessageChange,
            RecordedAttempt, Webhook, WebhookState,
        },
    },
};

use crate::{Query, Row, Statement, Value, statement::versioned};

const JOURNAL_OF_MATRIX: &str =
    "SELECT place, id, body FROM events WHERE matrix = $1 AND place > $2 ORDER BY place LIMIT $3";

const JOURNAL_OF_BRANCH: &str =
    "SELECT place, id, body FROM events WHERE store = $1 AND place > $2 ORDER BY place LIMIT $3";

/// A parent store's webhook is due if its journal has newer events; a branch's webhook is due only
/// if that branch has newer events. Webhooks with a lease are numbered first, so that running
/// batches count towards the limits on every instance. Webhooks of a receiver are numbered after
/// the limit of each merchant, so that one merchant's backlog does not delay others with the same
/// receiver.
const DUE_WEBHOOKS: &str = "SELECT version, body FROM (SELECT version, body, id, seen_at, leased_until, turn, \
     ROW_NUMBER() OVER (PARTITION BY COALESCE(receiver, CAST(id AS TEXT)) \
     ORDER BY CASE WHEN leased_until > $1 THEN 0 ELSE 1 END, turn, seen_at, id) AS receiver_turn \
     FROM (SELECT version, body, id, seen_at, leased_until, receiver, ROW_NUMBER() OVER (PARTITION BY matrix \
     ORDER BY CASE WHEN leased_until > $1 THEN 0 ELSE 1 END, seen_at, id) AS turn FROM webhooks \
     WHERE active = 1 AND (leased_until > $1 OR due_at <= $1 \
     OR (store = matrix AND position < (SELECT last FROM journals WHERE journals.matrix = webhooks.matrix)) \
     OR (store <> matrix AND EXISTS (SELECT 1 FROM events WHERE events.store = webhooks.store \
     AND events.place > webhooks.position)))) AS considered WHERE leased_until > $1 OR turn <= $2) AS chosen \
     WHERE leased_until <= $1 AND receiver_turn <= $3 ORDER BY turn, seen_at, id LIMIT $4";

const BRANCHES: &str =
    "SELECT COUNT(*), CAST(0 AS BIGINT) FROM stores WHERE matrix = $1 AND deleted_at IS NULL";

const WEBHOOKS: &str =
    "SELECT COUNT(*), CAST(0 AS BIGINT) FROM webhooks WHERE matrix = $1 AND removed = 0";

/// Sums are cast to integers, because PostgreSQL returns them as `NUMERIC`.
const CLAIM_USAGE: &str = "SELECT CAST(COALESCE(SUM(records), 0) AS BIGINT), CAST(COALESCE(SUM(bytes), 0) AS BIGINT) \
     FROM claim_usage WHERE owner = $1 AND hour >= $2";

/// Reads the entries on a store's own balance, and a branch's entries on its parent's balance. Each
/// part is limited, so that a page reads at most two pages by index.
const STATEMENT: &str = "SELECT id, kind, store, order_id, reference, amount, balance, at FROM ( \
     SELECT * FROM (SELECT id, kind, COALESCE(branch, store) AS store, order_id, reference, amount, balance, at FROM ledger \
     WHERE ledger.store = $1 AND id > $2 AND at >= $3 AND at < $4 ORDER BY id LIMIT $5) AS own UNION ALL \
     SELECT * FROM (SELECT id, kind, branch AS store, order_id, reference, amount, balance, at FROM ledger \
     WHERE ledger.branch = $1 AND id > $2 AND at >= $3 AND at < $4 ORDER BY id LIMIT $5) AS paid) AS lines ORDER BY id LIMIT $5";

/// Also finds top-ups of a branch's own balance from before it shared its parent's.
const TOP_UP: &str = "SELECT id, kind, COALESCE(branch, store), order_id, reference, amount, balance, at FROM ledger \
     WHERE store IN ($1, COALESCE((SELECT stores.account FROM stores WHERE stores.id = $1), $1)) AND reference = $2 \
     ORDER BY id DESC LIMIT 1";

/// In tests of the journal the store may not exist; it is then its own parent store.
const ADVANCE_JOURNAL: &str = "INSERT INTO journals (matrix, last) \
     VALUES (COALESCE((SELECT stores.matrix FROM stores WHERE stores.id = $1), $1), 1) \
     ON CONFLICT (matrix) DO UPDATE SET last = journals.last + 1";

/// Maximum journals that [`lock_journals`] locks.
pub const MAX_LOCKED_JOURNALS: usize = 16;

const LOCK_JOURNALS: &str = "SELECT matrix FROM journals WHERE matrix IN (SELECT COALESCE(stores.matrix, stores.id) FROM stores \
     WHERE stores.id IN ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)) ORDER BY matrix FOR UPDATE";

/// A removed store has no new entries: its own balance is closed, even if another store pays.
const INSERT_ENTRY: &str = "INSERT INTO ledger (order_id, kind, amount, at, reference, store, balance, branch) \
     SELECT $1, $2, $3, $4, $5, account.store, account.amount, CASE WHEN account.store <> own.store THEN own.store END \
     FROM balances AS own JOIN balances AS account ON account.store = COALESCE($6, \
     (SELECT COALESCE(stores.account, stores.id) FROM stores WHERE stores.id = $7)) \
     WHERE own.store = $7 AND own.closed = 0 ON CONFLICT DO NOTHING";

const INSERT_WEBHOOK: &str = "INSERT INTO webhooks (id, version, store, matrix, active, removed, position, due_at, \
     leased_until, seen_at, body, receiver) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING";

const UPDATE_WEBHOOK: &str = "UPDATE webhooks SET version = $1, store = $2, matrix = $3, active = $4, removed = $5, \
     position = $6, due_at = $7, leased_until = $8, seen_at = $9, body = $10, receiver = $11 WHERE id = $12 AND version = $13";

const PUT_MESSAGE: &str = "INSERT INTO webhook_messages (webhook, name, place, body) VALUES ($1, $2, $3, $4) \
     ON CONFLICT (webhook, name) DO UPDATE SET place = excluded.place, body = excluded.body";

const PRUNE_ATTEMPTS: &str = "DELETE FROM webhook_attempts WHERE webhook = $1 AND id <= \
     (SELECT id FROM webhook_attempts WHERE webhook = $1 ORDER BY id DESC LIMIT 1 OFFSET 200)";

pub(crate) fn journal(of: Journal, after: u64, limit: u32) -> Query {
    let (sql, store) = match of.branch {
        None => (JOURNAL_OF_MATRIX, of.merchant),
        Some(branch) => (JOURNAL_OF_BRANCH, branch),
    };
    Query::new(
        sql,
        vec![id(store.get()), Value::number(after), Value::number(limit)],
    )
}

pub(crate) fn statement(store: StoreId, period: Period, limit: u32) -> Query {
    let after = period.after.map_or(0, EntryId::get);
    let params = vec![
        id(store.get()),
        Value::number(after),
        period.from.into(),
        period.until.into(),
        Value::number(limit),
    ];
    Query::new(STATEMENT, params)
}

pub(crate) fn top_up(store: StoreId, reference: &str) -> Query {
    Query::new(TOP_UP, vec![id(store.get()), reference.into()])
}

pub(crate) fn webhooks(store: StoreId) -> Query {
    let sql = "SELECT version, body FROM webhooks WHERE store = $1 AND removed = 0 ORDER BY id";
    Query::new(sql, vec![id(store.get())])
}

pub(crate) fn webhook(number: WebhookId) -> Query {
    Query::new(
        "SELECT version, body FROM webhooks WHERE id = $1 AND removed = 0",
        vec![id(number.get())],
    )
}

pub(crate) fn due_webhooks(now: Timestamp, limit: u32) -> Query {
    let bounds = [MAX_PASSES_PER_MERCHANT, MAX_PASSES_PER_RECEIVER, limit].map(Value::number);
    Query::new(
        DUE_WEBHOOKS,
        std::iter::once(now.into()).chain(bounds).collect(),
    )
}

pub(crate) fn usage(of: UsageQuery<'_>) -> Query {
    match of {
        UsageQuery::Branches(merchant) => Query::new(BRANCHES, vec![id(merchant.get())]),
        UsageQuery::Webhooks(merchant) => Query::new(WEBHOOKS, vec![id(merchant.get())]),
        UsageQuery::Claims(owner, since) => {
            Query::new(CLAIM_USAGE, vec![owner.into(), Claim::hour(since).into()])
        }
    }
}

/// Decodes a row of two sums.
pub(crate) fn to_usage(row: &mut Row) -> Result<StorageUsage, HostError> {
    let mut sum = || Ok(u64::try_from(row.integer()?).unwrap_or_default());
    Ok(StorageUsage {
        records: sum()?,
        bytes: sum()?,
    })
}

pub(crate) fn messages(webhook: WebhookId) -> Query {
    let sql = "SELECT body FROM webhook_messages WHERE webhook = $1 ORDER BY place, name";
    Query::new(sql, vec![id(webhook.get())])
}

pub(crate) fn attempts(webhook: WebhookId, before: Option<AttemptId>, limit: u32) -> Query {
    let sql = "SELECT id, body FROM webhook_attempts WHERE webhook = $1 AND id < $2 ORDER BY id DESC LIMIT $3";
    let before = before.map_or(Value::Integer(i64::MAX), |before| id(before.get()));
    Query::new(sql, vec![id(webhook.get()), before, Value::number(limit)])
}

pub(crate) fn attempt(number: AttemptId) -> Query {
    Query::new(
        "SELECT id, body FROM webhook_attempts WHERE id = $1",
        vec![id(number.get())],
    )
}

/// Decodes a row of `place, id, body`.
pub(crate) fn to_entry(row: &mut Row) -> Result<JournalEntry, HostError> {
    let place = row.integer()?;
    let place =
        u64::try_from(place).map_err(|_| corrupt_row(format!("an event at position {place}")))?;
    let number = identifier(row.integer()?, EventId::new)?;
    Ok(JournalEntry {
        position: place,
        recorded: RecordedEvent {
            id: number,
            event: row.json()?,
        },
    })
}

/// Decodes a row of `id, kind, store, order, reference, amount, balance, at`.
pub(crate) fn to_line(row: &mut Row) -> Result<StatementLine, HostError> {
    let number = identifier(row.integer()?, EntryId::new)?;
    let kind = row.text()?;
    let kind = EntryKind::from_name(&kind)
        .ok_or_else(|| corrupt_row(format!("an entry of kind {kind}")))?;
    let store = identifier(row.integer()?, StoreId::new)?;
    let order = row
        .optional_integer()?
        .map(|order| identifier(order, OrderId::new))
        .transpose()?;
    let reference = row.optional_text()?;
    let mut money = || {
        let centavos = row.integer()?;
        Money::from_centavos(centavos)
            .ok_or_else(|| corrupt_row(format!("an amount of {centavos} centavos")))
    };
    let (amount, balance) = (money()?, money()?);
    Ok(StatementLine {
        id: number,
        kind,
        store,
        order,
        reference,
        amount,
        balance,
        at: Timestamp::from_millis(row.integer()?),
    })
}

/// Decodes a row of `version, body`.
pub(crate) fn to_webhook(row: &mut Row) -> Result<Webhook, HostError> {
    let version = row.small()?;
    Ok(Webhook {
        version,
        ..row.json()?
    })
}

/// Decodes a row of `id, body`.
pub(crate) fn to_attempt(row: &mut Row) -> Result<RecordedAttempt, HostError> {
    Ok(RecordedAttempt {
        id: identifier(row.integer()?, AttemptId::new)?,
        attempt: row.json()?,
    })
}

/// Takes the next position of a store's journal and locks the journal's row.
pub(crate) fn advance_journal(store: StoreId) -> Statement {
    Statement::one(ADVANCE_JOURNAL, vec![id(store.get())])
}

/// Locks the journals that these transactions advance, in the same order in every program. One that
/// does not exist yet is not locked. The statement is for PostgreSQL, and for at most
/// [`MAX_LOCKED_JOURNALS`].
pub fn lock_journals<'a>(transactions: impl Iterator<Item = &'a [Statement]>) -> Statement {
    let advances = transactions
        .flatten()
        .filter(|statement| statement.sql == ADVANCE_JOURNAL);
    let mut stores: Vec<Value> = advances
        .filter_map(|statement| statement.params.first().cloned())
        .collect();
    stores.sort();
    stores.dedup();
    stores.resize(MAX_LOCKED_JOURNALS, Value::Null);
    Statement::any(LOCK_JOURNALS, stores)
}

/// Returns the entry of a top-up, without its reference.
pub(crate) fn top_up_entry(top_up: &TopUp) -> LedgerEntry {
    let TopUp {
        store, amount, at, ..
    } = *top_up;
    LedgerEntry {
        store,
        account: None,
        order: None,
        kind: EntryKind::TopUp,
        amount,
        at,
        floor: None,
    }
}

/// Inserts an entry with the current balance, which the previous statement updated.
pub(crate) fn entry(entry: &LedgerEntry, reference: Option<&str>) -> Statement {
    let params = vec![
        entry
            .order
            .map(|order| id(order.get()))
            .unwrap_or(Value::Null),
        entry.kind.name().into(),
        entry.amount.centavos().into(),
        entry.at.into(),
        reference.into(),
        account(entry),
        id(entry.store.get()),
    ];
    Statement::one(INSERT_ENTRY, params)
}

/// Returns the balance that an entry names; null for the balance that pays for its store.
pub(crate) fn account(entry: &LedgerEntry) -> Value {
    entry
        .account
        .map_or(Value::Null, |account| id(account.get()))
}

/// Adds the statements for webhooks, their messages and their attempts.
pub(crate) fn webhook_statements(
    list: &mut Vec<Statement>,
    changes: &Changes,
) -> Result<(), HostError> {
    for write in &changes.webhooks {
        list.push(write_webhook(write)?);
    }
    for change in &changes.messages {
        list.push(message(change)?);
    }
    for attempt in &changes.attempts {
        let sql = "INSERT INTO webhook_attempts (webhook, body) VALUES ($1, $2)";
        list.push(Statement::one(
            sql,
            vec![id(attempt.webhook.get()), Value::json(attempt)?],
        ));
    }
    let mut touched: Vec<WebhookId> = changes
        .attempts
        .iter()
        .map(|attempt: &Attempt| attempt.webhook)
        .collect();
    touched.sort_unstable();
    touched.dedup();
    list.extend(
        touched
            .iter()
            .map(|webhook| Statement::any(PRUNE_ATTEMPTS, vec![id(webhook.get())])),
    );
    Ok(())
}

fn write_webhook(write: &Write<Webhook>) -> Result<Statement, HostError> {
    let webhook = &write.value;
    let columns = [
        id(webhook.store.get()),
        id(webhook.merchant.get()),
        Value::Integer(webhook.is_active().into()),
        Value::Integer(matches!(webhook.state, WebhookState::Removed { .. }).into()),
        Value::number(webhook.position),
        webhook.due_at.into(),
        Value::Integer(
            webhook
                .lease
                .as_ref()
                .map_or(0, |lease| lease.until.millis()),
        ),
        webhook.seen_at.into(),
        Value::json(webhook)?,
        webhook.receiver().as_str().into(),
    ];
    Ok(versioned(
        INSERT_WEBHOOK,
        UPDATE_WEBHOOK,
        id(webhook.id.get()),
        write.expected,
        columns,
    ))
}

fn message(change: &MessageChange) -> Result<Statement, HostError> {
    Ok(match change {
        MessageChange::Put(message) => {
            let params = vec![
                id(message.webhook.get()),
                message.name.as_str().into(),
                Value::number(message.position()),
                Value::json(message)?,
            ];
            Statement::one(PUT_MESSAGE, params)
        }
        MessageChange::Remove { webhook, name } => {
            let sql = "DELETE FROM webhook_messages WHERE webhook = $1 AND name = $2";
            Statement::any(sql, vec![id(webhook.get()), name.as_str().into()])
        }
        MessageChange::Clear(webhook) => Statement::any(
            "DELETE FROM webhook_messages WHERE webhook = $1",
            vec![id(webhook.get())],
        ),
    })
}

pub(crate) fn identifier<T>(number: i64, make: fn(u64) -> Option<T>) -> Result<T, HostError> {
    let made = u64::try_from(number).ok().and_then(make);
    made.ok_or_else(|| corrupt_row(format!("invalid ID {number}")))
}

pub(crate) fn corrupt_row(detail: String) -> HostError {
    HostError::Internal {
        detail: format!("reading a row: {detail}"),
    }
}

fn id(number: u64) -> Value {
    Value::number(number)
}
