//! `POST /admin/stores/{storeId}/top-ups`

use crate::{
    api::{
        call::{Call, HandlerError, plain},
        endpoints::stores::access::in_path,
        operation::{Operation, RequestBody},
        problem::{FieldError, Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    changes::{Changes, Write},
    host::{Host, HostError, StatementQuery},
    model::{
        Text, Timestamp,
        store::{Store, TopUp},
    },
    rules::{
        stores,
        top_ups::{TopUpMatch, confirm_top_up},
    },
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
        returns 409. A payment that fulfils a request of the store has the `txid` of the request as \
        `reference`, or another reference and this `txid`; the request is then `CONFIRMED`.",
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
    codes: &[
        ProblemCode::StoreNotFound,
        ProblemCode::ReferenceConflict,
        ProblemCode::ValidationFailed,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (amount, reference, txid) = validate::top_up(call.read()?)?;
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
    let stores = fulfilled(&store, txid.as_deref(), &reference, at)?;
    let changes = Changes {
        at,
        stores,
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

/// Returns the write of the store whose request a payment fulfils.
fn fulfilled(
    store: &Store,
    txid: Option<&str>,
    reference: &str,
    at: Timestamp,
) -> Result<Vec<Write<Store>>, Problem> {
    match (confirm_top_up(store, txid.unwrap_or(reference), at), txid) {
        (TopUpMatch::None, None) => Ok(Vec::new()),
        (TopUpMatch::None, Some(_)) => {
            let detail = Text::new(
                "The store has no request with this txid. Check it, or omit it.",
                "A loja não tem um pedido de recarga com este txid. Confira-o ou não o envie.",
            );
            let error = FieldError {
                pointer: "/txid".to_owned(),
                code: "unknown_value",
                detail,
            };
            Err(plain(ProblemCode::ValidationFailed).with_errors(vec![error]))
        }
        (TopUpMatch::ConfirmedBefore, _) => Err(Problem::new(
            ProblemCode::ReferenceConflict,
            "This request for a top-up was confirmed before. Book a second payment with a reference of its own.",
            "Este pedido de recarga já foi confirmado. Lance um segundo pagamento com uma referência própria.",
        )),
        (TopUpMatch::Confirms(top_ups), _) => {
            let changed = Store {
                top_ups,
                ..store.clone()
            };
            Ok(stores::replace(changed, at).1.stores)
        }
    }
}
