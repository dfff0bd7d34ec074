//! `GET /delivery/cash/entries`

use super::access::notes;
use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::stores::access::named_or_removed,
        operation::Operation,
        paging,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::{CashEntryQuery, CashFilter, Host},
    model::{CourierId, EntryId, cash::CashKind},
    wire::{CashEntryList, CashEntryView},
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "GET /delivery/cash/entries")
    .owner()
    .heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Cash",
    id: "listCashEntries",
    summary: "List the cash ledger",
    description: "Returns the entries of the calling store's cash ledger, newest first. A parent \
        store reads a branch's ledger with `storeId`, even after the branch was removed. A \
        difference has what was counted in `closing`, and the newest reason that was sent.",
    responses: &[(200, Some("CashEntryList"), "A page of entries.")],
    parameters: &[
        "storeIdOfCash",
        "courierIdOfCash",
        "cashPeriod",
        "cashType",
        "from",
        "to",
        "cursor",
        "limit",
    ],
    codes: &[ProblemCode::StoreNotFound, ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let store = named_or_removed(call).await?;
    let all = CashFilter::default();
    let period = |text: &str| text.parse().ok().filter(|period| *period > 0);
    let filter = CashFilter {
        store: Some(store.id),
        courier: courier(call)?,
        period: paging::parameter(call, "period", period, || {
            paging::invalid_parameter(
                "period",
                "Invalid `period`. Send an integer of 1 or more.",
                "`period` inválido. Envie um número inteiro a partir de 1.",
            )
        })?,
        kind: paging::parameter(call, "type", CashKind::from_name, || {
            let names = CashKind::ALL.map(CashKind::name).join(", ");
            paging::invalid_parameter(
                "type",
                format!("Invalid `type`. Send one of {names}."),
                format!("`type` inválido. Envie um de {names}."),
            )
        })?,
        from: paging::instant(call, "from")?.unwrap_or(all.from),
        until: paging::instant(call, "to")?.unwrap_or(all.until),
        ..all
    };
    entries(call, filter).await
}

/// Reads `courierId=`.
pub(super) fn courier<H: Host>(call: &Call<'_, H>) -> Result<Option<CourierId>, HandlerError> {
    let courier = paging::parameter(call, "courierId", CourierId::parse, || {
        paging::invalid_parameter(
            "courierId",
            "Invalid `courierId`. Send the ID of a courier.",
            "`courierId` inválido. Envie o ID de um entregador.",
        )
    });
    Ok(courier?)
}

/// Responds with a page of entries.
pub(super) async fn entries<H: Host>(
    call: &Call<'_, H>,
    filter: CashFilter,
) -> Result<ApiResponse, HandlerError> {
    let limit = paging::limit(call)?;
    let before = paging::cursor(call, EntryId::parse)?;
    let filter = CashFilter { before, ..filter };
    let query = CashEntryQuery::Matching(&filter, limit + 1);
    let mut page = call.host.cash_entries(query).await?;
    let next_cursor = paging::truncate(&mut page, limit, |last| last.id.to_string());
    let notes = notes(call, &page).await?;
    let entries = page.iter().map(|one| CashEntryView::of(one, &notes));
    Ok(ApiResponse::json(
        200,
        &CashEntryList {
            entries: entries.collect(),
            next_cursor,
        },
    )?)
}
