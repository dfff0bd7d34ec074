//! Lists of orders and stores, and the removal of a branch.

use super::pages::{cursor, limit, parameter, respond, wrong};
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError, plain},
        problem::{Problem, ProblemCode},
    },
    drivers::clock,
    host::{Host, OrderQuery, StoreQuery},
    model::{
        OrderId, StoreId, Timestamp,
        order::{Order, OrderFilter, OrderStatus},
        store::Store,
    },
    rules::stores,
    wire::{ListedOrder, OrderList, StoreList, StoreView},
};

/// `GET /delivery/orders?status=&code=&from=&to=&cursor=&limit=`
pub(super) async fn orders<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let store = call.caller()?.store.clone();
    let limit = limit(call)?;
    let status = parameter(
        call,
        "situation",
        |text| OrderStatus::from_number(text.parse().ok()?),
        || {
            wrong(
                "`situation` must be an order's situation, such as 300.",
                "`situation` deve ser a situação de um pedido, como 300.",
            )
        },
    )?;
    let time = |name: &'static str| {
        parameter(call, name, Timestamp::parse, move || {
            wrong(
                format!("`{name}` must be a time such as 2026-11-21T14:30:00Z."),
                format!("`{name}` deve ser um instante como 2026-11-21T14:30:00Z."),
            )
        })
    };
    let all = OrderFilter::of(&store);
    let filter = OrderFilter {
        statuses: status.map_or(all.statuses, |one| (one.number(), one.number())),
        code: call.query("code").map(|code| code.trim().to_owned()),
        from: time("from")?.unwrap_or(all.from),
        until: time("to")?.unwrap_or(all.until),
        before: cursor(call, OrderId::parse)?,
        ..all
    };
    let page = call.host.find_orders(OrderQuery::Matching(&filter, limit + 1)).await?;
    // A host returns fewer than there are where they are large.
    let more = match page.last() {
        Some(last) if page.len() <= limit as usize => {
            let rest = OrderFilter { before: Some(last.id), ..filter };
            !call.host.find_orders(OrderQuery::Matching(&rest, 1)).await?.is_empty()
        }
        _ => false,
    };
    let cursor = |order: &Order| order.id.to_string();
    let view =
        |orders: &[Order], next_cursor| OrderList { orders: orders.iter().map(ListedOrder::of).collect(), next_cursor };
    Ok(respond(page, limit, more, cursor, view)?)
}

/// `GET /delivery/stores?cursor=&limit=`
pub(super) async fn stores<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let store = call.caller()?.store.id;
    let (limit, after) = (limit(call)?, cursor(call, StoreId::parse)?);
    let page = call.host.find_stores(StoreQuery::WithBranches { store, after, limit: limit + 1 }).await?;
    let cursor = |store: &Store| store.id.to_string();
    let view =
        |stores: &[Store], next_cursor| StoreList { stores: stores.iter().map(StoreView::of).collect(), next_cursor };
    Ok(respond(page, limit, false, cursor, view)?)
}

/// `DELETE /delivery/stores/{storeId}`
pub(super) async fn remove<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let caller = call.caller()?.store.clone();
    if !caller.is_parent() {
        let en = "Only a matrix removes branches. Send the matrix's key.";
        return Err(Problem::new(
            ProblemCode::MatrixRequired,
            en,
            "Somente uma matriz remove filiais. Envie a chave da matriz.",
        )
        .into());
    }
    let store = match StoreId::parse(call.id) {
        Some(id) => call.host.store(id).await?.filter(|store| caller.oversees(store)),
        None => None,
    };
    let store = store.ok_or_else(|| plain(ProblemCode::StoreNotFound))?;
    if store.id == caller.id {
        let en = "A matrix does not remove itself. Ask the operator.";
        return Err(Problem::new(
            ProblemCode::StoreNotAllowed,
            en,
            "Uma matriz não remove a si mesma. Fale com o operador.",
        )
        .into());
    }
    none_open(call, &store).await?;
    let response = ApiResponse::empty(204);
    // A concurrent order of the branch, or a movement of its money, is a conflict in the commit of one of the two.
    call.commit(stores::remove(&store, caller.id, call.context.now), &response).await?;
    Ok(response)
}

/// Refuses while the store has open orders. Where no scheduler runs, those that time has ended are ended first.
async fn none_open<H: Host>(call: &Call<'_, H>, store: &Store) -> Result<(), HandlerError> {
    loop {
        let open = call.host.find_orders(OrderQuery::Matching(&OrderFilter::open(store.id), 50)).await?;
        if open.is_empty() {
            return Ok(());
        }
        for order in open {
            let order = clock::advance(call.host, call.settings, order, call.context.now).await?;
            if !order.status.is_final() {
                let id = order.id;
                return Err(Problem::new(
                    ProblemCode::OpenOrders,
                    format!("Order {id} has not ended. Cancel it, or wait until it has ended."),
                    format!("O pedido {id} não terminou. Cancele-o ou espere até que termine."),
                )
                .into());
            }
        }
    }
}
