//! Stored personal data: queries for it, and the statements that erase it.

use despacho_core::{
    host::HostError,
    model::{
        Timestamp,
        privacy::{
            ErasureCause, ErasureRecord, PersonalData, PersonalQuery, Redaction, StoredRecord,
        },
        searchable,
        store::Claim,
    },
    rules::erasure::is_about,
};

use crate::{Driver, Query, Row, Statement, Value, outbound, read};

/// Uses the index of words, which has the phones of all recipients that are not erased.
const ORDERS_WITH: &str = "SELECT version, body FROM orders WHERE id IN (SELECT rowid FROM order_words($1)) AND id > $2 \
     ORDER BY id LIMIT $3";

/// Uses the index of ended orders whose recipients are still stored.
const EXPIRED: &str = "SELECT version, body FROM orders WHERE situation >= 500 AND erasure < 2 AND erasure = $1 \
     AND created_at < $2 ORDER BY created_at, id LIMIT $3";

/// Uses the index of ended orders with proofs.
const WITH_PROOFS: &str = "SELECT version, body FROM orders WHERE situation >= 500 AND proofs = 1 \
     AND created_at < $1 ORDER BY created_at, id LIMIT $2";

const MESSAGES_ABOUT: &str = "SELECT webhook_messages.body FROM webhooks \
     JOIN webhook_messages ON webhook_messages.webhook = webhooks.id \
     WHERE webhooks.matrix = COALESCE((SELECT stores.matrix FROM stores WHERE stores.id = $1), $1) \
     AND webhook_messages.body LIKE $2";

const ATTEMPTS_ABOUT: &str = "SELECT webhook_attempts.id, webhook_attempts.body FROM webhooks \
     JOIN webhook_attempts ON webhook_attempts.webhook = webhooks.id \
     WHERE webhooks.matrix = COALESCE((SELECT stores.matrix FROM stores WHERE stores.id = $1), $1) \
     AND webhook_attempts.body LIKE $2";

const WEBHOOKS_ABOUT: &str = "SELECT version, body FROM webhooks \
     WHERE webhooks.matrix = COALESCE((SELECT stores.matrix FROM stores WHERE stores.id = $1), $1) \
     AND (leased_until > 0 OR EXISTS (SELECT 1 FROM webhook_messages \
     WHERE webhook_messages.webhook = webhooks.id AND webhook_messages.body LIKE $2)) ORDER BY id";

const CLAIMS_AFTER: &str = "SELECT body FROM claims WHERE (scope, idempotency_key) > ($1, $2) \
     ORDER BY scope, idempotency_key LIMIT $3";

const RECORDS: &str = "SELECT id, name, cause, subject, at, orders, deliveries, entries, archived FROM erasures \
     WHERE id < $1 ORDER BY id DESC LIMIT $2";

const PUT_RECORD: &str = "INSERT INTO erasures (name, cause, subject, at, orders, deliveries, entries, archived) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (name) DO UPDATE SET at = excluded.at, \
     orders = erasures.orders + excluded.orders, deliveries = erasures.deliveries + excluded.deliveries, \
     entries = erasures.entries + excluded.entries, archived = erasures.archived + excluded.archived";

/// Checks the time twice, so that a claim that is renewed between the subquery and the deletion
/// stays.
const PURGE_CLAIMS: &str = "DELETE FROM claims WHERE expires_at <= $1 AND (scope, idempotency_key) IN \
     (SELECT scope, idempotency_key FROM claims WHERE expires_at <= $1 ORDER BY expires_at LIMIT 200)";

/// Runs a query.
pub(crate) async fn personal_data<D: Driver>(
    driver: &D,
    query: &PersonalQuery,
) -> Result<PersonalData, HostError> {
    let data = PersonalData::default();
    Ok(match query {
        PersonalQuery::Orders {
            phone,
            after,
            limit,
        } => {
            let word = Value::Text(format!("\"{}\"", searchable(phone.as_str())));
            let params = vec![word, Value::number(*after), Value::number(*limit)];
            PersonalData {
                orders: all(driver, Query::new(ORDERS_WITH, params), read::to_order).await?,
                ..data
            }
        }
        PersonalQuery::Expired {
            erasure,
            before,
            limit,
        } => {
            let params = vec![
                Value::number(erasure.number()),
                (*before).into(),
                Value::number(*limit),
            ];
            PersonalData {
                orders: all(driver, Query::new(EXPIRED, params), read::to_order).await?,
                ..data
            }
        }
        PersonalQuery::Proofs { before, limit } => {
            let params = vec![(*before).into(), Value::number(*limit)];
            PersonalData {
                orders: all(driver, Query::new(WITH_PROOFS, params), read::to_order).await?,
                ..data
            }
        }
        PersonalQuery::Outbound { order, store } => {
            let params = || {
                vec![
                    Value::number(store.get()),
                    containing(&format!("\"order\":{order},")),
                ]
            };
            let mut messages: Vec<despacho_core::model::webhook::Message> =
                all(driver, Query::new(MESSAGES_ABOUT, params()), Row::json).await?;
            messages.retain(|message| is_about(&message.subject, *order));
            let mut attempts = all(
                driver,
                Query::new(ATTEMPTS_ABOUT, params()),
                outbound::to_attempt,
            )
            .await?;
            attempts.retain(|recorded| is_about(&recorded.attempt.subject, *order));
            let webhooks = all(
                driver,
                Query::new(WEBHOOKS_ABOUT, params()),
                outbound::to_webhook,
            )
            .await?;
            PersonalData {
                messages,
                attempts,
                webhooks,
                ..data
            }
        }
        PersonalQuery::Mentions(phone) => {
            let sql = "SELECT body FROM notifications WHERE body LIKE $1 ORDER BY id";
            let query = Query::new(sql, vec![containing(phone.as_str())]);
            PersonalData {
                notifications: all(driver, query, read::to_notification).await?,
                ..data
            }
        }
        PersonalQuery::OldNotifications { limit } => {
            let query = Query::new(
                "SELECT body FROM notifications ORDER BY id LIMIT $1",
                vec![Value::number(*limit)],
            );
            PersonalData {
                notifications: all(driver, query, read::to_notification).await?,
                ..data
            }
        }
        PersonalQuery::Claims { after, limit } => {
            let (scope, key) = after.clone().unwrap_or_default();
            let query = Query::new(
                CLAIMS_AFTER,
                vec![scope.into(), key.into(), Value::number(*limit)],
            );
            PersonalData {
                claims: all(driver, query, read::to_claim).await?,
                ..data
            }
        }
        PersonalQuery::Records { before, limit } => {
            let before = before.map_or(Value::Integer(i64::MAX), Value::number);
            let query = Query::new(RECORDS, vec![before, Value::number(*limit)]);
            PersonalData {
                records: all(driver, query, to_record).await?,
                ..data
            }
        }
    })
}

