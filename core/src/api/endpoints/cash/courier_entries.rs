//! `GET /courier/cash/{storeId}`

use super::entries::entries;
use crate::{
    api::{
        call::{Call, HandlerError, plain},
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::{CashBalanceQuery, CashFilter, Host},
    model::StoreId,
};

pub(crate) const ROUTE: Route = Route::new(Access::Courier, "GET /courier/cash/{storeId}");

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "listCourierCashEntries",
    summary: "List the cash entries of a store",
    description: "Returns the calling courier's entries of the cash ledger for a store, newest \
        first, also of earlier periods.",
    responses: &[(200, Some("CashEntryList"), "A page of entries.")],
    parameters: &["storeId", "cursor", "limit"],
    codes: &[ProblemCode::StoreNotFound, ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let courier = call.courier()?.id;
    let unknown = || plain(ProblemCode::StoreNotFound);
    let store = StoreId::parse(call.id).ok_or_else(unknown)?;
    let query = CashBalanceQuery::Of(&[courier], store);
    if call.host.cash_balances(query).await?.is_empty() {
        return Err(unknown().into());
    }
    let filter = CashFilter {
        store: Some(store),
        courier: Some(courier),
        ..CashFilter::default()
    };
    entries(call, filter).await
}
