//! `POST /admin/matrices`

use super::registration::open;
use crate::{
    api::{
        call::{Call, HandlerError},
        confirmation,
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    host::Host,
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "POST /admin/matrices")
    .leaves(Lasting::Access)
    .audit("store.created", Subject::Store)
    .reads_password();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "createMatrix",
    summary: "Create a parent store",
    description: "Creates the first store of a merchant. With `prepaidFloor` the store is prepaid: \
        an order that would take its balance below the floor returns `insufficient_balance`.",
    request: RequestBody::Required("CreateParentStore"),
    responses: &[(
        201,
        Some("IssuedKey"),
        "The parent store was created. The response is its key.",
    )],
    codes: &[
        ProblemCode::CnpjTaken,
        ProblemCode::EmailTaken,
        ProblemCode::AddressNotFound,
        ProblemCode::AddressImprecise,
        ProblemCode::CoordinatesMismatch,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let new = validate::contact_and_address(call.read()?)?;
    confirmation::confirm(call).await?;
    open(call, new).await
}