/// Returns the statement of an erasing write.
pub(crate) fn redaction(redaction: &Redaction) -> Result<Statement, HostError> {
    Ok(match redaction {
        Redaction::Event(recorded) => {
            // An event that was archived meanwhile is a conflict.
            let params = vec![
                Value::json(&recorded.event)?,
                Value::number(recorded.id.get()),
            ];
            Statement::one("UPDATE events SET body = $1 WHERE id = $2", params)
        }
        Redaction::Attempt(recorded) => {
            let params = vec![
                Value::json(&recorded.attempt)?,
                Value::number(recorded.id.get()),
            ];
            Statement::any(
                "UPDATE webhook_attempts SET body = $1 WHERE id = $2",
                params,
            )
        }
        Redaction::Claim(claim) => {
            let sql = "UPDATE claims SET body = $1 WHERE scope = $2 AND idempotency_key = $3 AND holder = $4 \
                       AND expires_at = $5";
            let mut params = vec![Value::json(claim)?];
            params.extend(claim_key(claim));
            Statement::any(sql, params)
        }
        Redaction::RemoveClaim(claim) => {
            let sql = "DELETE FROM claims WHERE scope = $1 AND idempotency_key = $2 AND holder = $3 AND expires_at = $4";
            Statement::any(sql, claim_key(claim).to_vec())
        }
        Redaction::PurgeClaims(before) => purge_claims(*before),
        Redaction::PurgeLinks(before) => {
            let sql = "DELETE FROM tracking_links WHERE hash IN (SELECT hash FROM tracking_links WHERE ends_at < $1 \
                       ORDER BY ends_at LIMIT 1000)";
            Statement::any(sql, vec![(*before).into()])
        }
        Redaction::RemovePositions(before) => Statement::any(
            "DELETE FROM positions WHERE at < $1",
            vec![(*before).into()],
        ),
        Redaction::PurgeAudit(before) => {
            let sql = "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at < $1 ORDER BY at LIMIT 1000)";
            Statement::any(sql, vec![(*before).into()])
        }
        Redaction::PurgeUsers(before) => Statement::any(
            "DELETE FROM users WHERE removed_at < $1",
            vec![(*before).into()],
        ),
        Redaction::RemoveNotification(store, id) => {
            let params = vec![Value::number(store.get()), Value::number(id.get())];
            Statement::any(
                "DELETE FROM notifications WHERE store = $1 AND id = $2",
                params,
            )
        }
        Redaction::Record(record) => {
            let ErasureRecord {
                name,
                cause,
                subject,
                at,
                orders,
                deliveries,
                entries,
                archived,
            } = record;
            let mut params: Vec<Value> = vec![
                name.as_str().into(),
                cause.name().into(),
                subject.clone().into(),
                (*at).into(),
            ];
            params.extend([*orders, *deliveries, *entries, *archived].map(Value::number));
            Statement::one(PUT_RECORD, params)
        }
    })
}

/// Deletes at most 200 expired claims.
pub(crate) fn purge_claims(at: Timestamp) -> Statement {
    Statement::any(PURGE_CLAIMS, vec![at.into()])
}

fn claim_key(claim: &Claim) -> [Value; 4] {
    [
        claim.scope.as_str().into(),
        claim.key.as_str().into(),
        claim.holder.as_str().into(),
        claim.expires_at.into(),
    ]
}

fn containing(text: &str) -> Value {
    Value::Text(format!("%{text}%"))
}

async fn all<D: Driver, T>(
    driver: &D,
    query: Query,
    decode: fn(&mut Row) -> Result<T, HostError>,
) -> Result<Vec<T>, HostError> {
    driver.read(query).await?.iter_mut().map(decode).collect()
}

/// Decodes a row of the columns in [`RECORDS`].
fn to_record(row: &mut Row) -> Result<StoredRecord, HostError> {
    let id = u64::try_from(row.integer()?).unwrap_or_default();
    let (name, cause) = (row.text()?, row.text()?);
    let cause = ErasureCause::from_name(&cause).ok_or_else(|| HostError::Internal {
        detail: format!("reading a row: unknown cause of an erasure: {cause}"),
    })?;
    let record = ErasureRecord {
        name,
        cause,
        subject: row.optional_text()?,
        at: Timestamp::from_millis(row.integer()?),
        orders: row.small()?,
        deliveries: row.small()?,
        entries: row.small()?,
        archived: row.small()?,
    };
    Ok(StoredRecord { id, record })
}
