//! `POST /admin/dispatch/what-if`

use crate::{
    api::{
        call::{Call, HandlerError},
        operation::{Operation, RequestBody},
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate,
    },
    drivers::dispatch,
    host::Host,
    rules::{limits::Usage, settings::Settings},
    wire::{DispatchComparison, DispatchSettings},
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "POST /admin/dispatch/what-if")
    .quota(Usage::Read)
    .leaves(Lasting::Nothing)
    .heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "compareDispatch",
    summary: "Compare a draft of the dispatch settings",
    description: "Simulates a dispatch pass with the deployment's settings and one with a draft, \
        and returns the orders about which they decide differently. Nothing is changed.",
    request: RequestBody::Required("SetDispatch"),
    responses: &[(200, Some("DispatchComparison"), "The comparison.")],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let dispatch = validate::dispatch_draft(call.read()?, &call.settings.dispatch)?;
    let settings = DispatchSettings::of(&dispatch);
    let draft = Settings {
        dispatch,
        ..call.settings.clone()
    };
    // Both passes draw the same random orders if there are more than a pass matches.
    let current =
        dispatch::decide_pass(call.host, call.settings, None, &mut call.context.clone()).await?;
    let drafted = dispatch::decide_pass(call.host, &draft, None, &mut call.context).await?;
    let view = DispatchComparison::of(settings, &current, &drafted, call.context.now);
    Ok(ApiResponse::json(200, &view)?)
}
