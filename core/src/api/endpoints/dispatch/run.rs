//! `POST /admin/dispatch`

use crate::{
    api::{
        call::{Call, HandlerError, plain},
        operation::Operation,
        problem::{FieldError, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route},
    },
    drivers::{dispatch, erasure},
    host::Host,
    model::Text,
    wire::{DecisionView, DispatchPassView},
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "POST /admin/dispatch")
    .leaves(Lasting::Nothing)
    .without_body()
    .heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "runDispatch",
    summary: "Run one dispatch pass",
    description: "Has no request body. Applies due transitions, reassigns orders of unresponsive \
        couriers, and matches searching orders with couriers who are free or will be free soon. An \
        order is assigned when its courier must leave; all others stay open and are matched again \
        in the next pass. The server runs a pass every few seconds; a host without background \
        tasks needs a cron job that calls this endpoint. Passes can run concurrently: each order \
        is handled by only one of them. With `dryRun=true`, nothing is changed, and `decisions` \
        explains what a pass would do.",
    responses: &[(200, Some("DispatchPass"), "The result of the pass.")],
    parameters: &["dryRun"],
    codes: &[ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    match call.query("dryRun").as_deref() {
        None | Some("false") => {}
        Some("true") => return dry_run(call).await,
        Some(_) => {
            let detail = Text::new("Expected true or false.", "Esperado true ou false.");
            let error = FieldError {
                pointer: "/dryRun".to_owned(),
                code: "invalid_value",
                detail,
            };
            return Err(plain(ProblemCode::ValidationFailed)
                .with_errors(vec![error])
                .in_query()
                .into());
        }
    }
    let mut done = dispatch::run_pass(call.host, call.settings, &mut call.context).await?;
    // A host without background tasks applies the retention here.
    done.more |= erasure::retain(call.host, call.settings, call.context.now)
        .await?
        .more;
    Ok(ApiResponse::json(200, &DispatchPassView::from(done))?)
}

async fn dry_run<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let decided = dispatch::decide_pass(call.host, call.settings, None, &mut call.context).await?;
    let now = call.context.now;
    let allocated = decided
        .iter()
        .filter(|(_, decision)| decision.open.is_none())
        .count();
    let decisions = decided
        .iter()
        .map(|(order, decision)| DecisionView::of(order.id, Some(decision), now))
        .collect();
    let allocated = u32::try_from(allocated).unwrap_or(u32::MAX);
    Ok(ApiResponse::json(
        200,
        &DispatchPassView {
            allocated,
            decisions: Some(decisions),
            ..DispatchPassView::default()
        },
    )?)
}
