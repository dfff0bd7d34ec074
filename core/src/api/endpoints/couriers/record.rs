//! Access to a courier, and its representation for the operator.

use crate::{
    api::{
        call::{Call, HandlerError, plain},
        problem::{Problem, ProblemCode},
        response::{ApiResponse, OneTimeSecret},
    },
    drivers::fleet,
    host::Host,
    model::{CourierId, courier::Courier},
    rules::{
        couriers::{CourierKeyParams, CourierStatus},
        settings::Settings,
    },
    wire::CourierKeyView,
};

/// The courier in the path.
pub(in crate::api::endpoints) async fn find<H: Host>(
    call: &Call<'_, H>,
) -> Result<Courier, HandlerError> {
    let courier = match CourierId::parse(call.id) {
        Some(id) => call.host.courier(id).await?,
        None => None,
    };
    courier.ok_or_else(|| plain(ProblemCode::CourierNotFound).into())
}

/// Returns what a courier does now.
pub(super) async fn status<H: Host>(
    call: &Call<'_, H>,
    courier: &Courier,
) -> Result<CourierStatus, HandlerError> {
    let states = fleet::states(
        call.host,
        call.settings,
        core::slice::from_ref(courier),
        call.context.now,
    )
    .await?;
    let none = || CourierStatus::of(courier, None, &call.settings.dispatch, call.context.now);
    Ok(states.into_iter().next().unwrap_or_else(none))
}

pub(super) fn terms(settings: &Settings, days: Option<u32>) -> CourierKeyParams<'_> {
    CourierKeyParams {
        days: days.unwrap_or(settings.keys.days),
        secret: &settings.secret,
    }
}

/// Returns the response with the courier and, if one was issued, the value of the new key.
pub(super) fn courier_response(
    settings: &Settings,
    status: u16,
    (courier, state): (&Courier, &CourierStatus),
    nonce: Option<[u8; 32]>,
) -> Result<ApiResponse, Problem> {
    let secret = nonce.map(|nonce| OneTimeSecret::of_key(settings, nonce));
    let text = secret.as_ref().map(|secret| secret.text.clone());
    Ok(ApiResponse {
        secret,
        ..ApiResponse::json(status, &CourierKeyView::of(courier, state, text))?
    })
}
