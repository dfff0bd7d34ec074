//! `POST /courier/positions/osmand`

use super::report::{Reported, decide};
use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::courier::position::store_position,
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        reports,
        response::ApiResponse,
        route::{Access, Content, Lasting, Protocol, Route},
    },
    host::Host,
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Device(Protocol::Osmand),
    "POST /courier/positions/osmand",
)
.leaves(Lasting::Nothing)
.content(Content::JsonOrForm);

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "reportOsmand",
    summary: "Report a position by the OsmAnd protocol",
    description: "For Traccar Client and other apps with the OsmAnd protocol: query parameters, a \
        form, or JSON since Traccar Client 9. It has the effect of `POST /courier/position`. A \
        valid position that is not stored also returns 200, because the apps send a position again \
        until it is accepted.",
    request: RequestBody::Required("OsmandReport"),
    responses: &[(
        200,
        Some("ReportResult"),
        "The position is valid. `reason` states why it was not stored.",
    )],
    codes: &[ProblemCode::MalformedRequest, ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let sent = reports::osmand(call)?;
    let Reported { result, position } = decide(call, &sent)?;
    let response = ApiResponse::json(200, &result)?;
    if let Some(position) = position {
        store_position(call, position, &response).await?;
    }
    Ok(response)
}
