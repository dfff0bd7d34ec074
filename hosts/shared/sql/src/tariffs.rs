//! Queries and statements for stored tariffs, and the query for the prices of orders.

use std::sync::Arc;

use despacho_core::{
    changes::{TariffChange, TariffWrite},
    host::{HostError, PricePage, PriceQuery, TariffQuery},
    model::{
        StoreId, TariffId, Timestamp,
        tariff::{StoredTariff, TariffSchedule},
    },
};

use crate::{Query, Row, Statement, Value};

/// Reads the schedule and its revision in one statement, so that both are of one state of the
/// database. [`TariffSchedule::MAX_ROWS`] is the limit.
const SCHEDULE: &str = "SELECT counters.value, newest.id, newest.effective_from, newest.created_at, newest.body FROM counters \
     LEFT JOIN (SELECT id, effective_from, created_at, body FROM tariffs ORDER BY effective_from DESC, id DESC LIMIT 64) AS newest \
     ON newest.id > 0 WHERE counters.name = 'tariffs' ORDER BY newest.effective_from DESC, newest.id DESC";

pub(crate) fn schedule() -> Query {
    Query::new(SCHEDULE, Vec::new())
}

/// Decodes the rows of [`schedule`]. Without tariffs there is one row with the revision.
pub(crate) fn to_schedule(rows: &mut [Row]) -> Result<TariffSchedule, HostError> {
    let mut schedule = TariffSchedule::default();
    for row in rows {
        schedule.revision = u64::try_from(row.integer()?).unwrap_or_default();
        if let Some(id) = row.optional_integer()? {
            schedule.tariffs.push(to_tariff(id, row)?);
        }
    }
    Ok(schedule)
}

pub(crate) fn tariffs(query: TariffQuery<'_>) -> Query {
    match query {
        TariffQuery::Id(id) => Query::new(
            "SELECT id, effective_from, created_at, body FROM tariffs WHERE id = $1",
            vec![Value::number(id.get())],
        ),
        TariffQuery::Version(version) => Query::new(
            "SELECT id, effective_from, created_at, body FROM tariffs WHERE version = $1",
            vec![version.into()],
        ),
        TariffQuery::Before { before, limit } => {
            let (at, id) = before.map_or((i64::MAX, 0), |(at, id)| (at.millis(), id.get()));
            Query::new(
                "SELECT id, effective_from, created_at, body FROM tariffs WHERE (effective_from, id) < ($1, $2) \
                 ORDER BY effective_from DESC, id DESC LIMIT $3",
                vec![at.into(), Value::number(id), Value::number(limit)],
            )
        }
    }
}

/// Decodes a row of `id, effective_from, created_at, body`.
pub(crate) fn to_stored(row: &mut Row) -> Result<StoredTariff, HostError> {
    let id = row.integer()?;
    to_tariff(id, row)
}

/// Decodes the columns after the ID.
fn to_tariff(id: i64, row: &mut Row) -> Result<StoredTariff, HostError> {
    let id = u64::try_from(id).ok().and_then(TariffId::new);
    Ok(StoredTariff {
        id: id.ok_or_else(|| HostError::Internal {
            detail: "a tariff has an invalid ID".to_owned(),
        })?,
        effective_from: Timestamp::from_millis(row.integer()?),
        created_at: Timestamp::from_millis(row.integer()?),
        tariff: Arc::new(row.json()?),
    })
}

/// Reads entries before an ID, newest first, with the orders of those that are fees: at most
/// [`PricePage::MAX_ENTRIES`] and 1 MiB. As for lists, it sums only the orders' sizes first. The
/// ledger's rows are small and in the order of time, so that neither older orders nor an index of
/// creation times are needed.
const PRICES: &str = "SELECT sized.id, sized.at, orders.body FROM \
     (SELECT id, at, order_id, size, SUM(size) OVER (ORDER BY id DESC) AS total FROM \
     (SELECT newest.id AS id, newest.at AS at, orders.id AS order_id, COALESCE(octet_length(orders.body), 0) AS size FROM \
     (SELECT id, at, order_id, kind, COALESCE(branch, store) AS store FROM ledger WHERE id < $1 ORDER BY id DESC LIMIT 500) AS newest \
     LEFT JOIN orders ON orders.id = newest.order_id AND newest.kind = 'fee' AND (CAST($2 AS BIGINT) = 0 OR newest.store = $2)) \
     AS found) AS sized LEFT JOIN orders ON orders.id = sized.order_id WHERE total - size < 1048576 ORDER BY sized.id DESC";

pub(crate) fn prices(query: PriceQuery) -> Query {
    let before = query.before.map_or(Value::Integer(i64::MAX), Value::number);
    Query::new(
        PRICES,
        vec![before, Value::number(query.store.map_or(0, StoreId::get))],
    )
}

/// Decodes the rows of [`prices`].
pub(crate) fn to_prices(rows: &mut [Row]) -> Result<PricePage, HostError> {
    let mut page = PricePage::default();
    for row in rows {
        let id = u64::try_from(row.integer()?).unwrap_or_default();
        page.next = Some((id, Timestamp::from_millis(row.integer()?)));
        page.orders.extend(row.optional_json()?);
    }
    Ok(page)
}

/// The row is locked until the end of the transaction, so changes of tariffs commit one after the
/// other.
const ADVANCE: &str = "UPDATE counters SET value = value + 1 WHERE name = 'tariffs' AND value = $1";

const INSERT: &str = "INSERT INTO tariffs (id, version, effective_from, created_at, body) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT DO NOTHING";

const REMOVE: &str = "DELETE FROM tariffs WHERE id = $1 AND effective_from > $2";

pub(crate) fn write(write: &TariffWrite, at: Timestamp) -> Result<[Statement; 2], HostError> {
    let change = match &write.change {
        TariffChange::Insert(stored) => {
            let StoredTariff {
                id,
                effective_from,
                created_at,
                tariff,
            } = stored;
            let id = Value::number(id.get());
            let version = tariff.version.as_str().into();
            let body = Value::json(&**tariff)?;
            Statement::one(
                INSERT,
                vec![
                    id,
                    version,
                    (*effective_from).into(),
                    (*created_at).into(),
                    body,
                ],
            )
        }
        TariffChange::Remove(id) => {
            Statement::one(REMOVE, vec![Value::number(id.get()), at.into()])
        }
    };
    Ok([
        Statement::one(ADVANCE, vec![Value::number(write.revision)]),
        change,
    ])
}
