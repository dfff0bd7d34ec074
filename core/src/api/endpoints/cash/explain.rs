//! `POST /delivery/cash/reasons`

use super::access::{carrying, in_body};
use crate::{
    api::{
        audit,
        call::{Call, HandlerError, plain},
        endpoints::stores::access::named_or_removed,
        operation::{Operation, RequestBody},
        problem::{FieldError, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    host::{CashEntryQuery, CashFilter, Host},
    model::{
        Text,
        cash::{CashEntry, CashKind, RecordedCash},
    },
    rules::cash,
    wire::CashEntryView,
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "POST /delivery/cash/reasons")
    .leaves(Lasting::Nothing)
    .audit("cash.explained", Subject::Cash);

pub(crate) const DOC: Operation = Operation {
    tag: "Cash",
    id: "explainDifference",
    summary: "Give the reason for a difference",
    description: "Adds the reason for the difference of a closing, which is known only after the \
        closing. Entries never change: the reason is a note about the difference, and a further one \
        replaces it in lists.",
    request: RequestBody::Required("ExplainDifference"),
    responses: &[(201, Some("CashEntry"), "The difference with its reason.")],
    parameters: &["storeIdOfCash"],
    codes: &[
        ProblemCode::StoreNotFound,
        ProblemCode::CourierNotFound,
        ProblemCode::ValidationFailed,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (id, period, reason) = validate::difference_reason(call.read()?)?;
    let store = named_or_removed(call).await?;
    let courier = carrying(call, store.id, id).await.map_err(in_body)?.courier;
    let filter = CashFilter {
        store: Some(store.id),
        courier: Some(courier.id),
        period: Some(period),
        kind: Some(CashKind::Difference),
        ..CashFilter::default()
    };
    let query = CashEntryQuery::Matching(&filter, 1);
    let difference = call.host.cash_entries(query).await?.pop();
    let difference = difference.ok_or_else(|| {
        let error = FieldError {
            pointer: "/period".to_owned(),
            code: "unknown_value",
            detail: Text::new(
                "This period of the courier was not closed. Send the `period` of a closing.",
                "Este período do entregador não foi fechado. Envie o `period` de um acerto.",
            ),
        };
        plain(ProblemCode::ValidationFailed).with_errors(vec![error])
    })?;
    let (by, now) = (audit::login(call.caller()?), call.context.now);
    let explained = RecordedCash {
        entry: CashEntry {
            reason: Some(reason.clone()),
            ..difference.entry.clone()
        },
        ..difference
    };
    let view = CashEntryView::of(&explained, &[]);
    let view = view.named(Some(courier.name), Some(store.name.clone()));
    let response = ApiResponse::json(201, &view)?;
    call.commit(cash::explain(&explained, reason, by, now), &response)
        .await?;
    Ok(response)
}
