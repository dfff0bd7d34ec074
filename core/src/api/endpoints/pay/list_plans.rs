//! `GET /admin/pay-plans`

use crate::{
    api::{
        call::{Call, HandlerError},
        operation::Operation,
        paging,
        problem::ProblemCode,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::{Host, PayPlanQuery},
    model::{PayPlanId, Timestamp},
    wire::{PayPlanList, PayPlanVersionView},
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "GET /admin/pay-plans");

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "listPayPlans",
    summary: "List pay plans",
    description: "Returns the versions of all pay plans, latest time of effect first. Of each plan, \
        one version is `CURRENT` from its time of effect on. For the next page, send `nextCursor` \
        as `cursor`, until it is null.",
    responses: &[(200, Some("PayPlanList"), "A page of versions.")],
    parameters: &["cursor", "limit"],
    codes: &[ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let limit = paging::limit(call)?;
    let before = paging::cursor(call, |text| {
        let (at, id) = text.split_once('-')?;
        let at = Timestamp::from_millis(at.parse().ok()?);
        Some((at, PayPlanId::parse(id)?))
    })?;
    let now = call.context.now;
    let in_force = call.host.find_pay_plans(PayPlanQuery::InForce(now)).await?;
    let query = PayPlanQuery::Before {
        before,
        limit: limit + 1,
    };
    let mut page = call.host.find_pay_plans(query).await?;
    let next_cursor = paging::truncate(&mut page, limit, |plan| {
        format!("{}-{}", plan.effective_from.millis(), plan.id)
    });
    let views = page.iter().map(|plan| {
        let state = if plan.effective_from > now {
            "SCHEDULED"
        } else if in_force.iter().any(|current| current.id == plan.id) {
            "CURRENT"
        } else {
            "PAST"
        };
        PayPlanVersionView::of(plan, state)
    });
    let list = PayPlanList {
        pay_plans: views.collect(),
        next_cursor,
    };
    Ok(ApiResponse::json(200, &list)?)
}
