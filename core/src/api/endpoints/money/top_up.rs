//! `POST /admin/stores/{storeId}/top-ups`

use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::stores::access::in_path,
        operation::{Operation, RequestBody},
        problem::{Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    changes::Changes,
    host::{Host, HostError, StatementQuery},
    model::store::TopUp,
    wire::StatementLineView,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Operator, "POST /admin/stores/{storeId}/top-ups")
        .leaves(Lasting::Nothing)
        .audit("top-up", Subject::TopUp);

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "topUpStore",
    summary: "Top up a store",
    description: "Adds a payment to the balance from which the store pays: its own, or its \
        parent's if the parent is prepaid. `reference` makes the request safe to repeat: the same \
        reference with the same amount returns 200 with the existing entry; with another amount it \
        returns 409.",
    request: RequestBody::Required("CreateTopUp"),
    responses: &[
        (201, Some("StatementLine"), "The top-up was booked."),
        (
            200,
            Some("StatementLine"),
            "The top-up already exists. Nothing was changed.",
        ),
    ],
    parameters: &["storeId"],
    codes: &[ProblemCode::StoreNotFound, ProblemCode::ReferenceConflict],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (amount, reference) = validate::top_up(call.read()?)?;
    let store = in_path(call).await?;
    if let Some(existing) = call
        .host
        .statement(store.id, StatementQuery::TopUp(&reference))
        .await?
        .pop()
    {
        if existing.amount != amount {
            return Err(HandlerError::Problem(Problem::new(
                ProblemCode::ReferenceConflict,
                format!(
                    "A top-up of R$ {} already has this reference. Send a new reference.",
                    existing.amount
                ),
                format!(
                    "Uma recarga de R$ {} já tem esta referência. Envie uma nova referência.",
                    existing.amount.in_portuguese()
                ),
            )));
        }
        return Ok(ApiResponse {
            replayed: true,
            ..ApiResponse::json(200, &StatementLineView::of(&existing))?
        });
    }
    let at = call.context.now;
    let changes = TopUp {
        store: store.id,
        amount,
        reference: reference.clone(),
        at,
    };
    let changes = Changes {
        at,
        top_ups: vec![changes],
        ..Changes::default()
    };
    // The commit assigns the entry's ID and balance, so the entry is read afterwards.
    call.host.commit(&call.logged(changes)).await?;
    let line = call
        .host
        .statement(store.id, StatementQuery::TopUp(&reference))
        .await?
        .pop()
        .ok_or(HostError::Conflict)?;
    Ok(ApiResponse::json(201, &StatementLineView::of(&line))?)
}
