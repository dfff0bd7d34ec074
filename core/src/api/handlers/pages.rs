//! Pages of a list: how many entries, and from where on.

use crate::{
    api::{
        call::{Call, plain},
        problem::{Code, Problem},
    },
    domain::Text,
    host::Host,
};

const PAGE: u32 = 50;
const LARGEST_PAGE: u32 = 100;

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
    fault: impl Fn() -> Problem,
) -> Result<Option<T>, Problem> {
    match call.query(name) {
        None => Ok(None),
        Some(text) => parse(&text).map(Some).ok_or_else(fault),
    }
}

/// Cuts what was read one entry further than the page down to the page, and gives the cursor of the next one.
pub(super) fn cut<T>(page: &mut Vec<T>, limit: u32, cursor: impl Fn(&T) -> String) -> Option<String> {
    let more = page.len() > limit as usize;
    page.truncate(limit as usize);
    page.last().filter(|_| more).map(cursor)
}

/// A parameter that cannot be read.
pub(super) fn wrong(en: impl Into<String>, pt: impl Into<String>) -> Problem {
    Problem { detail: Text::new(en, pt), ..plain(Code::ValidationFailed) }
}
