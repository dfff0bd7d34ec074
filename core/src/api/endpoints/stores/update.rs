//! `PUT /delivery/stores`

use super::registration::{count_registration, located, unclaimed};
use crate::{
    api::{
        call::{Call, HandlerError, retry},
        confirmation,
        operation::{Operation, RequestBody},
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    host::Host,
    model::store::Role,
    rules::stores,
    wire::StoreView,
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "PUT /delivery/stores")
    .owner()
    .leaves(Lasting::SomeAccess)
    .audit("store.updated", Subject::Store);

pub(crate) const DOC: Operation = Operation {
    tag: "Stores",
    id: "updateStore",
    summary: "Update your store",
    description: "Replaces `name`, `responsible`, `email` and `address` of the calling store. All \
        four are required. A panel session must confirm a new email, which is a login: with \
        `currentPassword`, or by `POST /delivery/sessions/confirmation` up to five minutes before.",
    request: RequestBody::Required("UpdateStore"),
    responses: &[(200, Some("Store"), "The updated store.")],
    codes: &[
        ProblemCode::StoreNotFound,
        ProblemCode::EmailTaken,
        ProblemCode::StoreConflict,
        ProblemCode::AddressNotFound,
        ProblemCode::AddressImprecise,
        ProblemCode::CoordinatesMismatch,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let contact = validate::update(call.read()?)?;
    let store = &call.caller()?.store;
    let (id, merchant, is_new_email) = (
        store.id,
        store.merchant(),
        contact.email.key() != store.email.key(),
    );
    if is_new_email {
        confirmation::confirm(call).await?;
        count_registration(call, merchant).await?;
        unclaimed(call, None, &contact.email, Some(id), Some(merchant)).await?;
    }
    let located = located(call, &contact.address).await?;
    retry!(call, async {
        // Another request may have taken the email meanwhile.
        unclaimed(call, None, &contact.email, Some(id), Some(merchant)).await?;
        let (changed, changes) = stores::update(
            &call.caller()?.store,
            contact.clone(),
            located,
            call.context.now,
        );
        let response = ApiResponse::json(200, &StoreView::of(&changed, Role::Owner))?;
        call.commit(changes, &response).await?;
        Ok(response)
    })
}
