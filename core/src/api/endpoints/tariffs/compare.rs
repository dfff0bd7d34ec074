//! `POST /admin/tariffs/what-if`

use std::{cmp::Reverse, collections::BTreeMap};

use crate::{
    api::{
        call::{Call, HandlerError, plain},
        endpoints::orders::access::store_names,
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate,
    },
    geo,
    host::{Host, PriceQuery, StoreQuery},
    model::{Duration, StoreId, Zone, order::PricedOrder},
    rules::{
        limits::Usage,
        pricing::{Comparison, FeeSums},
    },
    wire::{FeeComparison, StoreComparison, TariffComparison},
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "POST /admin/tariffs/what-if")
    .quota(Usage::Read)
    .leaves(Lasting::Nothing)
    .heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "compareTariff",
    summary: "Compare a draft with the fees of recent orders",
    description: "Calculates the fees of the orders of the last days by a tariff that is not \
        stored, each at the time of its creation, and returns the sums of each store. Cancelled \
        orders count with their whole fee, and cancelled stops do not count. At most 200,000 \
        orders are compared, newest first.",
    request: RequestBody::Required("CompareTariff"),
    responses: &[(200, Some("TariffComparison"), "The sums.")],
    codes: &[ProblemCode::StoreNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (tariff, days, store) = validate::tariff_comparison(call.read()?)?;
    let store = match store {
        Some(id) => Some(known_store(call, id).await?),
        None => None,
    };
    let until = call.context.now;
    let from = until.before(Duration::minutes(i64::from(days) * 24 * 60));
    let (mut comparison, mut zones, mut partial) = (Comparison::default(), BTreeMap::new(), false);
    let mut query = PriceQuery {
        store,
        before: None,
    };
    while !partial {
        let page = call.host.order_prices(query).await?;
        let orders: Vec<PricedOrder> = page
            .orders
            .into_iter()
            .filter(|order| order.created_at > from && order.created_at <= until)
            .collect();
        load_zones(call, &orders, &mut zones).await?;
        for order in &orders {
            partial = comparison.total.orders >= MAX_ORDERS;
            if partial {
                break;
            }
            comparison.add(&tariff, order, zones.get(&order.store).copied().flatten());
        }
        match page.next {
            Some((entry, at)) if at >= from.before(MAX_DISORDER) => query.before = Some(entry),
            _ => break,
        }
    }
    let stores = listed(call, &comparison).await?;
    let (from, until) = (from.to_string(), until.to_string());
    let total = sums(&comparison.total);
    Ok(ApiResponse::json(
        200,
        &TariffComparison {
            from,
            until,
            total,
            partial,
            stores,
        },
    )?)
}

/// Maximum number of orders that a comparison reads.
const MAX_ORDERS: u32 = 200_000;

/// Maximum number of stores that a comparison lists.
const MAX_STORES: usize = 500;

/// The time by which concurrent commits can swap entries of the ledger.
const MAX_DISORDER: Duration = Duration::minutes(60);

async fn known_store<H: Host>(
    call: &Call<'_, H>,
    id: Option<StoreId>,
) -> Result<StoreId, HandlerError> {
    let store = match id {
        Some(id) => call
            .host
            .find_stores(StoreQuery::IdOrRemoved(id))
            .await?
            .pop(),
        None => None,
    };
    Ok(store.ok_or_else(|| plain(ProblemCode::StoreNotFound))?.id)
}

/// Loads the time zones of stores of orders whose pickup has none.
async fn load_zones<H: Host>(
    call: &Call<'_, H>,
    orders: &[PricedOrder],
    zones: &mut BTreeMap<StoreId, Option<Zone>>,
) -> Result<(), HandlerError> {
    let mut missing: Vec<StoreId> = Vec::new();
    for order in orders
        .iter()
        .filter(|order| geo::zone(&order.locality).is_none() && !zones.contains_key(&order.store))
    {
        if !missing.contains(&order.store) {
            missing.push(order.store);
        }
    }
    if !missing.is_empty() {
        let stores = call.host.find_stores(StoreQuery::Ids(&missing)).await?;
        zones.extend(
            stores
                .iter()
                .map(|store| (store.id, geo::zone(&store.address))),
        );
    }
    Ok(())
}

/// Returns the stores with the largest differences.
async fn listed<H: Host>(
    call: &Call<'_, H>,
    comparison: &Comparison,
) -> Result<Vec<StoreComparison>, HandlerError> {
    let mut stores: Vec<(StoreId, FeeSums)> = comparison
        .stores
        .iter()
        .map(|(id, sums)| (*id, *sums))
        .collect();
    let size = |sums: &FeeSums| (sums.draft.centavos() - sums.current.centavos()).abs();
    stores.sort_unstable_by_key(|(id, sums)| (Reverse(size(sums)), *id));
    stores.truncate(MAX_STORES);
    let ids: Vec<StoreId> = stores.iter().map(|(id, _)| *id).collect();
    let names = store_names(call, &ids).await?;
    let name = |id: StoreId| {
        names
            .iter()
            .find(|(other, _)| *other == id)
            .map(|(_, name)| name.clone())
    };
    let views = stores.iter().map(|(id, fees)| StoreComparison {
        store_id: id.get(),
        store_name: name(*id).unwrap_or_default(),
        fees: sums(fees),
    });
    Ok(views.collect())
}

fn sums(sums: &FeeSums) -> FeeComparison {
    FeeComparison::of(sums.orders, sums.current, sums.draft, sums.out_of_range)
}
