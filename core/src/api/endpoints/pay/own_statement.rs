//! `GET /courier/statement`

use super::statement::pay_statement;
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
};

pub(crate) const ROUTE: Route = Route::new(Access::Courier, "GET /courier/statement")
    .media(&["text/csv", "application/json"])
    .heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "courierStatement",
    summary: "Read your statement",
    description: "Returns the entries of the calling courier's pay, oldest first: as CSV with at \
        most 50,000 entries, or as JSON with at most 5,000 if `Accept` requests it, so that a month \
        needs one request. `from` and `to` are the period.",
    responses: &[(200, Some("PayStatement"), "The statement.")],
    parameters: &["from", "to", "cursor"],
    codes: &[ProblemCode::ValidationFailed, ProblemCode::StatementTooLong],
    ..Operation::EMPTY
};

/// Maximum number of entries in a response. A courier with 40 orders a day and four lines of each
/// has fewer in a month; 5,000 have about 1.5 MB.
const MAX_ENTRIES: u32 = 5_000;

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let courier = call.courier()?;
    pay_statement(call, courier, MAX_ENTRIES, false).await
}
