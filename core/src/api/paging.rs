//! Pages of a list: limits and cursors.

use serde::Serialize;

use super::{
    call::{Call, plain},
    problem::{FieldError, Problem, ProblemCode},
    response::ApiResponse,
};
use crate::{
    host::Host,
    model::{Text, Timestamp},
};

const DEFAULT_PAGE: u32 = 50;

const MAX_PAGE: u32 = 100;

/// Maximum bytes of a page. A hundred orders of the maximum size have 27 MB, which the server would
/// hold until a slow client has read them.
const MAX_PAGE_BYTES: usize = 256 * 1024;

/// Reads `limit=`: 1 to 100, by default 50.
pub(super) fn limit<H: Host>(call: &Call<'_, H>) -> Result<u32, Problem> {
    let Some(text) = call.query("limit") else {
        return Ok(DEFAULT_PAGE);
    };
    text.parse()
        .ok()
        .filter(|limit| (1..=MAX_PAGE).contains(limit))
        .ok_or_else(|| {
            invalid_parameter(
                "limit",
                format!("Invalid `limit`. Send an integer from 1 to {MAX_PAGE}."),
                format!("`limit` inválido. Envie um número inteiro de 1 a {MAX_PAGE}."),
            )
        })
}

/// Reads `cursor=`, the `nextCursor` of the previous page.
pub(super) fn cursor<H: Host, T>(
    call: &Call<'_, H>,
    parse: fn(&str) -> Option<T>,
) -> Result<Option<T>, Problem> {
    parameter(call, "cursor", parse, || {
        invalid_parameter(
            "cursor",
            "Invalid `cursor`. Send the `nextCursor` of the previous page.",
            "`cursor` inválido. Envie o `nextCursor` da página anterior.",
        )
    })
}

/// Reads a query parameter with `parse`.
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

/// Truncates a page that was read with one extra entry, and returns the cursor of the next page.
pub(super) fn truncate<T>(
    page: &mut Vec<T>,
    limit: u32,
    cursor: impl Fn(&T) -> String,
) -> Option<String> {
    let more = page.len() > limit as usize;
    page.truncate(limit as usize);
    page.last().filter(|_| more).map(cursor)
}

/// Returns the response with a page of at most `limit` entries and [`MAX_PAGE_BYTES`], but at least
/// one entry, and the cursor of the next page. `more` is whether there are entries after those that
/// were read.
pub(super) fn page_response<T, V: Serialize>(
    mut page: Vec<T>,
    limit: u32,
    more: bool,
    cursor: impl Fn(&T) -> String,
    view: impl Fn(&[T], Option<String>) -> V,
) -> Result<ApiResponse, Problem> {
    let next =
        truncate(&mut page, limit, &cursor).or_else(|| page.last().filter(|_| more).map(&cursor));
    let response = ApiResponse::json(200, &view(&page, next))?;
    if response.body.len() <= MAX_PAGE_BYTES || page.len() <= 1 {
        return Ok(response);
    }
    drop(response);
    let (mut bytes, mut fitting) = (0, 0);
    for entry in &page {
        bytes += ApiResponse::json(200, &view(std::slice::from_ref(entry), None))?
            .body
            .len();
        if bytes > MAX_PAGE_BYTES && fitting > 0 {
            break;
        }
        fitting += 1;
    }
    page.truncate(fitting);
    let next = page.last().map(cursor);
    ApiResponse::json(200, &view(&page, next))
}

/// Returns the problem of an invalid query parameter.
pub(super) fn invalid_parameter(
    name: &str,
    en: impl Into<String>,
    pt: impl Into<String>,
) -> Problem {
    let detail = Text::new(en, pt);
    let errors = vec![FieldError {
        pointer: format!("/{name}"),
        code: "invalid_value",
        detail: detail.clone(),
    }];
    Problem {
        detail,
        ..plain(ProblemCode::ValidationFailed)
    }
    .with_errors(errors)
    .in_query()
}

/// Reads a timestamp from the query.
pub(super) fn instant<H: Host>(
    call: &Call<'_, H>,
    name: &str,
) -> Result<Option<Timestamp>, Problem> {
    let Some(text) = call.query(name) else {
        return Ok(None);
    };
    let at = Timestamp::parse(&text).ok_or_else(|| {
        invalid_parameter(
            name,
            format!("Invalid `{name}`. Send a timestamp in RFC 3339 format, such as 2026-11-01T03:00:00Z."),
            format!("`{name}` inválido. Envie data e horário no formato RFC 3339, como 2026-11-01T03:00:00Z."),
        )
    });
    at.map(Some)
}

/// Returns the problem of a cursor that is not valid for this caller, in this query parameter.
pub(super) fn invalid_cursor(parameter: &str) -> Problem {
    let problem = Problem::new(
        ProblemCode::CursorInvalid,
        "Invalid cursor: it is malformed, belongs to another store or list, or was issued before a backup was restored. Send a cursor \
         from this list, or omit it to start again.",
        "Cursor inválido: está malformado, é de outra loja ou lista, ou foi emitido antes da restauração de um backup. Envie um cursor \
         desta lista ou omita-o para recomeçar.",
    );
    let (pointer, code) = (format!("/{parameter}"), "invalid_cursor");
    let errors = vec![FieldError {
        pointer,
        code,
        detail: problem.detail.clone(),
    }];
    problem.with_errors(errors).in_query()
}
