//! `DELETE /delivery/stores/{storeId}`

use super::access::overseen;
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        problem::{Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
    },
    changes::Changes,
    drivers::clock,
    host::{Host, OrderQuery, UserQuery},
    model::{order::OrderFilter, store::Store},
    rules::{accounts, stores},
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "DELETE /delivery/stores/{storeId}")
    .owner()
    .leaves(Lasting::Nothing)
    .audit("store.removed", Subject::Store)
    .heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Stores",
    id: "removeStore",
    summary: "Remove a branch",
    description: "Removes a branch of the calling parent store. The branch must have no open \
        orders. Its keys are revoked, and its CNPJ and email can be used again.",
    responses: &[(204, None, "The branch is removed.")],
    parameters: &["storeId"],
    codes: &[
        ProblemCode::MatrixRequired,
        ProblemCode::StoreNotAllowed,
        ProblemCode::StoreNotFound,
        ProblemCode::OpenOrders,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
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
