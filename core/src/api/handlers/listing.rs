//! Lists of orders and stores, and the removal of a branch.

use super::pages::{cursor, limit, parameter, respond, wrong};
use crate::{
    api::{
        call::{Answer, Call, Stop, plain},
        problem::{Code, Problem},
    },
    drivers::clock,
    host::{Host, OrderQuery, StoreQuery},
    model::{
        OrderId, StoreId, Timestamp,
        order::{Order, OrderFilter, OrderSituation},
        store::Store,
    },
    rules::stores,
    wire::{ListedOrder, OrderList, StoreList, StoreView},
};

/// `GET /delivery/orders?situation=&code=&from=&to=&cursor=&limit=`
pub(super) async fn orders<H: Host>(call: &mut Call<'_, H>) -> Result<Answer, Stop> {
    let store = call.caller()?.store.clone();
    let limit = limit(call)?;
    let situation = parameter(
        call,
        "situation",
        |text| OrderSituation::from_number(text.parse().ok()?),
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
        situations: situation.map_or(all.situations, |one| (one.number(), one.number())),
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
pub(super) async fn stores<H: Host>(call: &mut Call<'_, H>) -> Result<Answer, Stop> {
    let store = call.caller()?.store.id;
    let (limit, after) = (limit(call)?, cursor(call, StoreId::parse)?);
    let page = call.host.find_stores(StoreQuery::WithBranches { store, after, limit: limit + 1 }).await?;
    let cursor = |store: &Store| store.id.to_string();
    let view =
        |stores: &[Store], next_cursor| StoreList { stores: stores.iter().map(StoreView::of).collect(), next_cursor };
    Ok(respond(page, limit, false, cursor, view)?)
}

/// `DELETE /delivery/stores/{storeId}`
pub(super) async fn remove<H: Host>(call: &mut Call<'_, H>) -> Result<Answer, Stop> {
    let caller = call.caller()?.store.clone();
    if !caller.is_matrix() {
        let en = "Only a matrix removes branches. Send the matrix's key.";
        return Err(Problem::new(
            Code::MatrixRequired,
            en,
            "Somente uma matriz remove filiais. Envie a chave da matriz.",
        )
        .into());
    }
    let store = match StoreId::parse(call.id) {
        Some(id) => call.host.store(id).await?.filter(|store| caller.oversees(store)),
        None => None,
    };
    let store = store.ok_or_else(|| plain(Code::StoreNotFound))?;
    if store.id == caller.id {
        let en = "A matrix does not remove itself. Ask the operator.";
        return Err(
            Problem::new(Code::StoreNotAllowed, en, "Uma matriz não remove a si mesma. Fale com o operador.").into()
        );
    }
    none_open(call, &store).await?;
    let answer = Answer::empty(204);
    // A concurrent order of the branch, or a movement of its money, is a conflict in the commit of one of the two.
    call.commit(stores::remove(&store, caller.id, call.moment.now), &answer).await?;
    Ok(answer)
}

/// Refuses while the store has open orders. Where no scheduler runs, those that time has ended are ended first.
async fn none_open<H: Host>(call: &Call<'_, H>, store: &Store) -> Result<(), Stop> {
    loop {
        let open = call.host.find_orders(OrderQuery::Matching(&OrderFilter::open(store.id), 50)).await?;
        if open.is_empty() {
            return Ok(());
        }
        for order in open {
            let order = clock::advance(call.host, call.settings, order, call.moment.now).await?;
            if !order.situation.is_final() {
                let id = order.id;
                return Err(Problem::new(
                    Code::OpenOrders,
                    format!("Order {id} has not ended. Cancel it, or wait until it has ended."),
                    format!("O pedido {id} não terminou. Cancele-o ou espere até que termine."),
                )
                .into());
            }
        }
    }
}
