//! `PATCH /admin/stores/{storeId}`. The branches of a parent store follow in commits of
//! their own, before the store, so that a repetition completes them after a failure.

use super::{access::in_path, admin_list::PAGE};
use crate::{
    api::{
        call::{Call, HandlerError, plain},
        operation::{Operation, RequestBody},
        problem::{FieldError, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    changes::{Changes, Write},
    host::{Host, StoreQuery},
    model::{Text, store::Store},
    rules::stores,
    wire::OperatorStore,
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "PATCH /admin/stores/{storeId}")
    .leaves(Lasting::Nothing)
    .audit("store.operator-settings-set", Subject::Store)
    .heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "alterStore",
    summary: "Disable a store or change its minimum balance",
    description: "The keys, sessions and logins of a disabled store and of its branches get 403 \
        `store_disabled`. Its open orders continue. `prepaidFloor` changes the minimum balance of \
        a prepaid parent store and its branches. If the request fails, some branches can already \
        be changed: repeat it.",
    request: RequestBody::Required("AlterStore"),
    responses: &[(200, Some("OperatorStore"), "The store.")],
    parameters: &["storeId"],
    codes: &[ProblemCode::StoreNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let store = in_path(call).await?;
    let change = validate::altered_store(call.read()?)?;
    let now = call.context.now;
    let Some(changed) = stores::alter(&store, change, now) else {
        let error = FieldError {
            pointer: "/prepaidFloor".to_owned(),
            code: "out_of_range",
            detail: Text::new(
                "Only a prepaid parent store has a minimum balance. Omit prepaidFloor.",
                "Somente uma loja matriz pré-paga tem saldo mínimo. Não envie prepaidFloor.",
            ),
        };
        return Err(plain(ProblemCode::ValidationFailed)
            .with_errors(vec![error])
            .into());
    };
    let mut after = None;
    while store.is_parent() {
        let query = StoreQuery::WithBranches {
            store: store.id,
            after,
            limit: PAGE,
        };
        let page = call.host.find_stores(query).await?;
        let stores: Vec<Write<Store>> = page
            .iter()
            .filter_map(|branch| stores::follow_parent(branch, &changed))
            .collect();
        if !stores.is_empty() {
            call.host
                .commit(&Changes {
                    at: now,
                    stores,
                    ..Changes::default()
                })
                .await?;
        }
        after = page.last().map(|last| last.id);
        if page.len() < PAGE as usize {
            break;
        }
    }
    let (changed, changes) = stores::replace(changed, now);
    let response = ApiResponse::json(200, &OperatorStore::of(&changed))?;
    call.commit(changes, &response).await?;
    Ok(response)
}
