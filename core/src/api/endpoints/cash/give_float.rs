//! `POST /delivery/couriers/{courierId}/float`

use super::moving::book;
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    host::Host,
    model::cash::CashKind,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Store, "POST /delivery/couriers/{courierId}/float")
        .leaves(Lasting::Nothing)
        .audit("cash.float-given", Subject::Cash);

pub(crate) const DOC: Operation = Operation {
    tag: "Cash",
    id: "giveFloat",
    summary: "Give a courier change",
    description: "Books change that the store gives a courier for the shift. The courier is one who \
        has cash of the store, or has carried or carries an order of it; another is \
        `courier_not_found`. Send an `Idempotency-Key`: a repetition without one is a second float.",
    request: RequestBody::Required("MoveCash"),
    responses: &[(
        201,
        Some("CashRow"),
        "The float was booked. The row of the courier.",
    )],
    parameters: &["courierId", "storeIdOfCash"],
    codes: &[
        ProblemCode::StoreNotFound,
        ProblemCode::CourierNotFound,
        ProblemCode::ValidationFailed,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let moved = validate::cash_float(call.read()?)?;
    book(call, CashKind::Float, &moved).await
}
