//! `PUT /delivery/stores/{storeId}/payments`

use super::access::overseen;
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
    model::store::Store,
    rules::stores,
    wire::StorePaymentsView,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Store, "PUT /delivery/stores/{storeId}/payments")
        .owner()
        .leaves(Lasting::SomeAccess)
        .audit("payments.set", Subject::Store);

pub(crate) const DOC: Operation = Operation {
    tag: "Stores",
    id: "setStorePayments",
    summary: "Set the settings of payments at the door",
    description: "Replaces the settings of the calling store or of one of its branches. They apply \
        to orders that are created from now on. With `settle` `AT_SHIFT_END`, the courier does not \
        come back to the pickup with cash, so the fee has no return part. `pix` is the recipient of \
        payments by Pix: deliveries that are paid by Pix then have a code in `payment.pix`. A panel \
        session must confirm a new recipient: with `currentPassword`, or by `POST \
        /delivery/sessions/confirmation` up to five minutes before.",
    request: RequestBody::Required("SetStorePayments"),
    responses: &[(200, Some("StorePayments"), "The new settings.")],
    parameters: &["storeId"],
    codes: &[ProblemCode::StoreNotFound],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let store = overseen(call).await?;
    let payments = validate::store_payments(call.read()?, &store)?;
    // Whoever sets the key gets the store's payments, also after the session.
    if payments.pix.is_some() && payments.pix != store.payments.pix {
        confirmation::confirm(call).await?;
    }
    let (changed, changes) = stores::replace(Store { payments, ..store }, call.context.now);
    let response = ApiResponse::json(200, &StorePaymentsView::of(&changed.payments))?;
    call.commit(changes, &response).await?;
    Ok(response)
}
