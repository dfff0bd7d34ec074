//! Queries and statements for the cash ledger.

use despacho_core::{
    host::{CashFilter, HostError},
    model::{
        CourierId, EntryId, Money, StoreId, Timestamp,
        cash::{CashBalance, CashEntry, CashKind, RecordedCash},
    },
};

use crate::{
    Query, Row, Statement, Value,
    outbound::{corrupt_row, identifier},
};

const OPEN: &str = "INSERT INTO cash_balances (courier, store, period, entries, floats, collected, handed_over, direct, changed_at) \
     VALUES ($1, $2, 1, 0, 0, 0, 0, 0, $3) ON CONFLICT DO NOTHING";

const ADD: &str = "UPDATE cash_balances SET entries = entries + 1, floats = floats + $1, collected = collected + $2, \
     handed_over = handed_over + $3, direct = direct + $4, \
     changed_at = CASE WHEN changed_at < $5 THEN $5 ELSE changed_at END WHERE courier = $6 AND store = $7";

/// A closing must know all entries of its period: its difference brings the cash in hand to zero.
const CLOSE: &str = "UPDATE cash_balances SET period = period + 1, entries = 0, floats = 0, collected = 0, handed_over = 0, \
     direct = 0, last_difference = $1, closed_at = $2, changed_at = CASE WHEN changed_at < $2 THEN $2 ELSE changed_at END \
     WHERE courier = $3 AND store = $4 AND period = $5 AND floats + collected - handed_over + $1 = 0";

/// The balance was updated in the same transaction, which locks its row, so the period is the one
/// that the amount was added to. After a closing it is the next one.
const INSERT: &str = "INSERT INTO cash_entries (courier, store, period, kind, amount, delivery, about, at, body) \
     SELECT cash_balances.courier, cash_balances.store, cash_balances.period - $1, $2, $3, $4, $5, $6, $7 \
     FROM cash_balances WHERE cash_balances.courier = $8 AND cash_balances.store = $9 ON CONFLICT DO NOTHING";

macro_rules! balances {
    ($condition:literal) => {
        concat!(
            "SELECT courier, store, period, entries, floats, collected, handed_over, direct, changed_at, \
             last_difference, closed_at FROM cash_balances WHERE ",
            $condition
        )
    };
}

/// Returns the statements of an entry.
pub(crate) fn entry(entry: &CashEntry) -> Result<Vec<Statement>, HostError> {
    let (courier, store) = (id(entry.courier.get()), id(entry.store.get()));
    let amount = entry.amount.centavos();
    let sum = |kinds: &[CashKind]| {
        Value::Integer(if kinds.contains(&entry.kind) {
            amount
        } else {
            0
        })
    };
    let open = vec![courier.clone(), store.clone(), entry.at.into()];
    let mut list = vec![Statement::any(OPEN, open)];
    match entry.kind {
        CashKind::Note => {}
        CashKind::Difference => {
            let period = entry.closing.as_ref().map_or(0, |closing| closing.period);
            let params = vec![
                amount.into(),
                entry.at.into(),
                courier.clone(),
                store.clone(),
                Value::number(period),
            ];
            list.push(Statement::one(CLOSE, params));
        }
        _ => {
            let params = vec![
                sum(&[CashKind::Float]),
                sum(&[CashKind::Collected, CashKind::Correction]),
                sum(&[CashKind::HandedOver]),
                sum(&[CashKind::ToStoreDirectly]),
                entry.at.into(),
                courier.clone(),
                store.clone(),
            ];
            list.push(Statement::one(ADD, params));
        }
    }
    let ended = entry.kind == CashKind::Difference;
    let params = vec![
        Value::Integer(ended.into()),
        entry.kind.key().into(),
        amount.into(),
        entry.delivery.map_or(Value::Null, |one| id(one.get())),
        entry.about.map_or(Value::Null, |one| id(one.get())),
        entry.at.into(),
        Value::json(entry)?,
        courier,
        store,
    ];
    list.push(Statement::one(INSERT, params));
    Ok(list)
}

/// Reads a page of a store's balances.
pub(crate) fn balances_of_store(store: StoreId, after: Option<CourierId>, limit: u32) -> Query {
    let sql = balances!("store = $1 AND courier > $2 ORDER BY courier LIMIT $3");
    let after = id(after.map_or(0, CourierId::get));
    Query::new(sql, vec![id(store.get()), after, Value::number(limit)])
}

