//! `POST /t/{token}/choice`

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
    wire::ChooseDelivery,
};

pub(crate) const ROUTE: Route = Route::new(Access::Recipient, "POST /t/{token}/choice")
    .leaves(Lasting::Nothing)
    .media(&["text/html", "application/json"])
    .form_of_page();

pub(crate) const DOC: Operation = Operation {
    tag: "Recipients",
    id: "chooseDelivery",
    summary: "Choose what the courier does if the recipient is not at home",
    description: "One of the `choices` of the page. It replaces an earlier choice, creates the \
        event `delivery.recipient_choice`, and the courier sees it. A form of another site is \
        rejected.",
    request: RequestBody::Required("ChooseDelivery"),
    responses: &[
        (
            200,
            Some("RecipientTracking"),
            "The new content of the page, unless the request was a form.",
        ),
        (303, None, "After a form: `Location` is the page."),
    ],
    parameters: &["token"],
    codes: &[ProblemCode::CrossSite, ProblemCode::InvalidTransition],
    ..Operation::EMPTY
};

pub(crate) async fn handle<H: Host>(call: &mut Call<'_, H>) -> Result<ApiResponse, HandlerError> {
    let (loaded, seen) = load(call).await?;
    let choice = validate::choice(choice_body(call)?, &seen.choices)?;
    take(call, loaded, RecipientStep::Choose(choice)).await
}

fn choice_body<H: Host>(call: &Call<'_, H>) -> Result<Body<ChooseDelivery>, Problem> {
    if !is_form(call) {
        return call.read();
    }
    Ok(Body {
        value: ChooseDelivery {
            choice: form_field(call, "choice"),
        },
        wrong: Vec::new(),
    })
}
