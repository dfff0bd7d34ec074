//! `DELETE /courier/device`

use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
    },
    host::Host,
    rules::couriers,
};

pub(crate) const ROUTE: Route = Route::new(Access::Courier, "DELETE /courier/device")
    .leaves(Lasting::Nothing)
    .audit("courier.device-key-removed", Subject::Courier);

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "removeDeviceKey",
    summary: "Revoke the device key",
    description: "Revoking the key again has no effect.",
    responses: &[(204, None, "There is no device key.")],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let response = ApiResponse::empty(204);
    if let Some(changes) = couriers::remove_device_key(call.courier()?, call.context.now) {
        call.commit(changes, &response).await?;
    }
    Ok(response)
}
