//! `POST /admin/pay-plans`

use std::sync::Arc;

use crate::{
    api::{
        call::{Call, HandlerError, plain, too_few},
        operation::{Operation, RequestBody},
        problem::{FieldError, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    changes::{Changes, PayPlanChange},
    host::{Host, PayPlanQuery},
    model::{PayPlanId, Text, pay::StoredPayPlan},
    wire::PayPlanVersionView,
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "POST /admin/pay-plans")
    .leaves(Lasting::Nothing)
    .audit("pay-plan.created", Subject::PayPlan);

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "createPayPlan",
    summary: "Create a pay plan",
    description: "Stores a version of a pay plan and the time from which assigned orders use it. An \
        order keeps the version that was in force when it was assigned to its courier. A version \
        is never changed; create another one with the same name to replace it.",
    request: RequestBody::Required("CreatePayPlan"),
    responses: &[(201, Some("PayPlanVersion"), "The new version.")],
    codes: &[ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let now = call.context.now;
    let (name, plan, effective_from) = validate::new_pay_plan(call.read()?, now)?;
    let same_version = PayPlanQuery::Version(&plan.version);
    let is_taken = !call.host.find_pay_plans(same_version).await?.is_empty();
    let at_time = PayPlanQuery::InForce(effective_from);
    let others = call.host.find_pay_plans(at_time).await?;
    let same_time = others
        .iter()
        .any(|other| other.name == name && other.effective_from == effective_from);
    let mut errors = Vec::new();
    if is_taken {
        let en = "A pay plan with this version exists. Send a new version.";
        let pt = "Já existe um plano de ganhos com esta versão. Envie uma nova versão.";
        errors.push(duplicate("/plan/version", en, pt));
    }
    if same_time {
        let en = "Another version of this plan takes effect at this time. Send another time.";
        let pt = "Outra versão deste plano entra em vigor neste horário. Envie outro horário.";
        errors.push(duplicate("/effectiveFrom", en, pt));
    }
    if !errors.is_empty() {
        return Err(plain(ProblemCode::ValidationFailed)
            .with_errors(errors)
            .into());
    }
    let id = call
        .ids(1)
        .await?
        .take(PayPlanId::new)
        .ok_or_else(too_few)?;
    let stored = StoredPayPlan {
        id,
        name,
        effective_from,
        created_at: now,
        plan: Arc::new(plan),
    };
    let state = if effective_from > now {
        "SCHEDULED"
    } else {
        "CURRENT"
    };
    let response = ApiResponse::json(201, &PayPlanVersionView::of(&stored, state))?;
    let changes = Changes {
        at: now,
        pay_plans: vec![PayPlanChange::Insert(stored)],
        ..Changes::default()
    };
    call.commit(changes, &response).await?;
    Ok(response)
}

fn duplicate(pointer: &str, en: &str, pt: &str) -> FieldError {
    FieldError {
        pointer: pointer.to_owned(),
        code: "duplicate",
        detail: Text::new(en, pt),
    }
}
