//! Web Push subscriptions of the courier's browsers.

use crate::{
    api::{
        call::{ApiResponse, Call, HandlerError},
        cookie, guards,
        routes::Endpoint,
        validate,
    },
    host::Host,
    rules::push,
    wire::PushKeyView,
};

/// `GET`, `POST` and `DELETE /courier/push`
pub(super) async fn run<H: Host>(
    call: &mut Call<'_, H>,
    endpoint: Endpoint,
) -> Result<ApiResponse, HandlerError> {
    let (settings, now) = (call.settings, call.context.now);
    let public_key = settings.push.public_key();
    let changes = match endpoint {
        Endpoint::SubscribePush => {
            let loopback = settings.webhooks.loopback;
            let url = validate::push_endpoint(call.read()?, public_key.is_some(), loopback)?;
            push::subscribe(
                call.courier()?,
                url,
                guards::session(call.parts, &cookie::COURIER),
                now,
            )
        }
        Endpoint::UnsubscribePush => {
            let url = validate::stored_push_endpoint(call.read()?)?;
            push::unsubscribe(call.courier()?, &url, now)
        }
        _ => return Ok(ApiResponse::json(200, &PushKeyView { public_key })?),
    };
    let response = ApiResponse::empty(204);
    if let Some(changes) = changes {
        call.commit(changes, &response).await?;
    }
    Ok(response)
}
