//! `POST /delivery/orders`

use super::creation::create_for;
use crate::{
    api::{
        call::{Call, HandlerError},
        endpoints::recipients::links,
        operation::{Link, Operation, RequestBody},
        planning::acting_store,
        problem::{Problem, ProblemCode},
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate,
    },
    host::Host,
    model::{Language, order::Order},
    rules::settings::Settings,
    wire::OrderView,
};

pub(crate) const ROUTE: Route = Route::new(Access::Store, "POST /delivery/orders")
    .leaves(Lasting::Nothing)
    .notifies_of_failure();

pub(crate) const DOC: Operation = Operation {
    tag: "Orders",
    id: "createOrder",
    summary: "Create an order",
    description: "Creates an order with one pickup and 1 to 50 deliveries, and debits the fee. The \
        search for a courier starts when `preparationTime` has passed, or the store's lead time \
        before that. The response lists the deliveries in route order: the order sent, or the \
        shortest route with `sortByBestRoute`.\n\n`code` makes creation safe to repeat: the same \
        code with the same content returns 200 with the existing order; with other content it \
        returns 409 with the existing order's ID in `orderId`. The code of a cancelled, expired or \
        failed order can be used again. To lock in a price, send the preview's `quote.id` as \
        `quoteId`.\n\nThe store also gets a notification if a creation fails with a 4xx status, \
        except after `rate_limited` and `request_in_progress`.",
    request: RequestBody::Required("CreateOrder"),
    responses: &[
        (201, Some("Order"), "The order was created."),
        (
            200,
            Some("Order"),
            "The order already exists: the same code was sent before with the same content. Nothing was created.",
        ),
    ],
    codes: &[
        ProblemCode::StoreNotAllowed,
        ProblemCode::InsufficientBalance,
        ProblemCode::OrderCodeConflict,
        ProblemCode::QuoteExpired,
        ProblemCode::QuoteMismatch,
        ProblemCode::AddressNotFound,
        ProblemCode::AddressImprecise,
        ProblemCode::CoordinatesMismatch,
        ProblemCode::OutOfArea,
        ProblemCode::StoreClosed,
        ProblemCode::WindowUnreachable,
        ProblemCode::FeeAboveMaximum,
        ProblemCode::DistanceExceeded,
        ProblemCode::TooManyDeliveries,
    ],
    link: Some(Link {
        operation: "getOrder",
        parameter: "platformOrderId",
        field: "id",
        description: "Get the order.",
    }),
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let mut new = validate::order(call.read()?, &call.settings.limits)?;
    let store = acting_store(call, &new.inquiry).await?.into_owned();
    // A request that names the calling store and one without a store have equal content.
    new.inquiry.store = Some(store.id);
    create_for(call, &new, store, order_response).await
}

/// Returns the response with an order and its links.
fn order_response(
    settings: &Settings,
    language: Language,
    status: u16,
    order: &Order,
) -> Result<ApiResponse, Problem> {
    let mut view = OrderView::of(order, language);
    let links = links::add_links(settings, &mut view, order);
    Ok(ApiResponse {
        links,
        ..ApiResponse::json(status, &view)?
    })
}
