//! `POST /courier/availability`

use super::suspension::suspended;
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate,
    },
    host::Host,
    rules::couriers,
    wire::CourierSelf,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Courier, "POST /courier/availability").leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "setAvailability",
    summary: "Set your availability",
    description: "Only an available courier gets new orders. The current trip does not change. \
        With `availableFrom` and `availableUntil` you announce a shift: orders come shortly after \
        its start and none that you could not pick up before its end.",
    request: RequestBody::Required("SetAvailability"),
    responses: &[(200, Some("CourierSelf"), "The updated courier.")],
    codes: &[ProblemCode::CourierSuspended],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (available, shift) = validate::availability(call.read()?, call.context.now)?;
    let courier = call.courier()?.clone();
    if available && courier.suspended_at.is_some() {
        return Err(suspended().into());
    }
    let changed = couriers::set_available(&courier, available, shift, call.context.now);
    let existing = changed.as_ref().map_or(&courier, |(changed, _)| changed);
    let response = ApiResponse::json(200, &CourierSelf::of(existing))?;
    if let Some((_, changes)) = changed {
        call.commit(changes, &response).await?;
    }
    Ok(response)
}