/// Reads a page of a courier's balances with entries.
pub(crate) fn balances_of_courier(courier: CourierId, after: Option<StoreId>, limit: u32) -> Query {
    let sql = balances!("courier = $1 AND store > $2 AND entries > 0 ORDER BY store LIMIT $3");
    let after = id(after.map_or(0, StoreId::get));
    Query::new(sql, vec![id(courier.get()), after, Value::number(limit)])
}

/// Reads the balances with entries of at most [`crate::read::MAX_IDS`] couriers.
pub(crate) fn open_balances(couriers: &[u64]) -> Query {
    let sql = balances!(
        "entries > 0 AND courier IN ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, \
         $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32)"
    );
    Query::new(sql, crate::read::filled(couriers))
}

/// Reads the balances of a store and at most [`crate::read::MAX_IDS`] couriers.
pub(crate) fn balances_with(store: StoreId, couriers: &[u64]) -> Query {
    let sql = balances!(
        "courier IN ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, \
         $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32) AND store = $33"
    );
    let mut params = crate::read::filled(couriers);
    params.push(id(store.get()));
    Query::new(sql, params)
}

/// Decodes a row of the columns of `balances!`.
pub(crate) fn to_balance(row: &mut Row) -> Result<CashBalance, HostError> {
    let courier = identifier(row.integer()?, CourierId::new)?;
    let store = identifier(row.integer()?, StoreId::new)?;
    let (period, entries) = (row.small()?, row.small()?);
    Ok(CashBalance {
        courier,
        store,
        period,
        entries,
        float: money(row.integer()?)?,
        collected: money(row.integer()?)?,
        handed_over: money(row.integer()?)?,
        to_store_directly: money(row.integer()?)?,
        changed_at: Timestamp::from_millis(row.integer()?),
        last_difference: row.optional_integer()?.map(money).transpose()?,
        closed_at: row.optional_integer()?.map(Timestamp::from_millis),
    })
}

/// Reads entries that match a filter, newest first.
pub(crate) fn entries(filter: &CashFilter, limit: u32) -> Query {
    let mut sql = "SELECT id, period, body FROM cash_entries WHERE at >= $1 AND at < $2".to_owned();
    let mut params: Vec<Value> = vec![filter.from.into(), filter.until.into()];
    let equal = [
        ("courier", filter.courier.map(|one| id(one.get()))),
        ("store", filter.store.map(|one| id(one.get()))),
        ("period", filter.period.map(Value::number)),
        ("kind", filter.kind.map(|kind| kind.key().into())),
    ];
    for (column, value) in equal {
        if let Some(value) = value {
            params.push(value);
            sql += &format!(" AND {column} = ${}", params.len());
        }
    }
    if filter.differs {
        // The condition of the index `cash_differences`.
        sql += " AND kind = 'difference' AND amount <> 0";
    }
    let before = filter.before.map(|one| id(one.get()));
    params.push(before.unwrap_or(Value::Integer(i64::MAX)));
    sql += &format!(" AND id < ${}", params.len());
    params.push(Value::number(limit));
    sql += &format!(" ORDER BY id DESC LIMIT ${}", params.len());
    Query {
        sql: sql.into(),
        params,
    }
}

/// Reads the notes about at most [`crate::read::MAX_IDS`] entries.
pub(crate) fn notes(about: &[u64]) -> Query {
    let sql = "SELECT id, period, body FROM cash_entries WHERE about IN \
               ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, \
               $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32) ORDER BY id DESC";
    Query::new(sql, crate::read::filled(about))
}

/// Decodes a row of `id, period, body`.
pub(crate) fn to_recorded(row: &mut Row) -> Result<RecordedCash, HostError> {
    Ok(RecordedCash {
        id: identifier(row.integer()?, EntryId::new)?,
        period: row.small()?,
        entry: row.json()?,
    })
}

fn money(centavos: i64) -> Result<Money, HostError> {
    Money::from_centavos(centavos)
        .ok_or_else(|| corrupt_row(format!("an amount of {centavos} centavos")))
}

fn id(number: u64) -> Value {
    Value::number(number)
}
