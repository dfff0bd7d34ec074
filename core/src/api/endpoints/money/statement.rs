//! `GET /delivery/statement`: CSV, or JSON in pages if the caller does not accept CSV.

use http::request::Parts;

use crate::{
    api::{
        call::{Call, HandlerError},
        csv_file::{csv_response, wanted_csv},
        endpoints::stores::access,
        media::wants_csv,
        operation::Operation,
        paging,
        problem::{Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Route},
    },
    geo,
    host::{Host, StatementQuery},
    model::{
        EntryId, Timestamp,
        order::Journal,
        store::{Period, Store},
    },
    wire::{CsvForm, StatementLineView, StatementPage, StoreBalance, statement_csv},
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "GET /delivery/statement")
    .owner()
    .media(&["text/csv", "application/json"])
    .heavy()
    .cost_if(wants_file, STATEMENT_FILE);

pub(crate) const DOC: Operation = Operation {
    tag: "Money",
    id: "getStatement",
    summary: "Read the statement",
    description: "Returns every entry of the store's account with the balance after it, oldest \
        first: as CSV in UTF-8 (RFC 4180) with at most 50,000 entries, or as pages if `Accept` \
        requests JSON. A parent store reads a branch's statement with `storeId`, even after the \
        branch was removed.\n\n`Accept: text/csv; locale=pt-BR` requests the form for people, \
        which spreadsheets in Brazil open in columns: with a byte order mark, semicolons, decimal \
        commas, the store's local times and Portuguese names. Programs should use the other form, \
        which has commas, decimal points, times in UTC and the API's names. In both, a text that a \
        spreadsheet would evaluate as a formula starts with an apostrophe.\n\nA prepaid parent \
        store and its branches share the parent's balance and its floor. The parent's statement \
        has all entries of that balance; a branch's statement has the branch's own entries, with \
        the shared balance after each.",
    responses: &[(200, Some("StatementPage"), "The statement.")],
    parameters: &[
        "from",
        "to",
        "storeIdOfStatement",
        "statementCursor",
        "limit",
    ],
    codes: &[
        ProblemCode::StoreNotFound,
        ProblemCode::ValidationFailed,
        ProblemCode::CursorInvalid,
        ProblemCode::StatementTooLong,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let store = access::named_or_removed(call).await?;
    statement_response(call, &store).await
}

/// A statement in one file has up to [`MAX_CSV_ENTRIES`] entries.
const STATEMENT_FILE: u32 = 60;

/// Maximum number of entries in a statement as CSV.
const MAX_CSV_ENTRIES: u32 = 50_000;

pub(super) async fn statement_response<H: Host>(
    call: &Call<'_, H>,
    store: &Store,
) -> Result<ApiResponse, HandlerError> {
    let from = paging::instant(call, "from")?.unwrap_or_default();
    let until = paging::instant(call, "to")?.unwrap_or(Timestamp::from_millis(i64::MAX));
    // CSV ignores `limit`, but an invalid one is still rejected.
    let limit = paging::limit(call)?;
    match wanted_csv(&call.parts.headers) {
        Some(form) => as_csv(call, store, (from, until), form).await,
        None => in_pages(call, store, (from, until), limit).await,
    }
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
                .ok_or_else(|| paging::invalid_cursor("cursor"))?,
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

fn wants_file(parts: &Parts) -> bool {
    wants_csv(&parts.headers)
}
