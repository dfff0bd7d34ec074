//! `POST /courier/positions/owntracks`

use super::report::{Reported, decide};
use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::courier::position::store_position,
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        reports,
        response::ApiResponse,
        route::{Access, Lasting, Protocol, Route},
    },
    host::Host,
};

pub(crate) const ROUTE: Route = Route::new(
    Access::Device(Protocol::OwnTracks),
    "POST /courier/positions/owntracks",
)
.leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "reportOwnTracks",
    summary: "Report a position from OwnTracks",
    description: "For OwnTracks in HTTP mode. The password of HTTP Basic authentication is the \
        device key; the user name is ignored. Messages with another `_type` than `location`, and \
        empty bodies, are accepted and ignored.",
    request: RequestBody::Required("OwnTracksMessage"),
    responses: &[(200, Some("OwnTracksResponse"), "The message was accepted.")],
    codes: &[ProblemCode::MalformedRequest, ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let sent = reports::own_tracks(call.body)?;
    let Reported { position, .. } = decide(call, &sent)?;
    // The app reads the response as a list of messages.
    let response = ApiResponse::of(200, "[]");
    if let Some(position) = position {
        store_position(call, position, &response).await?;
    }
    Ok(response)
}
