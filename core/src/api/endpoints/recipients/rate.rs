//! `POST /t/{token}/rating`

use super::delivery::{form_field, is_form, load, take};
use crate::{
    api::{
        call::{Call, HandlerError},
        operation::{Operation, RequestBody},
        problem::{Problem, ProblemCode},
        read::Body,
        response::ApiResponse,
        route::{Access, Lasting, Route},
        validate,
    },
    host::Host,
    rules::lifecycle::RecipientStep,
    wire::RateDelivery,
};

pub(crate) const ROUTE: Route = Route::new(Access::Recipient, "POST /t/{token}/rating")
    .leaves(Lasting::Nothing)
    .media(&["text/html", "application/json"])
    .form_of_page();

pub(crate) const DOC: Operation = Operation {
    tag: "Recipients",
    id: "rateDelivery",
    summary: "Rate a delivery",
    description: "Once, after the delivery's end and until the link ends. Creates the event \
        `delivery.rated`. A form of another site is rejected.",
    request: RequestBody::Required("RateDelivery"),
    responses: &[
        (
            200,
            Some("RecipientTracking"),
            "The new content of the page, unless the request was a form.",
        ),
        (303, None, "After a form: `Location` is the page."),
    ],
    parameters: &["token"],
    codes: &[
        ProblemCode::CrossSite,
        ProblemCode::InvalidTransition,
        ProblemCode::AlreadyRated,
    ],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (loaded, seen) = load(call).await?;
    if seen.rating.is_none() && !seen.can_rate {
        return Err(not_ended().into());
    }
    let (stars, text) = validate::rating(rating_body(call)?)?;
    take(call, loaded, RecipientStep::Rate { stars, text }).await
}

fn not_ended() -> Problem {
    Problem::new(
        ProblemCode::InvalidTransition,
        "The delivery has not ended. You can rate it afterwards.",
        "A entrega ainda não terminou. Você poderá avaliá-la depois.",
    )
}

fn rating_body<H: Host>(call: &Call<'_, H>) -> Result<Body<RateDelivery>, Problem> {
    if !is_form(call) {
        return call.read();
    }
    let stars = form_field(call, "stars")
        .and_then(|stars| stars.parse::<u8>().ok())
        .map(f64::from);
    // A browser sends line breaks, which are not part of a one-line text.
    let text =
        form_field(call, "text").map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    Ok(Body {
        value: RateDelivery { stars, text },
        wrong: Vec::new(),
    })
}
