//! Access to the cash of a store's couriers.

use crate::{
    api::{
        call::{Call, HandlerError, plain},
        problem::{FieldError, Problem, ProblemCode},
    },
    drivers::trips,
    host::{CashBalanceQuery, CashEntryQuery, Host},
    model::{
        CourierId, EntryId, Money, StoreId,
        cash::{CashBalance, CashKind, RecordedCash},
        courier::Courier,
        order::Order,
        store::Role,
    },
    rules::cash::has_worked_for,
    wire::{CashRow, CashRowParts},
};

/// A courier with the cash for a store.
pub(super) struct Carrying {
    pub courier: Courier,
    pub balance: CashBalance,
    pub trip: Vec<Order>,
}

/// Loads a courier who has worked for a store, with the cash for it. Other couriers do not exist
/// for a store.
pub(super) async fn carrying<H: Host>(
    call: &Call<'_, H>,
    store: StoreId,
    id: Option<CourierId>,
) -> Result<Carrying, HandlerError> {
    let unknown = || HandlerError::from(plain(ProblemCode::CourierNotFound));
    let id = id.ok_or_else(unknown)?;
    let courier = call.host.courier(id).await?.ok_or_else(unknown)?;
    let query = CashBalanceQuery::Of(&[id], store);
    let balance = call.host.cash_balances(query).await?.pop();
    let trip = trips::trip_orders(call.host, &courier).await?;
    if balance.is_none() && !has_worked_for(&courier, store, &trip) {
        return Err(unknown());
    }
    Ok(Carrying {
        balance: balance.unwrap_or_else(|| CashBalance::new(id, store)),
        courier,
        trip,
    })
}

/// Points an unknown courier to the field of the body that names it.
pub(super) fn in_body(error: HandlerError) -> HandlerError {
    match error {
        HandlerError::Problem(problem) if problem.code == ProblemCode::CourierNotFound => {
            let error = FieldError {
                pointer: "/courierId".to_owned(),
                code: "unknown_value",
                detail: problem.detail.clone(),
            };
            problem.with_errors(vec![error]).into()
        }
        error => error,
    }
}

/// Builds the row of a courier. A clerk counts blindly, and does not see what is expected. The
/// owner does, who has to answer for the money and can also read every entry.
pub(super) fn row<H: Host>(
    call: &Call<'_, H>,
    courier: &Courier,
    balance: &CashBalance,
    trip: &[Order],
) -> Result<CashRow, Problem> {
    let (open_deliveries, due) = open(trip, balance.store);
    let sees_expected = call.caller()?.key.role() == Role::Owner;
    let parts = CashRowParts {
        name: courier.name.clone(),
        open_deliveries,
        due,
        sees_expected,
    };
    Ok(CashRow::of(balance, parts))
}

/// Returns the number of a store's deliveries on a trip that are not handed over, and what they pay
/// in cash.
pub(super) fn open(trip: &[Order], store: StoreId) -> (u32, Money) {
    let orders = || trip.iter().filter(|order| order.store == store);
    let deliveries = orders().flat_map(|order| &order.deliveries);
    let open = deliveries.filter(|delivery| !delivery.status.is_final());
    (
        u32::try_from(open.count()).unwrap_or(u32::MAX),
        orders().map(Order::cash_due).sum(),
    )
}

/// Reads the notes about the differences among these entries.
pub(super) async fn notes<H: Host>(
    call: &Call<'_, H>,
    page: &[RecordedCash],
) -> Result<Vec<RecordedCash>, HandlerError> {
    let differences = page
        .iter()
        .filter(|one| one.entry.kind == CashKind::Difference);
    let ids: Vec<EntryId> = differences.map(|one| one.id).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    Ok(call.host.cash_entries(CashEntryQuery::Notes(&ids)).await?)
}
