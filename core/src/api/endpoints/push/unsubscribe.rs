//! `DELETE /courier/push`

use crate::{
    api::{
        call::{Call, HandlerError},
        operation::{Operation, RequestBody},
        response::ApiResponse,
        route::{Access, Content, Lasting, Route},
        validate,
    },
    host::Host,
    rules::push,
};

pub(crate) const ROUTE: Route = Route::new(Access::Courier, "DELETE /courier/push")
    .leaves(Lasting::Nothing)
    .content(Content::Json);

pub(crate) const DOC: Operation = Operation {
    tag: "Couriers",
    id: "unsubscribePush",
    summary: "End a push subscription",
    description: "Removing a subscription again has no effect.",
    request: RequestBody::Required("PushEndpoint"),
    responses: &[(204, None, "There is no such subscription.")],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let url = validate::stored_push_endpoint(call.read()?)?;
    let changes = push::unsubscribe(call.courier()?, &url, call.context.now);
    let response = ApiResponse::empty(204);
    if let Some(changes) = changes {
        call.commit(changes, &response).await?;
    }
    Ok(response)
}
