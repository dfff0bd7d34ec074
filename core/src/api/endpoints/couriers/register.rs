//! `POST /admin/couriers`

use super::record::{courier_response, status, terms};
use crate::{
    api::{
        call::{Call, HandlerError, too_few},
        confirmation,
        operation::{Link, Operation, RequestBody},
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    host::Host,
    rules::couriers,
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "POST /admin/couriers")
    .leaves(Lasting::Access)
    .audit("courier.created", Subject::Courier);

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "registerCourier",
    summary: "Register a courier",
    description: "`value` is the courier's key; it is returned only once. Send an \
        `Idempotency-Key`: if the response is lost, a retry returns the same key instead of \
        registering the courier twice. Names, phones and `profileId` need not be unique, so the \
        service cannot detect duplicates.",
    request: RequestBody::Required("RegisterCourier"),
    responses: &[(
        201,
        Some("CourierWithKey"),
        "The courier was registered. `value` is the key.",
    )],
    link: Some(Link {
        operation: "getCourier",
        parameter: "courierId",
        field: "id",
        description: "Get the courier.",
    }),
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (new, days) = validate::new_courier(call.read()?)?;
    confirmation::confirm(call).await?;
    let mut ids = call.ids(1).await?;
    let terms = terms(call.settings, days);
    let (courier, nonce, changes) =
        couriers::register(new, terms, &mut ids, &mut call.context).ok_or_else(too_few)?;
    let status = status(call, &courier).await?;
    let response = courier_response(call.settings, 201, (&courier, &status), Some(nonce))?;
    call.commit(changes, &response).await?;
    Ok(response)
}
