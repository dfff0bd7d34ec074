//! `GET /t/{token}`

use super::delivery::load;
use crate::{
    api::{
        call::{Call, HandlerError},
        media::takes,
        operation::Operation,
        pages,
        response::ApiResponse,
        route::{Access, Route},
    },
    host::Host,
    wire::RecipientTracking,
};

pub(crate) const ROUTE: Route =
    Route::new(Access::Recipient, "GET /t/{token}").media(&["text/html", "application/json"]);

pub(crate) const DOC: Operation = Operation {
    tag: "Recipients",
    id: "getRecipientPage",
    summary: "Get the page of a delivery",
    description: "For the recipient, without a key: the state, a period in which the delivery is \
        expected, the courier's first name, and what the recipient can do. The courier's position \
        is rounded to 100 m and present only on the way to this delivery. A payment by Pix that is \
        due has its code. Otherwise the page has no prices, \
        addresses, phone numbers of people, or other deliveries. The link ends two hours after the \
        delivery's end. Unknown, ended and revoked links have the same response.",
    responses: &[(
        200,
        Some("RecipientTracking"),
        "The page, or its content as JSON if `Accept` excludes HTML.",
    )],
    parameters: &["token"],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (_, status) = load(call).await?;
    if takes(&call.parts.headers, "text/html") {
        let html = pages::recipient_page(&status, call.id, call.language);
        return Ok(ApiResponse {
            media: pages::HTML,
            ..ApiResponse::of(200, html)
        });
    }
    Ok(ApiResponse::json(
        200,
        &RecipientTracking::of(&status, call.language),
    )?)
}
