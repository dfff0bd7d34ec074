//! Queries and statements for pay plans and for the entries of couriers' pay.

use std::sync::Arc;

use despacho_core::{
    changes::PayPlanChange,
    host::{HostError, PayEntryQuery, PayPlanQuery},
    model::{
        CourierId, PayEntryId, PayPlanId, Timestamp,
        pay::{PayEntry, RecordedPayEntry, StoredPayPlan},
    },
};

use crate::{Query, Row, Statement, Value, outbound::identifier};

const IN_FORCE: &str = "SELECT id, name, effective_from, created_at, body FROM pay_plans WHERE effective_from <= $1 \
     AND NOT EXISTS (SELECT 1 FROM pay_plans AS later WHERE later.name = pay_plans.name \
     AND later.effective_from > pay_plans.effective_from AND later.effective_from <= $1) \
     ORDER BY effective_from DESC, id DESC";

pub(crate) fn plans(query: PayPlanQuery<'_>) -> Query {
    match query {
        PayPlanQuery::Id(id) => Query::new(
            "SELECT id, name, effective_from, created_at, body FROM pay_plans WHERE id = $1",
            vec![Value::number(id.get())],
        ),
        PayPlanQuery::Version(version) => Query::new(
            "SELECT id, name, effective_from, created_at, body FROM pay_plans WHERE version = $1",
            vec![version.into()],
        ),
        PayPlanQuery::InForce(at) => Query::new(IN_FORCE, vec![at.into()]),
        PayPlanQuery::Before { before, limit } => {
            let (at, id) = before.map_or((i64::MAX, 0), |(at, id)| (at.millis(), id.get()));
            Query::new(
                "SELECT id, name, effective_from, created_at, body FROM pay_plans WHERE (effective_from, id) < ($1, $2) \
                 ORDER BY effective_from DESC, id DESC LIMIT $3",
                vec![at.into(), Value::number(id), Value::number(limit)],
            )
        }
    }
}

/// Decodes a row of `id, name, effective_from, created_at, body`.
pub(crate) fn to_plan(row: &mut Row) -> Result<StoredPayPlan, HostError> {
    let id = identifier(row.integer()?, PayPlanId::new)?;
    Ok(StoredPayPlan {
        id,
        name: row.text()?,
        effective_from: Timestamp::from_millis(row.integer()?),
        created_at: Timestamp::from_millis(row.integer()?),
        plan: Arc::new(row.json()?),
    })
}

pub(crate) fn change_plan(change: &PayPlanChange, at: Timestamp) -> Result<Statement, HostError> {
    let StoredPayPlan {
        id,
        name,
        effective_from,
        created_at,
        plan,
    } = match change {
        PayPlanChange::Insert(stored) => stored,
        PayPlanChange::Remove(id) => {
            let sql = "DELETE FROM pay_plans WHERE id = $1 AND effective_from > $2";
            return Ok(Statement::one(
                sql,
                vec![Value::number(id.get()), at.into()],
            ));
        }
    };
    let params = vec![
        Value::number(id.get()),
        name.as_str().into(),
        plan.version.as_str().into(),
        (*effective_from).into(),
        (*created_at).into(),
        Value::json(&**plan)?,
    ];
    let sql = "INSERT INTO pay_plans (id, name, version, effective_from, created_at, body) \
               VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";
    Ok(Statement::one(sql, params))
}

pub(crate) fn entries(courier: CourierId, query: PayEntryQuery) -> Query {
    let courier = Value::number(courier.get());
    match query {
        PayEntryQuery::Id(id) => Query::new(
            "SELECT id, body FROM pay_entries WHERE courier = $1 AND id = $2",
            vec![courier, Value::number(id.get())],
        ),
        PayEntryQuery::Period(period, limit) => {
            let after = period
                .after
                .map_or((i64::MIN, 0), |(at, id)| (at.millis(), id.get()));
            Query::new(
                "SELECT id, body FROM pay_entries WHERE courier = $1 AND at >= $2 AND at < $3 AND (at, id) > ($4, $5) \
                 ORDER BY at, id LIMIT $6",
                vec![
                    courier,
                    period.from.into(),
                    period.until.into(),
                    after.0.into(),
                    Value::number(after.1),
                    Value::number(limit),
                ],
            )
        }
    }
}

/// Decodes a row of `id, body`.
pub(crate) fn to_entry(row: &mut Row) -> Result<RecordedPayEntry, HostError> {
    Ok(RecordedPayEntry {
        id: identifier(row.integer()?, PayEntryId::new)?,
        entry: row.json()?,
    })
}

pub(crate) fn entry(entry: &PayEntry) -> Result<Statement, HostError> {
    let params = vec![
        Value::number(entry.courier.get()),
        entry.payer.map(|store| Value::number(store.get())).into(),
        entry.kind.name().into(),
        entry.amount.centavos().into(),
        entry.at.into(),
        entry.order.map(|order| Value::number(order.get())).into(),
        entry.unique_key().into(),
        Value::json(entry)?,
    ];
    let sql = "INSERT INTO pay_entries (courier, payer, kind, amount, at, order_id, unique_key, body) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING";
    Ok(Statement::one(sql, params))
}
