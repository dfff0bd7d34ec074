//! Floats and handovers.

use super::access::{Carrying, carrying, row};
use crate::{
    api::{
        audit,
        call::{Call, HandlerError},
        endpoints::stores::access::named_or_removed,
        response::ApiResponse,
    },
    host::{Host, HostError},
    model::{CourierId, cash::CashKind},
    rules::cash::{self, CashMove},
};

/// Books an amount of the courier in the path, and responds with the row.
pub(super) async fn book<H: Host>(
    call: &mut Call<'_, H>,
    kind: CashKind,
    moved: &CashMove,
) -> Result<ApiResponse, HandlerError> {
    let store = named_or_removed(call).await?;
    let Carrying {
        courier,
        balance,
        trip,
    } = carrying(call, store.id, CourierId::parse(call.id)).await?;
    let (by, now) = (audit::login(call.caller()?), call.context.now);
    let changes = cash::book(kind, (courier.id, store.id), moved, by, now);
    let after = changes
        .cash
        .iter()
        .try_fold(balance, |balance, entry| balance.after(entry));
    let after = after.ok_or(HostError::Conflict)?;
    let response = ApiResponse::json(201, &row(call, &courier, &after, &trip)?)?;
    call.commit(changes, &response).await?;
    Ok(response)
}
