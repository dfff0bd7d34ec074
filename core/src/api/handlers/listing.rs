//! Lists orders and stores, and removes branches.

use super::{
    life::store_names,
    pages::{cursor, instant, invalid_parameter, limit, parameter, respond, unknown_store},
    stores::overseen,
    tracking,
};
use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError},
        problem::{Problem, ProblemCode},
        routes::Endpoint,
    },
    changes::Changes,
    drivers::clock,
    host::{Host, OrderQuery, StoreQuery, UserQuery},
    model::{
        OrderId, SearchWords, StoreId,
        order::{Order, OrderFilter, OrderStatus},
        store::Store,
    },
    rules::{accounts, stores},
    wire::{ListedOrder, OrderList, StoreList, StoreView},
};

/// Handles the list of orders or of stores.
pub(super) async fn list<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, HandlerError> {
    match endpoint {
        Endpoint::ListOrders => {
            let all = OrderFilter::of(&call.caller()?.store);
            orders(call, all, false).await
        }
        Endpoint::AdminListOrders => {
            let all = any_stores(call)
                .await?
                .map_or_else(OrderFilter::all, |store| OrderFilter::of(&store));
            orders(call, all, true).await
        }
        _ => stores(call).await,
    }
}

/// Returns the store in the operator's query, or `None` for all stores.
pub(super) async fn any_stores<H: Host>(call: &Call<'_, H>) -> Result<Option<Store>, HandlerError> {
    let Some(text) = call.query("storeId") else {
        return Ok(None);
    };
    let store = match StoreId::parse(&text) {
        Some(id) => call.host.store(id).await?,
        None => None,
    };
    store.map(Some).ok_or_else(|| unknown_store().into())
}

/// `GET /delivery/orders?situation=&code=&q=&late=&open=&from=&to=&cursor=&limit=`, and with
/// `storeId=` and stores' names `GET /admin/orders`
async fn orders<H: Host>(
    call: &Call<'_, H>,
    all: OrderFilter,
    with_names: bool,
) -> Result<ApiResponse, HandlerError> {
    let (page, limit, more) = page(call, all).await?;
    let stores: Vec<StoreId> = page
        .iter()
        .filter(|_| with_names)
        .map(|order| order.store)
        .collect();
    let names = store_names(call, &stores).await?;
    let cursor = |order: &Order| order.id.to_string();
    let listed = |order: &Order| {
        let mut listed = ListedOrder::of(order, call.language);
        tracking::add_links(call.settings, &mut listed.order, order);
        listed.store_name = names
            .iter()
            .find(|(id, _)| *id == order.store)
            .map(|(_, name)| name.clone());
        listed
    };
    let view = |orders: &[Order], next_cursor| OrderList {
        orders: orders.iter().map(listed).collect(),
        next_cursor,
    };
    Ok(respond(page, limit, more, cursor, view)?)
}

/// Reads a page of the orders that match `all` and the query, the limit, and whether there are more
/// orders.
async fn page<H: Host>(
    call: &Call<'_, H>,
    all: OrderFilter,
) -> Result<(Vec<Order>, u32, bool), HandlerError> {
    let limit = limit(call)?;
    let filter = filter(call, all)?;
    let page = call
        .host
        .find_orders(OrderQuery::Matching(&filter, limit + 1))
        .await?;
    // A host may return fewer orders than requested if they are large.
    let more = match page.last() {
        Some(last) if page.len() <= limit as usize => {
            let rest = OrderFilter {
                before: Some(last.id),
                ..filter
            };
            !call
                .host
                .find_orders(OrderQuery::Matching(&rest, 1))
                .await?
                .is_empty()
        }
        _ => false,
    };
    Ok((page, limit, more))
}

/// Reads `q=`.
pub(super) fn search<H: Host>(call: &Call<'_, H>) -> Result<Option<SearchWords>, Problem> {
    parameter(call, "q", SearchWords::parse, || {
        invalid_parameter(
            "q",
            "Invalid `q`. Send 2 to 60 characters with at most 6 words of letters and digits.",
            "`q` inválido. Envie de 2 a 60 caracteres, com no máximo 6 palavras de letras e dígitos.",
        )
    })
}

