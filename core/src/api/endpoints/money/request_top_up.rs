//! `POST /delivery/top-ups`

use crate::{
    api::{
        call::{Call, HandlerError, plain},
        operation::{Operation, RequestBody},
        problem::{Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    host::Host,
    model::store::Store,
    rules::{
        stores,
        top_ups::{TooManyTopUps, request_top_up},
    },
    wire::TopUpRequestView,
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "POST /delivery/top-ups")
    .owner()
    .leaves(Lasting::Nothing)
    .audit("top-up.requested", Subject::Store);

pub(crate) const DOC: Operation = Operation {
    tag: "Money",
    id: "requestTopUp",
    summary: "Request a top-up by Pix",
    description: "Returns a Pix code to the operator for the amount. The code confirms nothing: the \
        request is `PENDING` until the operator finds the payment and books it with \
        `POST /admin/stores/{storeId}/top-ups`. A request of the same amount returns the pending \
        one with 200. After seven days, a request is `EXPIRED`.",
    request: RequestBody::Required("RequestTopUp"),
    responses: &[
        (201, Some("TopUpRequest"), "The new request with its code."),
        (
            200,
            Some("TopUpRequest"),
            "The pending request of this amount. Nothing was changed.",
        ),
    ],
    codes: &[
        ProblemCode::PixUnavailable,
        ProblemCode::TooManyTopUps,
        ProblemCode::ValidationFailed,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (config, now) = (&call.settings.pix, call.context.now);
    let recipient = config.recipient().ok_or_else(unavailable)?;
    let amount = validate::requested_top_up(call.read()?, config.maximum())?;
    let id = call.caller()?.store.id;
    let store = call.host.store(id).await?;
    let store = store.ok_or_else(|| plain(ProblemCode::StoreNotFound))?;
    let (request, changed) = request_top_up(&store, amount, config.pending_top_ups, now)
        .map_err(|TooManyTopUps { max }| too_many(max))?;
    let view = TopUpRequestView::of(&request, id, Some(&recipient), now);
    let Some(top_ups) = changed else {
        return Ok(ApiResponse::json(200, &view)?);
    };
    let (_, changes) = stores::replace(Store { top_ups, ..store }, now);
    let response = ApiResponse::json(201, &view)?;
    call.commit(changes, &response).await?;
    Ok(response)
}

fn unavailable() -> Problem {
    Problem::new(
        ProblemCode::PixUnavailable,
        "The operator receives no payments by Pix here. Ask the operator for a top-up.",
        "O operador não recebe Pix por aqui. Peça a recarga ao operador.",
    )
}

fn too_many(max: u32) -> Problem {
    Problem::new(
        ProblemCode::TooManyTopUps,
        format!(
            "{max} top-ups are pending. Pay one of them, or wait until the operator has booked one."
        ),
        format!(
            "{max} recargas estão pendentes. Pague uma delas ou aguarde o operador lançar uma."
        ),
    )
}
