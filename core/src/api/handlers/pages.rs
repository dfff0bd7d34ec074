//! Pages of a list: how many entries, and from where on.

use serde::Serialize;

use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError, plain},
        problem::{Problem, ProblemCode},
    },
    host::{Host, StoreQuery},
    model::{StoreId, Text, Timestamp, store::Store},
};

const PAGE: u32 = 50;
const LARGEST_PAGE: u32 = 100;
/// Bytes of a page: a hundred orders of the largest size would have 27 MB, which the server holds until a slow client has read them.
pub(super) const PAGE_BYTES: usize = 256 * 1024;

/// `limit=`: 1 to 100, 50 where it is absent.
pub(super) fn limit<H: Host>(call: &Call<'_, H>) -> Result<u32, Problem> {
    let Some(text) = call.query("limit") else { return Ok(PAGE) };
    text.parse().ok().filter(|limit| (1..=LARGEST_PAGE).contains(limit)).ok_or_else(|| {
        wrong(
            format!("`limit` must be a whole number from 1 to {LARGEST_PAGE}."),
            format!("`limit` deve ser um número inteiro de 1 a {LARGEST_PAGE}."),
        )
    })
}

/// `cursor=`: what the page before gave.
pub(super) fn cursor<H: Host, T>(call: &Call<'_, H>, parse: fn(&str) -> Option<T>) -> Result<Option<T>, Problem> {
    parameter(call, "cursor", parse, || {
        wrong(
            "`cursor` must be the `nextCursor` of the page before.",
            "`cursor` deve ser o `nextCursor` da página anterior.",
        )
    })
}

/// A parameter of the query as `parse` reads it.
pub(super) fn parameter<H: Host, T>(
    call: &Call<'_, H>,
    name: &str,
    parse: impl Fn(&str) -> Option<T>,
    error: impl Fn() -> Problem,
) -> Result<Option<T>, Problem> {
    match call.query(name) {
        None => Ok(None),
        Some(text) => parse(&text).map(Some).ok_or_else(error),
    }
}

/// Cuts what was read one entry further than the page down to the page, and gives the cursor of the next one.
pub(super) fn cut<T>(page: &mut Vec<T>, limit: u32, cursor: impl Fn(&T) -> String) -> Option<String> {
    let more = page.len() > limit as usize;
    page.truncate(limit as usize);
    page.last().filter(|_| more).map(cursor)
}

/// The response of a list: at most `limit` entries and [`PAGE_BYTES`], but at least one, and the cursor of the rest. `more` says that there
/// are entries behind those that were read.
pub(super) fn respond<T, V: Serialize>(
    mut page: Vec<T>,
    limit: u32,
    more: bool,
    cursor: impl Fn(&T) -> String,
    view: impl Fn(&[T], Option<String>) -> V,
) -> Result<ApiResponse, Problem> {
    let next = cut(&mut page, limit, &cursor).or_else(|| page.last().filter(|_| more).map(&cursor));
    let response = ApiResponse::json(200, &view(&page, next))?;
    if response.body.len() <= PAGE_BYTES || page.len() <= 1 {
        return Ok(response);
    }
    drop(response);
    let (mut bytes, mut fitting) = (0, 0);
    for entry in &page {
        bytes += ApiResponse::json(200, &view(std::slice::from_ref(entry), None))?.body.len();
        if bytes > PAGE_BYTES && fitting > 0 {
            break;
        }
        fitting += 1;
    }
    page.truncate(fitting);
    let next = page.last().map(cursor);
    ApiResponse::json(200, &view(&page, next))
}

/// A parameter that cannot be read.
pub(super) fn wrong(en: impl Into<String>, pt: impl Into<String>) -> Problem {
    Problem { detail: Text::new(en, pt), ..plain(ProblemCode::ValidationFailed) }
}

/// An instant of the query.
pub(super) fn instant<H: Host>(call: &Call<'_, H>, name: &str) -> Result<Option<Timestamp>, Problem> {
    let Some(text) = call.query(name) else { return Ok(None) };
    let at = Timestamp::parse(&text).ok_or_else(|| {
        let en = format!("`{name}` must be an instant such as 2026-11-01T03:00:00Z.");
        Problem::new(
            ProblemCode::ValidationFailed,
            en,
            format!("`{name}` deve ser um instante como 2026-11-01T03:00:00Z."),
        )
    });
    at.map(Some)
}

/// The problem of a cursor that leads nowhere for this caller.
pub(super) fn invalid_cursor() -> Problem {
    Problem::new(
        ProblemCode::CursorInvalid,
        "Send a cursor that this store was given for this list, or none to begin anew. It was made up, belongs to another \
         store, or is older than a restored backup.",
        "Envie um cursor que esta loja recebeu para esta lista, ou nenhum para recomeçar. Ele foi inventado, é de outra loja \
         ou é anterior a um backup restaurado.",
    )
}

/// The store that the query names: the calling one, or one that it oversees.
pub(super) async fn named_store<H: Host>(call: &Call<'_, H>) -> Result<Store, HandlerError> {
    let store = named_or_removed(call).await?;
    if store.deleted_at.is_none() { Ok(store) } else { Err(plain(ProblemCode::StoreNotFound).into()) }
}

/// The same, also if it was removed.
pub(super) async fn named_or_removed<H: Host>(call: &Call<'_, H>) -> Result<Store, HandlerError> {
    let caller = &call.caller()?.store;
    let Some(text) = call.query("storeId") else { return Ok(caller.clone()) };
    let store = match StoreId::parse(&text) {
        Some(id) => {
            call.host.find_stores(StoreQuery::IdOrRemoved(id)).await?.pop().filter(|store| caller.oversees(store))
        }
        None => None,
    };
    store.ok_or_else(|| plain(ProblemCode::StoreNotFound).into())
}