/// Adds the conditions in the query to a filter.
fn filter<H: Host>(call: &Call<'_, H>, all: OrderFilter) -> Result<OrderFilter, Problem> {
    let status = parameter(
        call,
        "situation",
        |text| OrderStatus::from_number(text.parse().ok()?),
        || {
            invalid_parameter(
                "situation",
                "Invalid `situation`. Send the number of an order's situation, such as 300.",
                "`situation` inválida. Envie o número da situação de um pedido, como 300.",
            )
        },
    )?;
    let search = search(call)?;
    let flag = |name| {
        parameter(
            call,
            name,
            |text| text.parse().ok(),
            || {
                invalid_parameter(
                    name,
                    format!("Invalid `{name}`. Send true or false."),
                    format!("`{name}` inválido. Envie true ou false."),
                )
            },
        )
    };
    let (late, open) = (flag("late")?, flag("open")?);
    let (min, max) = status.map_or(all.statuses, |one| (one.number(), one.number()));
    Ok(OrderFilter {
        statuses: (
            min,
            if open == Some(true) {
                max.min(OrderFilter::LAST_OPEN)
            } else {
                max
            },
        ),
        code: call.query("code").map(|code| code.trim().to_owned()),
        from: instant(call, "from")?.unwrap_or(all.from),
        until: instant(call, "to")?.unwrap_or(all.until),
        before: cursor(call, OrderId::parse)?,
        late_at: late.filter(|late| *late).map(|_| call.context.now),
        search,
        ..all
    })
}

/// `GET /delivery/stores?cursor=&limit=`
async fn stores<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (store, role) = (call.caller()?.store.id, call.caller()?.key.role());
    let (limit, after) = (limit(call)?, cursor(call, StoreId::parse)?);
    let page = call
        .host
        .find_stores(StoreQuery::WithBranches {
            store,
            after,
            limit: limit + 1,
        })
        .await?;
    let cursor = |store: &Store| store.id.to_string();
    let view = |stores: &[Store], next_cursor| StoreList {
        stores: stores
            .iter()
            .map(|store| StoreView::of(store, role))
            .collect(),
        next_cursor,
    };
    Ok(respond(page, limit, false, cursor, view)?)
}

/// `DELETE /delivery/stores/{storeId}`
pub(super) async fn remove<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let caller = call.caller()?.store.clone();
    if !caller.is_parent() {
        return Err(Problem::new(
            ProblemCode::MatrixRequired,
            "Only a parent store can remove branches. Use the parent store's key.",
            "Somente uma loja matriz pode remover filiais. Use a chave da matriz.",
        )
        .into());
    }
    let store = overseen(call).await?;
    if store.id == caller.id {
        return Err(Problem::new(
            ProblemCode::StoreNotAllowed,
            "A parent store cannot remove itself. Contact the operator.",
            "Uma loja matriz não pode remover a si mesma. Fale com o operador.",
        )
        .into());
    }
    reject_open_orders(call, &store).await?;
    let response = ApiResponse::empty(204);
    // A concurrent order or money movement of the branch conflicts with this commit.
    let now = call.context.now;
    let users = call.host.find_users(UserQuery::Store(store.id)).await?;
    let users = users
        .into_iter()
        .map(|user| accounts::removed(user, now))
        .collect();
    call.commit(
        Changes {
            users,
            ..stores::remove(&store, caller.id, now)
        },
        &response,
    )
    .await?;
    Ok(response)
}

/// Returns a problem if the store has open orders. Hosts without a scheduler first end the orders
/// whose time is over here.
async fn reject_open_orders<H: Host>(
    call: &Call<'_, H>,
    store: &Store,
) -> Result<(), HandlerError> {
    loop {
        let open = call
            .host
            .find_orders(OrderQuery::Matching(&OrderFilter::open(store.id), 50))
            .await?;
        if open.is_empty() {
            return Ok(());
        }
        for order in open {
            let order = clock::advance(call.host, call.settings, order, call.context.now).await?;
            if !order.status.is_final() {
                let id = order.id;
                return Err(Problem::new(
                    ProblemCode::OpenOrders,
                    format!(
                        "Order {id} of this store has not ended. Cancel it, or wait until it ends."
                    ),
                    format!(
                        "O pedido {id} desta loja não terminou. Cancele-o ou aguarde o término."
                    ),
                )
                .into());
            }
        }
    }
}
