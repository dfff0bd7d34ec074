//! The cash of a courier, by store.

use crate::{
    api::{
        call::{Call, HandlerError},
        paging,
        response::ApiResponse,
    },
    host::{CashBalanceQuery, Host, StoreQuery},
    model::{StoreId, courier::Courier},
    wire::{CourierCash, Reais, StoreCash},
};

/// Responds with a page of the stores whose cash a courier has.
pub(super) async fn balances<H: Host>(
    call: &Call<'_, H>,
    courier: &Courier,
) -> Result<ApiResponse, HandlerError> {
    let limit = paging::limit(call)?;
    let after = paging::cursor(call, StoreId::parse)?;
    let query = CashBalanceQuery::Courier {
        courier: courier.id,
        after,
        limit: limit + 1,
    };
    let mut page = call.host.cash_balances(query).await?;
    let next_cursor = paging::truncate(&mut page, limit, |last| last.store.to_string());
    let ids: Vec<StoreId> = page.iter().map(|one| one.store).collect();
    let stores = call.host.find_stores(StoreQuery::Ids(&ids)).await?;
    let name = |id: StoreId| {
        let store = stores.iter().find(|store| store.id == id);
        store.map(|store| store.name.clone())
    };
    let stores = page.iter().map(|one| StoreCash::of(one, name(one.store)));
    Ok(ApiResponse::json(
        200,
        &CourierCash {
            cash_limit: courier.cash_limit.map(Reais),
            stores: stores.collect(),
            next_cursor,
        },
    )?)
}
