//! Statements, and the operator's top-ups.

use super::{pages, stores::in_path};
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError, plain},
        media::{parameter, wants_csv},
        problem::{Problem, ProblemCode},
        validate,
    },
    changes::Changes,
    geo,
    host::{Host, HostError, StatementQuery, StoreQuery},
    model::{
        EntryId, StoreId, Timestamp,
        order::Journal,
        store::{Period, Store, TopUp},
    },
    wire::{CsvForm, StatementLineView, StatementPage, StoreBalance, statement_csv},
};

/// Maximum number of entries in a statement as CSV.
const MAX_CSV_ENTRIES: u32 = 50_000;

/// `GET /delivery/statement?from=&to=&storeId=`: CSV, or JSON in pages if the caller does not
/// accept CSV.
pub(super) async fn statement<H: Host>(
    call: &mut Call<'_, H>,
) -> Result<ApiResponse, HandlerError> {
    let store = pages::named_or_removed(call).await?;
    statement_response(call, &store).await
}

/// `GET /admin/stores/{storeId}/statement?from=&to=`: any store's statement, for the operator.
pub(super) async fn any_statement<H: Host>(
    call: &mut Call<'_, H>,
) -> Result<ApiResponse, HandlerError> {
    let store = match StoreId::parse(call.id) {
        Some(id) => call
            .host
            .find_stores(StoreQuery::IdOrRemoved(id))
            .await?
            .pop(),
        None => None,
    };
    statement_response(
        call,
        &store.ok_or_else(|| plain(ProblemCode::StoreNotFound))?,
    )
    .await
}

async fn statement_response<H: Host>(
    call: &Call<'_, H>,
    store: &Store,
) -> Result<ApiResponse, HandlerError> {
    let from = pages::instant(call, "from")?.unwrap_or_default();
    let until = pages::instant(call, "to")?.unwrap_or(Timestamp::from_millis(i64::MAX));
    // CSV ignores `limit`, but an invalid one is still rejected.
    let limit = pages::limit(call)?;
    match wanted_csv(&call.parts.headers) {
        Some(form) => as_csv(call, store, (from, until), form).await,
        None => in_pages(call, store, (from, until), limit).await,
    }
}

/// Returns the form of the response as CSV, or `None` for JSON: the caller does not accept CSV, or
/// lists JSON instead.
pub(super) fn wanted_csv(headers: &http::HeaderMap) -> Option<CsvForm> {
    if !wants_csv(headers) {
        return None;
    }
    let is_brazilian = parameter(headers, "text/csv", "locale")
        .is_some_and(|value| value.eq_ignore_ascii_case("pt-BR"));
    Some(if is_brazilian {
        CsvForm::Brazilian
    } else {
        CsvForm::Program
    })
}

/// Returns a file as the response.
pub(super) fn csv_response(
    form: CsvForm,
    file: Result<Vec<u8>, csv::Error>,
) -> Result<ApiResponse, HandlerError> {
    let file = file.map_err(|error| HostError::Internal {
        detail: format!("writing CSV: {error}"),
    })?;
    Ok(ApiResponse {
        media: form.media(),
        ..ApiResponse::of(200, file)
    })
}

async fn as_csv<H: Host>(
    call: &Call<'_, H>,
    store: &Store,
    (from, until): (Timestamp, Timestamp),
    form: CsvForm,
) -> Result<ApiResponse, HandlerError> {
    let period = Period {
        from,
        until,
        after: None,
    };
    let lines = call
        .host
        .statement(
            store.id,
            StatementQuery::Period(period, MAX_CSV_ENTRIES + 1),
        )
        .await?;
    if lines.len() > MAX_CSV_ENTRIES as usize {
        return Err(HandlerError::Problem(Problem::new(
            ProblemCode::StatementTooLong,
            format!(
                "The period has more than {MAX_CSV_ENTRIES} entries. Request a shorter period, or JSON pages."
            ),
            format!(
                "O período tem mais de {MAX_CSV_ENTRIES} lançamentos. Peça um período menor ou páginas em JSON."
            ),
        )));
    }
    call.log("statement.exported", Some(store.id)).await?;
    csv_response(
        form,
        statement_csv(&lines, form, geo::zone(&store.address).unwrap_or_default()),
    )
}

async fn in_pages<H: Host>(
    call: &Call<'_, H>,
    store: &Store,
    (from, until): (Timestamp, Timestamp),
    limit: u32,
) -> Result<ApiResponse, HandlerError> {
    let cursors = Journal {
        merchant: store.id,
        branch: None,
    };
    let after = match call.query("cursor") {
        Some(cursor) => EntryId::new(
            cursors
                .position(&cursor)
                .ok_or_else(|| pages::invalid_cursor("cursor"))?,
        ),
        None => None,
    };
    let mut lines = call
        .host
        .statement(
            store.id,
            StatementQuery::Period(Period { from, until, after }, limit + 1),
        )
        .await?;
    let more = lines.len() > limit as usize;
    lines.truncate(limit as usize);
    let next_cursor = lines
        .last()
        .filter(|_| more)
        .map(|last| cursors.cursor(last.id.get()));
    let balance = StoreBalance::of(store);
    let lines = lines.iter().map(StatementLineView::of).collect();
    Ok(ApiResponse::json(
        200,
        &StatementPage {
            balance,
            lines,
            next_cursor,
        },
    )?)
}

/// `POST /admin/stores/{storeId}/top-ups`
pub(super) async fn top_up<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (amount, reference) = validate::top_up(call.read()?)?;
    let store = in_path(call).await?;
    if let Some(existing) = call
        .host
        .statement(store.id, StatementQuery::TopUp(&reference))
        .await?
        .pop()
    {
        if existing.amount != amount {
            return Err(HandlerError::Problem(Problem::new(
                ProblemCode::ReferenceConflict,
                format!(
                    "A top-up of R$ {} already has this reference. Send a new reference.",
                    existing.amount
                ),
                format!(
                    "Uma recarga de R$ {} já tem esta referência. Envie uma nova referência.",
                    existing.amount.in_portuguese()
                ),
            )));
        }
        return Ok(ApiResponse {
            replayed: true,
            ..ApiResponse::json(200, &StatementLineView::of(&existing))?
        });
    }
    let at = call.context.now;
    let changes = TopUp {
        store: store.id,
        amount,
        reference: reference.clone(),
        at,
    };
    let changes = Changes {
        at,
        top_ups: vec![changes],
        ..Changes::default()
    };
    // The commit assigns the entry's ID and balance, so the entry is read afterwards.
    call.host.commit(&call.logged(changes)).await?;
    let line = call
        .host
        .statement(store.id, StatementQuery::TopUp(&reference))
        .await?
        .pop()
        .ok_or(HostError::Conflict)?;
    Ok(ApiResponse::json(201, &StatementLineView::of(&line))?)
}
