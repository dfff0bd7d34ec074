//! `GET /admin/cash/differences`

use super::{access::notes, entries::courier};
use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::stores::access::{unknown_store, with_removed},
        operation::Operation,
        paging,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::{CashEntryQuery, CashFilter, CourierQuery, Host, StoreQuery},
    model::{CourierId, EntryId, StoreId},
    wire::{CashEntryList, CashEntryView},
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "GET /admin/cash/differences").heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "listDifferences",
    summary: "List differences of cash",
    description: "Returns the closings of couriers' cash whose counted amount differs from the \
        expected one, newest first, of all stores or of one. A difference without a `reason` was \
        not explained yet.",
    responses: &[(200, Some("CashEntryList"), "A page of differences.")],
    parameters: &["storeIdOfDifferences", "courierIdOfCash", "cursor", "limit"],
    codes: &[ProblemCode::StoreNotFound, ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let store = match call.query("storeId") {
        Some(text) => Some(
            with_removed(call, &text)
                .await?
                .ok_or_else(unknown_store)?
                .id,
        ),
        None => None,
    };
    let limit = paging::limit(call)?;
    let filter = CashFilter {
        store,
        courier: courier(call)?,
        differs: true,
        before: paging::cursor(call, EntryId::parse)?,
        ..CashFilter::default()
    };
    let query = CashEntryQuery::Matching(&filter, limit + 1);
    let mut page = call.host.cash_entries(query).await?;
    let next_cursor = paging::truncate(&mut page, limit, |last| last.id.to_string());
    let notes = notes(call, &page).await?;
    let couriers: Vec<CourierId> = page.iter().map(|one| one.entry.courier).collect();
    let couriers = call
        .host
        .find_couriers(CourierQuery::Ids(&couriers))
        .await?;
    let stores: Vec<StoreId> = page.iter().map(|one| one.entry.store).collect();
    let stores = call.host.find_stores(StoreQuery::Ids(&stores)).await?;
    let entries = page.iter().map(|one| {
        let courier = couriers.iter().find(|other| other.id == one.entry.courier);
        let store = stores.iter().find(|other| other.id == one.entry.store);
        CashEntryView::of(one, &notes).named(
            courier.map(|courier| courier.name.clone()),
            store.map(|store| store.name.clone()),
        )
    });
    Ok(ApiResponse::json(
        200,
        &CashEntryList {
            entries: entries.collect(),
            next_cursor,
        },
    )?)
}
