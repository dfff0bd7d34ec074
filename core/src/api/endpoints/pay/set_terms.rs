//! `PUT /admin/couriers/{courierId}/pay`

use crate::{
    api::{
        call::{Call, HandlerError, plain},
        endpoints::couriers::record::find,
        operation::{Operation, RequestBody},
        problem::{FieldError, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    changes::{Changes, Write},
    host::{Host, PayPlanQuery, StoreQuery},
    model::{StoreId, courier::Courier, pay::PayTerms},
    wire::CourierPay,
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "PUT /admin/couriers/{courierId}/pay")
    .leaves(Lasting::Nothing)
    .audit("courier.pay-set", Subject::Courier);

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "setCourierPay",
    summary: "Set a courier's terms of pay",
    description: "Replaces the terms by which the courier's orders are paid: a plan and who pays, for \
        single stores and for all others. They apply to orders that are assigned from then on; an \
        assigned order keeps its pay.",
    request: RequestBody::Required("SetCourierPay"),
    responses: &[(200, Some("CourierPay"), "The terms.")],
    parameters: &["courierId"],
    codes: &[ProblemCode::CourierNotFound, ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let terms = validate::courier_pay(call.read()?)?;
    let courier = find(call).await?;
    let errors = unknown(call, &terms).await?;
    if !errors.is_empty() {
        return Err(plain(ProblemCode::ValidationFailed)
            .with_errors(errors)
            .into());
    }
    let response = ApiResponse::json(200, &CourierPay::of(courier.id.get(), &terms))?;
    if courier.pay != terms {
        let changes = Changes {
            at: call.context.now,
            couriers: vec![Write {
                expected: courier.version,
                value: Courier {
                    version: courier.version + 1,
                    pay: terms,
                    ..courier
                },
            }],
            ..Changes::default()
        };
        call.commit(changes, &response).await?;
    }
    Ok(response)
}

/// Returns the errors of terms that name no plan in force, or no store.
async fn unknown<H: Host>(
    call: &Call<'_, H>,
    terms: &[PayTerms],
) -> Result<Vec<FieldError>, HandlerError> {
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    let query = PayPlanQuery::InForce(call.context.now);
    let plans = call.host.find_pay_plans(query).await?;
    let ids: Vec<StoreId> = terms.iter().filter_map(|one| one.store).collect();
    let stores = if ids.is_empty() {
        Vec::new()
    } else {
        call.host.find_stores(StoreQuery::Ids(&ids)).await?
    };
    let is_known = |id: StoreId| {
        let mut stores = stores.iter();
        stores.any(|store| store.id == id && store.deleted_at.is_none())
    };
    let mut errors = Vec::new();
    for (index, one) in terms.iter().enumerate() {
        if one.store.is_some_and(|id| !is_known(id)) {
            errors.push(validate::unknown_in_terms(index, "storeId"));
        }
        if !plans.iter().any(|plan| plan.name == one.plan) {
            errors.push(validate::unknown_in_terms(index, "plan"));
        }
    }
    Ok(errors)
}
