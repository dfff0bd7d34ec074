//! `POST /admin/pay-plans/preview`

use crate::{
    api::{
        call::{Call, HandlerError},
        operation::{Operation, RequestBody},
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate,
    },
    host::Host,
    model::Money,
    rules::{
        limits::Usage,
        pay::{ShiftWork, order_lines, shift_lines, total},
    },
    wire::{PayPreview, PaySum, Reais},
};

pub(crate) const ROUTE: Route = Route::new(Access::Operator, "POST /admin/pay-plans/preview")
    .quota(Usage::Read)
    .leaves(Lasting::Nothing)
    .heavy();

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "previewPayPlan",
    summary: "Pay orders by a draft",
    description: "Calculates the pay of orders, and of a shift with these orders, by a plan that is \
        not stored.",
    request: RequestBody::Required("PreviewPay"),
    responses: &[(200, Some("PayPreview"), "The pay.")],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let draft = validate::pay_preview(call.read()?, call.context.now)?;
    let orders: Vec<_> = draft
        .orders
        .iter()
        .map(|(plan, work)| order_lines(plan, work))
        .collect();
    let pay: Money = orders.iter().map(|lines| total(lines)).sum();
    let shift = draft.shift_minutes.map(|minutes| {
        let work = ShiftWork {
            minutes,
            deliveries: draft.orders.iter().map(|(_, work)| work.deliveries).sum(),
            pay,
        };
        shift_lines(&draft.plan, &work)
    });
    let of_shift = shift.as_deref().map_or(Money::ZERO, total);
    let preview = PayPreview {
        orders: orders.iter().map(|lines| PaySum::of(lines)).collect(),
        shift: shift.as_deref().map(PaySum::of),
        amount: Reais(pay.plus(of_shift)),
    };
    Ok(ApiResponse::json(200, &preview)?)
}
