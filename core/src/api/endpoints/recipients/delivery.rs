//! The delivery of a recipient's link.

use crate::{
    api::{
        call::{Call, HandlerError, plain},
        endpoints::orders::steps::step_problem,
        media::{FORM, sent_type, takes},
        problem::ProblemCode,
        response::ApiResponse,
    },
    drivers::tracking,
    host::Host,
    model::{order::Order, store::Store},
    rules::{
        lifecycle::{RecipientStep, RecipientStepError, StepOutcome, recipient_step},
        recipient::RecipientStatus,
    },
    wire::RecipientTracking,
};

/// Reads the order of the call's link and its store, and what the recipient may see.
pub(super) async fn load<H: Host>(
    call: &Call<'_, H>,
) -> Result<((Order, Store), RecipientStatus), HandlerError> {
    let unknown = || plain(ProblemCode::TrackingNotFound);
    let loaded = tracking::load_order(call.host, call.link()?)
        .await?
        .ok_or_else(unknown)?;
    let status = status(call, &loaded).await?;
    Ok((loaded, status))
}

async fn status<H: Host>(
    call: &Call<'_, H>,
    loaded: &(Order, Store),
) -> Result<RecipientStatus, HandlerError> {
    let status = tracking::status(
        call.host,
        call.settings,
        call.link()?,
        loaded,
        call.context.now,
    )
    .await?;
    Ok(status.ok_or_else(|| plain(ProblemCode::TrackingNotFound))?)
}

/// Takes a step of the recipient. A form is redirected to the page, so that reloading it repeats
/// nothing.
pub(super) async fn take<H: Host>(
    call: &mut Call<'_, H>,
    loaded: (Order, Store),
    act: RecipientStep,
) -> Result<ApiResponse, HandlerError> {
    let now = call.context.now;
    let (order, changes) = match recipient_step(&loaded.0, call.link()?.delivery, &act, now) {
        Ok(StepOutcome::Now(moved)) => (moved.0, Some(moved.1)),
        Ok(StepOutcome::Already) => (loaded.0, None),
        Err(RecipientStepError::AlreadyRated) => {
            return Err(plain(ProblemCode::AlreadyRated).into());
        }
        Err(RecipientStepError::Step(error)) => return Err(step_problem(&error, now).into()),
    };
    let response = if is_form(call) && takes(&call.parts.headers, "text/html") {
        let path = call.parts.uri.path();
        let page = path.rsplit_once('/').map(|(page, _)| page.to_owned());
        ApiResponse {
            location: page,
            ..ApiResponse::of(303, "")
        }
    } else {
        let status = status(call, &(order, loaded.1)).await?;
        ApiResponse::json(200, &RecipientTracking::of(&status, call.language))?
    };
    if let Some(changes) = changes {
        call.commit(changes, &response).await?;
    }
    Ok(response)
}

/// Whether the request is a form of the page.
pub(super) fn is_form<H: Host>(call: &Call<'_, H>) -> bool {
    sent_type(call.parts) == FORM
}

pub(super) fn form_field<H: Host>(call: &Call<'_, H>, name: &str) -> Option<String> {
    form_urlencoded::parse(call.body)
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.into_owned())
}
