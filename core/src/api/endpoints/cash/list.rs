//! `GET /delivery/cash`

use std::collections::BTreeMap;

use super::access::row;
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
    host::{CashBalanceQuery, CourierQuery, Host, OrderQuery},
    model::{
        CourierId, OrderId,
        cash::CashBalance,
        order::{Order, OrderFilter, OrderStatus},
        store::Store,
    },
    wire::CashList,
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "GET /delivery/cash").heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Cash",
    id: "listCash",
    summary: "List the cash of couriers",
    description: "Returns one row for each courier who has carried cash for the calling store, in \
        the order of their IDs, with the sums since the last closing. The first page also has \
        couriers without cash who carry an order of the store now. A parent store reads a branch's \
        cash with `storeId`, even after the branch was removed.\n\nFor a clerk, `collected` and \
        `inHand` are null: the closing is blind.",
    responses: &[(200, Some("CashList"), "A page of couriers.")],
    parameters: &["storeIdOfCash", "cursor", "limit"],
    codes: &[ProblemCode::StoreNotFound, ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

/// Maximum number of open orders whose couriers are added to the first page.
const MAX_OPEN: u32 = 100;

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let store = named_or_removed(call).await?;
    let limit = paging::limit(call)?;
    let after = paging::cursor(call, CourierId::parse)?;
    let query = CashBalanceQuery::Store {
        store: store.id,
        after,
        limit: limit + 1,
    };
    let mut page = call.host.cash_balances(query).await?;
    let next_cursor = paging::truncate(&mut page, limit, |last| last.courier.to_string());
    if after.is_none() {
        page.extend(new_couriers(call, &store, &page).await?);
    }
    let ids: Vec<CourierId> = page.iter().map(|one| one.courier).collect();
    let couriers = call.host.find_couriers(CourierQuery::Ids(&ids)).await?;
    let carried: Vec<OrderId> = couriers
        .iter()
        .flat_map(|courier| courier.trip.iter().map(|one| one.id))
        .collect();
    let mut trips: BTreeMap<CourierId, Vec<Order>> = BTreeMap::new();
    for order in call.host.find_orders(OrderQuery::Ids(&carried)).await? {
        if let Some(courier) = &order.courier {
            trips.entry(courier.id).or_default().push(order);
        }
    }
    let mut rows = Vec::new();
    for balance in &page {
        if let Some(courier) = couriers.iter().find(|one| one.id == balance.courier) {
            let trip = trips.get(&courier.id).map_or(&[][..], Vec::as_slice);
            rows.push(row(call, courier, balance, trip)?);
        }
    }
    Ok(ApiResponse::json(
        200,
        &CashList {
            couriers: rows,
            next_cursor,
        },
    )?)
}

/// Returns the couriers of a store's open orders who have no balance yet.
async fn new_couriers<H: Host>(
    call: &Call<'_, H>,
    store: &Store,
    page: &[CashBalance],
) -> Result<Vec<CashBalance>, HandlerError> {
    let filter = OrderFilter {
        store: Some(store.id),
        statuses: (OrderStatus::Allocated.number(), OrderFilter::LAST_OPEN),
        ..OrderFilter::all()
    };
    let query = OrderQuery::Matching(&filter, MAX_OPEN);
    let orders = call.host.find_orders(query).await?;
    let couriers = orders.iter().filter_map(|order| order.courier.as_ref());
    let mut ids: Vec<CourierId> = couriers.map(|courier| courier.id).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.retain(|id| page.iter().all(|one| one.courier != *id));
    // Their balances can be on a later page.
    let query = CashBalanceQuery::Of(&ids, store.id);
    let later = call.host.cash_balances(query).await?;
    ids.retain(|id| later.iter().all(|one| one.courier != *id));
    let new = |id| CashBalance::new(id, store.id);
    Ok(ids.into_iter().map(new).collect())
}
