//! `DELETE /admin/pay-plans/{payPlanId}`

use crate::{
    api::{
        call::{Call, HandlerError, plain},
        operation::Operation,
        problem::{Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
    },
    changes::{Changes, PayPlanChange},
    host::{Host, PayPlanQuery},
    model::PayPlanId,
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "DELETE /admin/pay-plans/{payPlanId}")
    .leaves(Lasting::Nothing)
    .audit("pay-plan.removed", Subject::PayPlan);

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "removePayPlan",
    summary: "Remove a scheduled version of a pay plan",
    description: "Removes a version before its time of effect. Its text can be used again.",
    responses: &[(204, None, "The version was removed.")],
    parameters: &["payPlanId"],
    codes: &[ProblemCode::PayPlanNotFound, ProblemCode::PayPlanInEffect],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let not_found = || plain(ProblemCode::PayPlanNotFound);
    let id = PayPlanId::parse(call.id).ok_or_else(not_found)?;
    let mut found = call.host.find_pay_plans(PayPlanQuery::Id(id)).await?;
    let stored = found.pop().ok_or_else(not_found)?;
    let (now, at) = (call.context.now, stored.effective_from);
    if at <= now {
        let problem = Problem::new(
            ProblemCode::PayPlanInEffect,
            format!(
                "This version took effect at {at}, so it cannot be removed. Create another version to replace it."
            ),
            format!(
                "Esta versão entrou em vigor em {at} e não pode ser removida. Crie outra versão para substituí-la."
            ),
        );
        return Err(problem.into());
    }
    let response = ApiResponse::empty(204);
    let changes = Changes {
        at: now,
        pay_plans: vec![PayPlanChange::Remove(id)],
        ..Changes::default()
    };
    call.commit(changes, &response).await?;
    Ok(response)
}
