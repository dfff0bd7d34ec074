//! `POST /delivery/cash/close`

use super::access::{Carrying, carrying, in_body, open};
use crate::{
    api::{
        audit,
        call::{Call, HandlerError},
        endpoints::stores::access::named_or_removed,
        operation::{Operation, RequestBody},
        problem::{Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate,
    },
    host::{CashBalanceQuery, Host, HostError},
    rules::cash::{self, CloseError},
    wire::{CashClosingView, ClosedCash},
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "POST /delivery/cash/close")
    .leaves(Lasting::Nothing)
    .audit("cash.closed", Subject::Cash);

pub(crate) const DOC: Operation = Operation {
    tag: "Cash",
    id: "closeCash",
    summary: "Close a courier's cash",
    description: "Ends the period of a courier and the store: the courier hands over what was \
        counted, and what was counted minus what was expected is booked as the difference, also if \
        it is zero. The closing is blind: the expected amount is only in the response. A difference \
        changes no pay. If it has no `reason` yet, send one with `POST /delivery/cash/reasons`.\n\n\
        Send the `period` that you have counted for. Of two closings of a period only one \
        succeeds; the other is 409 `cash_closed`.",
    request: RequestBody::Required("CloseCash"),
    responses: &[(201, Some("ClosedCash"), "The period was closed.")],
    parameters: &["storeIdOfCash"],
    codes: &[
        ProblemCode::StoreNotFound,
        ProblemCode::CourierNotFound,
        ProblemCode::CashClosed,
        ProblemCode::ValidationFailed,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (id, count) = validate::cash_count(call.read()?)?;
    let store = named_or_removed(call).await?;
    let carrying = carrying(call, store.id, id).await.map_err(in_body)?;
    let Carrying {
        courier,
        balance,
        trip,
    } = carrying;
    let (by, now) = (audit::login(call.caller()?), call.context.now);
    let changes = cash::close(&balance, &count, by, now).map_err(not_closed)?;
    let closing = changes.cash.iter().find_map(CashClosingView::of);
    let closing = closing.map(|closing| CashClosingView {
        courier_name: Some(courier.name.clone()),
        store_name: Some(store.name.clone()),
        ..closing
    });
    let view = ClosedCash {
        courier_id: courier.id.get(),
        store_id: store.id.get(),
        period: balance.period,
        closed_at: now.to_string(),
        reason: count.reason,
        open_deliveries: open(&trip, store.id).0,
        closing: closing.ok_or(HostError::Conflict)?,
    };
    let response = ApiResponse::json(201, &view)?;
    match call.commit(changes, &response).await {
        Ok(()) => Ok(response),
        Err(HostError::Conflict) => {
            // A new attempt would close the next period with what was counted for this one.
            let query = CashBalanceQuery::Of(&[courier.id], store.id);
            let current = call.host.cash_balances(query).await?.pop();
            if current.is_some_and(|current| current.period != balance.period) {
                return Err(not_closed(CloseError::Closed).into());
            }
            Err(HandlerError::Conflict)
        }
        Err(error) => Err(error.into()),
    }
}

fn not_closed(error: CloseError) -> Problem {
    let (en, pt) = match error {
        CloseError::Closed => (
            "This courier's cash was closed in the meantime. Load the cash again, and count what the courier has now.",
            "O caixa deste entregador já foi fechado. Carregue o caixa de novo e conte o que ele tem agora.",
        ),
        CloseError::Empty => (
            "There is nothing to close: this courier had no cash of the store since the last closing.",
            "Não há o que fechar: este entregador não teve dinheiro da loja desde o último acerto.",
        ),
    };
    Problem::new(ProblemCode::CashClosed, en, pt)
}
