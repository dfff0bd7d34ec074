//! `POST /admin/couriers/{courierId}/entries`

use crate::{
    api::{
        audit,
        call::{Call, HandlerError, plain},
        endpoints::couriers::record::find,
        operation::{Operation, RequestBody},
        problem::{FieldError, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route, Subject},
        validate::{self, NewPayEntry},
    },
    changes::Changes,
    host::{Host, PayEntryQuery, StoreQuery},
    model::{
        OrderId, StoreId, Text,
        courier::Courier,
        pay::{PayEntry, PaySource},
    },
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Operator, "POST /admin/couriers/{courierId}/entries")
        .leaves(Lasting::Nothing)
        .audit("courier.pay-entry-created", Subject::PayEntry);

pub(crate) const DOC: Operation = Operation {
    tag: "Operator",
    id: "createPayEntry",
    summary: "Add an entry to a courier's pay",
    description: "Adds a correction, a tip or an advance, with the reason that the courier reads. A \
        correction can name the entry that it corrects; the corrected entry does not change. \
        Entries cannot be changed or removed.",
    request: RequestBody::Required("CreatePayEntry"),
    responses: &[(204, None, "The entry was added; the statement has it.")],
    parameters: &["courierId"],
    codes: &[ProblemCode::CourierNotFound, ProblemCode::ValidationFailed],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let sent = validate::new_pay_entry(call.read()?)?;
    let courier = find(call).await?;
    let Named {
        corrected,
        order,
        store,
    } = named(call, &courier, &sent).await?;
    let of_corrected = || {
        let entry = corrected.as_ref()?;
        entry.order.zip(entry.order_code.clone())
    };
    let (order, order_code) = order.or_else(of_corrected).unzip();
    let own_payer = corrected.as_ref().and_then(|entry| entry.payer);
    let entry = PayEntry {
        at: call.context.now,
        courier: courier.id,
        payer: store.or(own_payer),
        kind: sent.kind,
        quantity: None,
        amount: sent.amount,
        order,
        order_code,
        delivery: None,
        plan_version: None,
        corrects: sent.corrects.flatten(),
        reason: Some(sent.reason),
        actor: Some(audit::operator()),
        source: PaySource::Operator,
    };
    let response = ApiResponse::empty(204);
    let changes = Changes {
        at: call.context.now,
        pay: vec![entry],
        ..Changes::default()
    };
    call.commit(changes, &response).await?;
    Ok(response)
}

/// What a request names.
struct Named {
    corrected: Option<PayEntry>,
    order: Option<(OrderId, String)>,
    store: Option<StoreId>,
}

/// Loads what a request names. A problem lists all that does not exist.
async fn named<H: Host>(
    call: &Call<'_, H>,
    courier: &Courier,
    sent: &NewPayEntry,
) -> Result<Named, HandlerError> {
    let mut errors = Vec::new();
    let corrected = match sent.corrects.flatten() {
        Some(id) => {
            let query = PayEntryQuery::Id(id);
            call.host.pay_entries(courier.id, query).await?.pop()
        }
        None => None,
    };
    if sent.corrects.is_some() && corrected.is_none() {
        let en = "This courier has no such entry.";
        let pt = "Este entregador não tem esse lançamento.";
        errors.push(unknown("/corrects", en, pt));
    }
    let order = match sent.order.flatten() {
        Some(id) => call.host.order(id).await?,
        None => None,
    };
    if sent.order.is_some() && order.is_none() {
        let en = "There is no such order.";
        errors.push(unknown("/orderId", en, "Não existe esse pedido."));
    }
    let store = match sent.store.flatten() {
        Some(id) => {
            let query = StoreQuery::IdOrRemoved(id);
            call.host.find_stores(query).await?.pop()
        }
        None => None,
    };
    if sent.store.is_some() && store.is_none() {
        let en = "There is no such store.";
        errors.push(unknown("/storeId", en, "Não existe essa loja."));
    }
    if errors.is_empty() {
        Ok(Named {
            corrected: corrected.map(|recorded| recorded.entry),
            order: order.map(|order| (order.id, order.code)),
            store: store.map(|store| store.id),
        })
    } else {
        Err(plain(ProblemCode::ValidationFailed)
            .with_errors(errors)
            .into())
    }
}

fn unknown(pointer: &str, en: &str, pt: &str) -> FieldError {
    FieldError {
        pointer: pointer.to_owned(),
        code: "unknown_value",
        detail: Text::new(en, pt),
    }
}
