//! `GET /admin/couriers/{courierId}/statement`

use super::statement::pay_statement;
use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::couriers::record::find,
        operation::Operation,
        paging,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Operator,
    "GET /admin/couriers/{courierId}/statement",
)
.media(&["text/csv", "application/json"])
.heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "getCourierStatement",
    summary: "Read a courier's statement",
    description: "Returns the entries of the courier's pay, oldest first: as CSV with at most 50,000 \
        entries, or as pages if `Accept` requests JSON. `Accept: text/csv; locale=pt-BR` requests \
        the form for people, with times of the area code of the courier's phone. Entries never \
        change; a correction is an entry of its own that names the one that it corrects.",
    responses: &[(200, Some("PayStatement"), "The statement.")],
    parameters: &["courierId", "from", "to", "cursor", "limit"],
    codes: &[
        ProblemCode::CourierNotFound,
        ProblemCode::ValidationFailed,
        ProblemCode::StatementTooLong,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let courier = find(call).await?;
    let limit = paging::limit(call)?;
    pay_statement(call, &courier, limit, true).await
}
