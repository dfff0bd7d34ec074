//! Pages of lists: how many entries, from where on, and whether more follow.

use crate::{
    api::{
        call::Call,
        problem::{Code, Problem},
    },
    host::Host,
};

const PAGE: u32 = 50;
const LARGEST_PAGE: u32 = 100;

/// Entries of a page. One more is to be asked for, to know whether another page follows.
pub(super) fn limit<H: Host>(call: &Call<'_, H>) -> Result<u32, Problem> {
    let Some(text) = call.query("limit") else { return Ok(PAGE) };
    text.parse().ok().filter(|limit| (1..=LARGEST_PAGE).contains(limit)).ok_or_else(|| {
        let en = format!("`limit` must be a whole number from 1 to {LARGEST_PAGE}.");
        let pt = format!("`limit` deve ser um número inteiro de 1 a {LARGEST_PAGE}.");
        Problem::new(Code::ValidationFailed, en, pt)
    })
}

/// Where the page begins: `nextCursor` of the page before; `None` for the first page.
pub(super) fn cursor<H: Host, T>(call: &Call<'_, H>, parse: fn(&str) -> Option<T>) -> Result<Option<T>, Problem> {
    let Some(text) = call.query("cursor") else { return Ok(None) };
    parse(&text).map(Some).ok_or_else(|| {
        let en = "`cursor` must be the `nextCursor` of the page before.";
        Problem::new(Code::ValidationFailed, en, "`cursor` deve ser o `nextCursor` da página anterior.")
    })
}

/// Cuts what was read to the page, and gives its last entry where another page follows.
pub(super) fn cut<T>(entries: &mut Vec<T>, limit: u32) -> Option<&T> {
    let more = entries.len() > limit as usize;
    entries.truncate(limit as usize);
    entries.last().filter(|_| more)
}
