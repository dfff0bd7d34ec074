//! `POST /v1/logistics/delivery`

use super::{access::last_attempt, standard::standard_error};
use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::orders::creation::create_for,
        operation::{Operation, RequestBody},
        problem::{Problem, ProblemCode},
        read::read,
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate,
    },
    host::Host,
    model::{
        Duration, Language,
        order::{Order, OrderStatus},
    },
    rules::settings::Settings,
    wire::open_delivery::{CompletionView, DeliveryAccepted, EventType, delivery_id},
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Connection, "POST /v1/logistics/delivery").leaves(Lasting::Nothing);

pub(crate) const DOC: Operation = Operation {
    tag: "Open Delivery",
    id: "requestDelivery",
    summary: "Request a delivery",
    description: "Creates a delivery. `ACCEPTED` follows by webhook when a courier is assigned, or \
        `REJECTED` when none was found until `completion.rejectAfter`. A delivery that is not \
        possible is rejected at once with status 422, and nothing is stored. An `orderId` can be \
        sent again only after `REJECTED`.",
    request: RequestBody::Required("DeliveryRequest"),
    responses: &[(202, Some("DeliveryAccepted"), "The delivery was created.")],
    codes: &[
        ProblemCode::AddressNotFound,
        ProblemCode::AddressImprecise,
        ProblemCode::CoordinatesMismatch,
        ProblemCode::OutOfArea,
        ProblemCode::StoreClosed,
        ProblemCode::WindowUnreachable,
        ProblemCode::DistanceExceeded,
        ProblemCode::ValidationFailed,
        ProblemCode::DeliveryRejected,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (connection, merchant) = call.connection()?;
    let mut new =
        validate::delivery_request(read(call.body)?, connection.id, merchant, call.context.now)?;
    let store = call.caller()?.store.clone();
    // The lead time of the search counts from the start of the preparation, not back from it.
    if new.inquiry.preparation_minutes > 0 {
        new.inquiry.preparation_minutes += call.settings.dispatch.lead(&store);
    }
    new.inquiry.store = Some(store.id);
    if let Some(last) = last_attempt(call, &new.code).await?
        && !is_rejected(&last)
    {
        let id = &new.code;
        let en = format!(
            "The delivery {id} exists. An orderId can be sent again only after its delivery was rejected."
        );
        let pt = format!(
            "A entrega {id} já existe. Um orderId só pode ser reenviado depois que a entrega foi recusada."
        );
        return Err(Problem::new(ProblemCode::DeliveryRejected, en, pt).into());
    }
    create_for(call, &new, store, creation_response)
        .await
        .map_err(standard_error)
}

/// Whether no courier was ever found for an order, so that its ID can be sent again.
fn is_rejected(order: &Order) -> bool {
    order.status == OrderStatus::Expired && order.first_allocated_at.is_none()
}

fn creation_response(
    settings: &Settings,
    _: Language,
    _: u16,
    order: &Order,
) -> Result<ApiResponse, Problem> {
    let search = Duration::minutes(settings.timing.search_minutes.into());
    let completion = CompletionView {
        estimate: order.search_from().max(order.created_at).to_string(),
        reject_after: order.ready_at.after(search).to_string(),
    };
    let public = settings.public_url.as_deref();
    let details_url = public.map(|base| format!("{base}/v1/logistics/delivery/{}", order.code));
    let accepted = DeliveryAccepted {
        delivery_id: delivery_id(order.id),
        event: EventType::Pending,
        completion,
        details_url,
    };
    ApiResponse::json(202, &accepted)
}
