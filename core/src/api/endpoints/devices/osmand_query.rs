//! `GET /courier/positions/osmand`

use super::report::{Reported, decide};
use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::courier::position::store_position,
        operation::Operation,
        problem::{Problem, ProblemCode},
        reports,
        response::ApiResponse,
        route::{Access, Lasting, Protocol, Route},
    },
    host::Host,
    rules::limits::Usage,
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Device(Protocol::Osmand),
    "GET /courier/positions/osmand",
)
.quota(Usage::Create)
.leaves(Lasting::Nothing)
.writes();

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "reportOsmandQuery",
    summary: "Report a position by the OsmAnd protocol, in the query",
    description: "Like the `POST`, with the fields as query parameters. Speed, bearing, altitude, \
        battery and unknown parameters are ignored.",
    responses: &[(
        200,
        Some("ReportResult"),
        "The position is valid. `reason` states why it was not stored.",
    )],
    parameters: &[
        "osmandId",
        "osmandLat",
        "osmandLon",
        "osmandTimestamp",
        "osmandAccuracy",
    ],
    codes: &[ProblemCode::MalformedRequest, ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let sent = reports::osmand(call)?;
    let Reported { result, position } = decide(call, &sent).map_err(Problem::in_query)?;
    let response = ApiResponse::json(200, &result)?;
    if let Some(position) = position {
        store_position(call, position, &response).await?;
    }
    Ok(response)
}
