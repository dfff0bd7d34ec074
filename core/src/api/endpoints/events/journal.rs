//! Positions in the journal of events.

use crate::{
    api::{
        call::{Call, HandlerError},
        paging,
        problem::{Problem, ProblemCode},
    },
    host::Host,
    model::order::Journal,
};

/// Returns the journal position of a cursor. `0` is the first event that was not archived.
pub(super) async fn position<H: Host>(
    call: &Call<'_, H>,
    journal: Journal,
    cursor: &str,
) -> Result<u64, HandlerError> {
    if cursor == "0" {
        return Ok(call.host.journal_span(journal).await?.start);
    }
    Ok(journal
        .position(cursor)
        .ok_or_else(|| paging::invalid_cursor("after"))?)
}

/// Rejects a position outside the journal. Before the start, archived events would be skipped. Past
/// the end, the cursor was issued before a backup was restored, and new events may have lower
/// positions.
pub(super) async fn check_span<H: Host>(
    call: &Call<'_, H>,
    journal: Journal,
    after: u64,
) -> Result<(), HandlerError> {
    let span = call.host.journal_span(journal).await?;
    if after < span.start {
        return Err(archived().into());
    }
    if after == 0 || after <= span.end {
        return Ok(());
    }
    Err(paging::invalid_cursor("after").into())
}

pub(super) fn archived() -> Problem {
    Problem::new(
        ProblemCode::EventsArchived,
        "The operator has archived events after this cursor. Send 0 to continue with the first available event. Read the orders that \
         you track again, and request missing events from the operator.",
        "O operador arquivou eventos posteriores a este cursor. Envie 0 para continuar do primeiro evento disponível. Consulte \
         novamente os pedidos que você acompanha e peça ao operador os eventos que faltam.",
    )
}
